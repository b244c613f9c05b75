"""The values of the domain: notes, chunks, hits. No I/O, no behaviour beyond what a value knows of itself.

Offsets are code points of the stored, NFC-normalised text, half-open: ``note.content[start:end]``.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, NewType
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

TenantId = NewType("TenantId", str)
NoteId = NewType("NoteId", UUID)
ChunkId = NewType("ChunkId", UUID)

FloatMatrix = NDArray[np.float32]
"""Vectors as rows, shape (texts, dimensions)."""

Language = Literal["es", "de", "en"]
Strategy = Literal["semantic", "fulltext", "hybrid", "hybrid+rerank"]
RetrievalMethod = Literal["semantic", "fulltext", "hybrid", "graph"]
EmbeddingKind = Literal["standard", "contextual"]
EmbeddingRole = Literal["document", "query"]
Intent = Literal["factual", "causal", "temporal", "comparative", "abstract"]
CausalDirection = Literal["causes", "effects"]
"""What a causal question asks for: what led to something, or what it led to."""
RelationKind = Literal[
    "CAUSES",
    "TRIGGERS",
    "LEADS_TO",
    "WORKS_FOR",
    "MANAGES",
    "OWNS",
    "REFERENCES",
    "PART_OF",
    "RELATED_TO",
    "CREATED_BY",
    "APPROVED_BY",
    "REPORTS_TO",
    "COLLABORATES_WITH",
    "PREREQUISITE",
    "COMPARED_TO",
    "USES",
    "IMPLEMENTS",
    "EXAMPLE_OF",
]
"""What the table ``relations`` may hold; of the causal kinds, the first three, the source is the cause."""
NoteKind = Literal["note", "document"]
Span = tuple[int, int]
"""Start and end in code points, half-open."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """A note as stored."""

    id: NoteId
    external_id: str
    source: str
    title: str | None
    content: str
    language: Language
    created_at: datetime
    metadata: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class NewNote:
    """A note as it comes in: normalised and checked, not yet stored. See ``rag_core.notes.validation.parse_note``.

    ``departments`` are those that may see it: None is everybody of the tenant, () only who sees all of the tenant's notes.
    With ``keeps_metadata`` it came without metadata: a stored note keeps its own, and with them its tags and departments.
    With ``keeps_audience`` nothing was said of its audience: a stored note stays for whom it was.
    """

    external_id: str
    source: str
    title: str | None
    content: str
    language: Language
    created_at: datetime | None
    metadata: Mapping[str, Any]
    tags: tuple[str, ...] = ()
    departments: tuple[str, ...] | None = None
    keeps_metadata: bool = False
    keeps_audience: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Relation:
    """A relation between two entities, by their ids, and the text of the note that says so."""

    id: UUID
    source_id: str
    target_id: str
    kind: RelationKind
    confidence: float
    note_id: NoteId
    language: Language
    evidence: str


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
    original_score: float | None = None
    rerank_score: float | None = None
    is_above_threshold: bool | None = None
    """Whether ``rerank_score`` reaches the least one; None where the re-ranker's scores are no probabilities."""
    causal_path: tuple[str, ...] | None = None
    causal_path_names: tuple[str, ...] | None = None
    causal_relations: tuple[Relation, ...] = ()
    """The relations along the causal path, from the entity asked for on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """Which notes may be found; what is empty or None restricts nothing, and what is given must all hold.

    ``since`` and ``until`` bound the note's ``created_at``, half-open. A note has a wanted tag if it has any of them.
    """

    since: datetime | None = None
    until: datetime | None = None
    kinds: tuple[NoteKind, ...] = ()
    sources: tuple[str, ...] = ()
    languages: tuple[Language, ...] = ()
    tags: tuple[str, ...] = ()
    document_ids: tuple[NoteId, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether every note passes."""
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
    """What the query was turned into before searching. The original is never changed.

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
    """How the parts of a search went; None where a part took no part, times also where its result was remembered.

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
