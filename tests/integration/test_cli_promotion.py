"""`brain promote` as a person uses it."""

import json
from collections.abc import Callable
from dataclasses import replace

import pytest
from animals import beginning as beginning  # noqa: PLC0414  a fixture, re-exported to pytest
from animals import golden as golden  # noqa: PLC0414  a fixture, re-exported to pytest
from command_line import Brain, printed_json

from rag_core.configuration.proposals import propose_configuration
from rag_core.reranking.weights import shipped_weights
from rag_core.storage.evaluations import list_runs

SHIPPED = shipped_weights()
REVERSED = replace(SHIPPED, version="reversed", coefficients=tuple(-one for one in SHIPPED.coefficients)).to_json()
"""What answers a query best comes last."""


@pytest.fixture
def propose(database, tenant) -> Callable[..., int]:
    """Store a configuration as tuning does; its number."""

    def stored(override, weights=None) -> int:
        with database.transaction(tenant) as connection:
            return propose_configuration(
                connection, tenant, override=override, embedding_model=None, reranker_weights=weights
            ).number

    return stored


@pytest.fixture
def file(tmp_path) -> Callable[[object], str]:
    """A file of values."""

    def written(values: object) -> str:
        path = tmp_path / "mine.json"
        path.write_text(json.dumps(values), encoding="utf-8")
        return str(path)

    return written


@pytest.mark.usefixtures("golden")
class TestPromote:
    def test_a_number_is_promoted_and_taken_back(self, brain: Brain, propose) -> None:
        number = propose({"topK": {"retrieval": 30}})

        promoted = printed_json(brain("promote", str(number), "--reason", "más candidatos", "--json"))
        again = printed_json(brain("promote", str(number), "--json"))
        back = printed_json(brain("promote", "--back", "--json"))

        assert (promoted["promoted"], promoted["configuration"], promoted["former"]) == (True, 1, None)
        assert promoted["promotion"]["evidence"]["verdict"] == "steady"
        assert again["promoted"] is False
        assert (back["configuration"], back["former"], back["promotion"]["action"]) == (None, 1, "return")

    def test_a_worse_one_exits_with_1_and_shows_what_it_lost(self, brain: Brain, propose) -> None:
        number = propose({}, REVERSED)

        refused = printed_json(brain("promote", str(number), "--json"), exit_code=1)
        shown = brain("promote", str(number))

        assert refused["promoted"] is False
        assert refused["evidence"]["verdict"] == "regression"
        assert "worse than what is served" in refused["error"]
        assert (shown.exit_code, "nDCG@10" in shown.stdout, "Nothing changed" in shown.stderr) == (1, True, True)

    def test_force_promotes_it_all_the_same(self, brain: Brain, propose) -> None:
        done = printed_json(brain("promote", str(propose({}, REVERSED)), "--force", "--json"))

        assert (done["promoted"], done["promotion"]["evidence"]["is_forced"]) == (True, True)

    def test_a_file_is_numbered_promoted_and_searched_with(self, brain: Brain, file) -> None:
        done = printed_json(brain("promote", "--config", file({"strategy": "fulltext"}), "--json"))

        found = printed_json(brain("search", "zorro", "--json"))
        assert (done["promoted"], done["configuration"]) == (True, 1)
        assert found["metadata"]["strategy"] == "fulltext"

    def test_a_dry_run_measures_and_promotes_nothing(self, brain: Brain, propose) -> None:
        number = str(propose({}, REVERSED))

        tried = printed_json(brain("promote", number, "--dry-run", "--json"))

        assert tried["promoted"] is False
        assert "worse" in tried["objection"]
        assert printed_json(brain("promote", "--json"))["history"] == []
        assert "not promoted (--dry-run)" in brain("promote", number, "--dry-run").stdout

    def test_a_file_on_trial_is_measured_and_stored_nowhere(self, brain: Brain, file, database, tenant) -> None:
        mine = file({"strategy": "fulltext"})

        tried, shown = (
            printed_json(brain("promote", "--config", mine, "--dry-run", "--json")),
            brain("promote", "--config", mine, "--dry-run"),
        )

        assert (tried["promoted"], tried["configuration"]) == (False, None)
        assert tried["evidence"]["runs"]["candidate"]["strategy"] == "fulltext"
        assert printed_json(brain("promote", "--json"))["configurations"] == []
        assert "not stored (--dry-run)" in shown.stdout
        with database.transaction(tenant) as connection:
            assert {run.purpose for run in list_runs(connection, tenant, limit=9)} == {"promotion"}

    def test_a_refusal_speaks_the_readers_language_in_json_too(self, brain: Brain, propose, monkeypatch) -> None:
        monkeypatch.setenv("BRAIN_LANGUAGE", "es")
        number = propose({}, REVERSED)

        refused = printed_json(brain("promote", str(number), "--json"), exit_code=1)

        assert refused["error"].startswith(f"la configuración {number} no se promovió: es peor que lo servido: ")
        assert refused["evidence"]["objection"].startswith("es peor que lo servido: ")

    def test_a_file_that_no_configuration_can_be_is_refused_on_trial_too(self, brain: Brain, file) -> None:
        refused = brain("promote", "--config", file({"chunking": {"maxTokens": 100}}), "--dry-run", "--json")

        assert refused.exit_code == 1
        assert "chunking is decided when notes are indexed" in json.loads(refused.stdout)["error"]

    def test_figures_come_with_their_intervals_and_the_difference_with_p(self, brain: Brain, propose) -> None:
        shown = brain("promote", str(propose({}, REVERSED)), "--dry-run").stdout

        row = next(line for line in shown.splitlines() if "nDCG@10" in line)
        assert "1.000 (1.000 to 1.000)" in row
        assert "-1.000 (-1.000 to -1.000)" in row
        assert "< 0.001" in row
        assert "p95" not in shown  # of twelve queries it would be the slowest

    def test_what_is_served_and_the_history_are_shown(self, brain: Brain, propose) -> None:
        brain("promote", str(propose({"topK": {"retrieval": 30}})), "--reason", "más candidatos")
        brain("promote", "--defaults")

        document, shown = printed_json(brain("promote", "--json")), brain("promote").stdout

        assert document["served"]["configuration"] is None
        assert [(one["action"], one["configuration"]) for one in document["history"]] == [
            ("reset", None),
            ("promote", 1),
        ]
        assert [one["number"] for one in document["configurations"]] == [1]
        assert "served: the program's defaults" in shown
        assert "topK.retrieval 30" in shown
        assert "más candidatos" in shown

    def test_status_and_doctor_say_what_is_served(self, brain: Brain, propose) -> None:
        brain("promote", str(propose({"strategy": "hybrid"})))

        status, doctor = printed_json(brain("status", "--json")), brain("doctor", "--json")

        assert status["served"] == {"configuration": 1, "strategy": "hybrid", "reranker": SHIPPED.version}
        found = {check["name"]: check for check in json.loads(doctor.stdout)["checks"]}["configuration"]
        assert found["ok"] is True
        assert "pruebas is served configuration 1" in found["found"]


class TestRefusals:
    @pytest.mark.parametrize(
        "words",
        [("1", "--back"), ("--back", "--defaults"), ("1", "--config", "x.json"), ("--dry-run",), ("0",), ("uno",)],
    )
    def test_what_makes_no_sense_exits_with_2(self, brain: Brain, words) -> None:
        assert brain("promote", *words).exit_code == 2

    @pytest.mark.usefixtures("tenant")
    def test_an_unknown_number_exits_with_1_and_the_remedy(self, brain: Brain) -> None:
        assert "there is no configuration 7" in printed_json(brain("promote", "7", "--json"), exit_code=1)["error"]

    @pytest.mark.usefixtures("tenant")
    def test_a_file_that_cannot_be_served_exits_with_1(self, brain: Brain, file) -> None:
        assert (
            "chunking"
            in printed_json(brain("promote", "--config", file({"chunking": {}}), "--json"), exit_code=1)["error"]
        )
        assert "JSON object" in printed_json(brain("promote", "--config", file([1]), "--json"), exit_code=1)["error"]
        assert "no.json" in printed_json(brain("promote", "--config", "no.json", "--json"), exit_code=1)["error"]

    @pytest.mark.usefixtures("tenant")
    def test_with_nothing_to_go_back_to_it_exits_with_1_and_defaults_change_nothing(self, brain: Brain) -> None:
        assert "nothing was before" in printed_json(brain("promote", "--back", "--json"), exit_code=1)["error"]
        assert printed_json(brain("promote", "--defaults", "--json"))["promoted"] is False
