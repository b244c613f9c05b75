"""Recording of a golden set's rankings before fusion, made once, as deep as any configuration may ask."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from rag_core.configuration.schema import MAX_TOP_K, RetrievalConfig, configure
from rag_core.configuration.served import ServedConfiguration
from rag_core.errors import InvalidInputError, RagError
from rag_core.evaluation.tuning.units import connected_units
from rag_core.graph.names import names_in
from rag_core.language import LANGUAGES
from rag_core.language.stemming import query_words
from rag_core.model.embedding import EmbeddingModel
from rag_core.model.golden import GoldenQuery
from rag_core.model.note import ChunkId, NoteId, TenantId
from rag_core.model.retrieval import QueryStatistics, TransformedQuery
from rag_core.query.transformation import query_language
from rag_core.retrieval.graph_paths import GraphHit
from rag_core.retrieval.legs import Ranking
from rag_core.retrieval.legs_only import LegsOnly, search_only
from rag_core.retrieval.linked import names_of
from rag_core.retrieval.plan import TextSearch
from rag_core.retrieval.ranking import rerank_query
from rag_core.runtime.engine import Engine
from rag_core.storage.database import Database
from rag_core.storage.golden import fetch_golden_queries, fetch_golden_set, list_golden_set_names
from rag_core.storage.names import find_names
from rag_core.storage.recency import fetch_created_at
from rag_core.storage.rerankers import CandidateText, fetch_candidate_texts

NAMES_AT_ONCE = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedQuery:
    """A golden query with what each leg found for it, best first and without a similarity threshold.

    ``searches`` are the texts that were searched, ``coverage`` is that of the full-text rankings, ``statistics`` how common its words
    are, ``unit`` is what must not be torn apart between choosing and judging.
    """

    golden: GoldenQuery
    query: str
    transformed: TransformedQuery
    searches: tuple[TextSearch, ...]
    rankings: Mapping[str, Ranking]
    coverage: Mapping[str, float]
    graph: Mapping[ChunkId, GraphHit]
    statistics: QueryStatistics
    unit: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """The queries of a set as they were found with one embedding model at one moment, with the texts of what was found.

    ``named`` has the chunks of every name in these texts and the queries, ``note_of`` the note of each chunk. ``left_out`` counts the
    queries without a relevant note, and those for which a leg failed.
    """

    queries: tuple[RecordedQuery, ...]
    texts: Mapping[ChunkId, CandidateText]
    named: Mapping[str, Collection[ChunkId]]
    note_of: Mapping[ChunkId, NoteId]
    written: Mapping[ChunkId, datetime]
    model: EmbeddingModel
    now: datetime
    left_out: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LegSearch:
    """A tenant's notes as they are searched leg by leg, and what is served of them at one moment.

    ``find`` takes a query, a configuration and the time that relative dates count from. ``reranker`` is the provider of a
    configuration that names none.
    """

    database: Database
    tenant: TenantId
    model: EmbeddingModel
    served: ServedConfiguration
    reranker: str
    zone: ZoneInfo
    timeout_ms: int
    find: Callable[[str, RetrievalConfig, datetime], LegsOnly]


def leg_search(engine: Engine, tenant: TenantId, *, timeout_ms: int) -> LegSearch:
    """The leg search of an engine, with ``timeout_ms`` for each query.

    Raises:
        DatabaseUnavailableError: the database is away, and nothing is known of what is served.
    """
    return LegSearch(
        database=engine.database,
        tenant=tenant,
        model=engine.model,
        served=engine.served(tenant),
        reranker=engine.settings.reranker,
        zone=engine.settings.zone,
        timeout_ms=timeout_ms,
        find=lambda query, config, now: search_only(
            engine, tenant, query, config=config, timeout_ms=timeout_ms, now=now
        ),
    )


def fetch_queries(database: Database, tenant: TenantId, set_name: str) -> list[GoldenQuery]:
    """The queries of a golden set.

    Raises:
        InvalidInputError: no set has that name.
    """
    with database.transaction(tenant) as connection:
        if fetch_golden_set(connection, tenant, set_name) is None:
            known = ", ".join(list_golden_set_names(connection, tenant)) or "none"
            raise InvalidInputError(
                f"no golden set is called {set_name!r} (there is: {known}); fill it with "
                f"brain golden import FILE --set {set_name}"
            )
        return fetch_golden_queries(connection, tenant, set_name=set_name)


def record(
    searched: LegSearch,
    queries: Sequence[GoldenQuery],
    *,
    config: RetrievalConfig,
    now: datetime | None = None,
    on_progress: Callable[[], None] = lambda: None,
) -> Recording:
    """Search every query that has a relevant note; ``on_progress`` is called once a query.

    What is recorded holds for every configuration that differs from ``config`` in fusion, threshold, candidate counts,
    re-ranking, strategy or the graph's weight. How deep a leg is asked changes what it finds only where postings or vectors are
    so many that the search is not exhaustive.
    """
    moment = now or datetime.now(searched.zone)
    database, tenant, timeout_ms = searched.database, searched.tenant, searched.timeout_ms
    deep = _deepest(config)
    recorded: list[RecordedQuery] = []
    texts: dict[ChunkId, CandidateText] = {}
    written: dict[ChunkId, datetime] = {}
    asked = [golden for golden in queries if golden.relevant_note_ids]
    units = connected_units([golden.relevant_note_ids for golden in asked])
    unit_of = dict(zip((golden.id for golden in asked), units, strict=True))
    for golden in queries:
        found = _found(searched, golden, deep, now=moment)
        if found is not None:
            chunks = _chunks(found)
            words = query_words(rerank_query(found.transformed, found.query))
            read, statistics = fetch_candidate_texts(database, tenant, chunks, words=words, timeout_ms=timeout_ms)
            texts |= {chunk: texts.get(chunk, text) for chunk, text in read.items()}
            new = [chunk for chunk in chunks if chunk not in written]
            written |= fetch_created_at(database, tenant, new, timeout_ms=timeout_ms) if new else {}
            recorded.append(_recorded(golden, found, statistics, unit=unit_of[golden.id]))
        on_progress()
    named = _named(searched, [*texts.values()], [found.query for found in recorded])
    note_of = {chunk: note for chunks in named.values() for chunk, note in chunks.items()}
    return Recording(
        queries=tuple(recorded),
        texts=texts,
        named=named,
        note_of=note_of | {chunk: text.note_id for chunk, text in texts.items()},
        written=written,
        model=searched.model,
        now=moment,
        left_out=len(queries) - len(recorded),
    )


def _named(
    searched: LegSearch, texts: Sequence[CandidateText], queries: Sequence[str]
) -> dict[str, dict[ChunkId, NoteId]]:
    """Look up all names that may be followed from passages or queries."""
    readings = [names_of(text) for text in texts]
    readings += [names_in(text, language=query_language(text, known=LANGUAGES)) for text in queries]
    names = sorted({name for reading in readings for name in reading})
    found = [
        chunks
        for start in range(0, len(names), NAMES_AT_ONCE)
        for chunks in find_names(
            searched.database,
            searched.tenant,
            names[start : start + NAMES_AT_ONCE],
            timeout_ms=searched.timeout_ms,
        )
    ]
    return dict(zip(names, found, strict=True))


def _deepest(config: RetrievalConfig) -> RetrievalConfig:
    return configure(
        {
            "hybridSearch": {"threshold": 0.0, "enabled": True},
            "graphRAG": {"weight": 1.0},
            "topK": {"retrieval": MAX_TOP_K},
        },
        strategy="hybrid",
        base=config,
    )


def _found(searched: LegSearch, golden: GoldenQuery, config: RetrievalConfig, *, now: datetime) -> LegsOnly | None:
    if not golden.relevant_note_ids:
        return None
    try:
        found = searched.find(golden.query, config, now)
    except RagError:
        return None
    return None if found.legs.failures else found


def _chunks(found: LegsOnly) -> list[ChunkId]:
    return sorted({chunk for ranking in found.legs.rankings.values() for chunk, _ in ranking})


def _recorded(golden: GoldenQuery, found: LegsOnly, statistics: QueryStatistics, *, unit: str) -> RecordedQuery:
    return RecordedQuery(
        unit=unit,
        golden=golden,
        query=found.query,
        transformed=found.transformed,
        searches=tuple(found.searches),
        rankings=found.legs.rankings,
        coverage=found.legs.coverage,
        graph=found.legs.graph,
        statistics=statistics,
    )
