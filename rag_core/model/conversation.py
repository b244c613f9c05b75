"""Conversations, how questions went, and what readers thought of answers."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any, Literal
from uuid import UUID

from pydantic import TypeAdapter

from rag_core.model.answer import CheckedCitation, CheckedText, Confidence, Contract, FallbackMode, RefusalReason
from rag_core.model.document import Box, PageUnit
from rag_core.model.note import ChunkId, Language, NoteId
from rag_core.model.retrieval import QueryType, RoutedStrategy

Outcome = Literal["answered", "refused", "blocked", "failed", "cancelled"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """A conversation as its owner sees it in a list; ``title`` is its first question, '' before there is one."""

    id: UUID
    started_at: datetime
    last_at: datetime
    ended_at: datetime | None
    questions: int
    title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CitedSource:
    """A source that an answer cites, as far as it takes to show the answer again."""

    number: int
    note_id: NoteId
    chunk_id: ChunkId
    external_id: str
    title: str | None
    created_at: datetime
    language: Language
    chunk_index: int
    score: float
    page: int | None
    page_unit: PageUnit = "page"
    block: int | None = None
    box: Box | None = None
    is_dated: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptAnswer:
    """An answer as a conversation keeps it: all that its reader saw; fields are those of ``rag_core.model.answer.Answer``."""

    text: str
    language: Language
    citations: tuple[CheckedCitation, ...]
    uncited: tuple[tuple[int, int], ...]
    removed_citations: int
    sources: tuple[CitedSource, ...]
    confidence: Confidence
    refusal: RefusalReason | None
    groundedness: float | None
    disclaimer: str | None
    warnings: tuple[str, ...]
    answerer: str
    fallback: FallbackMode | None
    nearest: tuple[CitedSource, ...] = ()
    """Notes nearest to a refused question, each once, best first. Answers kept before it was introduced have none."""

    @property
    def checked(self) -> CheckedText:
        """The text with its citations, as ``rag_core.answering.rendering`` takes it."""
        return CheckedText(
            text=self.text, citations=self.citations, uncited=self.uncited, removed=self.removed_citations
        )

    def to_json(self) -> dict[str, Any]:
        """The answer as a turn's row keeps it."""
        document: dict[str, Any] = _kept_answers().dump_python(self, mode="json")
        return document


def parse_kept_answer(stored: Mapping[str, Any]) -> KeptAnswer:
    """The answer of ``KeptAnswer.to_json``."""
    return _kept_answers().validate_python(stored)


@cache
def _kept_answers() -> TypeAdapter[KeptAnswer]:
    return TypeAdapter(KeptAnswer)


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """A question of a conversation and its answer; ``rating`` is its owner's, from 1 to 5, None without one."""

    query_id: UUID
    position: int
    asked_at: datetime
    question: str
    standalone: str | None
    answer: KeptAnswer
    rating: int | None = None
    comment: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionFigures:
    """Figures of a question, without its text. Hits are chunks that a leg of the search brought; times are milliseconds.

    ``query_type`` to ``suggested_strategy`` are what the router recognised, in every contract; ``routed_strategy`` is the one that was
    searched with, None where the contract does not route.
    """

    query_id: UUID
    session_id: UUID | None
    contract: Contract
    asked_at: datetime
    user_hash: str
    query_hash: str
    language: Language
    strategy_used: str | None
    answerer: str | None
    outcome: Outcome
    reason: str | None
    confidence: Confidence | None
    groundedness: float | None
    execution_time_ms: float
    semantic_hits: int = 0
    fulltext_hits: int = 0
    graph_hits: int = 0
    prompt_tokens: int = 0
    answer_tokens: int = 0
    query_type: QueryType | None = None
    is_multi_hop: bool | None = None
    entities_found: int | None = None
    suggested_strategy: RoutedStrategy | None = None
    routed_strategy: RoutedStrategy | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchFigures:
    """Figures of a question's search; None for a part that did not run, or was not measured.

    ``vector_avg_score`` is the mean of the ten best, or of as many as there are. ``overlap_count`` counts the hits that more than
    one leg found. ``confidence_threshold_met`` is None where the re-ranker's scores are on no calibrated scale.
    """

    vector_search_ms: float | None = None
    vector_result_count: int | None = None
    vector_top_score: float | None = None
    vector_avg_score: float | None = None
    graph_traversal_ms: float | None = None
    graph_result_count: int | None = None
    graph_max_depth: int | None = None
    concepts_found: int | None = None
    fusion_ms: float | None = None
    overlap_count: int | None = None
    fusion_top_score: float | None = None
    rerank_ms: float | None = None
    rerank_top_score: float | None = None
    confidence_threshold_met: bool | None = None
    final_context_tokens: int | None = None
    citation_count: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerFeedback:
    """Rating of an answer, from 1 (useless) to 5."""

    id: UUID
    query_id: UUID
    rating: int
    comment: str | None
    created_at: datetime
    updated_at: datetime
