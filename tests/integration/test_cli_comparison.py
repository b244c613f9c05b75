"""`brain compare`, `brain evaluate --common` and `brain evaluate --gate`."""

import json
from uuid import uuid4

import pytest
from animals import beginning as beginning  # noqa: PLC0414  a fixture, re-exported to pytest
from animals import golden as golden  # noqa: PLC0414  a fixture, re-exported to pytest
from command_line import Brain, printed_json
from test_cli_evaluation import spoil

from rag_core.evaluation.golden.importing import import_golden

pytestmark = pytest.mark.usefixtures("golden")


def run_id(brain: Brain, strategy: str = "fulltext") -> str:
    return str(printed_json(brain("evaluate", "--strategy", strategy, "--json"))["run_id"])


@pytest.fixture
def lost(brain: Brain, database) -> tuple[str, str]:
    """A run of before every chunk was lost, and one of after."""
    return run_id(brain), (spoil(database), run_id(brain))[1]


class TestCompare:
    def test_it_prints_every_metric_with_p_and_the_effect_on_every_query(self, brain: Brain, lost) -> None:
        document = printed_json(brain("compare", *lost, "--json"))

        found = document["comparison"]
        assert (document["baseline_run_id"], document["candidate_run_id"]) == lost
        assert (found["is_regression"], found["metric"], found["queries"]) == (True, "ndcg_at_10", 12)
        # all twelve fall from rank 1 to nothing; 2 of 4,096 sign patterns
        assert (found["difference"], found["p_value"]) == (-1.0, 2 / 4096)
        assert found["metrics"]["mrr"]["p_adjusted"] == pytest.approx(6 * 2 / 4096)
        assert [effect["difference"] for effect in document["effects"]] == [-1.0] * 12
        assert document["report"].endswith(f"/evaluation/compare?baseline={lost[0]}&candidate={lost[1]}&tenant=pruebas")

    def test_it_says_it_in_words(self, brain: Brain, lost) -> None:
        said = brain("compare", *lost).stdout

        assert "worse than the baseline: nDCG@10 fell significantly" in said
        assert "queries that lost most" in said
        assert "-1.0000 (-1.0000 to -1.0000)" in said

    def test_runs_that_do_not_differ_do_not(self, brain: Brain) -> None:
        said = brain("compare", run_id(brain), run_id(brain)).stdout

        assert "no significant difference" in said
        assert "cannot be estimated: too few queries differ" in said

    def test_another_version_of_the_set_is_refused_unless_what_is_common_is_wanted(
        self,
        brain: Brain,
        database,
        tenant,
    ) -> None:
        first = run_id(brain)
        import_golden(database, tenant, [b'{"query": "nueva", "relevant_ids": ["zorro"]}'])
        second = run_id(brain)

        refused, common = (
            brain("compare", first, second, "--json"),
            brain("compare", first, second, "--common", "--json"),
        )

        assert refused.exit_code == 1
        assert "version" in json.loads(refused.stdout)["error"]
        assert (printed_json(common)["comparison"]["queries"], printed_json(common)["comparison"]["left_out"]) == (
            12,
            1,
        )
        assert len(printed_json(common)["asked_differently"]) == 1
        assert printed_json(common)["report"].endswith(
            f"/evaluation/compare?baseline={first}&candidate={second}&common=1&tenant={tenant}"
        )

    def test_an_unknown_run_is_told(self, brain: Brain) -> None:
        done = brain("compare", str(uuid4()), str(uuid4()), "--json")

        assert done.exit_code == 1
        assert "no evaluation run" in json.loads(done.stdout)["error"]


class TestEvaluateAgainstAnother:
    def test_another_version_of_the_set_is_refused_before_anything_is_asked(
        self,
        brain: Brain,
        database,
        tenant,
    ) -> None:
        first = run_id(brain)
        import_golden(database, tenant, [b'{"query": "nueva", "relevant_ids": ["zorro"]}'])

        refused = brain("evaluate", "--baseline", first, "--json")
        common = brain("evaluate", "--strategy", "fulltext", "--baseline", first, "--common", "--json")

        assert refused.exit_code == 1
        assert "--common" in json.loads(refused.stdout)["error"]
        assert printed_json(common)["comparison"]["queries"] == 12


class TestGate:
    def test_without_baselines_it_is_open_and_says_how_to_make_them(self, brain: Brain) -> None:
        done = brain("evaluate", "--gate")

        assert done.exit_code == 0, done.output
        assert "not judged: fulltext, semantic, hybrid, hybrid+rerank: no baseline" in done.output
        assert "brain golden baseline " in done.output

    def test_what_is_as_it_was_leaves_it_open_and_what_is_lost_closes_it(
        self,
        brain: Brain,
        database,
    ) -> None:
        first = printed_json(brain("evaluate", "--gate", "--json"))
        brain("golden", "baseline", *(run["run_id"] for run in first["runs"]))

        again = brain("evaluate", "--gate", "--json")
        spoil(database)
        closed = brain("evaluate", "--gate", "--json")

        assert [run["strategy"] for run in first["runs"]] == ["fulltext", "semantic", "hybrid", "hybrid+rerank"]
        assert {run["purpose"] for run in first["runs"]} == {"gate"}
        assert printed_json(again)["gate"]["passed"] is True
        assert closed.exit_code == 1
        failing = {check["name"] for check in json.loads(closed.stdout)["gate"]["checks"] if check["passed"] is False}
        assert {"no_significant_drop", "hit_rate_reaches_target"} <= failing

    def test_the_targets_are_settings(self, brain: Brain, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("BRAIN_GATE_LATENCY_MS", "0.001")

        done = brain("evaluate", "--gate")

        assert done.exit_code == 1
        assert "the target is 0 ms" in " ".join(done.output.split())

    @pytest.mark.parametrize("more", [["--strategy", "hybrid"], ["--baseline", str(uuid4())], ["--common"]])
    def test_it_takes_no_strategy_and_no_baseline(self, brain: Brain, more: list[str]) -> None:
        assert brain("evaluate", "--gate", *more).exit_code == 2
