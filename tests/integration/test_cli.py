"""The `brain` command as a shell sees it: stdout, stderr, exit status."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest


class Done(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def json(self) -> dict:
        return json.loads(self.out)


@pytest.fixture
def brain(database_url: str, tmp_path: Path) -> Callable[..., Done]:
    """Run the command in a process of its own on the test's database."""

    def run(*words: object, **environment: str) -> Done:
        done = subprocess.run(
            [sys.executable, "-c", "from rag_core.cli import main; main()", *map(str, words)],
            env={
                "PATH": "/usr/bin:/bin",
                "HOME": str(tmp_path),
                "BRAIN_HOME": str(tmp_path / "home"),
                "OLLAMA_HOST": "http://127.0.0.1:9",
                "DATABASE_URL": database_url,
                "PYTHONUTF8": "1",
                **environment,
            },
            cwd=tmp_path,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        return Done(done.returncode, done.stdout, done.stderr)

    return run


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    file = tmp_path / "notas.jsonl"
    lines = [
        {"id": "a", "title": "Reunión", "text": "Hoy tuve un conflicto con mi jefe y me sentí ansioso."},
        {"id": "b", "text": "Compré pan, leche y tomates 🍅."},
    ]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines) + "{roto\n", encoding="utf-8")
    return file


def test_importing_lists_the_bad_lines_and_takes_the_good(brain, notes) -> None:
    done = brain("import", notes, "--json")

    assert done.code == 0
    assert (done.json["imported"], done.json["updated"], done.json["unchanged"]) == (2, 0, 0)
    assert [rejection["line"] for rejection in done.json["rejected"]] == [3]


def test_people_are_told_what_to_do_next(brain, notes) -> None:
    done = brain("import", notes)

    assert "imported 2" in done.out
    assert "line 3: not valid JSON" in done.err
    assert "brain index" in done.err


def test_a_file_that_is_not_there_fails_with_its_name(brain) -> None:
    done = brain("import", "nada.jsonl", "--json")

    assert done.code == 1
    assert "nada.jsonl" in done.json["error"]


@pytest.mark.parametrize(
    "words",
    [
        ("nada",),
        ("search",),
        ("search", "x", "--strategy", "magia"),
        ("search", "x", "--top-k", "0"),
        ("import", "x", "--language", "fr"),
    ],
)
def test_wrong_usage_exits_with_two(brain, words) -> None:
    assert brain(*words).code == 2


def test_a_setting_out_of_bounds_is_named(brain) -> None:
    done = brain("status", BRAIN_API_PORT="puerto")

    assert done.code == 1
    assert "BRAIN_API_PORT" in done.err
    assert "Traceback" not in done.err


def test_search_finds_at_once_by_words_and_keeps_stdout_clean(brain, notes) -> None:
    brain("import", notes)

    done = brain("search", "conflicto con el jefe", "--json")

    assert done.json["results"][0]["externalId"] == "a"
    assert done.json["metadata"]["strategy"] == "hybrid+rerank"
    assert done.out.count("\n") == 1


def test_a_configuration_file_is_merged_and_its_mistakes_are_named(brain, notes, tmp_path) -> None:
    brain("import", notes)
    good, bad = tmp_path / "good.json", tmp_path / "bad.json"
    good.write_text('{"topK": {"final": 1}}')
    bad.write_text('{"topK": {"final": 99}}')

    assert len(brain("search", "pan jefe", "--config", good, "--json").json["results"]) == 1
    assert "topK.final" in brain("search", "pan jefe", "--config", bad, "--json").json["error"]


def test_deleting_is_all_or_nothing(brain, notes) -> None:
    brain("import", notes)

    assert brain("delete", "a", "nadie").code == 1
    assert brain("search", "jefe", "--json").json["results"]
    assert brain("delete", "a", "--json").json["deleted"] == 1
    assert brain("search", "jefe", "--strategy", "fulltext", "--json").json["results"] == []


def test_a_golden_set_goes_out_as_it_came_in(brain, notes, tmp_path) -> None:
    brain("import", notes)
    file, again = tmp_path / "golden.jsonl", tmp_path / "again.jsonl"
    file.write_text(
        '{"query": "¿Qué compré?", "relevant_ids": ["b"], "answer": "pan", "category": "factual", "difficulty": 1}\n'
    )

    assert brain("golden", "import", file, "--json").json == {"imported": 1, "rejected": []}
    assert brain("golden", "export", "-o", again).code == 0
    assert brain("golden", "import", again, "--set", "copia", "--json").json["imported"] == 1


def test_evaluating_a_set_that_is_not_there_says_how_to_make_one(brain) -> None:
    done = brain("evaluate", "--json")

    assert done.code == 1
    assert "brain golden import" in done.json["error"]


def test_status_and_doctor_tell_what_there_is(brain, notes) -> None:
    brain("import", notes)

    status, doctor = brain("status", "--json").json, brain("doctor", "--json").json

    assert (status["notes"], status["stale_notes"], status["chunks"]) == (2, 2, 2)
    assert doctor["ok"] is True
    assert {"PostgreSQL", "pgvector", "tenant isolation", "Ollama"} <= {check["name"] for check in doctor["checks"]}


@pytest.mark.parametrize(
    "command", ["import", "index", "search", "evaluate", "delete", "serve", "up", "demo", "down", "status", "doctor"]
)
def test_every_command_explains_itself(brain, command) -> None:
    done = brain(command, "--help")

    assert done.code == 0
    assert len(done.out) > 200
