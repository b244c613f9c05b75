"""Configuration of the search for an answer: by the settings, by what was promoted, by what a request says."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from rag_core.answering.sources.search_configuration import answer_config
from rag_core.configuration.proposals import propose_configuration
from rag_core.configuration.served import ActiveConfigurations
from rag_core.model.note import TenantId
from rag_core.runtime.engine import Engine
from rag_core.storage.configurations import append_promotion, fetch_served
from rag_core.storage.notes import ensure_tenant


@pytest.fixture
def promoted(engine: Engine, tenant: TenantId) -> Callable[[dict[str, Any]], Engine]:
    """The engine once a configuration was promoted."""

    def serving(override: dict[str, Any]) -> Engine:
        with engine.database.transaction(tenant) as connection:
            ensure_tenant(connection, tenant)
            number = propose_configuration(connection, tenant, override=override, embedding_model=None).number
            last = fetch_served(connection, tenant).promotion
            append_promotion(
                connection, tenant, configuration=number, action="promote", expected=last, reason=None, evidence={}
            )
        return replace(engine, configurations=ActiveConfigurations(engine.database))

    return serving


def stages(engine: Engine, tenant: TenantId, **more: Any) -> tuple[int, int, int]:
    top_k = answer_config(engine.served(tenant), engine.settings, **more).top_k
    return top_k.retrieval, top_k.reranking, top_k.final


def test_it_is_thirty_candidates_and_eight_sources(engine, tenant) -> None:
    assert stages(engine, tenant) == (30, 8, 8)


def test_settings_change_both_numbers(engine, tenant) -> None:
    settings = engine.settings.model_copy(update={"answer_candidates": 40, "answer_sources": 5})

    assert stages(replace(engine, settings=settings), tenant) == (40, 5, 5)


def test_more_sources_than_candidates_take_as_many_candidates(engine, tenant) -> None:
    settings = engine.settings.model_copy(update={"answer_candidates": 4, "answer_sources": 12})

    assert stages(replace(engine, settings=settings), tenant) == (12, 12, 12)


@pytest.mark.parametrize(
    ("override", "expected"),
    [
        ({"topK": {"retrieval": 20, "reranking": 10, "final": 5}}, (20, 10, 5)),
        ({"topK": {"retrieval": 50}}, (50, 8, 8)),
        ({"topK": {"retrieval": 6, "reranking": 6}}, (6, 6, 6)),
        ({"topK": {"reranking": 5}}, (30, 5, 5)),
        ({"topK": {"final": 12}}, (30, 12, 12)),
        ({"strategy": "hybrid"}, (30, 8, 8)),
    ],
)
def test_the_promoted_configuration_wins(promoted, tenant, override, expected) -> None:
    engine = promoted(override)

    assert stages(engine, tenant) == expected
    assert answer_config(engine.served(tenant), engine.settings).strategy == override.get("strategy", "hybrid+rerank")


def test_a_requests_own_number_wins_over_the_promoted_one(promoted, tenant) -> None:
    engine = promoted({"topK": {"retrieval": 20, "reranking": 10, "final": 5}})

    assert stages(engine, tenant, max_sources=3) == (20, 10, 3)
    assert stages(engine, tenant, max_sources=12) == (20, 12, 12)


def test_a_configuration_that_is_evaluated_wins_too(promoted, tenant) -> None:
    engine = promoted({"topK": {"retrieval": 20}})

    assert stages(engine, tenant, override={"topK": {"retrieval": 45}}) == (45, 8, 8)
