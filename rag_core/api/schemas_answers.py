"""The shapes of questions and answers on the wire: AuroraNotes, Hybrid, feedback, conversations, and what all contracts share."""

from typing import Any

from pydantic import Field

from rag_core.api.schemas import (
    BLOCK,
    BOX,
    PAGE,
    UNIT,
    ErrorBody,
    Id,
    Moment,
    Name,
    Score,
    SpanOut,
    Text,
    _Request,
    _Response,
)
from rag_core.language.languages import LanguageChoice
from rag_core.model.answer import Confidence, RefusalReason, VerifiedBy
from rag_core.model.document import PageUnit

_QUESTION = "1 to 2,000 characters after trimming."
_FAILURES = {
    400: "Invalid parameters, or a question that would command the model.",
    403: "The request names a tenant that is not its key's.",
    404: "There is no such conversation.",
    413: "The body is too large.",
    415: "The body is not JSON.",
    429: "Too many questions in a minute or an hour; `Retry-After` says when there is room.",
    500: "Every leg of the search failed, or a defect.",
    502: "The language model broke off in the middle of its answer.",
    503: "The database cannot be reached, or too many questions are being answered.",
    504: "The search or the language model took longer than it may.",
}


def question_failures(*left_out: int) -> dict[int | str, dict[str, Any]]:
    """The failures of an endpoint that answers questions, for OpenAPI."""
    return {
        status: {"model": ErrorBody, "description": description}
        for status, description in _FAILURES.items()
        if status not in left_out
    }


STREAM: dict[int | str, dict[str, Any]] = {
    200: {"content": {"text/event-stream": {"schema": {"type": "string"}}}, "description": "The answer, or its events."}
}
"""OpenAPI description of an endpoint that streams on request."""


class Verification(_Response):
    """Result of checking that the source supports its citation; of several places the weakest counts."""

    supported: bool
    support: Score = Field(description="How much of the claim the source covers.")
    verified_by: VerifiedBy = Field(description="`lexical`: by words and figures in common; `judge`: by a model.")


class CitationSpans(_Response):
    """One place where a source is cited; code points, half-open."""

    answer: SpanOut = Field(description="The mark, in `answer`.")
    claim: SpanOut = Field(description="What it stands behind, in `answer`.")
    evidence: SpanOut | None = Field(description="Where the note says it, in the note's `content`; null: nowhere.")
    supported: bool


class _Outcome(_Response):
    query_id: str = Field(description="What `POST /api/feedback` calls this answer.")
    confidence: Confidence
    language: LanguageChoice
    groundedness: Score | None = Field(description="The share of claims that a cited source holds; null for refusals.")
    refusal: RefusalReason | None = Field(description="Why there is no answer; null where there is one.")
    warnings: list[str]
    disclaimer: str | None = Field(description="Stands at the end of `answer` too.")


class ChatRequest(_Request):
    """A question to one's notes."""

    message: str = Field(description=_QUESTION, examples=["¿Qué decidí sobre el proyecto?"])
    tenant_id: str | None = Field(None, description="The tenant of the key, or nothing; another one is refused.")


class ChatCitation(_Response):
    """A source that the answer cites."""

    cid: str = Field(examples=["N1"])
    note_id: str
    chunk_id: str = Field(description="The note's id and the number of the chunk in it.", examples=["660e8400_000"])
    page: int | None = PAGE
    page_unit: PageUnit | None = UNIT
    block: int | None = BLOCK
    box: list[float] | None = BOX
    created_at: Moment
    title: str | None
    snippet: str
    score: Score
    verification: Verification
    spans: list[CitationSpans]


class ChatRetrieval(_Response):
    """Report of the retrieval of the sources."""

    k: int = Field(description="Sources that the answer was made from.")
    strategy: str = Field(examples=["hybrid_reranked", "keyword_recency", "recent_notes", "none"])
    candidate_count: int
    rerank_count: int
    time_ms: float


class ChatMeta(_Outcome):
    """Report of the making of the answer."""

    model: str
    retrieval: ChatRetrieval


class ChatResponse(_Response):
    """An answer with marks such as `[N1]`, and the sources that they name."""

    answer: str
    citations: list[ChatCitation]
    meta: ChatMeta


class QueryRequest(_Request):
    """A question, alone or within a conversation."""

    query: str = Field(description=_QUESTION, examples=["¿Desde que nado tengo menos migrañas?"])
    session_id: Id | None = Field(None, description="A conversation of one's own, from `POST /api/sessions`.")
    top_k: int = Field(5, description="Sources at most, 1 to 20.", json_schema_extra={"minimum": 1, "maximum": 20})
    include_graph: bool = Field(default=True, description="Whether causal questions follow causes and effects.")
    topic_filter: Name | None = Field(None, description="Only notes with this tag.")
    stream: bool = Field(default=False, description="Whether the answer comes as server-sent events.")


class QueryCitation(_Response):
    """A source that the answer cites."""

    id: str = Field(examples=["[1]"])
    chunk_id: str
    note_id: str
    document_title: str
    document_url: str = Field(description="The page of the note, on this server.")
    page: int | None = PAGE
    page_unit: PageUnit | None = UNIT
    block: int | None = BLOCK
    box: list[float] | None = BOX
    created_at: Moment
    snippet: str
    relevance_score: Score
    verification: Verification
    spans: list[CitationSpans]


class QueryMetadata(_Outcome):
    """Report of the making of the answer."""

    total_tokens: int
    citation_count: int
    vector_result_count: int
    graph_result_count: int
    latency_ms: float
    strategy: str
    model: str
    session_id: str | None
    standalone_query: str | None = Field(description="The question as it was searched, where it was a follow-up.")


class QueryResponse(_Response):
    """An answer with marks such as `[1]`, and the sources that they name."""

    query_id: str
    answer: str
    citations: list[QueryCitation]
    confidence: Confidence
    metadata: QueryMetadata


class RatingIn(_Request):
    """Rating of an answer by the person who asked."""

    query_id: Id
    rating: int = Field(ge=1, le=5, description="From 1, useless, to 5.")
    comment: Text | None = Field(None, max_length=2000)


class RatingOut(_Response):
    """The rating as it is kept; the last one counts."""

    query_id: str
    rating: int
    comment: str | None
    created_at: Moment
    updated_at: Moment


class SessionOut(_Response):
    """A conversation."""

    id: str
    started_at: Moment
    last_at: Moment
    ended_at: Moment | None
    questions: int
    title: str = Field(description="Its first question; empty before there is one.")


class SessionList(_Response):
    """One's own conversations, the one spoken in last first."""

    sessions: list[SessionOut]


class TurnOut(_Response):
    """A question of a conversation, and its answer."""

    query_id: str
    asked_at: Moment
    question: str
    standalone_query: str | None
    answer: str
    citations: list[QueryCitation]
    confidence: Confidence
    language: LanguageChoice
    refusal: RefusalReason | None
    warnings: list[str]
    rating: int | None
    comment: str | None


class ConversationOut(_Response):
    """A conversation with its last turns, in their order."""

    session: SessionOut
    turns: list[TurnOut]
