"""Properties of a search when part of it fails (property 35)."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace

import pytest
from hypothesis import given, seed, settings
from hypothesis import strategies as st
from properties.corpora import SEED, queries_about

from rag_core.configuration.schema import configure
from rag_core.configuration.served import ActiveConfigurations
from rag_core.errors import ChatError, EmbeddingError, RetrievalFailedError
from rag_core.model.retrieval import Hit
from rag_core.retrieval.retrieve import retrieve
from rag_core.runtime.cache import build_caches
from rag_core.runtime.engine import Engine

pytestmark = pytest.mark.slow

EXAMPLES = settings(max_examples=100)
PATIENCE_MS = 60_000
_HITS: dict[tuple[str, str, str], tuple[Hit, ...]] = {}


class BrokenEmbedder:
    """An embedding provider that is down."""

    name, dimensions = "broken", 768

    def embed(self, texts, *, role):
        raise EmbeddingError("nobody answers")


class BrokenChat:
    """A chat model that is down: it writes no hypothetical answer and, as a re-ranker, gives no score."""

    name = "broken"

    def complete(self, messages, *, timeout_seconds, schema=None, max_tokens=None, cancellation=None):
        raise ChatError("nobody answers")


@contextmanager
def no_embedder(engine: Engine) -> Iterator[Engine]:
    """Nobody embeds, and no vector is remembered either."""
    caches = build_caches(query_seconds=0, embedding_seconds=0, context_seconds=0)
    yield replace(engine, query_embedder=BrokenEmbedder(), caches=caches)


@contextmanager
def no_chat(engine: Engine) -> Iterator[Engine]:
    yield replace(engine, chat=BrokenChat(), rerankers={})


@contextmanager
def no_table(engine: Engine, name: str) -> Iterator[Engine]:
    """Every statement on the table fails."""
    with engine.database.owner() as connection:
        connection.execute(f"revoke select on brain.{name} from brain_app")
        try:
            yield engine
        finally:
            connection.execute(f"grant select on brain.{name} to brain_app")


@contextmanager
def no_weights(engine: Engine) -> Iterator[Engine]:
    """The re-ranker's weights cannot be read, and are not remembered either."""
    with no_table(engine, "rerankers"):
        yield replace(engine, configurations=ActiveConfigurations(engine.database))


FAULTS = {
    "embedder": ("semantic", no_embedder),
    "vectors": ("semantic", lambda engine: no_table(engine, "embeddings")),
    "words": ("fulltext", lambda engine: no_table(engine, "posting_blocks")),
    "graph": (None, lambda engine: no_table(engine, "entity_aliases")),
    "chat": (None, no_chat),
    "weights": (None, no_weights),
}
"""What fails, and the leg that is lost with it; the others are extras."""


def found(engine, tenant, query, strategy):
    provider = "embedded" if engine.chat is None else "llm"
    config = configure({"topK": {"final": 10}, "reranking": {"provider": provider}}, strategy=strategy)
    return retrieve(engine, tenant, query, config=config, timeout_ms=PATIENCE_MS, use_cache=False)


def found_by_leg(engine, tenant, query, leg):
    """Hits of one leg while nothing fails; all faults draw the same queries, each of which is asked once."""
    key = (tenant, query, leg)
    if key not in _HITS:
        _HITS[key] = found(engine, tenant, query, leg).hits
    return _HITS[key]


@pytest.mark.property(35)
@pytest.mark.parametrize("fault", sorted(FAULTS))
@seed(SEED)
@EXAMPLES
@given(
    data=st.data(),
    others=st.sets(st.sampled_from(sorted(FAULTS)), max_size=2),
    strategy=st.sampled_from(("hybrid", "hybrid+rerank")),
)
def test_what_one_part_of_the_search_finds_is_returned_though_others_fail(
    engine, library, data, fault, others, strategy
) -> None:
    corpus, faults = data.draw(st.sampled_from(library)), sorted({fault, *others})
    # With a word that is looked up: stop words and signs alone ask the index for nothing, and so cannot fail.
    query = f"{data.draw(queries_about(list(corpus.notes.values())))} corazón"
    left = {"semantic", "fulltext"} - {FAULTS[name][0] for name in faults}
    alone = {leg: found_by_leg(engine, corpus.tenant, query, leg) for leg in left}

    with ExitStack() as broken:
        failing = engine
        for name in faults:
            failing = broken.enter_context(FAULTS[name][1](failing))
        if not left:
            with pytest.raises(RetrievalFailedError):
                found(failing, corpus.tenant, query, strategy)
            return
        answer = found(failing, corpus.tenant, query, strategy)

    if len(left) == 1:
        assert answer.is_degraded
        assert answer.warnings
    if any(alone.values()):
        assert answer.hits
