"""A search whose extras help or fail: hypothetical answers, windows that cannot be read, legs that are all late."""

import dataclasses

import pytest

from rag_core.configuration.schema import configure, served_strategy
from rag_core.errors import DeadlineExceededError, QueryFailedError
from rag_core.model.note import TenantId
from rag_core.model.retrieval import Retrieval
from rag_core.retrieval import reading
from rag_core.retrieval.retrieve import retrieve
from rag_core.runtime.engine import Engine

STORM = "Ayer cayó una tormenta. El sótano se llenó de agua. Pasamos la noche achicando."


class Storyteller:
    """A chat model that answers every question with the same sentence."""

    name = "storyteller"

    def complete(self, messages, *, timeout_seconds, schema=None, max_tokens=None, cancellation=None) -> str:
        return "El sótano se llenó de agua"


def find(engine: Engine, tenant: TenantId, query: str, *, timeout_ms: int = 30_000, **more: object) -> Retrieval:
    strategy = more.pop("strategy", "hybrid")
    config = configure(more, strategy=strategy)
    return retrieve(engine, tenant, query, config=config, timeout_ms=timeout_ms, use_cache=False)


def test_a_hypothetical_answer_is_searched_beside_the_query(engine, tenant, make_note, index_notes) -> None:
    make_note(STORM, external_id="tormenta")
    make_note("Compré pan y leche.", external_id="compra")
    index_notes()
    telling = dataclasses.replace(engine, chat=Storyteller())

    found = find(telling, tenant, "háblame de aquel desastre", strategy="semantic")

    assert found.transformed.hyde_answer == "El sótano se llenó de agua"
    places = {hit.external_id: hit.ranks for hit in found.hits}
    assert places["tormenta"]["semantic:hyde"] == 1
    assert {leg for ranks in places.values() for leg in ranks} == {"semantic", "semantic:hyde"}
    assert not found.is_degraded


def test_bare_chunks_are_shown_when_the_windows_cannot_be_read(
    engine, tenant, make_note, index_notes, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_note(STORM, external_id="tormenta")
    index_notes()
    tries = []

    def refused_once(*args, **more):
        tries.append(args)
        if len(tries) == 1:
            raise QueryFailedError("PostgreSQL refused a statement")
        return fetch_windows(*args, **more)

    fetch_windows = reading.fetch_windows
    monkeypatch.setattr(reading, "fetch_windows", refused_once)

    found = find(engine, tenant, "tormenta en el sótano")

    assert [hit.external_id for hit in found.hits] == ["tormenta"]
    assert found.hits[0].expanded_content == found.hits[0].content
    assert found.is_degraded


def test_when_every_leg_is_late_the_time_is_named_as_the_cause(engine, tenant, make_note, index_notes) -> None:
    make_note(STORM)
    index_notes()

    with engine.database.owner() as connection, connection.transaction():
        connection.execute("lock table brain.posting_blocks, brain.embeddings in access exclusive mode")

        with pytest.raises(DeadlineExceededError):
            find(engine, tenant, "tormenta", timeout_ms=400)


@pytest.mark.parametrize(
    ("override", "served"),
    [
        ({}, "hybrid+rerank"),
        ({"reranking": {"enabled": False}}, "hybrid"),
        ({"hybridSearch": {"enabled": False}}, "semantic"),
        ({"hybridSearch": {"enabled": False}, "strategy": "fulltext"}, "fulltext"),
    ],
)
def test_a_flag_can_only_switch_off(override, served) -> None:
    assert served_strategy(configure(override)) == served
