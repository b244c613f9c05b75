"""The `brain` command as a shell sees it: stdout, stderr, exit status."""

import json
from pathlib import Path

import pytest
from command_line import Brain


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    file = tmp_path / "notas.jsonl"
    lines = [
        {"id": "a", "title": "Reunión", "text": "Hoy tuve un conflicto con mi jefe y me sentí ansioso."},
        {"id": "b", "text": "Compré pan, leche y tomates 🍅."},
    ]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines) + "{roto\n", encoding="utf-8")
    return file


def test_importing_lists_the_bad_lines_and_takes_the_good(brain_process: Brain, notes) -> None:
    done = brain_process("import", notes, "--json")

    assert done.exit_code == 0
    assert (done.json["imported"], done.json["updated"], done.json["unchanged"]) == (2, 0, 0)
    assert [rejection["line"] for rejection in done.json["rejected"]] == [3]


def test_people_are_told_what_to_do_next(brain: Brain, notes) -> None:
    done = brain("import", notes)

    assert "imported 2" in done.stdout
    assert "line 3: not valid JSON" in done.stderr
    assert "brain index" in done.stderr


def test_a_file_that_is_not_there_fails_with_its_name(brain: Brain) -> None:
    done = brain("import", "nada.jsonl", "--json")

    assert done.exit_code == 1
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
def test_wrong_usage_exits_with_two(brain_process: Brain, words) -> None:
    assert brain_process(*words).exit_code == 2


def test_a_setting_out_of_bounds_is_named(brain_process: Brain) -> None:
    done = brain_process("status", BRAIN_API_PORT="puerto")

    assert done.exit_code == 1
    assert "BRAIN_API_PORT" in done.stderr
    assert "Traceback" not in done.stderr


def test_search_finds_at_once_by_words_and_keeps_stdout_clean(brain_process: Brain, notes) -> None:
    brain_process("import", notes)

    done = brain_process("search", "conflicto con el jefe", "--json")

    assert done.json["results"][0]["externalId"] == "a"
    assert done.json["metadata"]["strategy"] == "hybrid+rerank"
    assert done.stdout.count("\n") == 1


def test_a_configuration_file_is_merged_and_its_mistakes_are_named(brain: Brain, notes, tmp_path) -> None:
    brain("import", notes)
    good, bad = tmp_path / "good.json", tmp_path / "bad.json"
    good.write_text('{"topK": {"final": 1}}')
    bad.write_text('{"topK": {"final": 99}}')

    assert len(brain("search", "pan jefe", "--config", good, "--json").json["results"]) == 1
    assert "topK.final" in brain("search", "pan jefe", "--config", bad, "--json").json["error"]


def test_deleting_is_all_or_nothing(brain: Brain, notes) -> None:
    brain("import", notes)

    assert brain("delete", "a", "nadie").exit_code == 1
    assert brain("search", "jefe", "--json").json["results"]
    assert brain("delete", "a", "--json").json["deleted"] == 1
    assert brain("search", "jefe", "--strategy", "fulltext", "--json").json["results"] == []


def test_a_golden_set_goes_out_as_it_came_in(brain: Brain, notes, tmp_path) -> None:
    brain("import", notes)
    file, again = tmp_path / "golden.jsonl", tmp_path / "again.jsonl"
    file.write_text(
        '{"query": "¿Qué compré?", "relevant_ids": ["b"], "answer": "pan", "category": "factual", "difficulty": 1}\n'
    )

    assert brain("golden", "import", file, "--json").json == {"imported": 1, "rejected": []}
    assert brain("golden", "export", "-o", again).exit_code == 0
    assert brain("golden", "import", again, "--set", "copia", "--json").json["imported"] == 1


def test_evaluating_a_set_that_is_not_there_says_how_to_make_one(brain: Brain) -> None:
    done = brain("evaluate", "--json")

    assert done.exit_code == 1
    assert "brain golden import" in done.json["error"]


def test_status_and_doctor_tell_what_there_is(brain: Brain, notes) -> None:
    brain("import", notes)

    status, doctor = brain("status", "--json").json, brain("doctor", "--json").json

    assert (status["notes"], status["stale_notes"], status["chunks"]) == (2, 2, 2)
    assert doctor["ok"] is True
    assert {"PostgreSQL", "pgvector", "tenant isolation", "Ollama"} <= {check["name"] for check in doctor["checks"]}


def test_status_is_in_plain_words_and_verbose_has_the_details(brain: Brain, notes) -> None:
    empty = brain("status").stdout.splitlines()
    brain("import", notes)

    brief, verbose = brain("status").stdout.splitlines(), brain("status", "--verbose").stdout

    assert empty[:2] == ["0 notes of pruebas", "`brain import ~/Notas` takes a folder of notes and documents."]
    assert brief[:3] == [
        "2 notes of pruebas, 2 to be indexed: `brain index`",
        "answers: passages of your notes, word for word (no chat model)",
        "page: does not run; `brain up` starts it",
    ]
    assert len(brief) == 4
    assert "pipeline fingerprint" in verbose


def test_where_brain_up_runs_nobody_is_sent_to_index(brain: Brain, notes, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("running_parts", "status"):
        monkeypatch.setattr(f"rag_core.operation.{module}.read_parts", lambda _: {"api": "runs"})

    imported, status = brain("import", notes), brain("status")

    assert "`brain up` runs and indexes them" in imported.stderr
    assert status.stdout.startswith("2 notes of pruebas, 2 to be indexed; `brain up` runs and indexes them")


def test_doctor_says_in_a_line_that_all_is_well_and_verbose_shows_every_check(brain: Brain) -> None:
    brief, verbose = brain("doctor").stdout, brain("doctor", "--verbose").stdout

    assert brief.splitlines()[:2] == ["Everything works.", "  brain up: does not run"]
    assert "pgvector" not in brief
    assert "pgvector" in verbose


def test_doctor_shows_what_fails_with_its_remedy(brain: Brain, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRAIN_CHAT_MODEL", "nobody-has-it")

    done = brain("doctor")

    first, failing, remedy, *_ = done.stdout.splitlines()
    assert done.exit_code == 1
    assert first.startswith("1 of ")
    assert failing == "  chat model: nobody-has-it, BRAIN_CHAT_MODEL, cannot be used"
    assert remedy.startswith("    → ")


def test_the_help_begins_with_a_folder_of_notes_and_the_commands_of_everybody(brain: Brain) -> None:
    shown = brain("--help").stdout

    assert "brain import ~/Notas" in " ".join(shown.split())
    commands = ["import", "folder", "index", "search", "ask", "up", "down", "status", "doctor", "backup"]
    places = [shown.index(f"│ {name} ") for name in commands]
    assert places == sorted(places)
    assert "│ ingest " not in shown


@pytest.mark.parametrize(
    "command", ["import", "index", "search", "evaluate", "delete", "serve", "up", "demo", "down", "status", "doctor"]
)
def test_every_command_explains_itself(brain: Brain, command) -> None:
    done = brain(command, "--help")

    assert done.exit_code == 0
    assert len(done.stdout) > 200
