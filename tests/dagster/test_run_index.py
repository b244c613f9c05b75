"""The command `brain index`."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import dagster as dg
import pytest
from pipeline_runs import TENANT, ImportTexts

from rag_assets.indexing import JOB, PROCESS_TAG, IndexEvent, run_index
from rag_assets.partitions import BatchRange
from rag_core.errors import EmbeddingError, IndexingError, TenantDeletedError
from rag_core.model.embedding import FloatMatrix
from rag_core.model.note import TenantId
from rag_core.operation.dagster_home import prepare_dagster_home
from rag_core.runtime.engine import Engine, open_engine
from rag_core.settings import read_settings
from rag_core.storage.notes import delete_notes, find_note
from rag_core.storage.tenants import delete_tenant

OTHER = TenantId("otra")
LONG = "\n\n".join(f"Párrafo {n}: el huerto, el pozo y la cosecha de este año seco." for n in range(150))


@pytest.fixture
def engine(database_url: str, tmp_path: Path) -> Iterator[Engine]:
    """An engine whose home cannot reach a database for Dagster, so that runs are kept in memory."""
    settings = read_settings(
        home=tmp_path / "home", database_url=database_url, dagster_database_url="postgresql://127.0.0.1:9/none"
    )
    with open_engine(settings) as opened:
        yield opened


class HalfDownEmbedder:
    """A provider that answers once and is gone then."""

    name = "hashing"
    dimensions = 768

    def __init__(self, engine: Engine) -> None:
        self._embedder = engine.embedder
        self._is_up = True

    def embed(self, texts: Sequence[str], *, role: str) -> FloatMatrix:
        if not self._is_up:
            raise EmbeddingError("the provider is down.")
        self._is_up = False
        return self._embedder.embed(texts, role=role)  # type: ignore[arg-type]


class PickyEmbedder:
    """A provider that takes no text about Bilbao."""

    name = "hashing"
    dimensions = 768

    def __init__(self, engine: Engine) -> None:
        self._embedder = engine.embedder

    def embed(self, texts: Sequence[str], *, role: str) -> FloatMatrix:
        if any("Bilbao" in text for text in texts):
            raise EmbeddingError("not about Bilbao.")
        return self._embedder.embed(texts, role=role)  # type: ignore[arg-type]


def test_new_notes_are_chunked_and_embedded(engine: Engine, import_texts: ImportTexts) -> None:
    import_texts(["Riego el huerto los martes.", "El tren sale a las siete."])

    report = run_index(engine, tenants=[TENANT], is_full=False)

    assert report.notes == 2
    assert report.chunks == 2
    assert report.embedded == 4
    assert report.reused == 0
    assert report.deleted == 0


def test_a_full_run_makes_every_note_anew_and_computes_nothing_twice(engine: Engine, import_texts: ImportTexts) -> None:
    import_texts(["Riego el huerto los martes."])
    run_index(engine, tenants=[TENANT], is_full=False)

    report = run_index(engine, tenants=[TENANT], is_full=True)

    assert report.notes == 1
    assert report.chunks == 1
    assert report.embedded == 0
    assert report.reused == 2
    assert report.deleted == 0


def test_a_changed_pipeline_replaces_chunks_and_counts_them(engine: Engine, import_texts: ImportTexts) -> None:
    from rag_core.configuration.schema import Chunking
    from rag_core.indexing.pipeline import Pipeline

    import_texts([LONG])
    before = run_index(engine, tenants=[TENANT], is_full=False)
    finer = replace(engine)
    finer.__dict__["pipeline"] = Pipeline(
        chunking=Chunking(max_chunk_size=128, overlap_size=0, min_chunk_size=20),
        model=engine.model,
        embedder=engine.embedder,
    )

    report = run_index(finer, tenants=[TENANT], is_full=False)

    assert before.deleted == 0
    assert report.chunks > before.chunks
    assert 1 <= report.deleted <= before.chunks


def test_only_the_named_tenant_is_indexed(engine: Engine, import_texts: ImportTexts) -> None:
    import_texts(["Riego el huerto los martes."])
    import_texts(["Otra persona escribe."], owner=OTHER)

    run_index(engine, tenants=[TENANT], is_full=False)

    assert _stale(engine, TENANT) == 0
    assert _stale(engine, OTHER) == 1


def test_notes_are_counted_of_the_tenants_that_are_indexed(engine: Engine, import_texts: ImportTexts) -> None:
    import_texts(["Riego el huerto los martes.", "El tren sale a las siete."])
    run_index(engine, tenants=[TENANT], is_full=False)
    import_texts(["Otra persona escribe."], owner=OTHER)

    report = run_index(engine, tenants=[TENANT, OTHER], is_full=False)
    with_nothing_to_do = run_index(engine, tenants=[TENANT, OTHER], is_full=False)

    assert report.tenants == (OTHER,)
    assert report.notes == 1
    assert report.chunks == 1
    assert with_nothing_to_do.tenants == (TENANT, OTHER)
    assert with_nothing_to_do.notes == 3
    assert with_nothing_to_do.chunks == 3


def test_a_run_that_cannot_be_recorded_says_so_and_goes_on(engine: Engine, import_texts: ImportTexts) -> None:
    import_texts(["Riego el huerto los martes."])
    events: list[IndexEvent] = []

    report = run_index(engine, tenants=[TENANT], is_full=False, on_event=events.append)

    assert report.embedded == 2
    assert "BRAIN_DAGSTER_DATABASE_URL" in events[0].message
    assert events[1].message == ""
    assert [(event.done, event.batches) for event in events] == [(0, 0), (0, 1), (1, 1)]


def test_a_failing_provider_is_an_error_that_says_how_to_go_on(engine: Engine, import_texts: ImportTexts) -> None:
    import_texts([LONG])
    run_index(engine, tenants=[TENANT], is_full=False)
    live = _chunks(engine)
    import_texts([f"{LONG}\n\nY otro párrafo más."], owner=OTHER)
    broken = replace(engine, embedder=HalfDownEmbedder(engine))
    broken.embedder.embed(["gasta la única respuesta"], role="document")

    with pytest.raises(IndexingError, match=r"the provider is down\. Nothing live was touched.*run `brain index`"):
        run_index(broken, tenants=[TENANT, OTHER], is_full=False)

    assert live.items() <= _chunks(engine).items()


@pytest.mark.parametrize("is_full", [False, True])
def test_legacy_notes_go_on_waiting_for_their_migration_and_are_counted(
    engine: Engine, import_texts: ImportTexts, is_full: bool
) -> None:
    import_texts(["Riego el huerto los martes.", "Mi hermana vive en Bilbao."])
    with engine.database.owner() as connection:
        connection.execute("update brain.notes set legacy_state = 'pending' where external_id = 'n1'")

    report = run_index(engine, tenants=[TENANT], is_full=is_full)

    assert report.notes == 2
    assert report.embedded == 2
    assert report.pending == 1
    assert report.failed == 0
    with engine.database.owner() as connection:
        waiting = connection.execute("select external_id from brain.notes where indexed_fingerprint is null").fetchall()
    assert waiting == [("n1",)]


def test_notes_that_fail_are_counted_and_keep_no_other_from_being_indexed(
    engine: Engine, import_texts: ImportTexts
) -> None:
    import_texts(["Riego el huerto los martes.", "Mi hermana vive en Bilbao."])

    report = run_index(replace(engine, embedder=PickyEmbedder(engine)), tenants=[TENANT], is_full=False)

    assert report.failed == 1
    assert report.embedded == 2


def test_deleting_notes_leaves_nothing_stale_and_folds_the_statistics(
    engine: Engine, import_texts: ImportTexts
) -> None:
    import_texts(["Riego el huerto los martes.", "El tren sale a las siete."])
    run_index(engine, tenants=[TENANT], is_full=False)
    with engine.database.transaction(TENANT) as connection:
        delete_notes(connection, TENANT, [find_note(connection, TENANT, "n0")])

    report = run_index(engine, tenants=[TENANT], is_full=False)

    assert report.notes == 1
    assert report.chunks == 1
    assert report.embedded == 0
    with engine.database.owner() as connection:
        assert connection.execute("select count(*) from brain.lexeme_statistics where not is_folded").fetchone() == (0,)


def test_runs_are_recorded_in_the_home_and_those_of_a_killed_process_are_given_up(
    database_url: str, tmp_path: Path, import_texts: ImportTexts, monkeypatch: pytest.MonkeyPatch
) -> None:
    import_texts(["Riego el huerto los martes."])
    with open_engine(read_settings(home=tmp_path / "my home", database_url=database_url)) as engine:
        for name, value in prepare_dagster_home(engine.settings, engine.database).items():
            monkeypatch.setenv(name, value)
        with dg.DagsterInstance.get() as instance:
            dead = instance.create_run_for_job(
                _empty_job,
                tags={PROCESS_TAG: f"{_host()}/999999999/1.00"},
                status=dg.DagsterRunStatus.STARTED,
            )
            foreign = instance.create_run_for_job(
                _empty_job, tags={PROCESS_TAG: "another-host/1/1.00"}, status=dg.DagsterRunStatus.STARTED
            )

            run_index(engine, tenants=[TENANT], is_full=False)

            statuses = {run.run_id: run.status for run in instance.get_runs(dg.RunsFilter(job_name=JOB))}
            assert statuses.pop(dead.run_id) == dg.DagsterRunStatus.CANCELED
            assert statuses.pop(foreign.run_id) == dg.DagsterRunStatus.STARTED
            assert list(statuses.values()) == [dg.DagsterRunStatus.SUCCESS]


@dg.job(name=JOB)
def _empty_job() -> None:
    """A run of this name is all that is needed."""


def _host() -> str:
    import platform

    return platform.node()


def _stale(engine: Engine, tenant: TenantId) -> int:
    with engine.database.owner() as connection:
        row = connection.execute(
            "select count(*) from brain.notes where tenant_id = %s and indexed_fingerprint is null", [tenant]
        ).fetchone()
    assert row is not None
    return int(row[0])


def _chunks(engine: Engine) -> dict[object, object]:
    with engine.database.owner() as connection:
        return dict(connection.execute("select chunk_id, content from brain.chunks").fetchall())


def test_a_tenant_that_is_deleted_meanwhile_is_told_plainly(
    engine: Engine, import_texts: ImportTexts, monkeypatch: pytest.MonkeyPatch
) -> None:
    import_texts("El huerto dio tomates.")

    def deleted_and_forgotten(instance: dg.DagsterInstance, _database: object) -> list[str]:
        """The partitions are there, and gone when the run over them begins."""
        delete_tenant(engine.database, TENANT)
        return ["gone-000000"]

    monkeypatch.setattr("rag_assets.partitions.add_missing_keys", deleted_and_forgotten)
    monkeypatch.setattr(
        "rag_assets.partitions.merge_ranges",
        lambda *_given, **_more: [BatchRange(start=f"{TENANT}-000000", end=f"{TENANT}-000000", wanted=1)],
    )

    with pytest.raises(TenantDeletedError, match=f"indexing stopped: the tenant {TENANT} was deleted meanwhile"):
        run_index(engine, tenants=[TENANT], is_full=False)
