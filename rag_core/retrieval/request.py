"""A request on its way: what was asked, checked, and what was understood of it."""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime

from rag_core.configuration.schema import RetrievalConfig, served_strategy
from rag_core.errors import InvalidInputError, SearchCancelledError
from rag_core.model.note import Language, TenantId
from rag_core.model.retrieval import Filters, Strategy, TransformedQuery
from rag_core.notes.validation import is_storable
from rag_core.query.transformation import query_language, transform
from rag_core.reranking import Reranker
from rag_core.resilience.cancellation import Cancellation
from rag_core.retrieval.deadline import Deadline
from rag_core.retrieval.plan import Search, plan_searches

MAX_QUERY_CHARACTERS = 2000
EMPTY_QUERY = "La consulta no puede estar vacía"
LANGUAGES: tuple[Language, ...] = ("es", "de", "en")


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What was asked, how, and until when; ``version`` is the corpus's, None when nothing is to be remembered.

    ``reranker`` is the one whose name is in ``config_hash``, whatever is promoted meanwhile; None where nothing is re-ranked.
    """

    tenant: TenantId
    text: str
    query: str
    config: RetrievalConfig
    config_hash: str
    filters: Filters
    now: datetime
    deadline: Deadline
    version: str | None = None
    reranker: Reranker | None = None
    depth: int | None = None
    cancellation: Cancellation = field(default_factory=Cancellation)

    def require_wanted(self) -> None:
        """Refuse to go on for nobody.

        Raises:
            SearchCancelledError: nobody waits for what is found.
        """
        if self.cancellation.is_cancelled:
            raise SearchCancelledError("nobody waits for what the search finds any more")


@dataclass(frozen=True, slots=True, kw_only=True)
class Request(Asked):
    """The same with what was understood of it."""

    language: Language
    strategy: Strategy
    transformed: TransformedQuery
    searches: Sequence[Search]


def checked_query(text: str) -> str:
    """The query as it is searched: NFC, trimmed.

    Raises:
        InvalidInputError: empty, too long, or with a character PostgreSQL cannot take.
    """
    query = unicodedata.normalize("NFC", text).strip()
    if not query:
        raise InvalidInputError(EMPTY_QUERY)
    if len(query) > MAX_QUERY_CHARACTERS:
        raise InvalidInputError(f"La consulta supera el máximo de {MAX_QUERY_CHARACTERS} caracteres")
    if not is_storable(query):
        raise InvalidInputError("La consulta contiene un carácter no admitido")
    return query


def understood(asked: Asked) -> Request:
    """The request with its language, its times and parts, and the searches that follow from them."""
    language = query_language(asked.query, known=LANGUAGES)
    transformed = transform(asked.query, language=language, now=asked.now, config=asked.config.query_transformation)
    return Request(
        **{name.name: getattr(asked, name.name) for name in fields(asked)},
        language=language,
        strategy=served_strategy(asked.config),
        transformed=transformed,
        searches=plan_searches(transformed, asked.query, asked.filters),
    )
