"""Few new notes are indexed by the process that stored them; many, and a migration's, are left to runs."""

import threading
from pathlib import Path
from queue import Queue

import pytest
from folders import Vault

from rag_core.folders.following import follow_folders
from rag_core.indexing import few_notes
from rag_core.indexing.failures import MAX_ATTEMPTS, record_failures
from rag_core.indexing.few_notes import index_few
from rag_core.model.note import TenantId
from rag_core.runtime.engine import Engine
from rag_core.storage.documents import watch_folder
from rag_core.storage.notes import ensure_tenant


def indexed(engine: Engine, tenant: TenantId) -> list[tuple[str, bool, int]]:
    """Each note by its name: whether it is indexed, and the number of its vectors."""
    with engine.database.owner() as connection:
        return connection.execute(
            """select n.external_id, n.indexed_fingerprint = %s, count(e.chunk_id)
            from brain.notes n left join brain.chunks c using (tenant_id, note_id)
            left join brain.embeddings e using (tenant_id, chunk_id)
            where n.tenant_id = %s group by n.note_id, n.tenant_id order by 1""",
            (engine.pipeline.fingerprint, tenant),
        ).fetchall()


def watch(vault: Vault) -> None:
    with vault.database.transaction(vault.tenant) as connection:
        ensure_tenant(connection, vault.tenant)
        watch_folder(
            connection,
            vault.tenant,
            source=vault.source,
            path=str(vault.path),
            device=str(vault.path.stat().st_dev),
            exclude=[],
            language=None,
        )


def test_few_notes_are_live_with_vectors_and_relations_at_once(engine: Engine, tenant: TenantId, make_note) -> None:
    make_note("Dormí mal porque tomé café.", external_id="a")
    make_note("Riego el huerto.", external_id="b")

    assert index_few(engine.database, tenant, engine.pipeline) == 2

    assert [(name, is_live, vectors > 0) for name, is_live, vectors in indexed(engine, tenant)] == [
        ("a", True, True),
        ("b", True, True),
    ]
    with engine.database.owner() as connection:
        assert connection.execute("select count(*) from brain.relations").fetchone() == (1,)
    assert index_few(engine.database, tenant, engine.pipeline) == 0


def test_many_notes_are_left_to_runs(
    engine: Engine, tenant: TenantId, make_note, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(few_notes, "MAX_NOTES", 2)
    for number in range(3):
        make_note(f"Nota {number}.", external_id=str(number))

    assert index_few(engine.database, tenant, engine.pipeline) == 0

    assert [is_live for _, is_live, _ in indexed(engine, tenant)] == [None, None, None]


def test_notes_that_failed_too_often_do_not_count(
    engine: Engine, tenant: TenantId, make_note, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(few_notes, "MAX_NOTES", 2)
    given_up = [make_note(f"Nota {number}.", external_id=str(number)) for number in range(3)]
    for _ in range(MAX_ATTEMPTS):
        record_failures(
            engine.database,
            tenant,
            dict.fromkeys(given_up, "no"),
            stage="chunking",
            fingerprint=engine.pipeline.fingerprint,
        )
    make_note("Nueva.", external_id="new")

    assert index_few(engine.database, tenant, engine.pipeline) == 1

    assert [name for name, is_live, _ in indexed(engine, tenant) if is_live] == ["new"]


def test_a_followed_file_is_indexed_once_it_is_imported(engine: Engine, tenant: TenantId, tmp_path: Path) -> None:
    vault = Vault(path=tmp_path, database=engine.database, tenant=tenant)
    vault.write("a.md", "Uno")
    watch(vault)
    done: Queue[int] = Queue()
    stop = threading.Event()

    def index(of: TenantId) -> None:
        done.put(index_few(engine.database, of, engine.pipeline))

    following = threading.Thread(
        target=follow_folders, args=(engine.settings, engine.database, stop), kwargs={"index": index}
    )
    following.start()
    try:
        assert done.get(timeout=30) == 1
        vault.write("a.md", "Dos notas")
        assert done.get(timeout=30) == 1
    finally:
        stop.set()
        following.join(30)

    assert [is_live for _, is_live, _ in indexed(engine, tenant)] == [True]


def test_what_another_process_imported_of_a_followed_folder_is_indexed_too(
    engine: Engine, tenant: TenantId, tmp_path: Path
) -> None:
    vault = Vault(path=tmp_path, database=engine.database, tenant=tenant)
    vault.write("a.md", "Uno")
    vault.take()
    watch(vault)
    done: Queue[TenantId] = Queue()
    stop = threading.Event()

    following = threading.Thread(
        target=follow_folders, args=(engine.settings, engine.database, stop), kwargs={"index": done.put}
    )
    following.start()
    try:
        assert done.get(timeout=30) == tenant
    finally:
        stop.set()
        following.join(30)
