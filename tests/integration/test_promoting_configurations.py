"""A proposal is promoted on its trial, refused, forced, or promoted without evidence."""

import json
from collections.abc import Iterator
from dataclasses import replace

import pytest
from animals import beginning as beginning  # noqa: PLC0414  a fixture, re-exported to pytest
from animals import golden as golden  # noqa: PLC0414  a fixture, re-exported to pytest
from builders import ANIMALS
from proposing import MORE, REVERSED, SHIPPED, TUNED, Propose
from proposing import propose as propose  # noqa: PLC0414  a fixture, re-exported to pytest
from proposing import serve as serve  # noqa: PLC0414  a fixture, re-exported to pytest

from rag_core.configuration.served import (
    served_configuration,
)
from rag_core.errors import (
    ConfigurationError,
    ConflictError,
    PromotionRefusedError,
)
from rag_core.evaluation.golden.importing import import_golden
from rag_core.model.evaluation import LatencyPercentiles
from rag_core.promotion.promote import promote_configuration
from rag_core.promotion.trial import objection_to, trial_bench, try_configuration
from rag_core.runtime.engine import Engine, open_engine
from rag_core.settings import read_settings
from rag_core.storage.configurations import (
    list_promotions,
)
from rag_core.storage.evaluations import fetch_run


@pytest.fixture
def engine(database_url: str) -> Iterator[Engine]:
    """The test's database; a query may take long on a busy machine."""
    with open_engine(read_settings(database_url=database_url, gate_latency_ms=60_000)) as opened:
        yield opened


@pytest.mark.usefixtures("golden")
class TestPromoting:
    def test_one_that_is_no_worse_is_promoted_with_both_runs_as_evidence(
        self, propose: Propose, engine: Engine, tenant
    ) -> None:
        number = propose(MORE).number

        promotion = promote_configuration(trial_bench(engine, tenant), number, reason="más candidatos")

        assert (promotion.configuration, promotion.action, promotion.reason) == (1, "promote", "más candidatos")
        assert served_configuration(engine.database, tenant, engine.model).number == 1
        evidence = promotion.evidence
        assert (evidence["served"], evidence["objection"], evidence["is_forced"]) == (None, None, False)
        with engine.database.transaction(tenant) as connection:
            runs = {name: fetch_run(connection, tenant, run["run_id"]) for name, run in evidence["runs"].items()}
            (stored,) = list_promotions(connection, tenant)
        assert stored == promotion
        assert {run.purpose for run in runs.values()} == {"promotion"}
        assert [runs[name].config["topK"]["retrieval"] for name in ("served", "candidate")] == [20, 30]
        assert evidence["remarks"] == []
        assert {"configuration": 1, "role": "candidate"}.items() <= runs["candidate"].circumstances.items()
        assert str(runs["candidate"].comparison.baseline_run_id) == evidence["runs"]["served"]["run_id"]

    def test_a_trial_ranks_what_readers_would_get_and_says_that_it_is_less(
        self, propose: Propose, engine: Engine, tenant
    ) -> None:
        number = propose({"strategy": "hybrid", "topK": {"retrieval": 1, "reranking": 1, "final": 1}}).number

        trial = try_configuration(trial_bench(engine, tenant), number)

        served, candidate = trial.served_run, trial.candidate_run
        assert served.config_hash != candidate.config_hash
        assert {len(query.ranked_note_ids) for query in served.queries} == {12}
        # two legs that bring two chunks each
        assert {len(query.ranked_note_ids) for query in candidate.queries} <= {2, 3, 4}
        assert trial.remarks == (
            "readers who ask for no number get 1 result instead of 5 (topK.final); the figures look further down",
        )

    def test_one_that_is_worse_is_refused_and_nothing_changes(self, propose: Propose, engine: Engine, tenant) -> None:
        number = propose({}, reranker_weights=REVERSED).number

        with pytest.raises(PromotionRefusedError, match="worse than what is served") as refused:
            promote_configuration(trial_bench(engine, tenant), number)

        assert refused.value.evidence["verdict"] == "regression"
        assert refused.value.evidence["comparison"]["difference"] < -0.5
        with engine.database.transaction(tenant) as connection:
            assert list_promotions(connection, tenant) == []

    def test_by_force_it_is_promoted_and_the_objection_kept(self, propose: Propose, engine: Engine, tenant) -> None:
        number = propose({}, reranker_weights=REVERSED).number

        promotion = promote_configuration(trial_bench(engine, tenant), number, force=True)

        assert promotion.evidence["is_forced"] is True
        assert "worse" in promotion.evidence["objection"]
        assert served_configuration(engine.database, tenant, engine.model).number == number

    def test_it_is_compared_with_what_is_served_and_not_with_the_defaults(
        self, propose: Propose, serve, engine: Engine, tenant
    ) -> None:
        serve(propose({}, reranker_weights=REVERSED).number)

        trial = try_configuration(trial_bench(engine, tenant), propose(MORE).number)

        assert trial.served.number == 1
        assert trial.verdict == "improvement"
        assert trial.candidate_run.comparison.difference > 0.5

    def test_one_that_is_served_already_stays_and_is_not_measured(
        self, propose: Propose, serve, engine: Engine, tenant
    ) -> None:
        serve(propose(MORE).number)

        again = promote_configuration(trial_bench(engine, tenant), 1)

        assert again.number == 1
        with engine.database.transaction(tenant) as connection:
            assert len(list_promotions(connection, tenant)) == 1

    def test_one_that_takes_too_long_is_refused_unless_what_is_served_does_too(
        self, propose: Propose, engine: Engine, tenant
    ) -> None:
        trial = try_configuration(trial_bench(engine, tenant), propose(MORE).number)
        fast, slow = (
            replace(trial.candidate_run, latency_ms=LatencyPercentiles(p50=10, p95=p95, p99=5000))
            for p95 in (1999, 2001)
        )

        assert "too slow: one query in twenty takes 2001 ms" in objection_to(fast, slow, latency_ms=2000)
        assert objection_to(slow, slow, latency_ms=2000) is None
        assert objection_to(fast, fast, latency_ms=2000) is None

    def test_what_was_promoted_during_the_trial_is_not_overwritten(
        self, propose: Propose, serve, engine: Engine, tenant
    ) -> None:
        number = propose(MORE).number
        other = propose({"topK": {"retrieval": 40}}).number
        is_first = iter([True])

        def interfere(_stage: str, _done: int, _total: int) -> None:
            if next(is_first, False):
                serve(other)

        with pytest.raises(ConflictError, match="promoted meanwhile"):
            promote_configuration(trial_bench(engine, tenant), number, on_progress=interfere)

        assert served_configuration(engine.database, tenant, engine.model).number == other

    def test_a_provider_that_is_not_set_up_here_is_refused_even_by_force(
        self, propose: Propose, engine: Engine, tenant
    ) -> None:
        number = propose({"reranking": {"provider": "http"}}).number

        with pytest.raises(ConfigurationError, match="http"):
            promote_configuration(trial_bench(engine, tenant), number, force=True)

    def test_the_weights_of_a_candidate_re_rank_its_run_alone(self, propose: Propose, engine: Engine, tenant) -> None:

        trial = try_configuration(trial_bench(engine, tenant), propose({}, reranker_weights=TUNED).number)

        assert trial.served_run.models["reranking"] == f"embedded@{SHIPPED.version}"
        assert trial.candidate_run.models["reranking"] == "embedded@tuned-1"
        assert trial.served_run.config_hash != trial.candidate_run.config_hash

    def test_degraded_queries_prove_nothing(self, propose: Propose, engine: Engine, tenant) -> None:
        with engine.database.owner() as connection:
            connection.execute("revoke select on brain.posting_blocks from brain_app")

        trial = try_configuration(trial_bench(engine, tenant), propose(MORE).number)

        assert trial.objection == "not comparable: 12 of 12 queries were degraded and 0 failed"


class TestWithoutEvidence:
    def test_without_a_golden_set_a_promotion_is_refused_unless_forced(
        self, propose: Propose, engine: Engine, tenant
    ) -> None:
        number = propose(MORE).number

        with pytest.raises(PromotionRefusedError, match="nothing to judge it by"):
            promote_configuration(trial_bench(engine, tenant), number)

        assert promote_configuration(trial_bench(engine, tenant), number, force=True).configuration == number

    def test_nine_queries_are_too_few(self, propose: Propose, engine, database, tenant, make_note, index_notes) -> None:
        for animal in ANIMALS[:9]:
            make_note(f"Hoy vi un {animal} en el bosque.", external_id=animal)
        index_notes()
        lines = [json.dumps({"query": f"¿y el {one}?", "relevant_ids": [one]}).encode() for one in ANIMALS[:9]]
        import_golden(database, tenant, lines)

        with pytest.raises(PromotionRefusedError, match="9 queries in common"):
            promote_configuration(trial_bench(engine, tenant), propose(MORE).number)
