"""What holds of a search when part of it fails (property 35)."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from properties.corpora import queries_about

from rag_core.configuration import configure
from rag_core.engine import Engine
from rag_core.errors import EmbeddingError, RetrievalFailedError
from rag_core.retrieval.retrieve import retrieve

EXAMPLES = settings(max_examples=100)
PATIENCE_MS = 60_000


class BrokenEmbedder:
    """A provider that is down."""

    name, dimensions = "broken", 768

    def embed(self, texts, *, role):
        raise EmbeddingError("nobody answers")


@contextmanager
def no_embedder(engine: Engine) -> Iterator[Engine]:
    yield replace(engine, query_embedder=BrokenEmbedder())


@contextmanager
def no_table(engine: Engine, name: str) -> Iterator[Engine]:
    """Every statement on the table fails."""
    with engine.database.owner() as connection:
        connection.execute(f"revoke select on brain.{name} from brain_app")
        try:
            yield engine
        finally:
            connection.execute(f"grant select on brain.{name} to brain_app")


FAULTS = {
    "embedder": ("semantic", no_embedder),
    "vectors": ("semantic", lambda engine: no_table(engine, "embeddings")),
    "words": ("fulltext", lambda engine: no_table(engine, "postings")),
}
"""What fails, and the leg that is lost with it."""


def found(engine, tenant, query, strategy):
    config = configure({"topK": {"final": 10}}, strategy=strategy)
    return retrieve(engine, tenant, query, config=config, timeout_ms=PATIENCE_MS)


@pytest.mark.property(35)
@EXAMPLES
@given(
    data=st.data(),
    faults=st.sets(st.sampled_from(sorted(FAULTS)), min_size=1),
    strategy=st.sampled_from(("hybrid", "hybrid+rerank")),
)
def test_what_one_part_of_the_search_finds_is_returned_though_the_others_fail(
    engine, library, data, faults, strategy
) -> None:
    corpus = data.draw(st.sampled_from(library))
    # With a word that is looked up: stop words and signs alone ask the index for nothing, and so cannot fail.
    query = f"{data.draw(queries_about(list(corpus.notes.values())))} corazón"
    left = {"semantic", "fulltext"} - {FAULTS[fault][0] for fault in faults}
    alone = {leg: found(engine, corpus.tenant, query, leg).hits for leg in left}

    with ExitStack() as broken:
        failing = engine
        for fault in sorted(faults):
            failing = broken.enter_context(FAULTS[fault][1](failing))
        if not left:
            with pytest.raises(RetrievalFailedError):
                found(failing, corpus.tenant, query, strategy)
            return
        answer = found(failing, corpus.tenant, query, strategy)

    assert answer.is_degraded
    assert answer.warnings
    if any(alone.values()):
        assert answer.hits
