"""Caches in memory: results of queries, vectors of queries, texts of windows.

Whatever a value depends on is in its key, so nothing is ever invalidated: a changed corpus, configuration or model asks
under another key, and what was kept under the old one runs out. Why the keys are what they are:
``docs/decisions/0017-caches.md``.
"""

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date
from typing import Any, Generic, TypeVar

import numpy as np
from cachetools import TTLCache

from rag_core.embedding import Embedder
from rag_core.errors import DeadlineExceededError, SearchCancelledError
from rag_core.model.embedding import EmbeddingModel, EmbeddingRole, FloatMatrix, input_hash
from rag_core.model.note import NoteId, Span, TenantId
from rag_core.model.retrieval import Filters, Retrieval
from rag_core.resilience.cancellation import Cancellation
from rag_core.storage.search import WindowText

QUERY_ENTRIES = 1_000
EMBEDDING_ENTRIES = 10_000
CONTEXT_ENTRIES = 5_000

Key = TypeVar("Key")
Value = TypeVar("Value")
Found = tuple[NoteId, bytes, Span]
"""A window to read: its note, the hash of the text it was found in, and where it stands there."""
EmbeddingKey = tuple[TenantId, bytes]
"""Tenant, because the speed of an answer must not reveal what another one asked, and the ``input_hash`` of the text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheFigures:
    """Figures of a cache since the process began. ``hit_rate`` is in [0, 1], 0 before the first look-up."""

    hits: int
    misses: int
    size: int

    @property
    def hit_rate(self) -> float:
        """The share of look-ups that found something, hits / (hits + misses)."""
        asked = self.hits + self.misses
        return self.hits / asked if asked else 0.0


class Cache(Generic[Key, Value]):
    """At most ``max_entries`` values, each for ``ttl_seconds`` at most; 0 of either keeps nothing.

    Threads that want the same key at the same time wait for the first one's computation and get its value or its error; where
    it was given up, because its time ran out or nobody waited for it, one of them computes anew for the others. Errors are
    not kept. A value must not be changed by whoever gets it.
    """

    def __init__(self, *, max_entries: int, ttl_seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._entries: TTLCache[Key, Value] = TTLCache(maxsize=max_entries, ttl=ttl_seconds, timer=clock)
        self._under_way: dict[Key, Future[Value]] = {}
        self._lock = threading.Lock()
        self._hits = 0
        self._misses = 0
        self.is_on = max_entries > 0 and ttl_seconds > 0

    def get_or_compute(
        self,
        key: Key,
        compute: Callable[[], Value],
        *,
        is_cacheable: Callable[[Value], bool] = lambda _value: True,
        timeout_ms: float | None = None,
        cancellation: Cancellation | None = None,
    ) -> Value:
        """The value kept under the key, or the computed one, which is kept if it is cacheable.

        ``timeout_ms`` and ``cancellation`` end the wait for another thread's computation of the same key, not one's own.

        Raises:
            DeadlineExceededError: the other thread was not done in time.
            SearchCancelledError: it was not waited for, nobody wants the value any more.
        """
        return self.get_or_compute_many(
            [key],
            lambda _missing: [compute()],
            is_cacheable=is_cacheable,
            timeout_ms=timeout_ms,
            cancellation=cancellation,
        )[0]

    def get_or_compute_many(
        self,
        keys: Sequence[Key],
        compute: Callable[[Sequence[Key]], Sequence[Value]],
        *,
        is_cacheable: Callable[[Value], bool] = lambda _value: True,
        timeout_ms: float | None = None,
        cancellation: Cancellation | None = None,
    ) -> list[Value]:
        """The values in the order of the keys; ``compute`` is asked once, for the keys nobody has or computes.

        It is asked again for keys that another thread gave up.

        Raises:
            DeadlineExceededError: another thread was not done in time.
            SearchCancelledError: another thread was not waited for, nobody wants the values any more.
            ValueError: ``compute`` gave another number of values than it was asked for.
        """
        if not self.is_on:
            return list(compute(keys))
        end = None if timeout_ms is None else time.monotonic() + timeout_ms / 1000
        found: dict[Key, Value] = {}
        while missing := [key for key in keys if key not in found]:
            kept, mine, others = self._claim(missing)
            found |= kept
            found |= self._computed(mine, compute, is_cacheable)
            found |= _awaited(others, end, cancellation or Cancellation())
        return [found[key] for key in keys]

    def _claim(
        self, keys: Sequence[Key]
    ) -> tuple[dict[Key, Value], dict[Key, "Future[Value]"], dict[Key, "Future[Value]"]]:
        """Part keys into cached values, those this thread must compute, and those that other threads are computing."""
        found: dict[Key, Value] = {}
        mine: dict[Key, Future[Value]] = {}
        others: dict[Key, Future[Value]] = {}
        with self._lock:
            for key in dict.fromkeys(keys):
                try:
                    found[key] = self._entries[key]
                except KeyError:
                    if key in self._under_way:
                        others[key] = self._under_way[key]
                    else:
                        mine[key] = self._under_way[key] = Future()
            self._hits += len(found) + len(others)
            self._misses += len(mine)
        return found, mine, others

    def _computed(
        self,
        mine: Mapping[Key, "Future[Value]"],
        compute: Callable[[Sequence[Key]], Sequence[Value]],
        is_cacheable: Callable[[Value], bool],
    ) -> dict[Key, Value]:
        if not mine:
            return {}
        try:
            values = dict(zip(mine, compute(list(mine)), strict=True))
            kept = {key: value for key, value in values.items() if is_cacheable(value)}
        except BaseException as error:
            self._settle(mine, {})
            for future in mine.values():
                future.set_exception(error)
            raise
        self._settle(mine, kept)
        for key, future in mine.items():
            future.set_result(values[key])
        return values

    def _settle(self, mine: Mapping[Key, "Future[Value]"], kept: Mapping[Key, Value]) -> None:
        with self._lock:
            self._entries.update(kept)
            for key in mine:
                del self._under_way[key]

    @property
    def figures(self) -> CacheFigures:
        """Hits (waiting for another thread's computation is one), misses, and the entries that have not run out."""
        with self._lock:
            self._entries.expire()
            return CacheFigures(hits=self._hits, misses=self._misses, size=len(self._entries))


def _awaited(others: Mapping[Key, "Future[Value]"], end: float | None, cancellation: Cancellation) -> dict[Key, Value]:
    """Other threads' values, without those that they gave up: their time ran out, or nobody waited for them any more."""
    given: dict[Key, Value] = {}
    with cancellation.awaited() as gone:
        for key, future in others.items():
            left = None if end is None else max(0.0, end - time.monotonic())
            wait([future, gone], timeout=left, return_when=FIRST_COMPLETED)
            if cancellation.is_cancelled:
                raise SearchCancelledError("nobody waits for what another request searches for any more")
            if not future.done():
                raise DeadlineExceededError("another request's search for the same was not done in time")
            with suppress(DeadlineExceededError, SearchCancelledError):
                given[key] = future.result()
    return given


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryKey:
    """All that an answer depends on.

    ``departments`` are whose notes the caller sees, None for all; ``config_hash`` holds the names of the models too; ``today`` is
    the date in the user's zone, which time expressions count from; requests with a like allowance of time share an answer,
    others do not.
    """

    tenant: TenantId
    departments: tuple[str, ...] | None
    query: str
    config_hash: str
    filters: Filters
    corpus_version: str
    today: date
    timeout_class: int


def query_key(
    *,
    tenant: TenantId,
    departments: tuple[str, ...] | None = None,
    query: str,
    config_hash: str,
    filters: Filters,
    corpus_version: str,
    today: date,
    timeout_ms: int,
) -> QueryKey:
    """The key of an answer; ``query`` as it is searched (``checked_query``), the timeout by powers of two.

    The corpus version must have been read before the search: a note written meanwhile makes the answer newer than its key
    says, never older.
    """
    return QueryKey(
        tenant=tenant,
        departments=departments,
        query=query,
        config_hash=config_hash,
        filters=filters,
        corpus_version=corpus_version,
        today=today,
        timeout_class=timeout_ms.bit_length(),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextKey:
    """All that the text of a window and the facts of its note depend on, and who may read them."""

    tenant: TenantId
    departments: tuple[str, ...] | None
    corpus_version: str
    note_id: NoteId
    content_hash: bytes
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Caches:
    """The caches of one process."""

    query: Cache[QueryKey, Retrieval]
    embedding: Cache[EmbeddingKey, Any]
    context: Cache[ContextKey, WindowText | None]


def build_caches(*, query_seconds: float, embedding_seconds: float, context_seconds: float) -> Caches:
    """Empty caches; 0 seconds switches one off."""
    return Caches(
        query=Cache(max_entries=QUERY_ENTRIES, ttl_seconds=query_seconds),
        embedding=Cache(max_entries=EMBEDDING_ENTRIES, ttl_seconds=embedding_seconds),
        context=Cache(max_entries=CONTEXT_ENTRIES, ttl_seconds=context_seconds),
    )


def cached_retrieval(
    cache: Cache[QueryKey, Retrieval],
    key: QueryKey,
    search: Callable[[], Retrieval],
    *,
    text: str,
    timeout_ms: float,
    cancellation: Cancellation | None = None,
) -> Retrieval:
    """The kept answer, with ``text`` as its query and this request's own latency; else what ``search`` finds.

    A degraded answer is not kept. What is given may be changed by the caller.

    Raises:
        DeadlineExceededError: another request searches for the same and was not done in time.
        SearchCancelledError: it was cancelled while another request searched for the same.
    """
    began = time.perf_counter()
    searched: list[Retrieval] = []

    def run() -> Retrieval:
        searched.append(search())
        return searched[0]

    found = cache.get_or_compute(
        key,
        run,
        is_cacheable=lambda value: not value.is_degraded,
        timeout_ms=timeout_ms,
        cancellation=cancellation,
    )
    if searched:
        return _copied(found)
    spent_ms = round((time.perf_counter() - began) * 1000, 3)
    return replace(
        _copied(found),
        query=text,
        latency_ms=spent_ms,
        stages={"cache": spent_ms},
        figures=replace(found.figures, semantic_ms=None, graph_ms=None, fusion_ms=None, rerank_ms=None),
    )


def _copied(found: Retrieval) -> Retrieval:
    hits = tuple(replace(hit, ranks=dict(hit.ranks), leg_scores=dict(hit.leg_scores)) for hit in found.hits)
    return replace(found, hits=hits, stages=dict(found.stages))


def cached_windows(
    cache: Cache[ContextKey, WindowText | None],
    tenant: TenantId,
    windows: Sequence[Found],
    fetch: Callable[[Sequence[Found]], Mapping[int, WindowText]],
    *,
    corpus_version: str,
    departments: tuple[str, ...] | None = None,
) -> dict[int, WindowText]:
    """The texts of windows by their position, as ``fetch_windows`` gives them; only those not kept are fetched.

    Windows of notes deleted meanwhile are absent, and are asked for again the next time.
    """
    keys = [
        ContextKey(
            tenant=tenant,
            departments=departments,
            corpus_version=corpus_version,
            note_id=note,
            content_hash=digest,
            span=span,
        )
        for note, digest, span in windows
    ]
    by_key = dict(zip(keys, windows, strict=True))

    def missing(wanted: Sequence[ContextKey]) -> list[WindowText | None]:
        texts = fetch([by_key[key] for key in wanted])
        return [texts.get(at) for at in range(len(wanted))]

    found = cache.get_or_compute_many(keys, missing, is_cacheable=_is_text)
    return {at: text for at, text in enumerate(found) if text is not None}


def _is_text(text: WindowText | None) -> bool:
    return text is not None


class CachingEmbedder:
    """A tenant's embedder, which computes only vectors that are not kept from what the tenant asked before."""

    def __init__(
        self, embedder: Embedder, model: EmbeddingModel, cache: Cache[EmbeddingKey, Any], *, tenant: TenantId
    ) -> None:
        self.name = embedder.name
        self.dimensions = embedder.dimensions
        self._embedder = embedder
        self._model = model
        self._cache = cache
        self._tenant = tenant

    def embed(self, texts: Sequence[str], *, role: EmbeddingRole) -> FloatMatrix:
        """Embed texts as unit vectors, shape (len(texts), dimensions); no texts give shape (0, dimensions).

        The missing ones are asked for in one call, each text once.

        Raises:
            EmbeddingError: a text is blank, the provider failed, or a vector would be zero or not finite.
        """
        if not texts:
            return np.empty((0, self.dimensions), dtype=np.float32)
        keys = [(self._tenant, input_hash(self._model, text, role=role)) for text in texts]
        by_key = dict(zip(keys, texts, strict=True))

        def missing(wanted: Sequence[EmbeddingKey]) -> list[Any]:
            rows = self._embedder.embed([by_key[key] for key in wanted], role=role)
            return [row.copy() for row in rows]  # a slice would keep the whole batch in memory

        return np.stack(self._cache.get_or_compute_many(keys, missing))
