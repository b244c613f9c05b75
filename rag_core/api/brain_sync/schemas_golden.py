"""The shapes of golden sets on the wire, as Brain Sync's routes and as those of RAG V2 name them."""

from typing import Annotated, Any, Literal

from pydantic import AliasChoices, BeforeValidator, Field

from rag_core.api.schemas import Given, Id, Moment, Name, Text, _Request, _Response
from rag_core.model.golden import DIFFICULTIES, DIFFICULTY_WORDS, Category, DifficultyWord, Vocabulary

_NOTE_ID = "660e8400-e29b-41d4-a716-446655440001"
_CATEGORIES_V2 = Literal["factual", "comparative", "procedural", "relational", "aggregative", "multi_hop"]


def _difficulty(value: Any) -> Any:
    if type(value) is int and value in DIFFICULTIES:
        return value
    if type(value) is str and value in DIFFICULTY_WORDS:
        return value
    raise ValueError("debe ser un entero de 1 a 5, o easy, medium o hard")


Difficulty = Annotated[
    int | str,
    BeforeValidator(_difficulty),
    Field(
        json_schema_extra={
            "anyOf": [{"type": "integer", "minimum": 1, "maximum": 5}, {"enum": ["easy", "medium", "hard"]}]
        }
    ),
]
"""From 1 to 5, or in a set of rag_v2 a word."""


class SpanIn(_Request):
    """Place of the answer in a note: its quote, or start and end in code points, or all three."""

    start: int | None = Field(None, ge=0)
    end: int | None = Field(None, ge=1)
    quote: str | None = Field(None, min_length=1)


class GoldenSpanOut(_Response):
    """Place of the answer in a note when it was marked; `quote` finds the place again when the note was edited."""

    start: int
    end: int
    quote: str


class RelevanceIn(_Request):
    """A note that answers: in part (1), well (2) or best (3), and where."""

    note_id: Id
    grade: int | None = Field(None, ge=1, le=3, description="Default: as it is, 1 at first.")
    spans: list[SpanIn] | None = Field(None, description="Default: as they are, none at first.")


class RelevanceOut(_Response):
    """A note that answers: in part (1), well (2) or best (3), and where."""

    note_id: str
    grade: int
    spans: list[GoldenSpanOut]


class GoldenIn(_Request):
    """A question, the notes that answer it, and the answer; on a change, what is optional and left out stays as it is."""

    query: Given = Field(examples=["¿A dónde viajo con Lucía?"])
    relevant_note_ids: list[Id] = Field(min_length=1, examples=[[_NOTE_ID]])
    expected_answer: Given = Field(examples=["A Valparaíso"])
    category: Category
    difficulty: Difficulty
    tags: list[Given] | None = None
    relevance: list[RelevanceIn] | None = Field(None, description="Grades and spans, of these notes and others.")
    key_facts: list[Given] | None = Field(None, description="What an answer must say.")
    forbidden_content: list[Given] | None = Field(None, description="What an answer must not say.")
    created_by: Given | None = None
    verified_by: Given | None = Field(
        None, description="Who checked question and answer; another answer takes it away."
    )


class GoldenOut(_Response):
    """A golden query as stored."""

    id: str
    query: str
    relevant_note_ids: list[str]
    relevance: list[RelevanceOut]
    expected_answer: str
    vocabulary: Vocabulary
    category: Category
    difficulty: int | DifficultyWord = Field(description="From 1 to 5, in a set of rag_v2 a word.")
    tags: list[str]
    key_facts: list[str]
    forbidden_content: list[str]
    created_by: str | None
    verified_by: str | None
    verified_at: Moment | None
    created_at: Moment
    updated_at: Moment


class GoldenList(_Response):
    """All queries of the set, in the order they were made."""

    queries: list[GoldenOut]


class GoldenRelevanceLine(_Request):
    """A note that answers, by external id, `source:id` or id."""

    id: Given = Field(validation_alias=AliasChoices("id", "noteId"))
    grade: int | None = Field(None, ge=1, le=3)
    spans: list[SpanIn] = Field([])


class GoldenLineIn(_Request):
    """A golden query that comes in: its notes by external id, `source:id` or id.

    What `brain golden export` writes (`relevant_ids`, `answer`, …) is taken too.
    """

    id: str | None = None
    query: Given
    relevant_ids: list[Given] = Field(
        [], validation_alias=AliasChoices("relevantIds", "relevantNoteIds", "relevantDocumentIds", "relevant_ids")
    )
    relevance: list[GoldenRelevanceLine] = Field([])
    relevant_chunk_ids: list[str] = Field([], validation_alias=AliasChoices("relevantChunkIds", "relevant_chunk_ids"))
    expected_answer: str = Field("", validation_alias=AliasChoices("expectedAnswer", "answer"))
    category: Category | None = None
    difficulty: Difficulty | None = None
    tags: list[Given] = Field([])
    key_facts: list[Given] = Field([], validation_alias=AliasChoices("keyFacts", "key_facts"))
    forbidden_content: list[Given] = Field([], validation_alias=AliasChoices("forbiddenContent", "forbidden_content"))
    created_by: Given | None = Field(None, validation_alias=AliasChoices("createdBy", "created_by"))
    verified_by: Given | None = Field(None, validation_alias=AliasChoices("verifiedBy", "verified_by"))
    verified_at: str | None = Field(None, validation_alias=AliasChoices("verifiedAt", "verified_at"))
    created_at: str | None = Field(None, validation_alias=AliasChoices("createdAt", "created_at"))
    updated_at: str | None = Field(None, validation_alias=AliasChoices("updatedAt", "lastUpdated", "updated_at"))


class GoldenLineRelevanceOut(_Response):
    """A note that answers, by external id or `source:id`."""

    id: str
    grade: int
    spans: list[GoldenSpanOut]


class GoldenLineOut(_Response):
    """A golden query that goes out; one whose notes were all deleted has none."""

    id: str
    query: str
    relevant_ids: list[str] = Field(description="External ids; `source:id` where one stands in several sources.")
    relevance: list[GoldenLineRelevanceOut] = Field(description="The notes that have another grade than 1, or spans.")
    expected_answer: str
    category: Category
    difficulty: int | DifficultyWord
    tags: list[str]
    key_facts: list[str]
    forbidden_content: list[str]
    created_by: str | None
    verified_by: str | None
    verified_at: Moment | None
    created_at: Moment
    updated_at: Moment


class GoldenExport(_Response):
    """A set as `POST /api/golden-dataset/import` takes it."""

    set: str
    vocabulary: Vocabulary
    version: int
    queries: list[GoldenLineOut]


def _listed(value: Any) -> Any:
    return {"queries": value} if isinstance(value, list) else value


class _GoldenDocument(_Request):
    """An exported set."""

    set: Text | None = Field(None, description="Must be the set that is imported into.")
    vocabulary: Vocabulary | None = None
    version: int | None = Field(None, description="Is not kept: a set counts its own changes.")
    queries: list[dict[str, Any]] = Field(min_length=1, examples=[[{"query": "…", "relevantIds": ["n1"]}]])


GoldenDocument = Annotated[_GoldenDocument, BeforeValidator(_listed)]
"""An exported set, or the bare list of its queries; each is checked by itself, so that good ones go in."""


class GoldenRejection(_Response):
    """A query that was not taken."""

    line: int = Field(description="Its place in the list, from 1.")
    error: str


class GoldenImported(_Response):
    """Outcome of an import of queries."""

    imported: int
    rejected: list[GoldenRejection]


class GoldenCoverage(_Response):
    """Number of queries of a category, by difficulty, beside the required minimum."""

    category: Category
    total: int
    by_difficulty: dict[str, int]
    minimum: int | None = Field(description="Null where only the whole set has a minimum.")
    missing: int


class GoldenStatisticsV2(_Response):
    """Contents of a set in figures. Averages are null without a query."""

    total_queries: int
    by_category: dict[str, int]
    by_difficulty: dict[str, int]
    avg_relevant_docs: float | None
    avg_relevant_chunks: float | None = Field(description="Chunks of today that cover at least half of a span.")


class GoldenStatisticsOut(GoldenStatisticsV2):
    """Contents of a set in figures, and what it lacks."""

    set: str
    vocabulary: Vocabulary
    version: int
    verified: int
    retrieval_only: int
    with_spans: int
    lost_spans: int = Field(description="Spans whose quote the note no longer has.")
    without_notes: int = Field(description="Queries all of whose notes were deleted; no evaluation asks them.")
    coverage: list[GoldenCoverage]
    minimum: int
    missing: int


class GoldenQueryV2In(_Request):
    """A question with the documents and chunks that answer it, in the words of RAG V2."""

    query: Given
    expected_answer: Given
    relevant_document_ids: list[Name] = Field([], description="Ids, external ids or `source:id` of notes.")
    relevant_chunk_ids: list[Id] | None = Field(
        None, description="Chunks of today; each is kept as the place that it covers, which outlives it."
    )
    category: _CATEGORIES_V2
    difficulty: DifficultyWord
    key_facts: list[Given] | None = None
    forbidden_content: list[Given] | None = None
    created_by: Given | None = None
    verified_by: Given | None = None


class GoldenQueryV2(_Response):
    """A golden query in the words of RAG V2."""

    id: str
    query: str
    expected_answer: str
    relevant_document_ids: list[str]
    relevant_chunk_ids: list[str] = Field(description="Chunks of today that cover at least half of a golden place.")
    category: _CATEGORIES_V2
    difficulty: DifficultyWord
    key_facts: list[str]
    forbidden_content: list[str]
    created_by: str | None
    verified_by: str | None
    last_updated: Moment


class GoldenDatasetV2(_Response):
    """A golden set in the words of RAG V2."""

    id: str | None = Field(description="Null before the first question is added.")
    name: str
    version: int
    created_at: Moment | None
    queries: list[GoldenQueryV2]
    statistics: GoldenStatisticsV2
