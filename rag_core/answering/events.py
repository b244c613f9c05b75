"""Requests and events of the answering path: the one interface of every contract and the page.

A contract makes an ``AnswerRequest``, iterates over ``rag_core.answering.answer.answer_events`` and writes each event its own way;
a caller that wants the whole at once takes the last, ``AnswerFinished``.
"""

from dataclasses import dataclass, field
from uuid import UUID

from rag_core.chat import Message
from rag_core.configuration.schema import RetrievalConfig
from rag_core.model.answer import Answer, CheckedCitation, Compression, Contract, FallbackMode, PromptContext
from rag_core.model.note import Language
from rag_core.model.retrieval import NO_FILTERS, Filters, Retrieval, RoutedStrategy


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerOptions:
    """Options of an answer; None leaves the choice to the settings and the configuration."""

    max_sources: int | None = None
    max_context_tokens: int | None = None
    compression: Compression = "none"
    may_use_recent_notes: bool = False
    is_grounding_required: bool | None = None
    """True if an answer below the groundedness threshold is refused."""
    is_disclaimer_wanted: bool | None = None
    """True if one that is not refused ends with a disclaimer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerRequest:
    """A question by somebody, through a contract, within a conversation or alone.

    ``history`` are the turns before it that the caller gives by itself; with a ``session_id`` they are the session's. ``config`` None
    is what is served. ``user_hash`` is an HMAC of who asks; '' for the command line of an installation with keys, and for evaluations.
    """

    question: str
    contract: Contract
    user_hash: str
    session_id: UUID | None = None
    history: tuple[Message, ...] = ()
    language: Language | None = None
    config: RetrievalConfig | None = None
    routed: RoutedStrategy | None = None
    """The router's choice that ``config`` follows; None where the contract does not route."""
    filters: Filters = NO_FILTERS
    options: AnswerOptions = field(default_factory=AnswerOptions)
    is_recorded: bool = True
    """False for evaluation, which leaves no trace among people's questions."""
    is_trusted: bool = False
    """True if rules and judge of questions are passed over: for administrators, and for the evaluation's own questions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionUnderstood:
    """The first event: the question as it is searched (``standalone`` where it was a follow-up), and its id from now on."""

    query_id: UUID
    session_id: UUID | None
    question: str
    standalone: str | None
    language: Language


@dataclass(frozen=True, slots=True, kw_only=True)
class SourcesFound:
    """The second: the search, and the part of its results that an answerer is given."""

    retrieval: Retrieval
    context: PromptContext
    fallback: FallbackMode | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceReady:
    """Then, sentence by sentence, what may be shown: checked, with the white space that follows it, marks as "[1]".

    Joined, the texts are the beginning of the final answer's, unless the end made all of it a refusal.
    """

    text: str
    start: int
    """Position of its beginning in the answer so far."""
    citations: tuple[CheckedCitation, ...]
    """Citations of this sentence; their spans are of the answer so far."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerFinished:
    """The last event; its answer is what counts, whatever was shown before."""

    answer: Answer


AnswerEvent = QuestionUnderstood | SourcesFound | SentenceReady | AnswerFinished
