"""`brain evaluate` against a baseline, and `brain golden baseline`."""

import json
from collections.abc import Callable
from uuid import uuid4

import pytest
from click.testing import Result
from typer.testing import CliRunner

from rag_core.cli import evaluation  # noqa: F401  registers the commands
from rag_core.cli.app import app
from rag_core.evaluation.golden_set import import_golden

Brain = Callable[..., Result]
ANIMALS = ["zorro", "gato", "perro", "lobo", "oso", "ciervo", "pato", "búho", "rana", "topo", "erizo", "lince"]


@pytest.fixture
def brain(database_url: str, monkeypatch: pytest.MonkeyPatch, tmp_path) -> Brain:
    """Run the command on the test's database as its tenant."""
    monkeypatch.setenv("DATABASE_URL", database_url)
    monkeypatch.setenv("BRAIN_HOME", str(tmp_path))
    monkeypatch.setenv("BRAIN_TENANT", "pruebas")
    monkeypatch.setenv("COLUMNS", "200")
    return lambda *words: CliRunner().invoke(app, list(words))


@pytest.fixture
def golden(database, tenant, make_note, index_notes) -> None:
    """Twelve notes that full text finds first, each by its animal."""
    for animal in ANIMALS:
        make_note(f"Hoy vi un {animal} en el bosque.", external_id=animal)
    index_notes()
    lines = [json.dumps({"query": f"¿Cuándo vi un {animal}?", "relevant_ids": [animal]}).encode() for animal in ANIMALS]
    import_golden(database, tenant, lines)


def measured(done: Result) -> dict:
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def spoil(database) -> None:
    """Make every note unfindable by its animal."""
    with database.owner() as connection:
        connection.execute("delete from brain.chunks")


@pytest.mark.usefixtures("golden")
class TestEvaluate:
    def test_without_a_baseline_nothing_is_compared(self, brain: Brain) -> None:
        run = measured(brain("evaluate", "--strategy", "fulltext", "--json"))

        assert (run["comparison"], run["strategy"], run["purpose"]) == (None, "fulltext", "manual")

    def test_a_run_is_compared_with_another_named_by_its_id(self, brain: Brain) -> None:
        first = measured(brain("evaluate", "--strategy", "fulltext", "--json"))

        run = measured(brain("evaluate", "--strategy", "semantic", "--baseline", first["run_id"], "--json"))

        assert run["comparison"]["baseline_run_id"] == first["run_id"]
        assert run["comparison"]["queries"] == 12
        assert {"difference", "p_value", "interval"} <= set(run["comparison"]["metrics"]["hit_rate_at_10"])

    def test_a_loss_against_the_baseline_is_told(self, brain: Brain, database) -> None:
        first = measured(brain("evaluate", "--strategy", "fulltext", "--json"))
        brain("golden", "baseline", first["run_id"])
        spoil(database)

        said = brain("evaluate", "--strategy", "fulltext").stdout

        assert f"Worse than run {first['run_id']}: nDCG@10 0.000, was 1.000: -1.000" in said

    def test_the_same_again_is_about_as_good(self, brain: Brain) -> None:
        first = measured(brain("evaluate", "--strategy", "fulltext", "--json"))
        brain("golden", "baseline", first["run_id"])

        said = brain("evaluate", "--strategy", "fulltext").stdout

        assert "About as good as run" in said
        assert "+0.000 (+0.000 to +0.000), p 1.00, on 12 queries" in said

    def test_an_unknown_run_is_an_error_with_the_remedy(self, brain: Brain) -> None:
        done = brain("evaluate", "--baseline", str(uuid4()), "--json")

        assert done.exit_code == 1
        assert "brain evaluate prints the id" in json.loads(done.stdout)["error"]

    def test_what_is_no_id_is_wrong_usage(self, brain: Brain) -> None:
        assert brain("evaluate", "--baseline", "ayer").exit_code == 2


class TestBaseline:
    def test_a_promoted_run_is_listed(self, brain: Brain, golden: None) -> None:
        run = measured(brain("evaluate", "--strategy", "fulltext", "--json"))

        listed = measured(brain("golden", "baseline", run["run_id"], "--json"))["baselines"]

        assert [(one["set"], one["strategy"], one["run_id"], one["is_automatic"]) for one in listed] == [
            ("default", "fulltext", run["run_id"], False)
        ]
        assert (listed[0]["ndcg_at_10"], listed[0]["total_queries"]) == (1.0, 12)
        assert measured(brain("golden", "baseline", "--json"))["baselines"] == listed
        assert run["run_id"] in brain("golden", "baseline").stdout

    def test_without_any_it_says_how_to_make_one(self, brain: Brain, tenant) -> None:
        assert "brain golden baseline RUN promotes it" in brain("golden", "baseline").stderr

    def test_an_unknown_run_is_an_error(self, brain: Brain, tenant) -> None:
        assert brain("golden", "baseline", str(uuid4())).exit_code == 1
