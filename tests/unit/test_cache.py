"""The caches: what is kept, for how long, for whom, and what is never kept."""

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, date, datetime
from uuid import UUID

import numpy as np
import pytest
from builders import make_embedding_model, make_hit

from rag_core.embedding.providers.hashing import HashingEmbedder
from rag_core.errors import (
    DatabaseUnavailableError,
    DeadlineExceededError,
    EmbeddingError,
    RagError,
    SearchCancelledError,
)
from rag_core.model.embedding import input_hash
from rag_core.model.note import ChunkId, NoteId, TenantId
from rag_core.model.retrieval import NO_FILTERS, Filters, Retrieval
from rag_core.resilience.cancellation import Cancellation
from rag_core.runtime.cache import (
    Cache,
    CachingEmbedder,
    build_caches,
    cached_retrieval,
    cached_windows,
    query_key,
)
from rag_core.storage.search import WindowText

ANA = TenantId("ana")
NOTE = NoteId(UUID(int=1))
MODEL = make_embedding_model(context_tokens=1000, fusion_method="rrf", semantic_weight=0.5, fulltext_weight=0.5)


class Clock:
    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


class Counting:
    """Gives 1, 2, 3, … and counts how often it was asked."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self) -> int:
        self.calls += 1
        return self.calls


def wait_until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < end, "it did not come true within 10 s"
        time.sleep(0.002)


def small_cache(*, entries: int = 10, seconds: float = 60, clock: Clock | None = None) -> Cache[str, int]:
    return Cache(max_entries=entries, ttl_seconds=seconds, clock=clock or Clock())


class TestCache:
    def test_a_value_is_computed_once(self) -> None:
        cache, compute = small_cache(), Counting()

        values = [cache.get_or_compute("a", compute) for _ in range(3)]

        assert values == [1, 1, 1]
        assert (cache.figures.hits, cache.figures.misses, cache.figures.size) == (2, 1, 1)
        assert cache.figures.hit_rate == pytest.approx(2 / 3)

    def test_a_value_runs_out(self) -> None:
        clock, compute = Clock(), Counting()
        cache = small_cache(seconds=60, clock=clock)
        cache.get_or_compute("a", compute)

        clock.seconds = 59.9
        before = cache.get_or_compute("a", compute)
        clock.seconds = 60.1

        assert before == 1
        assert cache.figures.size == 0
        assert cache.get_or_compute("a", compute) == 2

    def test_it_holds_no_more_than_its_entries(self) -> None:
        cache = small_cache(entries=3)

        for number in range(10):
            cache.get_or_compute(str(number), lambda number=number: number)

        assert cache.figures.size == 3

    @pytest.mark.parametrize(("entries", "seconds"), [(10, 0), (0, 60)])
    def test_switched_off_it_computes_each_time_and_keeps_nothing(self, entries: int, seconds: float) -> None:
        cache, compute = small_cache(entries=entries, seconds=seconds), Counting()

        values = [cache.get_or_compute("a", compute) for _ in range(2)]

        assert values == [1, 2]
        assert cache.figures.size == 0
        assert cache.figures.hit_rate == 0.0

    def test_an_error_is_not_kept(self) -> None:
        cache = small_cache()

        def fail() -> int:
            raise DatabaseUnavailableError("no server")

        with pytest.raises(DatabaseUnavailableError):
            cache.get_or_compute("a", fail)

        assert cache.get_or_compute("a", lambda: 7) == 7

    def test_a_value_that_is_not_cacheable_is_given_and_not_kept(self) -> None:
        cache, compute = small_cache(), Counting()

        values = [cache.get_or_compute("a", compute, is_cacheable=lambda value: value > 1) for _ in range(3)]

        assert values == [1, 2, 2]

    def test_only_missing_keys_are_computed_each_once_and_the_order_stays(self) -> None:
        cache: Cache[str, str] = Cache(max_entries=10, ttl_seconds=60)
        cache.get_or_compute("b", lambda: "kept")
        asked: list[list[str]] = []

        def compute(keys: Sequence[str]) -> list[str]:
            asked.append(list(keys))
            return [key.upper() for key in keys]

        values = cache.get_or_compute_many(["a", "b", "c", "a"], compute)

        assert values == ["A", "kept", "C", "A"]
        assert asked == [["a", "c"]]


class TestManyThreads:
    def test_threads_that_want_the_same_at_once_compute_it_once(self) -> None:
        cache, calls, all_wait = small_cache(), Counting(), threading.Event()

        def slow() -> int:
            all_wait.wait(5)
            return calls()

        with ThreadPoolExecutor(20) as threads:
            running = [threads.submit(cache.get_or_compute, "a", slow) for _ in range(20)]
            wait_until(lambda: cache.figures.hits == 19)
            all_wait.set()
            values = {future.result(5) for future in running}

        assert values == {1}
        assert calls.calls == 1

    def test_whoever_waits_gets_the_error_of_the_one_who_computes(self) -> None:
        cache, started, go_on = small_cache(), threading.Event(), threading.Event()

        def fail() -> int:
            started.set()
            go_on.wait(5)
            raise EmbeddingError("no model")

        with ThreadPoolExecutor(2) as threads:
            first = threads.submit(cache.get_or_compute, "a", fail)
            started.wait(5)
            second = threads.submit(cache.get_or_compute, "a", lambda: 1)
            wait_until(lambda: cache.figures.hits == 1)
            go_on.set()

            assert isinstance(first.exception(5), EmbeddingError)
            assert isinstance(second.exception(5), EmbeddingError)

    def test_whoever_has_time_left_computes_when_the_others_time_ran_out(self) -> None:
        cache, started, go_on = small_cache(), threading.Event(), threading.Event()

        def out_of_time() -> int:
            started.set()
            go_on.wait(5)
            raise DeadlineExceededError("too late")

        with ThreadPoolExecutor(2) as threads:
            threads.submit(cache.get_or_compute, "a", out_of_time)
            started.wait(5)
            second = threads.submit(cache.get_or_compute, "a", lambda: 1, timeout_ms=5000)
            wait_until(lambda: cache.figures.hits == 1)
            go_on.set()

            assert second.result(5) == 1

    def test_the_wait_ends_with_ones_own_time(self) -> None:
        cache, started, go_on = small_cache(), threading.Event(), threading.Event()

        def slow() -> int:
            started.set()
            go_on.wait(5)
            return 1

        with ThreadPoolExecutor(1) as threads:
            first = threads.submit(cache.get_or_compute, "a", slow)
            started.wait(5)

            with pytest.raises(DeadlineExceededError):
                cache.get_or_compute("a", lambda: 2, timeout_ms=20)

            go_on.set()
            assert first.result(5) == 1

    @pytest.mark.parametrize("given_up", [SearchCancelledError, DeadlineExceededError])
    def test_one_of_those_who_wait_computes_for_all_what_the_first_gave_up(self, given_up: type[RagError]) -> None:
        cache, calls, all_wait, may_end = small_cache(), Counting(), threading.Event(), threading.Event()

        def give_up() -> int:
            all_wait.wait(5)
            raise given_up("not for us")

        def slow() -> int:
            may_end.wait(5)
            return calls()

        with ThreadPoolExecutor(9) as threads:
            first = threads.submit(cache.get_or_compute, "a", give_up)
            wait_until(lambda: cache.figures.misses == 1)
            waiting = [threads.submit(cache.get_or_compute, "a", slow) for _ in range(8)]
            wait_until(lambda: cache.figures.hits == 8)
            all_wait.set()
            wait_until(lambda: cache.figures.hits == 15)  # seven wait again, for the eighth
            may_end.set()

            assert isinstance(first.exception(5), given_up)
            assert {future.result(5) for future in waiting} == {1}

        assert calls.calls == 1
        assert cache.get_or_compute("a", calls) == 1

    def test_whoever_is_not_waited_for_any_more_waits_for_nobody(self) -> None:
        cache, cancellation, may_end = small_cache(), Cancellation(), threading.Event()

        def slow() -> int:
            may_end.wait(5)
            return 1

        with ThreadPoolExecutor(2) as threads:
            first = threads.submit(cache.get_or_compute, "a", slow)
            wait_until(lambda: cache.figures.misses == 1)
            second = threads.submit(cache.get_or_compute, "a", lambda: 2, cancellation=cancellation)
            wait_until(lambda: cache.figures.hits == 1)
            cancellation.cancel()

            assert isinstance(second.exception(1), SearchCancelledError)
            assert not first.done()
            may_end.set()
            assert first.result(5) == 1

    def test_two_batches_that_overlap_do_not_wait_for_each_other_in_a_circle(self) -> None:
        cache: Cache[int, int] = Cache(max_entries=1000, ttl_seconds=60)

        def double(keys: Sequence[int]) -> list[int]:
            return [2 * key for key in keys]

        with ThreadPoolExecutor(8) as threads:
            batches = [list(range(start, start + 40)) for start in range(60)]
            orders = [keys if at % 2 else keys[::-1] for at, keys in enumerate(batches)]
            values = list(threads.map(lambda keys: cache.get_or_compute_many(keys, double), orders, timeout=10))

        assert values == [[2 * key for key in keys] for keys in orders]


KEY = query_key(
    tenant=ANA,
    query="ansiedad",
    config_hash="0123456789abcdef",
    filters=NO_FILTERS,
    corpus_version="1",
    today=date(2025, 3, 3),
    timeout_ms=2000,
)


class TestQueryKey:
    @pytest.mark.parametrize(
        "change",
        [
            {"tenant": TenantId("berta")},
            {"query": "Ansiedad"},
            {"config_hash": "fedcba9876543210"},
            {"filters": Filters(tags=("trabajo",))},
            {"corpus_version": "2"},
            {"today": date(2025, 3, 4)},
            {"timeout_class": 15},
        ],
        ids=lambda change: next(iter(change)),
    )
    def test_requests_that_differ_do_not_share_an_answer(self, change: dict[str, object]) -> None:
        assert replace(KEY, **change) != KEY

    def test_requests_with_about_as_much_time_share_an_answer(self) -> None:
        one, other = (replace(KEY, timeout_class=ms.bit_length()) for ms in (1900, 2000))

        assert one == other


def retrieval(**changes: object) -> Retrieval:
    hit = make_hit(
        "Dormí mal.",
        chunk_id=ChunkId(UUID(int=2)),
        note_id=NOTE,
        score=1.0,
        fusion_score=1.0,
        method="fulltext",
        ranks={"fulltext": 1},
    )
    given = {"query": "dormir", "strategy": "hybrid", "hits": (hit,), "latency_ms": 900.0, "stages": {"retrieval": 9.0}}
    return Retrieval(**given | changes)


class TestCachedRetrieval:
    def ask(self, caches, search, *, text: str = "dormir", key=KEY) -> Retrieval:
        return cached_retrieval(caches.query, key, search, text=text, timeout_ms=1000)

    @pytest.fixture
    def caches(self):
        return build_caches(query_seconds=300, embedding_seconds=3600, context_seconds=7200)

    def test_a_kept_answer_has_this_requests_query_and_latency(self, caches) -> None:
        self.ask(caches, retrieval)

        again = self.ask(caches, retrieval, text="  dormir ")

        assert again.query == "  dormir "
        assert again.hits == retrieval().hits
        assert again.latency_ms < 900
        assert again.stages == {"cache": again.latency_ms}

    def test_a_degraded_answer_is_not_kept(self, caches) -> None:
        self.ask(caches, lambda: retrieval(is_degraded=True, warnings=("Sin búsqueda semántica",)))

        assert self.ask(caches, retrieval).is_degraded is False

    def test_what_a_caller_does_to_an_answer_stays_with_it(self, caches) -> None:
        for found in (self.ask(caches, retrieval), self.ask(caches, retrieval)):
            found.stages["retrieval"] = -1
            found.hits[0].ranks["fulltext"] = 99

        assert self.ask(caches, retrieval).hits[0].ranks == {"fulltext": 1}

    def test_tenants_never_share_an_answer(self, caches) -> None:
        self.ask(caches, retrieval)

        other = self.ask(caches, lambda: retrieval(hits=()), key=replace(KEY, tenant=TenantId("berta")))

        assert other.hits == ()


def window_text(text: str) -> WindowText:
    moment = datetime(2025, 3, 3, tzinfo=UTC)
    return WindowText(external_id="n1", source="notas", title=None, created_at=moment, language="es", text=text)


class TestCachedWindows:
    def test_only_windows_not_kept_are_fetched_and_positions_stay(self) -> None:
        cache = build_caches(query_seconds=1, embedding_seconds=1, context_seconds=60).context
        asked: list[int] = []

        def fetch(windows):
            asked.append(len(windows))
            return {at: window_text(str(span)) for at, (_, _, span) in enumerate(windows)}

        one, two = (NOTE, b"h", (0, 5)), (NOTE, b"h", (5, 9))
        cached_windows(cache, ANA, [two], fetch, corpus_version="1")
        found = cached_windows(cache, ANA, [one, two], fetch, corpus_version="1")

        assert {at: text.text for at, text in found.items()} == {0: "(0, 5)", 1: "(5, 9)"}
        assert asked == [1, 1]

    def test_a_window_that_is_gone_is_absent_and_asked_for_again(self) -> None:
        cache = build_caches(query_seconds=1, embedding_seconds=1, context_seconds=60).context
        window = (NOTE, b"h", (0, 5))
        gone = cached_windows(cache, ANA, [window], lambda _windows: {}, corpus_version="1")

        found = cached_windows(cache, ANA, [window], lambda _windows: {0: window_text("Hola.")}, corpus_version="1")

        assert gone == {}
        assert found[0].text == "Hola."

    @pytest.mark.parametrize(
        ("tenant", "window", "version"),
        [
            (TenantId("berta"), (NOTE, b"h", (0, 5)), "1"),
            (ANA, (NOTE, b"other", (0, 5)), "1"),
            (ANA, (NOTE, b"h", (0, 6)), "1"),
            (ANA, (NoteId(UUID(int=9)), b"h", (0, 5)), "1"),
            (ANA, (NOTE, b"h", (0, 5)), "2"),
        ],
    )
    def test_another_tenant_note_text_span_or_corpus_is_another_window(self, tenant, window, version) -> None:
        cache = build_caches(query_seconds=1, embedding_seconds=1, context_seconds=60).context
        cached_windows(cache, ANA, [(NOTE, b"h", (0, 5))], lambda _w: {0: window_text("vieja")}, corpus_version="1")

        found = cached_windows(cache, tenant, [window], lambda _w: {0: window_text("nueva")}, corpus_version=version)

        assert found[0].text == "nueva"


class RecordingEmbedder(HashingEmbedder):
    def __init__(self) -> None:
        super().__init__(64)
        self.asked: list[list[str]] = []

    def embed(self, texts, *, role):
        self.asked.append(list(texts))
        return super().embed(texts, role=role)


class TestCachingEmbedder:
    @pytest.fixture
    def embedder(self) -> RecordingEmbedder:
        return RecordingEmbedder()

    @pytest.fixture
    def caching(self, embedder: RecordingEmbedder) -> CachingEmbedder:
        return CachingEmbedder(embedder, MODEL, Cache(max_entries=100, ttl_seconds=60), tenant=ANA)

    def test_only_missing_texts_are_embedded_each_once(self, embedder, caching) -> None:
        caching.embed(["uno"], role="query")

        vectors = caching.embed(["dos", "uno", "tres", "dos"], role="query")

        assert embedder.asked == [["uno"], ["dos", "tres"]]
        expected = HashingEmbedder(64).embed(["dos", "uno", "tres", "dos"], role="query")
        np.testing.assert_array_equal(vectors, expected)

    def test_the_same_text_as_a_document_is_another_vector(self, embedder, caching) -> None:
        caching.embed(["uno"], role="query")

        caching.embed(["uno"], role="document")

        assert embedder.asked == [["uno"], ["uno"]]

    def test_what_one_tenant_asked_is_computed_anew_for_another(self, embedder) -> None:
        cache = Cache(max_entries=100, ttl_seconds=60)
        ana, bruno = (CachingEmbedder(embedder, MODEL, cache, tenant=TenantId(name)) for name in ("ana", "bruno"))
        ana.embed(["uno"], role="query")
        hits = cache.figures.hits

        bruno.embed(["uno"], role="query")

        assert embedder.asked == [["uno"], ["uno"]]
        assert cache.figures.hits == hits

    def test_another_model_version_or_dimensions_is_another_key(self) -> None:
        keys = {
            input_hash(model, "uno", role="query")
            for model in (
                MODEL,
                replace(MODEL, name="otro"),
                replace(MODEL, version="2"),
                replace(MODEL, dimensions=32),
                replace(MODEL, query_prefix="query: "),
            )
        }

        assert len(keys) == 5

    def test_what_a_caller_does_to_a_vector_stays_with_it(self, caching) -> None:
        caching.embed(["uno"], role="query")[:] = 0
        caching.embed(["uno"], role="query")[:] = 0

        assert np.linalg.norm(caching.embed(["uno"], role="query")) == pytest.approx(1)

    def test_no_texts_give_no_vectors(self, caching) -> None:
        assert caching.embed([], role="query").shape == (0, 64)

    def test_a_failed_text_is_embedded_again_the_next_time(self, embedder, caching) -> None:
        with pytest.raises(EmbeddingError):
            caching.embed([" "], role="query")
        with pytest.raises(EmbeddingError):
            caching.embed([" "], role="query")

        assert len(embedder.asked) == 2
