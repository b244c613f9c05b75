"""A thousand legacy notes migrated by the real daemon while something is killed: nothing is lost, doubled or unfindable."""

import re
import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from rag_core.model.note import TenantId
from rag_core.runtime.engine import Engine, open_engine
from rag_core.settings import read_settings
from tests.ollama_server import running_ollama_server

from .installation import Installation, installed, wait_until
from .legacy import TABLE, clinical_texts, make_legacy_table
from .readers import Readers, reading

pytestmark = pytest.mark.e2e

TENANT = TenantId("default")
ASSETS = ("notes", "chunks", "embeddings", "fulltext_index", "knowledge_graph", "migration_report")
BATCHES = 10
REGISTRATION_SECONDS = 150
"""The sensor ticks every minute."""
START_SECONDS = 150
"""The backfill daemon ticks every thirty seconds."""
MIGRATION_SECONDS = 300
"""To the first note, beside a model server that fails one call in five."""
QUESTION_WORDS = 14
BYTE_ORDER_MARK = "\ufeff"

Rows = Mapping[uuid.UUID, Mapping[str, Any]]


def question_of(text: str) -> str:
    """Words from the middle of a report, as somebody would remember them; they stand in no other one in this order."""
    words = re.findall(r"\w{4,}", text)
    middle = len(words) // 2
    return " ".join(words[middle : middle + QUESTION_WORDS])


def migrated(engine: Engine) -> int:
    with engine.database.transaction(TENANT) as connection:
        row = connection.execute("select count(*) from notes where legacy_state = 'migrated'").fetchone()
    assert row is not None
    return int(row[0])


def prepare(home: Path) -> Rows:
    """A home with a legacy table in its database."""
    with open_engine(read_settings(home=home, shared_buffers_mb=128)) as engine:
        return make_legacy_table(engine, clinical_texts())


def attach(installation: Installation, rows: Rows) -> None:
    """Attach the legacy table and wait until the sensor has made its batches partitions."""
    attached = installation.brain("migration", "attach", "--table", TABLE, "--embedding-model", "hashing")
    assert attached["attached"] == len(rows), attached
    wait_until(
        lambda: len(installation.partition_keys()) == BATCHES,
        what=lambda: f"partitions: {installation.partition_keys()}",
        seconds=REGISTRATION_SECONDS,
    )


def launch(installation: Installation) -> tuple[str, str]:
    """Launch the backfill of every partition; backfill and run, once that has started."""
    backfill = installation.launch_backfill(ASSETS, installation.partition_keys())
    wait_until(
        lambda: bool(installation.started_runs(backfill)),
        what=lambda: f"nothing started: {installation.backfill(backfill)}",
        seconds=START_SECONDS,
    )
    (run, *_) = installation.started_runs(backfill)
    return backfill, run


def wait_for_the_middle(engine: Engine) -> None:
    """Wait until some notes are migrated and some are not."""
    wait_until(lambda: migrated(engine) > 0, what=lambda: "nothing is migrated", seconds=MIGRATION_SECONDS, every=0.02)


def finish_what_is_left(installation: Installation, engine: Engine, backfill: str, total: int) -> None:
    """Wait for the backfill; what its runs and their retries did not do, the operator launches again."""
    installation.wait_for_backfill(backfill)
    for _ in range(3):
        if migrated(engine) == total:
            return
        again = installation.launch_backfill(ASSETS, installation.partition_keys())
        installation.wait_for_backfill(again)
    assert migrated(engine) == total, installation.brain("migration", "status")


def assert_nothing_is_lost(installation: Installation, engine: Engine, rows: Rows) -> None:
    """Every note exactly once, with its id, text and dates; every check green."""
    with engine.database.transaction(TENANT) as connection:
        stored = connection.execute(
            "select note_id, external_id, content, created_at, updated_at, legacy_state from notes"
        ).fetchall()
        unchunked = connection.execute("select count(*) from chunks where chunking_method = 'whole_note'").fetchone()
    assert sorted(row[0] for row in stored) == sorted(rows)
    wrong = [
        note
        for note, external_id, content, created_at, updated_at, state in stored
        if (external_id, created_at, updated_at, state)
        != (str(note), rows[note]["created_at"], rows[note]["updated_at"], "migrated")
        or content.split() != rows[note]["content"].lstrip(BYTE_ORDER_MARK).split()
    ]
    assert wrong == []
    assert unchunked == (0,)
    checking = installation.run_job("check_index")
    assert installation.run_status(checking) == "SUCCESS"
    assert installation.failed_checks(checking) == []


def assert_always_answered(
    installation: Installation, readers: Readers, questions: Mapping[uuid.UUID, str], *, allowed: tuple[int, ...] = ()
) -> None:
    """Every question was answered with the note that answers it, whether it was chunked at the time or not.

    One that is not answered when all is quiet either is a bad question; hardly any is. Where requests may be refused, because
    the database is away, an answer may also say that a leg was missing.
    """
    assert len(readers.asked) > 100
    assert readers.refused(allowed=allowed) == []
    missed = {one.note for one in readers.missed(may_be_degraded=bool(allowed))}
    assert len(missed) <= len(questions) / 200
    assert [note for note in missed if is_found(installation, note, questions[note])] == []


def is_found(installation: Installation, note: uuid.UUID, question: str) -> bool:
    status, body = installation.search(question, topK=10)
    assert status == 200, body
    return str(note) in {hit["noteId"] for hit in body["results"]}


def test_a_killed_run_worker_loses_no_note_and_doubles_none(home: Path) -> None:
    rows = prepare(home)
    questions = {note: question_of(row["content"]) for note, row in rows.items()}

    with installed(home) as installation, open_engine(read_settings(home=home)) as engine:
        attach(installation, rows)
        backfill, run = launch(installation)
        with reading(installation, questions) as readers:
            wait_for_the_middle(engine)
            installation.kill_run_worker(run)
            in_the_middle = migrated(engine)
            finish_what_is_left(installation, engine, backfill, len(rows))

        assert 0 < in_the_middle < len(rows)
        assert_nothing_is_lost(installation, engine, rows)
        assert_always_answered(installation, readers, questions)


def test_a_killed_database_loses_no_note_and_doubles_none(home: Path) -> None:
    rows = prepare(home)
    questions = {note: question_of(row["content"]) for note, row in rows.items()}

    with installed(home) as installation, open_engine(read_settings(home=home)) as engine:
        attach(installation, rows)
        backfill, _ = launch(installation)
        with reading(installation, questions) as readers:
            wait_for_the_middle(engine)
            assert installation.kill_database() > 1
            wait_until(lambda: _is_answered(installation), what=lambda: "the database stays away", seconds=60)
            finish_what_is_left(installation, engine, backfill, len(rows))

        assert_nothing_is_lost(installation, engine, rows)
        assert_always_answered(installation, readers, questions, allowed=(500, 503, 504))
        refused = readers.refused()
        assert max((one.at for one in refused), default=0) - min((one.at for one in refused), default=0) < 30


def test_a_model_server_that_fails_one_call_in_five_loses_no_note(home: Path) -> None:
    rows = prepare(home)
    questions = {note: question_of(row["content"]) for note, row in rows.items()}

    with running_ollama_server() as ollama:
        ollama.serve("nomic-embed-text", dimensions=256, context_tokens=8192)
        with installed(home, OLLAMA_HOST=ollama.url) as installation, open_engine(read_settings(home=home)) as engine:
            use_model_of_server(installation)
            attach_without_vectors(installation, rows)
            ollama.misbehave("status", status=500, message="out of memory", every=5)
            backfill, _ = launch(installation)
            with reading(installation, questions) as readers:
                wait_for_the_middle(engine)
                finish_what_is_left(installation, engine, backfill, len(rows))
            ollama.behave()

            assert len(ollama.bodies("/api/embed")) > 50
            assert_nothing_is_lost(installation, engine, rows)
            assert_always_answered(installation, readers, questions)


def use_model_of_server(installation: Installation) -> None:
    """Register and promote the server's model while there is no note yet."""
    installation.brain("models", "add", "nomic-embed-text", "--provider", "ollama")
    installation.brain("models", "backfill", "nomic-embed-text")
    installation.brain("models", "promote", "nomic-embed-text")


def attach_without_vectors(installation: Installation, rows: Rows) -> None:
    """The legacy vectors are another model's."""
    attached = installation.brain("migration", "attach", "--table", TABLE, "--without-vectors")
    assert attached["attached"] == len(rows), attached
    wait_until(
        lambda: len(installation.partition_keys()) == BATCHES,
        what=lambda: f"partitions: {installation.partition_keys()}",
        seconds=REGISTRATION_SECONDS,
    )


def _is_answered(installation: Installation) -> bool:
    status, _ = installation.search("fiebre y tos")
    return status == 200
