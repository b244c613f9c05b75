"""The sources of an answer: the search, and its fallbacks where it fails or finds nothing.

The order: the search as configured; without vectors the words and the date of a note (``keyword_recency``); where nothing fits and the
caller allows it, the newest notes (``recent_notes``), which may have nothing to do with the question.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from rag_core.answering.confidence import judge_evidence
from rag_core.answering.events import AnswerRequest
from rag_core.answering.quoting.asked_time import asked_time_of, spread
from rag_core.answering.sources.context import as_context, dated_in, make_sources
from rag_core.answering.sources.likeness import with_likeness
from rag_core.answering.sources.search_configuration import answer_config
from rag_core.answering.totals.asking import asks_total
from rag_core.configuration.schema import RetrievalConfig, configure
from rag_core.embedding import knows_meaning
from rag_core.errors import DeadlineExceededError, QueryFailedError, RetrievalFailedError
from rag_core.language import LANGUAGES
from rag_core.model.answer import AskedTime, FallbackMode, RefusalReason
from rag_core.model.embedding import EmbeddingModel
from rag_core.model.note import TenantId
from rag_core.model.retrieval import Filters, Hit, Retrieval
from rag_core.query.transformation import query_language
from rag_core.reranking import Reranker
from rag_core.resilience.cancellation import Cancellation
from rag_core.retrieval.deadline import Deadline, StageClock
from rag_core.retrieval.legs import WITHOUT_SEMANTIC
from rag_core.retrieval.plan import IN_TIME, within
from rag_core.retrieval.retrieve import retrieve
from rag_core.runtime.engine import Engine
from rag_core.settings import Settings
from rag_core.storage.database import Database
from rag_core.storage.notes import has_notes
from rag_core.storage.recency import RecentChunk, fetch_recent_chunks
from rag_core.telemetry.logs import log_degraded

KEYWORD_WEIGHT = 0.625
RECENCY_WEIGHT = 0.375
"""0.25 and 0.15 of the weighted score, scaled up to replace the vectors' 0.6."""
MAX_OF_A_TIME = 100
"""Number of notes of a time, the newest, that sources are chosen from where a time is all that is asked for."""
MAX_TABLES = 3
_WHOLE_TABLES = {"contextExpansion": {"sections": True, "maxWindowSize": 4096}}
"""For a sum: rows are added up only where none is missing."""
LEAST_MS = 250
"""Time for a fallback where the search has used up the request's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundSources:
    """The passages found for a question, best first, at most as many as the request asks for, and how they were found.

    ``retrieval`` is the search that gave the hits, or none; ``reranker`` is the name of what scored them, None where nothing did.
    ``is_by_meaning`` says that vectors are of a model of meaning, which may find a passage in another language. Without hits
    ``refusal`` gives the reason.
    ``asked_time`` is the time that the question names; where it asks for nothing else the hits are notes of that time, the
    earliest first, if there are any, and ``notes_of_time`` is the number of such notes, else 0. The hits' dates are in the zone
    of the settings.
    """

    retrieval: Retrieval
    hits: tuple[Hit, ...]
    fallback: FallbackMode | None
    reranker: str | None
    is_by_meaning: bool
    refusal: RefusalReason | None
    asked_time: AskedTime | None
    notes_of_time: int
    search_ms: float


def find_sources(
    engine: Engine,
    tenant: TenantId,
    query: str,
    request: AnswerRequest,
    *,
    timeout_ms: int,
    cancellation: Cancellation | None = None,
) -> FoundSources:
    """Search for what may answer the question (``query``: the request's, or the standalone form of a follow-up).

    Raises:
        InvalidInputError: the query is empty or longer than 2,000 characters.
        DatabaseUnavailableError, DeadlineExceededError, RetrievalFailedError: the search failed.
        SearchCancelledError: it was cancelled.
    """
    clock, deadline, database = StageClock.start(), Deadline.after_ms(timeout_ms), engine.database
    filters, wanted = request.filters, request.options.max_sources
    config = request.config or answer_config(engine.served(tenant), engine.settings, max_sources=wanted)
    is_total = asks_total(query, query_language(query, known=LANGUAGES))
    if is_total:
        config = configure(_WHOLE_TABLES, base=config)
    limit = wanted or config.top_k.final

    search = partial(retrieve, engine, tenant, query, filters=filters, cancellation=cancellation)
    retrieval, fallback = _searched(search, config, deadline)
    reranker = engine.reranker_of(tenant, config)
    asked, of_time = asked_time_of(retrieval), tuple[Hit, ...]()
    if asked is not None and asked.is_all:
        of_time = _written_within(database, tenant, filters, asked, deadline)
    asked_for = query if asked is None else asked.without or query
    hits = tuple(spread(of_time, limit)) or with_likeness(
        engine, tenant, asked_for, retrieval.hits[:limit], timeout_ms=_left_ms(deadline)
    )
    if is_total:
        hits = _before(_tables(search, config, filters, deadline)[:MAX_TABLES], hits)
    if (
        (asked is None or not asked.is_all)
        and request.options.may_use_recent_notes
        and not _fits(query, replace(retrieval, hits=hits), config, engine.model, engine.settings, reranker=reranker)
    ):
        recent = _newest(database, tenant, filters, limit, deadline)
        hits, fallback = (recent, "recent_notes") if recent else (hits, fallback)
    return FoundSources(
        retrieval=retrieval,
        hits=dated_in(hits[:limit], engine.settings.zone),
        fallback=fallback,
        reranker=_scored_by(reranker, hits),
        is_by_meaning=knows_meaning(engine.model),
        refusal=None if hits else _refusal(database, tenant, deadline),
        asked_time=asked,
        notes_of_time=len(of_time),
        search_ms=clock.total_ms,
    )


def _tables(
    search: Callable[..., Retrieval], config: RetrievalConfig, filters: Filters, deadline: Deadline
) -> Sequence[Hit]:
    """Parts of tables; none where there is no time for a second search, or it fails."""
    try:
        return search(config=config, filters=replace(filters, tables_only=True), timeout_ms=_left_ms(deadline)).hits
    except (DeadlineExceededError, RetrievalFailedError):
        return ()


def _before(first: Sequence[Hit], others: Sequence[Hit]) -> tuple[Hit, ...]:
    """Both, without those of the others whose windows are among the first."""
    known = {(hit.note_id, hit.start_char) for hit in first}
    return (*first, *(hit for hit in others if (hit.note_id, hit.start_char) not in known))


def _left_ms(deadline: Deadline) -> int:
    return max(LEAST_MS, deadline.remaining_ms)


def _searched(
    search: Callable[..., Retrieval], config: RetrievalConfig, deadline: Deadline
) -> tuple[Retrieval, FallbackMode | None]:
    """The search as configured, or by words and dates where the question could not be embedded."""
    without_vectors = by_keyword_and_recency(config)
    try:
        found = search(config=config, timeout_ms=_left_ms(deadline))
    except RetrievalFailedError:
        if config.strategy == "fulltext":
            raise
        return search(config=without_vectors, timeout_ms=_left_ms(deadline)), "keyword_recency"
    if WITHOUT_SEMANTIC not in found.warnings:
        return found, None
    try:
        again = search(config=without_vectors, timeout_ms=_left_ms(deadline))
    except (DeadlineExceededError, RetrievalFailedError, QueryFailedError) as error:
        log_degraded("keyword_recency", error)
        return found, None
    warnings = dict.fromkeys([*found.warnings, *again.warnings])
    return replace(again, warnings=tuple(warnings), is_degraded=True), "keyword_recency"


def by_keyword_and_recency(config: RetrievalConfig) -> RetrievalConfig:
    """The configuration for a search without vectors: score = 0.625 · BM25 over the best + 0.375 · recency, not re-ranked."""
    weights = {"method": "weighted", "fulltextWeight": KEYWORD_WEIGHT, "recencyWeight": RECENCY_WEIGHT}
    return configure({"hybridSearch": weights}, strategy="fulltext", base=config)


def _fits(
    query: str,
    retrieval: Retrieval,
    config: RetrievalConfig,
    model: EmbeddingModel,
    settings: Settings,
    *,
    reranker: Reranker | None,
) -> bool:
    """Test whether a note has a word of the question, is of the time it names or a cause of it, or is near to it.

    Near is above the similarity threshold of the configuration or the model. Without one what was found must be evidence enough for
    an answer: vectors find something for any question.
    """
    if not retrieval.hits:
        return False
    legs = {leg for hit in retrieval.hits for leg in hit.ranks}
    if retrieval.figures.fulltext_hits or any(leg.endswith(IN_TIME) or not leg.startswith("semantic") for leg in legs):
        return True
    if config.hybrid_search.threshold is not None or model.similarity_threshold is not None:
        return retrieval.is_confident is True
    return judge_evidence(
        query,
        retrieval,
        replace(as_context(make_sources(retrieval.hits)), asked_time=asked_time_of(retrieval)),
        language=query_language(query, known=LANGUAGES),
        reranker=_scored_by(reranker, retrieval.hits),
        fallback=None,
        least_score=settings.answer_evidence,
        least_rerank_score=settings.answer_rerank_score,
        is_by_meaning=knows_meaning(model),
    ).is_enough


def _written_within(
    database: Database, tenant: TenantId, filters: Filters, asked: AskedTime, deadline: Deadline
) -> tuple[Hit, ...]:
    """The beginnings of the notes of a time, the earliest first."""
    narrowed = within(filters, (asked.since, asked.until))
    return () if narrowed is None else _newest(database, tenant, narrowed, MAX_OF_A_TIME, deadline)[::-1]


def _newest(database: Database, tenant: TenantId, filters: Filters, limit: int, deadline: Deadline) -> tuple[Hit, ...]:
    """The beginnings of the newest notes that pass the filters, the newest first."""
    chunks = fetch_recent_chunks(database, tenant, filters=filters, limit=limit, timeout_ms=_left_ms(deadline))
    return tuple(_recent_hit(chunk, place) for place, chunk in enumerate(chunks, 1))


def _recent_hit(chunk: RecentChunk, place: int) -> Hit:
    """A hit that no search found: its score is 0, and its only rank is that of its date."""
    whole = (0, len(chunk.content))
    return Hit(
        chunk_id=chunk.chunk_id,
        note_id=chunk.note_id,
        external_id=chunk.external_id,
        source=chunk.source,
        title=chunk.title,
        created_at=chunk.created_at,
        language=chunk.language,
        content=chunk.content,
        expanded_content=chunk.content,
        start_char=chunk.start_char,
        bounds=whole,
        matched_spans=(whole,),
        chunk_index=0,
        score=0.0,
        fusion_score=0.0,
        method="hybrid",
        ranks={"recency": place},
        is_dated=chunk.is_dated,
    )


def _scored_by(reranker: Reranker | None, hits: Sequence[Hit]) -> str | None:
    """The name of what scored the hits; None where they have no such score."""
    is_scored = any(hit.rerank_score is not None for hit in hits)
    return reranker.name if reranker is not None and is_scored else None


def _refusal(database: Database, tenant: TenantId, deadline: Deadline) -> RefusalReason:
    has_any = database.read(tenant, partial(has_notes, tenant=tenant), timeout_ms=_left_ms(deadline))
    return "nothing_found" if has_any else "no_notes"
