"""Cache of searches: their keys, their results and the windows around matches."""

from dataclasses import replace
from datetime import UTC, date, datetime
from uuid import UUID

import pytest
from builders import make_hit

from rag_core.model.note import ChunkId, NoteId, TenantId
from rag_core.model.retrieval import NO_FILTERS, Filters, Retrieval
from rag_core.runtime.cache import (
    build_caches,
    cached_retrieval,
    cached_windows,
    query_key,
)
from rag_core.storage.search import WindowText

ANA = TenantId("ana")

NOTE = NoteId(UUID(int=1))
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
