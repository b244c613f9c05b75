"""Which runs are of what was served, and where each one's configuration comes from."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from importlib.metadata import version
from uuid import UUID

import pytest

from rag_core.configuration.schema import configure
from rag_core.model.evaluation import LatencyPercentiles, RetrievalMetrics, StoredRun
from rag_core.promotion.served_runs import ServingHistory, is_of_served, serving_history, source_of, trials_of
from rag_core.storage.configurations import Configuration, ConfigurationPromotion

NOON = datetime(2025, 3, 1, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
RUN = StoredRun(
    run_id=UUID(int=1),
    set_name="default",
    set_version=1,
    category=None,
    config_hash="0" * 16,
    config=configure(strategy="semantic").to_wire(),
    models={"embedding": "hashing@1"},
    pipeline_fingerprint="f",
    metrics=RetrievalMetrics(hit_rate_at={1: 1, 3: 1, 5: 1, 10: 1}, mrr=1, ndcg_at_10=1, recall_at_20=1),
    faithfulness=None,
    answer_relevance=None,
    latency_ms=LatencyPercentiles(p50=1, p95=1, p99=1),
    total_queries=1,
    degraded_queries=0,
    failed_queries=0,
    created_at=NOON,
    strategy="semantic",
    circumstances={"inputs": {"program": version("brain-sync")}},
)
LESS = {"hybridSearch": {"rrfK": 20, "semanticWeight": 0.4}}


def configuration(number: int, override: dict, *, model: str | None = None) -> Configuration:
    return Configuration(
        configuration_id=UUID(int=number),
        number=number,
        override=override,
        embedding_model=model,
        reranker_version=None,
        origin="manual",
        evidence={},
        created_at=NOON - 9 * HOUR,
    )


def history(*moments: tuple[datetime, int | None], model: str | None = None) -> ServingHistory:
    """Configuration 1 changes two values; it or the defaults were promoted at these moments."""
    promotions = [
        ConfigurationPromotion(
            number=n,
            configuration=number,
            action="promote" if number else "reset",
            reason=None,
            evidence={},
            promoted_at=moment,
        )
        for n, (moment, number) in enumerate(moments, 1)
    ]
    return serving_history(promotions, [configuration(1, LESS, model=model)])


def with_config(override: dict) -> StoredRun:
    return replace(RUN, config=configure(override, strategy="hybrid").to_wire(), strategy="hybrid")


def test_the_defaults_by_any_strategy_are_served_before_the_first_promotion() -> None:
    assert is_of_served(RUN, history((NOON + HOUR, 1)))
    assert source_of(RUN, history()) == "factory"


def test_what_was_served_before_is_no_more_after_a_promotion() -> None:
    assert not is_of_served(RUN, history((NOON - HOUR, 1)))
    assert is_of_served(with_config(LESS), history((NOON - HOUR, 1)))
    assert source_of(with_config(LESS), history((NOON - HOUR, 1))) == 1


def test_what_is_served_goes_by_the_moment_of_the_run() -> None:
    returned = history((NOON - 2 * HOUR, 1), (NOON - HOUR, None))

    assert is_of_served(RUN, returned)
    assert not is_of_served(with_config(LESS), returned)
    assert source_of(with_config(LESS), returned) == 1


def test_a_configuration_that_nobody_numbered_is_its_own() -> None:
    own = with_config({"topK": {"retrieval": 40}})

    assert not is_of_served(own, history())
    assert source_of(own, history()) == "own"


def test_values_for_another_model_are_not_served() -> None:
    served = history((NOON - HOUR, 1), model="otro@2")

    assert is_of_served(with_config({"hybridSearch": {"rrfK": 20}}), served)
    assert not is_of_served(with_config(LESS), served)


@pytest.mark.parametrize(
    ("purpose", "is_served"),
    [
        ("nightly", True),
        ("manual", True),
        ("gate", True),
        ("benchmark", False),
        ("model", False),
        ("promotion", False),
        ("migration", False),
    ],
)
def test_only_runs_that_measure_for_readers_count(purpose: str, is_served: bool) -> None:
    assert is_of_served(replace(RUN, purpose=purpose), history()) is is_served


def test_runs_of_another_version_of_the_program_had_other_defaults() -> None:
    earlier = replace(RUN, circumstances={"inputs": {"program": "0.0.1"}})
    changed = replace(earlier, config={**RUN.config, "topK": {"retrieval": 33, "reranking": 10, "final": 5}})

    assert is_of_served(changed, history())
    assert not is_of_served(changed, history((NOON - HOUR, 1)))  # it lacks what configuration 1 changes


def test_trials_are_the_candidates_of_that_number() -> None:
    runs = [
        replace(RUN, run_id=UUID(int=n), purpose="promotion", circumstances={"configuration": number, "role": role})
        for n, (number, role) in enumerate([(1, "candidate"), (1, "served"), (2, "candidate"), (None, "candidate")])
    ]

    assert [run.run_id.int for run in trials_of(1, runs)] == [0]
    assert source_of(runs[2], history()) == 2
