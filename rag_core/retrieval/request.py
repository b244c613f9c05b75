"""A search request: the checked query with its bounds, and the plan of its searches."""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime

from rag_core.configuration.schema import RetrievalConfig, served_strategy
from rag_core.errors import InvalidInputError, SearchCancelledError
from rag_core.language import LANGUAGES
from rag_core.model.note import Language, TenantId
from rag_core.model.retrieval import NO_FILTERS, Filters, Strategy, TransformedQuery
from rag_core.notes.validation import is_storable
from rag_core.query.transformation import query_language, transform
from rag_core.reranking import Reranker
from rag_core.resilience.cancellation import Cancellation
from rag_core.retrieval.deadline import Deadline
from rag_core.retrieval.plan import TextSearch, plan_searches

MAX_QUERY_CHARACTERS = 2000
EMPTY_QUERY = "La consulta no puede estar vacía"


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchRequest:
    """A query, its configuration and its deadline; ``version`` is the corpus's, None when the result is not cached.

    ``reranker`` is the one whose name is in ``config_hash``, whatever is promoted meanwhile; None where nothing is re-ranked.
    """

    tenant: TenantId
    text: str
    query: str
    config: RetrievalConfig
    filters: Filters
    now: datetime
    deadline: Deadline
    config_hash: str = ""
    version: str | None = None
    reranker: Reranker | None = None
    depth: int | None = None
    cancellation: Cancellation = field(default_factory=Cancellation)

    def require_wanted(self) -> None:
        """Continue only while somebody waits for the result.

        Raises:
            SearchCancelledError: the request was cancelled.
        """
        if self.cancellation.is_cancelled:
            raise SearchCancelledError("nobody waits for what the search finds any more")


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedSearch(SearchRequest):
    """A search request with its language and the searches that it asks for."""

    language: Language
    strategy: Strategy
    transformed: TransformedQuery
    searches: Sequence[TextSearch]


def search_request(
    tenant: TenantId,
    text: str,
    *,
    config: RetrievalConfig,
    timeout_ms: int,
    now: datetime,
    filters: Filters = NO_FILTERS,
    depth: int | None = None,
    cancellation: Cancellation | None = None,
) -> SearchRequest:
    """The request for a search whose time begins now.

    Raises:
        InvalidInputError: see ``checked_query``.
    """
    return SearchRequest(
        tenant=tenant,
        text=text,
        query=checked_query(text),
        config=config,
        filters=filters,
        now=now,
        deadline=Deadline.after_ms(timeout_ms),
        depth=depth,
        cancellation=cancellation or Cancellation(),
    )


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


def planned(request: SearchRequest) -> PlannedSearch:
    """Add the language, times and parts of the query, and the searches that follow from them."""
    language = query_language(request.query, known=LANGUAGES)
    transformed = transform(
        request.query, language=language, now=request.now, config=request.config.query_transformation
    )
    return PlannedSearch(
        **{name.name: getattr(request, name.name) for name in fields(request)},
        language=language,
        strategy=served_strategy(request.config),
        transformed=transformed,
        searches=plan_searches(transformed, request.query, request.filters),
    )
