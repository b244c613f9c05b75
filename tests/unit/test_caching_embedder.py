"""Vectors of questions that were asked before are not computed again."""

from dataclasses import replace

import numpy as np
import pytest
from builders import make_embedding_model

from rag_core.embedding.providers.hashing import HashingEmbedder
from rag_core.errors import (
    EmbeddingError,
)
from rag_core.model.embedding import input_hash
from rag_core.model.note import TenantId
from rag_core.runtime.cache import (
    Cache,
    CachingEmbedder,
)

ANA = TenantId("ana")

MODEL = make_embedding_model(context_tokens=1000, fusion_method="rrf", semantic_weight=0.5, fulltext_weight=0.5)


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
