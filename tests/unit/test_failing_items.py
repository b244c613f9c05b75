from math import ceil, log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_core.errors import (
    EmbeddingError,
    EmbeddingUnavailableError,
    IndexingError,
    ModelChangedError,
    QueryFailedError,
)
from rag_core.indexing.isolation import embed_apart, together_or_alone


class Refusing:
    """Embeds all texts but some; a plain text costs nothing, as it is not the note's."""

    name, dimensions = "caprichoso", 2

    def __init__(self, refused=(), *, fails_after: int | None = None) -> None:
        self.refused = set(refused)
        self.fails_after = fails_after
        self.calls = 0

    def embed(self, texts, *, role):
        self.calls += 1
        if self.fails_after is not None and self.calls > self.fails_after:
            raise EmbeddingUnavailableError("nadie contesta")
        bad = [text for text in texts if text in self.refused]
        if bad:
            raise EmbeddingError(f"no puedo con {bad[0]}")
        return np.ones((len(texts), 2), dtype=np.float32)


def texts(count: int) -> dict[bytes, tuple[str, ...]]:
    return {str(n).encode(): (f"texto {n}",) for n in range(count)}


class TestEmbedApart:
    """Texts that a provider refuses cost no other text its vector."""

    @given(st.integers(1, 100).flatmap(lambda n: st.tuples(st.just(n), st.sets(st.integers(0, n - 1), max_size=8))))
    def test_exactly_the_refused_texts_are_without_vector(self, case) -> None:
        count, bad = case
        embedder = Refusing(f"texto {n}" for n in bad)

        found = embed_apart(texts(count), embedder)

        assert set(found.refused) == {str(n).encode() for n in bad}
        assert set(found.vectors) == {str(n).encode() for n in range(count)} - set(found.refused)
        assert found.error is None

    @given(st.integers(1, 1024), st.sets(st.integers(0, 1023), max_size=5))
    def test_it_takes_few_calls(self, count, bad) -> None:
        culprits = {n for n in bad if n < count}
        embedder = Refusing(f"texto {n}" for n in culprits)

        embed_apart(texts(count), embedder)

        assert embedder.calls <= 2 + 2 * len(culprits) * ceil(log2(max(2, count)))

    def test_the_reason_is_the_providers(self) -> None:
        found = embed_apart(texts(3), Refusing(["texto 1"]))

        assert found.refused == {b"1": "no puedo con texto 1"}

    def test_an_outage_keeps_what_was_computed(self) -> None:
        found = embed_apart(texts(4), Refusing(["texto 3"], fails_after=3))

        assert set(found.vectors) == {b"0", b"1"}
        assert found.refused == {}
        assert isinstance(found.error, EmbeddingUnavailableError)

    def test_a_provider_that_takes_no_text_at_all_is_what_failed(self) -> None:
        class Broken(Refusing):
            def embed(self, texts, *, role):
                self.calls += 1
                raise EmbeddingError(f"el modelo no sirve, llamada {self.calls}")

        broken = Broken()

        found = embed_apart(texts(64), broken)

        assert str(found.error) == "el modelo no sirve, llamada 1"
        assert (broken.calls, found.refused) == (2, {})

    def test_no_texts_are_no_call(self) -> None:
        embedder = Refusing()

        assert embed_apart({}, embedder).vectors == {}
        assert embedder.calls == 0


class TestTogetherOrAlone:
    """Work that cannot be done for all is done for each."""

    def test_all_at_once_where_nothing_is_in_the_way(self) -> None:
        assert together_or_alone([1, 2, 3], sum) == ([6], [])

    @pytest.mark.parametrize("error", [QueryFailedError, IndexingError])
    def test_those_that_fail_alone_are_told_with_the_reason(self, error) -> None:
        def run(numbers):
            if 2 in numbers:
                raise error("el dos no")
            return sum(numbers)

        assert together_or_alone([1, 2, 3], run) == ([1, 3], [(2, "el dos no")])

    def test_a_promotion_is_nobodys_failure(self) -> None:
        def run(numbers):
            raise ModelChangedError("otro modelo")

        with pytest.raises(ModelChangedError):
            together_or_alone([1, 2], run)

    def test_nothing_gives_nothing(self) -> None:
        assert together_or_alone([], sum) == ([], [])
