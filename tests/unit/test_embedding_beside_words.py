"""A query's vector is computed beside the search for words, and a model is loaded beside the first searches."""

import threading
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any
from uuid import uuid4

import numpy as np
import pytest

from rag_core.errors import EmbeddingUnavailableError
from rag_core.model.note import ChunkId, TenantId
from rag_core.model.retrieval import NO_FILTERS
from rag_core.retrieval import legs
from rag_core.retrieval.deadline import Deadline
from rag_core.retrieval.plan import TextSearch
from rag_core.runtime import engine as engine_module
from rag_core.runtime.engine import Engine
from rag_core.storage.search import FulltextRanking

CHUNK = ChunkId(uuid4())
FOUND = FulltextRanking(ranking=[(CHUNK, 1.0)], coverage=0.5)
SECONDS = 20


class _Embedder:
    """An embedder that calls a function first."""

    name, dimensions = "slow", 2

    def __init__(self, first: Any = lambda: None) -> None:
        self.first = first
        self.asked: list[str] = []

    def embed(self, texts: Any, *, role: str) -> Any:
        self.first()
        self.asked += texts
        return np.ones((len(texts), 2), dtype=np.float32)


def searched(embedder: _Embedder, *, timeout_ms: int) -> legs.LegResults:
    vectors: Any = SimpleNamespace(
        embedder=embedder, model=None, searched="standard", threshold=0.0, language="es", language_gap=0.0
    )
    with ThreadPoolExecutor(2) as threads:
        return legs.search_legs(
            None,  # type: ignore[arg-type]  # both searches are the test's
            {"semantic": threads},
            TenantId("pruebas"),
            [TextSearch(suffix="", text="tarta", filters=NO_FILTERS)],
            strategy="hybrid",
            vectors=vectors,
            limit=5,
            deadline=Deadline.after_ms(timeout_ms),
        )


def test_words_are_searched_while_the_query_is_embedded(monkeypatch: pytest.MonkeyPatch) -> None:
    words_are_found, embedding_began = threading.Event(), threading.Event()

    def search_words(*_: Any, **__: Any) -> FulltextRanking:
        assert embedding_began.wait(SECONDS)
        words_are_found.set()
        return FOUND

    def embed_slowly() -> None:
        embedding_began.set()
        assert words_are_found.wait(SECONDS)

    monkeypatch.setattr(legs, "search_fulltext", search_words)
    monkeypatch.setattr(legs, "search_semantic", lambda *_, **__: [(CHUNK, 0.9)])

    found = searched(_Embedder(embed_slowly), timeout_ms=1000 * SECONDS)

    assert set(found.rankings) == {"fulltext", "semantic"}


def test_words_answer_while_the_model_is_being_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    def is_being_loaded() -> None:
        raise EmbeddingUnavailableError("the model is being loaded")

    monkeypatch.setattr(legs, "search_fulltext", lambda *_, **__: FOUND)

    found = searched(_Embedder(is_being_loaded), timeout_ms=1000 * SECONDS)

    assert set(found.rankings) == {"fulltext"}
    assert found.warnings == [legs.WITHOUT_SEMANTIC]


def test_a_search_waits_its_share_of_time_for_a_model_that_another_thread_loads() -> None:
    encoder = pytest.importorskip("rag_core.embedding.e5.encoder")

    with encoder._LOADING, pytest.raises(EmbeddingUnavailableError, match="is being loaded"):
        encoder.installed_encoder(timeout_seconds=0.01)


@pytest.mark.parametrize(("has_to_load", "asked"), [(True, ["hola"]), (False, [])])
def test_the_api_loads_at_its_start_what_has_to_be_loaded(
    monkeypatch: pytest.MonkeyPatch, has_to_load: bool, asked: list[str]
) -> None:
    embedder = _Embedder()
    monkeypatch.setattr(engine_module, "provider_of", lambda _model: SimpleNamespace(has_to_load=has_to_load))
    opened: Any = SimpleNamespace(model=None, embedder=embedder)

    Engine.warm_up_embedder(opened)

    assert embedder.asked == asked
