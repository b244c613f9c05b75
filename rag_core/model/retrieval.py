"""Queries, hits and how a retrieval went."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from rag_core.model.chunk import TablePart
from rag_core.model.document import Box, PageUnit, PlacedBlock
from rag_core.model.enrichment import KindOrType
from rag_core.model.graph import CausalDirection, Relation
from rag_core.model.note import ChunkId, Language, NoteId, NoteKind, Span

Strategy = Literal["semantic", "fulltext", "hybrid", "hybrid+rerank", "routed"]
"""``routed`` searches with whichever of the others the question asks for, and tables or the graph beside it."""
QueryType = Literal["factual", "comparative", "procedural", "relational", "aggregative", "temporal"]
RoutedStrategy = Literal["vector_only", "hybrid", "hybrid_with_graph_refinement", "table_focused", "multi_index"]
RetrievalMethod = Literal["semantic", "fulltext", "hybrid", "graph"]
Intent = Literal["factual", "causal", "temporal", "comparative", "abstract"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One result of a retrieval: a chunk, its window, and how it was found.

    ``expanded_content[bounds[0]:bounds[1]] == content``; the window begins at ``start_char`` of its note. ``score`` is in [0, 1],
    ``fusion_score`` is what the fusion computed (for RRF the raw sum), ``matched_spans`` are all chunks merged into the window, in it.
    """

    chunk_id: ChunkId
    note_id: NoteId
    external_id: str
    source: str
    title: str | None
    created_at: datetime
    language: Language
    content: str
    expanded_content: str
    start_char: int
    bounds: Span
    matched_spans: tuple[Span, ...]
    chunk_index: int
    score: float
    fusion_score: float
    method: RetrievalMethod
    ranks: Mapping[str, int] = field(default_factory=dict)
    leg_scores: Mapping[str, float] = field(default_factory=dict)
    """Scores in the legs that found it: similarity of vectors, BM25 of full text."""
    original_score: float | None = None
    rerank_score: float | None = None
    is_above_threshold: bool | None = None
    """True where ``rerank_score`` reaches the threshold; None where the re-ranker's scores are no probabilities."""
    likeness: tuple[tuple[Span, float], ...] = ()
    """Cosines of the query to parts of the window, where they were read."""
    causal_path: tuple[str, ...] | None = None
    causal_path_names: tuple[str, ...] | None = None
    causal_relations: tuple[Relation, ...] = ()
    """The relations along the causal path, from the entity asked for on."""
    is_dated: bool = True
    """False where ``created_at`` is no day that somebody wrote: a file's time, or that of the import."""
    page: int | None = None
    page_unit: PageUnit | None = None
    """Page on which the chunk begins, of a document that has pages."""
    table: TablePart | None = None
    """The table that the chunk is a part of."""
    section: int | None = None
    """Start of the section of the note that the chunk begins in; None before the first heading."""
    is_whole: bool = False
    """True where the window is all of its section or table."""
    block: int | None = None
    box: Box | None = None
    """First block of that page that holds the chunk, and the box around all of them there."""
    blocks: tuple[PlacedBlock, ...] = ()
    """Blocks with pages that hold the window; spans are of the note."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """Conditions on the notes to find, all of which must hold; empty ones and None restrict nothing.

    ``since`` and ``until`` bound the note's ``created_at``, half-open. A note has a wanted tag if it has any of them or one
    below it, a topic if that is one of its tags or was told of it, a document type if that is its kind or was told of it. With
    ``tables_only`` no chunk of prose is found.
    """

    since: datetime | None = None
    until: datetime | None = None
    kinds: tuple[NoteKind, ...] = ()
    sources: tuple[str, ...] = ()
    languages: tuple[Language, ...] = ()
    tags: tuple[str, ...] = ()
    document_ids: tuple[NoteId, ...] = ()
    tables_only: bool = False
    document_types: tuple[KindOrType, ...] = ()
    topics: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Tell whether every note passes."""
        return self == NO_FILTERS


NO_FILTERS = Filters()


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeExpression:
    """A stretch of the query that names a time ("la semana pasada"), and the interval it means, half-open.

    ``is_relative`` tells an expression that is counted from now ("ayer", "en marzo") from a calendar date ("en 2019"),
    which a text may as well speak of as be written in.
    """

    span: Span
    text: str
    since: datetime
    until: datetime
    is_relative: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TransformedQuery:
    """Transformed query to search with. The original is never changed.

    ``sub_queries`` holds the parts of a question that asks several things, else the query itself; ``without_time`` is the
    query without its time expressions, as it is searched within their interval.
    """

    original_query: str
    intent: Intent
    sub_queries: tuple[str, ...]
    timestamp: datetime
    direction: CausalDirection | None = None
    times: tuple[TimeExpression, ...] = ()
    without_time: str = ""
    hyde_answer: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievalFigures:
    """Figures of the parts of a search; None for a part that did not run, times also where its result was cached.

    Hits are distinct chunks, the best score and the mean of the ten best (or of as many as there are) are cosines.
    ``overlap`` counts the chunks that more than one leg found, ``concepts`` the entities on the causal paths that were walked.
    """

    semantic_hits: int | None = None
    semantic_ms: float | None = None
    semantic_best: float | None = None
    semantic_mean: float | None = None
    fulltext_hits: int | None = None
    graph_hits: int | None = None
    graph_ms: float | None = None
    graph_depth: int | None = None
    concepts: int | None = None
    fusion_ms: float | None = None
    overlap: int = 0
    rerank_ms: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrieval:
    """The answer to one query: hits best first, and what happened on the way.

    ``stages`` are milliseconds by stage name, ``warnings`` are what a reader should know of a degraded result,
    ``interval`` is the time, half-open, that the query's own words asked for. ``is_confident`` is whether a chunk is as near to
    the query as the similarity threshold asks, None where no chunk was compared with it.
    """

    query: str
    strategy: Strategy
    hits: tuple[Hit, ...]
    latency_ms: float
    stages: Mapping[str, float]
    warnings: tuple[str, ...] = ()
    is_degraded: bool = False
    is_confident: bool | None = None
    transformed: TransformedQuery | None = None
    interval: tuple[datetime, datetime] | None = None
    candidates: int = 0
    """Chunks that the legs found, before any was left out."""
    figures: RetrievalFigures = RetrievalFigures()
    routed: RoutedStrategy | None = None
    """The router's choice; None of a search that was not routed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryStatistics:
    """Document frequencies of the query's words in the tenant's notes, by language.

    ``documents`` counts the chunks, ``frequencies`` those that hold a word (of its lexemes the rarest); a stop word is
    absent. Words are as ``rag_core.language.stemming.query_words`` gives them.
    """

    documents: Mapping[Language, int]
    frequencies: Mapping[Language, Mapping[str, int]]
