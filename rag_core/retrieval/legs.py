"""The legs of the search, all at once: full text, vectors, the causal graph, and a hypothetical answer's vector.

Full text runs in the caller's thread, the others beside it; each has its own connection and may fail alone.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from dataclasses import dataclass, field, replace

from rag_core.embedding import Embedder
from rag_core.errors import (
    DatabaseUnavailableError,
    DeadlineExceededError,
    RagError,
    RetrievalFailedError,
    SearchCancelledError,
)
from rag_core.model.embedding import EmbeddingModel, SearchedVectors
from rag_core.model.note import ChunkId, Language, TenantId
from rag_core.model.retrieval import Strategy
from rag_core.resilience.cancellation import Cancellation
from rag_core.retrieval.deadline import Deadline
from rag_core.retrieval.graph_paths import GraphHit
from rag_core.retrieval.linked import LEG as NAMES
from rag_core.retrieval.plan import IN_TIME, TextSearch
from rag_core.storage.database import Database
from rag_core.storage.search import search_fulltext, search_semantic

Ranking = list[tuple[ChunkId, float]]

HYDE = ":hyde"
"""The suffix of the search for a hypothetical answer."""
WITHOUT_SEMANTIC = "Búsqueda semántica no disponible, usando búsqueda por palabras clave"
WITHOUT_FULLTEXT = "Búsqueda por palabras clave no disponible, usando búsqueda semántica"
OUT_OF_TIME = "Búsqueda parcial completada (tiempo límite excedido)"
LOW_CONFIDENCE = "Ningún resultado alcanza el umbral de similitud; se muestran los más cercanos"
WITHOUT_WORDS = "Ninguna nota contiene las palabras buscadas; se muestran las más parecidas"
_MESSAGES = {"semantic": WITHOUT_SEMANTIC, "fulltext": WITHOUT_FULLTEXT}


@dataclass(slots=True, kw_only=True)
class LegResults:
    """Rankings by leg, and what went wrong; a leg that failed is absent, unless some of its searches were done.

    ``coverage`` holds for each full-text ranking its best score over the highest that the query allows, in [0, 1],
    ``failures`` the error of each leg that failed, ``hyde_answer`` the hypothetical answer that was searched,
    ``graph`` the graph's hits with their paths, ``timings`` milliseconds by leg.
    """

    rankings: dict[str, Ranking] = field(default_factory=dict)
    coverage: dict[str, float] = field(default_factory=dict)
    failures: dict[str, RagError] = field(default_factory=dict)
    below_threshold: dict[str, Ranking] = field(default_factory=dict)
    graph: dict[ChunkId, GraphHit] = field(default_factory=dict)
    hyde_answer: str | None = None
    timings: dict[str, float] = field(default_factory=dict)
    is_low_confidence: bool = False

    @property
    def warnings(self) -> list[str]:
        """Warnings for the reader, in Spanish; the failure of an optional leg gives none."""
        told = [message for leg, error in self.failures.items() if (message := failure_message(leg, error))]
        told += [LOW_CONFIDENCE] if self.is_low_confidence else []
        return [*dict.fromkeys(told), *([WITHOUT_WORDS] if self._has_no_word() and not told else [])]

    @property
    def is_confident(self) -> bool | None:
        """True if a chunk is as near to the query as the threshold asks; None where no chunk was compared with it."""
        if self.is_low_confidence:
            return False
        compared = [leg for leg in self.rankings if leg.startswith("semantic") and not leg.endswith((IN_TIME, HYDE))]
        if any(self.rankings[leg] for leg in compared):
            return True
        return False if any(self.below_threshold.get(leg) for leg in compared) else None

    def _has_no_word(self) -> bool:
        """Test whether only likeness found something, though words were looked for, and nothing is there for its time."""
        found = {leg for leg, ranking in self.rankings.items() if ranking}
        has_looked = any(leg.startswith("fulltext") for leg in self.rankings)
        return has_looked and bool(found) and all(leg in {"semantic", "semantic:hyde"} for leg in found)


@dataclass(frozen=True, slots=True, kw_only=True)
class VectorSearch:
    """The embedding and the comparison of texts; ``language_gap`` is added to similarities of another language than the query's."""

    model: EmbeddingModel
    embedder: Embedder
    searched: SearchedVectors
    threshold: float
    language: Language | None = None
    language_gap: float = 0.0


def search_legs(
    database: Database,
    executors: Mapping[str, Executor],
    tenant: TenantId,
    searches: Sequence[TextSearch],
    *,
    strategy: Strategy,
    vectors: VectorSearch,
    limit: int,
    deadline: Deadline,
    search_graph: Callable[[Deadline], Sequence[GraphHit]] | None = None,
    write_hypothesis: Callable[[Deadline], str] | None = None,
    cancellation: Cancellation | None = None,
) -> LegResults:
    """Run every leg the strategy asks for over every search; what came in time is kept, search by search.

    Raises:
        DatabaseUnavailableError: no leg had a connection.
        DeadlineExceededError: the time ran out before any leg was done.
        RetrievalFailedError: every leg failed for another reason.
        SearchCancelledError: it was cancelled; legs that were not begun are not begun any more.
    """
    run = _Run(database=database, tenant=tenant, searches=searches, vectors=vectors, limit=limit, deadline=deadline)
    beside: dict[str, tuple[str, Callable[[], None]]] = {}
    if strategy != "fulltext":
        beside["semantic"] = ("semantic", lambda: run.by_vector(searches))
    if write_hypothesis is not None:
        beside["hyde"] = ("chat", lambda: run.by_hypothesis(write_hypothesis))
    if search_graph is not None:
        beside["graph"] = ("graph", lambda: run.by_graph(search_graph))
    running = {leg: executors[threads].submit(_timed, run.results, leg, job) for leg, (threads, job) in beside.items()}
    if strategy != "semantic":
        try:
            _timed(run.results, "fulltext", run.by_text)
        except RagError as error:
            run.results.failures["fulltext"] = error
    cancellation = cancellation or Cancellation()
    with cancellation.awaited() as gone:
        for leg, future in running.items():
            _await(leg, future, deadline, run.results, gone)
    if cancellation.is_cancelled:  # a leg may end by it before ``gone`` is done
        raise SearchCancelledError("nobody waits for what the legs find any more")
    return checked(run.results)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Run:
    """One request's legs; each writes what it found into ``results`` as soon as it has it."""

    database: Database
    tenant: TenantId
    searches: Sequence[TextSearch]
    vectors: VectorSearch
    limit: int
    deadline: Deadline
    results: LegResults = field(default_factory=LegResults)

    def by_vector(self, searches: Sequence[TextSearch]) -> None:
        vectors = self.vectors.embedder.embed([search.text for search in searches], role="query")
        for search, vector in zip(searches, vectors, strict=True):
            found = search_semantic(
                self.database,
                self.tenant,
                vector,
                model=self.vectors.model,
                searched=self.vectors.searched,
                limit=self.limit,
                timeout_ms=_leg_ms(self.deadline),
                filters=search.filters,
                language=self.vectors.language,
                language_gap=self.vectors.language_gap,
            )
            keep_near(self.results, search.suffix, found, threshold=self.vectors.threshold)

    def by_text(self) -> None:
        for search in self.searches:
            found = search_fulltext(
                self.database,
                self.tenant,
                search.text,
                limit=self.limit,
                timeout_ms=_leg_ms(self.deadline),
                filters=search.filters,
            )
            self.results.coverage[f"fulltext{search.suffix}"] = found.coverage
            self.results.rankings[f"fulltext{search.suffix}"] = found.ranking

    def by_hypothesis(self, write: Callable[[Deadline], str]) -> None:
        answer = write(self.deadline)
        self.by_vector([TextSearch(suffix=HYDE, text=answer, filters=self.searches[0].filters)])
        self.results.hyde_answer = answer

    def by_graph(self, search: Callable[[Deadline], Sequence[GraphHit]]) -> None:
        found = search(self.deadline)
        self.results.graph = {hit.chunk_id: hit for hit in found}
        self.results.rankings["graph"] = [(hit.chunk_id, hit.relevance) for hit in found]


def keep_near(results: LegResults, suffix: str, found: Ranking, *, threshold: float) -> None:
    """Take down what a search by vector found: what is similar enough, and what is similar at all.

    Of a time every note is near enough: "¿qué hice ayer?" shares no word with what it asks for.
    """
    least = -1.0 if suffix == IN_TIME else threshold
    results.below_threshold[f"semantic{suffix}"] = [hit for hit in found if hit[1] > 0]
    results.rankings[f"semantic{suffix}"] = [(chunk, score) for chunk, score in found if score >= least]


def _timed(results: LegResults, leg: str, run: Callable[[], None]) -> None:
    began = time.perf_counter()
    try:
        run()
    finally:
        results.timings[leg] = (time.perf_counter() - began) * 1000


def _leg_ms(deadline: Deadline) -> int:
    """A leg gives up a little before whoever waits for it, so that its own reason is heard."""
    return max(1, deadline.remaining_ms - 25)


def _await(leg: str, future: Future[None], deadline: Deadline, results: LegResults, gone: Future[None]) -> None:
    wait([future, gone], timeout=deadline.remaining_ms / 1000, return_when=FIRST_COMPLETED)
    if not future.done():
        future.cancel()
        results.failures[leg] = DeadlineExceededError(f"the {leg} leg ran out of time")
        return
    try:
        future.result()
    except RagError as error:
        results.failures[leg] = error


def checked(results: LegResults) -> LegResults:
    """The results as they are now, whatever a leg that is late still writes; without any the nearest below the threshold.

    Raises:
        DatabaseUnavailableError, DeadlineExceededError, RetrievalFailedError: every leg failed; the worst failure.
    """
    now = replace(results, rankings=dict(results.rankings), timings=dict(results.timings))
    if now.failures and not any(ranking or leg != "graph" for leg, ranking in now.rankings.items()):
        raise _worst(list(now.failures.values()))
    nearest = {leg: ranking for leg, ranking in dict(results.below_threshold).items() if ranking}
    if nearest and not any(now.rankings.values()):
        now.rankings.update(nearest)
        now.is_low_confidence = True
    return now


def failure_message(component: str, error: RagError) -> str | None:
    """Warning for the reader; None of a part whose failure only puts results in another order."""
    if component in {*_MESSAGES, NAMES} and isinstance(error, DeadlineExceededError):
        return OUT_OF_TIME
    return _MESSAGES.get(component)


def _worst(failures: Sequence[RagError]) -> RagError:
    for kind in (DatabaseUnavailableError, DeadlineExceededError):
        for failure in failures:
            if isinstance(failure, kind):
                return failure
    error = RetrievalFailedError("No se pudieron recuperar resultados. Por favor, intenta de nuevo.")
    error.__cause__ = failures[0]
    return error
