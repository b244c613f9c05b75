"""Where an answer's sources come from: the search, and what is done where it is closed or finds nothing.

The order: the search as it is configured; without vectors the words and the date of a note (``keyword_recency``); where nothing
fits and the caller allows it, the newest notes (``recent_notes``), which need not have to do with the question.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from rag_core.answering.confidence import judge_evidence
from rag_core.answering.events import AnswerRequest
from rag_core.answering.quoting.asked_time import asked_time_of, spread
from rag_core.answering.sources.context import dated_in, make_sources
from rag_core.answering.sources.search_configuration import answer_config
from rag_core.configuration.schema import RetrievalConfig, configure
from rag_core.errors import DeadlineExceededError, QueryFailedError, RagError, RetrievalFailedError
from rag_core.language.stemming import query_words
from rag_core.model.answer import AskedTime, FallbackMode, RefusalReason
from rag_core.model.note import Language, TenantId
from rag_core.model.retrieval import Filters, Hit, QueryStatistics, Retrieval
from rag_core.query.transformation import query_language
from rag_core.resilience.cancellation import Cancellation
from rag_core.retrieval.deadline import Deadline
from rag_core.retrieval.legs import WITHOUT_SEMANTIC
from rag_core.retrieval.plan import IN_TIME, within
from rag_core.retrieval.retrieve import retrieve
from rag_core.runtime.engine import Engine
from rag_core.storage.notes import has_notes
from rag_core.storage.recency import RecentChunk, fetch_recent_chunks
from rag_core.storage.rerankers import fetch_candidate_texts
from rag_core.telemetry.logs import log_degraded

KEYWORD_WEIGHT = 0.625
RECENCY_WEIGHT = 0.375
"""0.25 and 0.15 of the weighted score, shared out anew where the vectors' 0.6 is missing."""
UNKNOWN_STATISTICS = QueryStatistics(documents={}, frequencies={})
LANGUAGES: tuple[Language, ...] = ("es", "de", "en")
MAX_OF_A_TIME = 100
"""Of so many notes of a time, the newest, some are chosen where it is all that is asked for."""
LEAST_MS = 250
"""What a fallback gets where the search has used up its time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundSources:
    """What was found for a question, best first, at most as many as the request asks for, and how.

    ``retrieval`` is the search that gave the hits, or the one that gave none; ``reranker`` is what scored them, None where nothing did.
    ``statistics`` tell how common the question's words are in the tenant's notes, ``is_by_meaning`` whether vectors are of a model of
    meaning, which may find a passage in another language. Without hits ``refusal`` says why. ``asked_time`` is the time that the
    question names; where it asks for nothing else the hits are the notes of that time, the earliest first, if there are any.
    ``notes_of_time`` is how many of them there are, of which the hits may be some; 0 where something else is asked. The hits' dates
    are in the zone of the settings.
    """

    retrieval: Retrieval | None
    hits: tuple[Hit, ...]
    fallback: FallbackMode | None
    reranker: str | None
    statistics: QueryStatistics
    is_by_meaning: bool
    refusal: RefusalReason | None
    asked_time: AskedTime | None = None
    notes_of_time: int = 0


def find_sources(
    engine: Engine,
    tenant: TenantId,
    query: str,
    request: AnswerRequest,
    *,
    timeout_ms: int,
    cancellation: Cancellation | None = None,
) -> FoundSources:
    """Search for what may answer the question (``query``: the request's, or what a follow-up was made into).

    Raises:
        InvalidInputError: the query is empty or longer than 2,000 characters.
        DatabaseUnavailableError, DeadlineExceededError, RetrievalFailedError: nothing could be found out.
        SearchCancelledError: it was cancelled.
    """
    deadline, wanted = Deadline.after_ms(timeout_ms), request.options.max_sources
    config = request.config or answer_config(engine, tenant, max_sources=wanted)
    limit = wanted or config.top_k.final
    retrieval, fallback = _searched(
        engine, tenant, query, request, config=config, deadline=deadline, cancellation=cancellation
    )
    hits, asked_time, of_time = retrieval.hits, asked_time_of(retrieval), tuple[Hit, ...]()
    if asked_time is not None and asked_time.is_all:
        of_time = _written_within(engine, tenant, request, asked_time, deadline)
        hits = tuple(spread(of_time, limit)) or hits
    elif request.options.may_use_recent_notes and _fits_nothing(
        engine, tenant, query, retrieval, config=config, deadline=deadline
    ):
        recent = _recent(engine, tenant, request.filters, limit, deadline)
        hits, fallback = (recent, "recent_notes") if recent else (hits, fallback)
    return FoundSources(
        retrieval=retrieval,
        hits=dated_in(hits[:limit], engine.settings.zone),
        fallback=fallback,
        reranker=_reranker_of(engine, tenant, config, hits),
        statistics=_statistics(engine, tenant, query, deadline) if hits else UNKNOWN_STATISTICS,
        is_by_meaning=engine.model.knows_meaning,
        refusal=None if hits else _refusal(engine, tenant, deadline),
        asked_time=asked_time,
        notes_of_time=len(of_time),
    )


def _searched(
    engine: Engine,
    tenant: TenantId,
    query: str,
    request: AnswerRequest,
    *,
    config: RetrievalConfig,
    deadline: Deadline,
    cancellation: Cancellation | None,
) -> tuple[Retrieval, FallbackMode | None]:
    """The search as configured, or by words and dates where the question could not be embedded."""

    def search(by: RetrievalConfig) -> Retrieval:
        left_ms = max(LEAST_MS, deadline.remaining_ms)
        return retrieve(
            engine,
            tenant,
            query,
            config=by,
            filters=request.filters,
            timeout_ms=left_ms,
            cancellation=cancellation,
        )

    try:
        found = search(config)
    except RetrievalFailedError:
        if config.strategy == "fulltext":
            raise
        return search(by_keyword_and_recency(config)), "keyword_recency"
    if WITHOUT_SEMANTIC not in found.warnings:
        return found, None
    try:
        again = search(by_keyword_and_recency(config))
    except (DeadlineExceededError, RetrievalFailedError, QueryFailedError) as error:
        log_degraded("keyword_recency", error)
        return found, None
    warnings = dict.fromkeys([*found.warnings, *again.warnings])
    return replace(again, warnings=tuple(warnings), is_degraded=True), "keyword_recency"


def by_keyword_and_recency(config: RetrievalConfig) -> RetrievalConfig:
    """The same search without vectors: score = 0.625 · BM25 over the best + 0.375 · recency, and nothing re-ranked."""
    weights = {"method": "weighted", "fulltextWeight": KEYWORD_WEIGHT, "recencyWeight": RECENCY_WEIGHT}
    return configure({"hybridSearch": weights}, strategy="fulltext", base=config)


def _fits_nothing(
    engine: Engine, tenant: TenantId, query: str, retrieval: Retrieval, *, config: RetrievalConfig, deadline: Deadline
) -> bool:
    """Whether no word of the question is in a note, no note is of the time it names or a cause of it, and none is near to it.

    Near is above the similarity threshold of the configuration or the model. Without one what was found must be evidence enough for
    an answer: vectors find something for any question.
    """
    if not retrieval.hits:
        return True
    legs = {leg for hit in retrieval.hits for leg in hit.ranks}
    if retrieval.figures.fulltext_hits or any(leg.endswith(IN_TIME) or not leg.startswith("semantic") for leg in legs):
        return False
    if config.hybrid_search.threshold is not None or engine.model.similarity_threshold is not None:
        return retrieval.is_confident is not True
    found = judge_evidence(
        query,
        retrieval,
        make_sources(retrieval.hits),
        language=query_language(query, known=LANGUAGES),
        statistics=_statistics(engine, tenant, query, deadline),
        reranker=_reranker_of(engine, tenant, config, retrieval.hits),
        fallback=None,
        least_score=engine.settings.answer_evidence,
        least_rerank_score=engine.settings.answer_rerank_score,
        is_by_meaning=engine.model.knows_meaning,
    )
    return not found.is_enough


def _written_within(
    engine: Engine, tenant: TenantId, request: AnswerRequest, asked: AskedTime, deadline: Deadline
) -> tuple[Hit, ...]:
    """The beginnings of the notes of a time, the earliest first."""
    narrowed = within(request.filters, (asked.since, asked.until))
    return () if narrowed is None else _recent(engine, tenant, narrowed, MAX_OF_A_TIME, deadline)[::-1]


def _recent(engine: Engine, tenant: TenantId, filters: Filters, limit: int, deadline: Deadline) -> tuple[Hit, ...]:
    left_ms = max(LEAST_MS, deadline.remaining_ms)
    chunks = fetch_recent_chunks(engine.database, tenant, filters=filters, limit=limit, timeout_ms=left_ms)
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
    )


def _reranker_of(engine: Engine, tenant: TenantId, config: RetrievalConfig, hits: Sequence[Hit]) -> str | None:
    if all(hit.rerank_score is None for hit in hits):
        return None
    reranker = engine.reranker_of(tenant, config)
    return None if reranker is None else reranker.name


def _statistics(engine: Engine, tenant: TenantId, query: str, deadline: Deadline) -> QueryStatistics:
    """How common the words are; without them every word counts the same, which is no reason to give no answer."""
    left_ms = max(LEAST_MS, deadline.remaining_ms)
    try:
        _, known = fetch_candidate_texts(engine.database, tenant, [], words=query_words(query), timeout_ms=left_ms)
    except RagError as error:
        log_degraded("statistics", error)
        return UNKNOWN_STATISTICS
    return known


def _refusal(engine: Engine, tenant: TenantId, deadline: Deadline) -> RefusalReason:
    left_ms = max(LEAST_MS, deadline.remaining_ms)
    has_any = engine.database.read(tenant, partial(has_notes, tenant=tenant), timeout_ms=left_ms)
    return "nothing_found" if has_any else "no_notes"
