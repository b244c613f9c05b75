"""The tree of errors: one root, and a class for each answer a boundary can give.

A message says what was found, what was expected and the remedy. The API maps a class to a status in one place
(``rag_core.api.errors``), the command line to an exit status.
"""

from collections.abc import Mapping, Sequence
from typing import Literal


class RagError(Exception):
    """Anything Brain Sync raises on purpose."""


class InvalidInputError(RagError):
    """The caller's input cannot be taken as it is."""


class InvalidFieldError(InvalidInputError):
    """One field of a note cannot be taken; ``field`` and ``problem`` let a boundary say so in its own language.

    Problems: ``type``, ``empty``, ``nul``, ``surrogate``, ``too_long`` (more than ``limit`` characters), ``date``,
    ``choice``, ``json``, ``visibility``, ``departments``, ``audience_key``.
    """

    def __init__(self, message: str, *, field: str, problem: str, limit: int | None = None) -> None:
        super().__init__(message)
        self.field = field
        self.problem = problem
        self.limit = limit


class DocumentRefusedError(InvalidInputError):
    """A file is not taken: unknown format, out of bounds, encrypted or broken; the message says which, and the remedy."""


class ParserOptionError(InvalidInputError):
    """An upload's ``parseOptions`` cannot be honoured; the message is one of those that are told about documents."""


class UnreadableDocumentError(DocumentRefusedError):
    """A file in which the embedded parser finds no text, though another one may."""


class DocumentTooLargeError(DocumentRefusedError):
    """A file has more bytes than are taken."""


class DocumentFailedError(RagError):
    """The parser of a file ended without a result: out of time, out of memory, or by a defect of its own."""


class InvalidPeriodError(InvalidInputError):
    """A bound of a period is not a date, or the period ends before it begins."""


class InvalidGoldenError(InvalidInputError):
    """A golden query cannot be taken; ``problem`` and ``facts`` let a boundary say so in its own language."""

    def __init__(self, message: str, *, problem: str, **facts: object) -> None:
        super().__init__(message)
        self.problem = problem
        self.facts = facts


class GuardrailError(InvalidInputError):
    """A question is not answered; ``kind`` and ``limit`` let a boundary say so in its own language.

    Kinds: ``empty``, ``too_short`` and ``too_long`` (``limit`` characters), ``injection`` (it would command the model).
    """

    def __init__(
        self, message: str, *, kind: Literal["empty", "too_short", "too_long", "injection"], limit: int
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.limit = limit


class LanguageError(RagError):
    """A language's folder is incomplete; the message names what is missing."""


class ConfigurationError(InvalidInputError):
    """A retrieval configuration or an environment setting is out of bounds."""


class IndexTimeSettingError(ConfigurationError):
    """A retrieval configuration names ``chunking``, which is decided when notes are indexed."""

    def __init__(self) -> None:
        super().__init__(
            "chunking is decided when notes are indexed, so a configuration cannot change it; leave it out of the configuration"
        )


class NotFoundError(RagError):
    """Something named by the caller does not exist for this tenant."""


class AmbiguousNoteError(InvalidInputError):
    """An external id stands in several sources; ``choices`` are the names, ``source:id``, that it may mean."""

    def __init__(self, message: str, *, choices: Sequence[str]) -> None:
        super().__init__(message)
        self.choices = tuple(choices)


class UnauthenticatedError(RagError):
    """Request of an unknown caller: without a key, or (``is_key_refused``) with one that opens nothing, for whatever reason."""

    def __init__(self, message: str, *, is_key_refused: bool) -> None:
        super().__init__(message)
        self.is_key_refused = is_key_refused


class AccessDeniedError(RagError):
    """The caller is known and lacks the right."""


class RateLimitedError(RagError):
    """Somebody asked more than they may; in ``retry_after_seconds`` there is room for one question again."""

    def __init__(self, message: str, *, retry_after_seconds: int) -> None:
        super().__init__(message)
        self.retry_after_seconds = retry_after_seconds


class ShareTakenError(RateLimitedError):
    """Somebody has as many requests under way as is fair beside others; the next may come when one of them is done."""


class ConflictError(RagError):
    """An equal object exists already."""


class TenantFullError(RagError):
    """A tenant has as many notes as it may; ``limit`` is how many."""

    def __init__(self, message: str, *, limit: int) -> None:
        super().__init__(message)
        self.limit = limit


class IncomparableRunsError(RagError):
    """Two evaluation runs did not ask the same; ``reasons`` are what differs, one a sentence."""

    def __init__(self, message: str, *, reasons: Sequence[str]) -> None:
        super().__init__(message)
        self.reasons = tuple(reasons)


class PromotionRefusedError(RagError):
    """A configuration is not served: ``evidence`` is what was measured of it."""

    def __init__(self, message: str, *, evidence: Mapping[str, object]) -> None:
        super().__init__(message)
        self.evidence = dict(evidence)


class DatabaseUnavailableError(RagError):
    """No connection to PostgreSQL within the time allowed."""


class DiskFullError(DatabaseUnavailableError):
    """The disk that PostgreSQL writes to is full: an outage that ends when somebody makes room, and no fault of what was written.

    ``found`` is the message without its remedy.
    """

    def __init__(
        self, found: str, *, remedy: str = "Make room on it and run the command again; what was stored is kept"
    ) -> None:
        super().__init__(f"{found}. {remedy}")
        self.found = found


class DatabaseSetupError(RagError):
    """The server is there but cannot be used: version, extension, role or migration."""


class QueryFailedError(RagError):
    """PostgreSQL is there and refused a statement."""


class TenantDeletedError(QueryFailedError):
    """The tenant that something was to be written for was deleted meanwhile; nothing was written."""


class EmbeddingError(RagError):
    """An embedding provider did not give the vectors asked for."""


class EmbeddingUnavailableError(EmbeddingError):
    """The provider itself failed, whatever the texts: unreachable, too slow, broken off, or something else there."""


class TextTooLongError(EmbeddingError):
    """A text does not fit the model's context."""


class ModelStateError(RagError):
    """An embedding model is not in the state that a step of its life asks for."""


class IndexingError(RagError):
    """A run of the pipeline failed; what it had published stays, what it had not is as it was."""


class ModelChangedError(IndexingError):
    """Another embedding model was promoted while this one's vectors were about to go live; nothing of them did."""


class MigrationIncompleteError(RagError):
    """A migration cannot be finished yet; ``reasons`` are what stands in the way, one a sentence."""

    def __init__(self, message: str, *, reasons: Sequence[str]) -> None:
        super().__init__(message)
        self.reasons = tuple(reasons)


class RetrievalFailedError(RagError):
    """Every leg of the search failed."""


class DeadlineExceededError(RagError):
    """The time for the request ran out before anything was found."""


class ChatError(RagError):
    """A chat model did not give the text asked for."""


class ChatUnavailableError(ChatError):
    """The provider itself failed, whatever the messages: unreachable, too slow, broken off, or something else there."""


class ChatCancelledError(ChatError):
    """The caller gave up while the model was answering; says nothing of the provider."""


class ChatBusyError(ChatError):
    """Provider at its limit of concurrent requests; no place became free in time. The provider is healthy."""


class PromptTooLongError(ChatError):
    """The messages do not fit the model's context; fewer or shorter ones may."""


class AnswerFailedError(RagError):
    """The model that was writing an answer broke off; what was shown of it is not to be relied on."""


class AnswerTimeoutError(AnswerFailedError):
    """The answer failed because the time for writing it ran out."""


class SearchCancelledError(RagError):
    """Search cancelled because nobody waits for it; its requests to models were stopped. Says nothing of the model."""


class AnswerCancelledError(RagError):
    """Answer cancelled because nobody waits for it."""


class RerankingError(RagError):
    """A re-ranker did not score every passage; none of its scores is used."""


class RerankerUnavailableError(RerankingError):
    """The server itself failed, whatever the passages: unreachable, too slow, broken off, or something else there."""


class CircuitOpenError(RagError):
    """A dependency failed too often of late and is left alone for a while."""


class BusyError(RagError):
    """Dependency at its limit of concurrent requests; no place became free in time."""


class EvaluationCancelledError(RagError):
    """An evaluation was told to stop; nothing of it is stored."""


class JobCancelledError(RagError):
    """A job was told to stop."""


class TooManyJobsError(RagError):
    """A tenant has as many unfinished jobs as it may."""


class DeliveryError(RagError):
    """A message did not reach an address."""
