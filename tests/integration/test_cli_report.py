"""`brain report`: a run, or one run against another, as one file."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from uuid import uuid4

import pytest
from builders import ANIMALS, golden_lines_of_animals
from command_line import Brain, printed_json

from rag_core.evaluation.golden.importing import import_golden


@pytest.fixture(autouse=True)
def _public_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRAIN_API_URL", "https://notas.example")


@pytest.fixture
def evaluate(brain: Brain, database, tenant, make_note, index_notes) -> Callable[..., str]:
    """Make a run over twelve notes, each found by its animal, and return its id."""
    for animal in ANIMALS:
        make_note(f"Hoy vi un {animal} en el bosque.", external_id=animal, title=f"El {animal}")
    index_notes()
    import_golden(database, tenant, golden_lines_of_animals())

    def run(*words: str) -> str:
        return str(printed_json(brain("evaluate", "--json", *words))["run_id"])

    return run


def test_the_newest_run_is_written_beside_whoever_asks(brain: Brain, evaluate, tmp_path: Path) -> None:
    evaluate("--strategy", "semantic")
    newest = evaluate("--strategy", "fulltext")

    done = brain("report")

    assert done.exit_code == 0, done.output
    file = tmp_path / f"brain-report-{newest[:8]}.html"
    assert done.stdout == f"{file}\n"
    text = file.read_text(encoding="utf-8")
    assert "search: by words" in text
    assert f"https://notas.example/evaluation/runs/{newest}?tenant=pruebas" in text
    assert "notes of “pruebas”" in text


def test_it_is_in_the_language_of_the_command_line(
    brain: Brain, evaluate, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    evaluate("--strategy", "fulltext")
    monkeypatch.setenv("BRAIN_LANGUAGE", "es")

    brain("report", "-o", str(tmp_path / "informe.html"))

    text = (tmp_path / "informe.html").read_text(encoding="utf-8")
    assert '<html lang="es">' in text
    assert "búsqueda por palabras" in text


def test_a_report_is_for_its_owner_alone(brain: Brain, evaluate, tmp_path: Path) -> None:
    evaluate("--strategy", "fulltext")

    brain("report", "-o", "informe.html")

    assert (tmp_path / "informe.html").stat().st_mode & 0o777 == 0o600


def test_without_a_run_it_is_of_what_is_served_and_says_which(brain: Brain, evaluate, tmp_path: Path, database) -> None:
    served = evaluate("--strategy", "semantic")
    candidate = evaluate("--strategy", "semantic")
    with database.owner() as owner:
        owner.execute("update brain.evaluation_runs set purpose = 'benchmark' where run_id = %s", (candidate,))

    done = brain("report", "--json")

    assert json.loads(done.stdout)["run_id"] == served
    assert f"run {served} of pruebas: semantic, manual, model hashing@1" in done.stderr


def test_a_candidate_is_reported_on_where_there_is_nothing_else(brain: Brain, evaluate, database) -> None:
    candidate = evaluate()
    with database.owner() as owner:
        owner.execute("update brain.evaluation_runs set purpose = 'benchmark'")

    done = brain("report", "--json")

    assert json.loads(done.stdout)["run_id"] == candidate
    assert "benchmark" in done.stderr


def test_the_file_needs_nothing_else(brain: Brain, evaluate, tmp_path: Path) -> None:
    evaluate()

    brain("report", "-o", "informe.html")

    text = (tmp_path / "informe.html").read_text(encoding="utf-8")
    assert re.findall(r"\bsrc=|<link\b|url\(|@import", text) == []
    outward = {address for address in re.findall(r'href="([^"]+)"', text) if not address.startswith("#")}
    assert {address.split("/evaluation/")[0] for address in outward} == {"https://notas.example"}


def test_every_query_leads_to_what_it_brought_back_within_the_file(brain: Brain, evaluate, tmp_path: Path) -> None:
    evaluate("--strategy", "fulltext")

    brain("report", "-o", "informe.html")

    text = (tmp_path / "informe.html").read_text(encoding="utf-8")
    wanted = set(re.findall(r'href="#(consulta-[\w-]+)"', text))
    assert len(wanted) == 12
    assert wanted == set(re.findall(r'id="(consulta-[\w-]+)"', text))
    assert re.search(r'<li class="good">El lobo', text)


def test_a_run_against_another_shows_both(brain: Brain, evaluate, tmp_path: Path) -> None:
    before, after = evaluate("--strategy", "semantic"), evaluate("--strategy", "fulltext")

    done = brain("report", after, "--baseline", before, "-o", "informe.html", "--json")

    document = json.loads(done.stdout)
    assert document == {
        "file": str(tmp_path / "informe.html"),
        "run_id": after,
        "bytes": (tmp_path / "informe.html").stat().st_size,
    }
    text = (tmp_path / "informe.html").read_text(encoding="utf-8")
    assert "Comparison" in text
    assert "<h3>Before</h3>" in text
    assert "Changed between the two: the configuration." in text


def test_runs_that_asked_different_queries_are_refused_unless_the_common_ones_will_do(brain: Brain, evaluate) -> None:
    whole, part = evaluate(), evaluate("--category", "factual")

    refused = brain("report", part, "--baseline", whole)
    common = brain("report", part, "--baseline", whole, "--common")

    assert refused.exit_code == 1
    assert "did not ask the same" in refused.output
    assert common.exit_code == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [((), "brain evaluate makes one"), ((str(uuid4()),), "no evaluation run")],
    ids=["nothing was evaluated", "no such run"],
)
def test_what_cannot_be_reported_on_says_what_to_do(brain: Brain, tenant, words: tuple[str, ...], said: str) -> None:
    done = brain("report", *words)

    assert done.exit_code == 1
    assert said in done.output


def test_a_folder_that_is_not_there_is_told(brain: Brain, evaluate) -> None:
    evaluate()

    done = brain("report", "-o", "nirgends/informe.html")

    assert done.exit_code == 1
    assert "cannot write nirgends/informe.html" in done.output
