"""The shapes of RAG V2 on the wire: searches, and chats over what they find."""

from typing import Annotated, Any, Literal

from pydantic import Field

from rag_core.api.schemas import (
    BLOCK,
    BOX,
    LEVEL,
    PAGE,
    PARENT,
    UNIT,
    ErrorBody,
    Moment,
    Score,
    Text,
    _Request,
    _Response,
)
from rag_core.api.schemas_answers import CitationSpans, Verification, _Outcome
from rag_core.language.languages import LanguageChoice
from rag_core.model.document import PageUnit
from rag_core.model.enrichment import KindOrType
from rag_core.model.graph import RelationKind
from rag_core.model.retrieval import QueryType, RoutedStrategy

MAX_MESSAGES = 50
MAX_MESSAGE_CHARACTERS = 20_000
MAX_SEARCH_LIMIT = 50
MAX_VALUES = 100


class DateRange(_Request):
    """Range of the dates of notes; a date without a time includes the whole of that day."""

    since: str | None = Field(None, alias="from", examples=["2025-03-01"])
    until: str | None = Field(None, alias="to", examples=["2025-03-31"])


_Names = Annotated[list[Text], Field(max_length=MAX_VALUES)]


class SearchFiltersV2(_Request):
    """Filters on documents; all that are given must hold."""

    document_ids: _Names | None = None
    document_types: Annotated[list[KindOrType], Field(max_length=MAX_VALUES)] | None = Field(
        None, description="Types that the text was read as, or kinds of notes."
    )
    departments: _Names | None = Field(
        None, description="Only what these departments may see. It narrows what the key may see, and never widens it."
    )
    date_range: DateRange | None = None
    topics: _Names | None = Field(None, description="Tags, or topics read in the text.")
    languages: Annotated[list[LanguageChoice], Field(max_length=MAX_VALUES)] | None = None


class SearchRequestV2(_Request):
    """A search, and what of the router's choice is overruled."""

    query: str = Field(description="3 to 2,000 characters after trimming.", examples=["Wer leitet das Projekt Apollo?"])
    strategy: RoutedStrategy | None = Field(None, description="Wins over the router's.")
    hybrid_alpha: float | None = Field(None, ge=0, le=1, description="1: vectors alone, 0: words alone.")
    limit: int = Field(MAX_SEARCH_LIMIT, ge=1, le=MAX_SEARCH_LIMIT)
    filters: SearchFiltersV2 | None = None
    include_graph_refinement: bool | None = Field(None, description="Wins over the router's.")
    search_tables: bool | None = Field(
        None, description="Fill `tables`; by default where the strategy is `table_focused` or `multi_index`."
    )
    rerank: bool = True
    include_parent_chunks: bool = Field(True, description="Fill `parentContent`.")


class QueryAnalysisOut(_Response):
    """The router's analysis of a question."""

    query_type: QueryType
    entities: list[str]
    is_multi_hop: bool
    requires_graph_refinement: bool
    requires_table: bool
    suggested_strategy: RoutedStrategy
    confidence: Score


class SearchResultV2(_Response):
    """A passage."""

    id: str
    document_id: str
    document_title: str
    content: str
    level: Literal[0, 2] = LEVEL
    parent_id: str | None = PARENT
    parent_content: str | None = Field(
        description="The section or table that the passage is in, where that fits, else the sentences around it; null where "
        "`includeParentChunks` is false."
    )
    score: Score
    vector_score: float | None = Field(
        description="Cosine to the query or a part of it, with the lift of other languages; null where vectors did not find it."
    )
    bm25_score: float | None = Field(description="BM25 score, not bounded; null where words did not find it.")
    rank: int
    created_at: Moment
    metadata: dict[str, Any]


class TableResultV2(_Response):
    """Rows of a table."""

    id: str
    document_id: str
    document_title: str
    table_id: str = Field(description="One for all parts of a table.")
    type: Literal["full_table", "table_segment", "table_summary"]
    row_range: tuple[int, int] | None = Field(
        description="These rows of the table, from 0, the end excluded; null for a summary, which has no rows."
    )
    content: str = Field(description="The header and these rows, in Markdown.")
    headers: list[str] = Field(
        description="Those of its columns: a row too long for a passage is in several, by columns."
    )
    caption: str | None = Field(description="Of further columns of such a row also the row's first cell.")
    row_count: int = Field(description="Rows in `content`.")
    column_count: int
    page: int | None
    score: Score


class GraphEntity(_Response):
    """Entity of a relation, named as in the documents."""

    id: str
    name: str


class GraphRelation(_Response):
    """Relation between two entities; of the causal types the source is the cause."""

    source: str
    target: str
    type: RelationKind
    confidence: Score
    evidence: str = Field(description="The text that says so.")
    document_id: str


class GraphContextOut(_Response):
    """Context that the causal graph adds."""

    entities: list[GraphEntity]
    relationships: list[GraphRelation]
    summary: str


class SearchResponseV2(_Response):
    """Passages, best first, and how they were looked for."""

    results: list[SearchResultV2]
    tables: list[TableResultV2]
    total_candidates: int = Field(description="Passages of text that were found before any was left out.")
    query_analysis: QueryAnalysisOut
    graph_context: GraphContextOut | None
    search_time: float = Field(description="Milliseconds.")
    strategy: RoutedStrategy
    warnings: list[str]


class MessageIn(_Request):
    """A turn of a conversation."""

    role: Literal["user", "assistant"]
    content: Annotated[Text, Field(max_length=MAX_MESSAGE_CHARACTERS)]


class CompressionIn(_Request):
    """Compression of the sources."""

    strategy: Literal["extractive", "abstractive", "hierarchical"] = "extractive"
    max_tokens: int | None = Field(None, ge=100, le=32_000)


class RagOptions(_Request):
    """Overrides of the router's choice."""

    enabled: Literal[True] = Field(default=True, description="Answers come from documents alone.")
    strategy: RoutedStrategy | None = None
    search_limit: int = Field(8, ge=1, le=20)
    rerank: bool = True
    include_graph_refinement: bool | None = None
    context_compression: CompressionIn | None = None
    reject_on_low_groundedness: bool | None = Field(None, description="Default: as the operator says.")
    add_disclaimer_on_low_groundedness: bool | None = Field(None, description="Default: as the operator says.")


class ChatRequestV2(_Request):
    """A conversation whose last message is the question."""

    messages: list[MessageIn] = Field(min_length=1, max_length=MAX_MESSAGES)
    model: Text | None = Field(None, description="The model that is set up here answers; another name is told of.")
    stream: bool = False
    rag_options: RagOptions = RagOptions()


class SourceV2(_Response):
    """A source of an answer."""

    number: int
    document_id: str
    document_title: str
    chunk_id: str
    page: int | None = PAGE
    page_unit: PageUnit | None = UNIT
    block: int | None = BLOCK
    box: list[float] | None = BOX
    created_at: Moment
    snippet: str
    score: Score


class ReadSourceV2(SourceV2):
    """A source that was read for an answer."""

    cited: bool = Field(description="Whether the answer cites it; those that it cites stand first.")


class CitationV2(SourceV2):
    """A source that the answer cites."""

    mark: str = Field(examples=["[Quelle: Projektplan, Seite 3]"])
    verification: Verification
    spans: list[CitationSpans]


class MetricsV2(_Response):
    """Figures of quality and speed."""

    groundedness: Score | None
    latency: float = Field(description="Milliseconds.")


class ChatResponseV2(_Outcome):
    """An answer with marks such as `[Quelle: Projektplan]`."""

    success: Literal[True]
    answer: str
    sources: list[ReadSourceV2]
    citations: list[CitationV2]
    metrics: MetricsV2
    model: str
    query_analysis: QueryAnalysisOut
    graph_context: GraphContextOut | None


class FailureV2(ErrorBody):
    """A chat that failed."""

    success: Literal[False]
    warnings: list[str]
