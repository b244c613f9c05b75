"""`brain migration` and `brain rollback` as a shell sees them."""

import json
import time
from pathlib import Path

import psycopg
import pytest
from command_line import Brain

from rag_core.errors import IndexingError
from rag_core.migration import attach

READING = """
select count(*) from pg_stat_activity where application_name = 'brain migration attach' and xact_start is not null
"""


@pytest.fixture
def table(database_url: str) -> None:
    """A table `public.apuntes` with three good rows and an empty one."""
    with psycopg.connect(database_url, autocommit=True) as connection:
        connection.execute(
            "create table public.apuntes (id int primary key, texto text, created_at timestamptz, embedding vector(768), "
            "tsv tsvector generated always as (to_tsvector('spanish', texto)) stored)"
        )
        connection.execute(
            "insert into public.apuntes (id, texto, created_at) values (1, 'Planté tomates en el huerto.', '2020-01-01'), "
            "(2, 'Dormí mal porque discutí con Rosa.', '2020-01-02'), (3, 'Vino Lucía.', '2020-01-03'), (4, '', now())"
        )


@pytest.mark.slow
def test_from_attaching_to_migrated_and_back(brain_process: Brain, brain: Brain, table) -> None:
    attached = brain_process("migration", "attach", "--table", "public.apuntes", "--column", "content=texto", "--json")
    assert attached.exit_code == 0, attached.stderr
    assert {name: attached.json[name] for name in ("attached", "unchanged", "rejected_count", "state")} == {
        "attached": 3,
        "unchanged": 0,
        "rejected_count": 1,
        "state": "running",
    }
    assert attached.json["rejected"] == [{"id": "4", "error": "text is empty; a note needs some content"}]
    assert "tsv (the full-text index makes its own)" in attached.stderr
    assert "--embedding-model NAME" in attached.stderr
    found = brain("search", "tomates", "--json").json["results"]
    assert [result["externalId"] for result in found][:1] == ["1"]

    ran = brain_process("migration", "run", "--json")
    assert ran.exit_code == 0, ran.stderr
    assert ran.json["success"] is True
    assert ran.json["migrated"] == 3
    assert ran.json["stopped"] is None
    status = brain("migration", "status", "--json").json
    assert status["state"] == "running"
    assert status["legacy"] == {"attached": 3, "pending": 0, "migrated": 3}
    assert status["progressPercentage"] == 100
    assert status["errorCount"] == 1
    assert status["batches"] == {"total": 1, "done": 1}

    stopped = brain("rollback", "--partial", "--reason", "una pausa", "--json")
    assert stopped.exit_code == 0
    assert stopped.json["state"] == "stopped"
    assert stopped.json["migrated"] == 3
    refused = brain("migration", "run", "--json")
    assert refused.exit_code == 1
    assert "una pausa" in refused.json["error"]

    back = brain("rollback", "--json")
    assert back.exit_code == 0
    assert back.json["notes"] == 3
    assert back.json["chunks"] == 3
    assert back.json["failed"] == []
    shown = brain("migration", "status")
    assert "0.00 %  rolled back" in shown.stdout
    assert "legacy:4, attachment, attempt 1" in shown.stderr

    resumed = brain("migration", "resume", "--json")
    assert resumed.exit_code == 0
    assert resumed.json["state"] == "running"
    assert resumed.json["pending"] == 3
    assert brain("migration", "retry", "--json").json == {"retried": 0}
    unfinished = brain("migration", "finish", "--json")
    assert unfinished.exit_code == 1
    assert any("pending" in reason for reason in unfinished.json["reasons"])


def test_a_file_is_attached_and_what_comes_next_is_said(brain: Brain, tmp_path: Path) -> None:
    file = tmp_path / "notas.jsonl"
    file.write_text('{"id": "a", "text": "Vino Lucía."}\n{roto\n', "utf-8")

    done = brain("migration", "attach", file)

    assert done.exit_code == 0
    assert "attached 1" in done.stdout
    assert "(line 2): not valid JSON" in done.stderr
    assert "brain migration run" in done.stderr
    assert "brain migration status" in done.stderr
    assert "pruebas.legacy-" in done.stderr


def test_how_often_retrieval_is_measured_can_be_said(brain: Brain, table, database_url: str) -> None:
    def every() -> object:
        with psycopg.connect(database_url) as connection:
            return connection.execute("select evaluate_every from brain.migrations").fetchone()

    brain("migration", "attach", "--table", "apuntes", "--column", "content=texto", "--evaluate-every", 1)
    assert every() == (1,)
    brain("migration", "resume", "--evaluate-every", 7)
    assert every() == (7,)

    brain("migration", "resume")

    assert every() == (7,)


def test_when_nothing_can_be_taken_it_exits_with_1(brain: Brain, tmp_path: Path) -> None:
    file = tmp_path / "notas.jsonl"
    file.write_text('{"id": "a", "text": " "}\n', "utf-8")

    assert brain("migration", "attach", file).exit_code == 1
    file.write_text("", "utf-8")
    assert brain("migration", "attach", file).exit_code == 0


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["x.jsonl", "--table", "t"],
        ["x.jsonl", "--from", "postgresql://h/d"],
        ["x.jsonl", "--column", "id=clave"],
        ["--table", "t", "--column", "clave"],
        ["--table", "t", "--embedding-model", "hashing", "--without-vectors"],
        ["x.jsonl", "--language", "fr"],
    ],
)
def test_wrong_usage_exits_with_2(brain: Brain, words) -> None:
    assert brain("migration", "attach", *words).exit_code == 2


def test_vectors_of_another_model_are_an_error_with_its_remedy(brain: Brain, table) -> None:
    done = brain("migration", "attach", "--table", "apuntes", "--embedding-model", "otro", "--json")

    assert done.exit_code == 1
    assert "Promote otro first" in done.json["error"]
    assert "--without-vectors" in done.json["error"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["nada.jsonl"], "there is no file"),
        (["--table", "nada"], "there is no table nada; there are: public.apuntes"),
        (["--table", "apuntes"], "--column content=NAME"),
        (["--table", "apuntes", "--from", "host=127.0.0.1 port=1 dbname=x"], "does not answer"),
        (["--table", "apuntes", "--from", "nada"], "no address of a PostgreSQL"),
        (["--table", "brain.notes"], "Brain Sync's own"),
        (["--table", "a.b.c.d"], "expected table or schema.table"),
        (["--table", "a.b.c"], "expected table or schema.table"),
    ],
)
def test_what_cannot_be_read_is_told(brain: Brain, table, words, message) -> None:
    done = brain("migration", "attach", *words, "--json")

    assert done.exit_code == 1
    assert message in done.json["error"]


def test_the_vector_index_is_made_when_the_table_is_read_no_longer(brain: Brain, table, monkeypatch) -> None:
    """An index that is built beside all work waits for the reading transaction, which would wait for the index."""
    readers = []

    def count_readers(database, _model) -> None:
        deadline = time.monotonic() + 5  # the backend of a closed connection is listed for a moment
        with database.owner() as connection:
            while (found := connection.execute(READING).fetchone()) != (0,) and time.monotonic() < deadline:
                time.sleep(0.05)
        readers.append(found)

    monkeypatch.setattr(attach, "VACUUM_AFTER_NOTES", 3)
    monkeypatch.setattr(attach, "ensure_vector_index", count_readers)

    done = brain("migration", "attach", "--table", "apuntes", "--column", "content=texto")

    assert done.exit_code == 0, done.output
    assert readers == [(0,)]


def test_a_run_with_notes_that_failed_is_no_success_and_names_them(brain: Brain, table, database_url: str) -> None:
    brain("migration", "attach", "--table", "public.apuntes", "--column", "content=texto")
    with psycopg.connect(database_url, autocommit=True) as connection:
        connection.execute(
            "insert into brain.migration_failures (tenant_id, source, external_id, note_id, stage, attempts, reason) "
            "select tenant_id, source, external_id, note_id, 'embedding', 3, 'no vector' from brain.notes "
            "where external_id = '2'"
        )

    ran = brain("migration", "run", "--json").json

    assert ran["success"] is False
    assert ran["migrated"] == 2
    assert ran["failed"] == 1
    assert [error["error"] for error in ran["errors"]] == ["no vector"]
    assert ran["errors"][0]["noteId"]


def test_an_error_that_ends_a_run_is_told_as_one_of_the_migration(brain: Brain, table, monkeypatch) -> None:
    def fail(*_arguments: object, **_options: object) -> None:
        raise IndexingError("the disk is full")

    monkeypatch.setattr("rag_assets.migration.run_migration", fail)
    monkeypatch.setenv("BRAIN_LANGUAGE", "es")

    done = brain("migration", "run", "--json")

    assert done.exit_code == 1
    assert json.loads(done.stdout) == {"error": "Error durante la migración de notas: the disk is full"}


@pytest.mark.parametrize(
    "words", [["migration", "run"], ["migration", "resume"], ["rollback"], ["rollback", "--partial"]]
)
def test_without_a_migration_there_is_nothing_to_run_or_roll_back(brain: Brain, words) -> None:
    done = brain(*words, "--json")

    assert done.exit_code == 1
    assert "brain migration attach" in done.json["error"]


def test_the_status_of_everything_has_a_line_for_the_migration(brain: Brain, tmp_path: Path) -> None:
    file = tmp_path / "notas.jsonl"
    file.write_text('{"id": "a", "text": "Vino Lucía."}\n', "utf-8")
    assert "migration" not in brain("status").stdout
    brain("migration", "attach", file)

    shown = brain("status").stdout

    assert "0.00 %, running, 1 note to come" in shown
