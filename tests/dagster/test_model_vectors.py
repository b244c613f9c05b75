"""The vectors of models that are not active, as an asset over batches and as `brain models backfill` runs it."""

from typing import Any

import dagster as dg
import pytest
from migrated_notes import engine as engine  # noqa: PLC0414  a fixture, re-exported to pytest
from pipeline_runs import TENANT, RunJob

from rag_assets.model_backfill import run_backfill
from rag_core.errors import EmbeddingUnavailableError, IndexingError
from rag_core.model.embedding import WantedModel
from rag_core.model_change import backfill
from rag_core.model_change.promotion import promote
from rag_core.model_change.registration import register_model
from rag_core.runtime.engine import Engine
from rag_core.settings import read_settings
from rag_core.storage.models import find_model

TEXTS = ["La casa azul está junto al río.", "Treinta y dos facturas sin pagar.", "El pan salió demasiado denso."]


def add(engine: Engine, name: str = "hashing-256", dimensions: int = 256) -> None:
    register_model(
        engine.database,
        WantedModel(name=name, provider="hashing", dimensions=dimensions),
        settings=read_settings(ollama_host=""),
    )


def state(engine: Engine, name: str = "hashing-256") -> str:
    with engine.database.owner() as connection:
        return find_model(connection, name).model.state


def metadata(result: dg.ExecuteInProcessResult) -> dict[str, Any]:
    """Metadata of the first batch of the run; of a table its rows."""
    told = result.get_asset_materialization_events()[0].materialization.metadata
    return {name: getattr(value, "records", value.value) for name, value in told.items()}


def test_a_run_fills_in_every_candidate_and_says_which_is_ready(engine, import_texts, run_job: RunJob) -> None:
    import_texts(TEXTS)
    run_job("update_index")
    add(engine)
    add(engine, "hashing-64", 64)

    result = run_job("fill_in_models")

    told = metadata(result)
    assert result.success
    assert (told["embedded"], told["failed"]) == (12, 0)
    assert [(row.data["model"], row.data["state"]) for row in told["models"]] == [
        ("hashing-256", "ready"),
        ("hashing-64", "ready"),
    ]


def test_without_another_model_nothing_is_done(engine, import_texts, run_job: RunJob) -> None:
    import_texts(TEXTS)

    told = metadata(run_job("fill_in_models"))

    assert (told["embedded"], told["reused"]) == (0, 0)


def test_a_retired_model_is_left_alone(engine, import_texts, run_job: RunJob) -> None:
    import_texts(TEXTS)
    add(engine)
    with engine.database.owner() as connection:
        connection.execute("update brain.embedding_models set state = 'retired' where name = 'hashing-256'")

    run_job("fill_in_models")

    assert state(engine) == "retired"


class TestTheCommand:
    def test_it_makes_what_is_missing_and_the_model_ready(self, engine, import_texts) -> None:
        import_texts(TEXTS)
        add(engine)

        report = run_backfill(engine, "hashing-256")

        assert (report.state, report.embedded, report.reused, report.failed, report.missing) == ("ready", 3, 3, 0, 0)

    def test_with_nothing_to_do_no_run_is_started(self, engine, import_texts, monkeypatch) -> None:
        import_texts(TEXTS)
        add(engine)
        run_backfill(engine, "hashing-256")
        monkeypatch.setattr("rag_assets.model_backfill.execute_range", None)

        report = run_backfill(engine, "hashing-256")

        assert (report.state, report.embedded, report.missing) == ("ready", 0, 0)

    def test_a_model_is_ready_to_be_promoted_though_notes_are_written_all_the_time(
        self, engine, import_texts, monkeypatch
    ) -> None:
        import_texts(TEXTS)
        add(engine)
        written, write = list(TEXTS), backfill.store.write_model_vectors

        def write_while_a_note_comes_in(*args, **more):  # type: ignore[no-untyped-def]
            written.append(f"Nota número {len(written)} que llega entretanto.")
            import_texts(written)
            return write(*args, **more)

        monkeypatch.setattr(backfill.store, "write_model_vectors", write_while_a_note_comes_in)
        report = run_backfill(engine, "hashing-256")
        monkeypatch.setattr(backfill.store, "write_model_vectors", write)
        promoted = promote(engine, "hashing-256")

        assert (report.state, report.failed) == ("ready", 0)
        assert report.missing > 0
        assert promoted.is_changed

    def test_a_run_that_is_broken_off_is_gone_on_with(self, engine, import_texts, monkeypatch) -> None:
        import_texts(TEXTS)
        add(engine)
        monkeypatch.setattr(backfill, "PAGE_CHUNKS", 1)
        write = backfill.store.write_model_vectors
        pages = iter([True, False])

        def write_once(*args, **more):  # type: ignore[no-untyped-def]
            if next(pages, False):
                return write(*args, **more)
            raise EmbeddingUnavailableError("killed")

        monkeypatch.setattr(backfill.store, "write_model_vectors", write_once)
        monkeypatch.setattr("rag_assets.stages.OUTAGE_RETRIES", dg.RetryPolicy(max_retries=0))
        with pytest.raises(IndexingError, match="killed"):
            run_backfill(engine, "hashing-256")
        monkeypatch.setattr(backfill.store, "write_model_vectors", write)
        report = run_backfill(engine, "hashing-256")

        assert (report.embedded, report.state) == (2, "ready")


def test_vectors_of_the_candidate_are_those_of_the_tenant(engine, import_texts, run_job: RunJob) -> None:
    import_texts(TEXTS)
    add(engine)

    run_job("fill_in_models")

    with engine.database.transaction(TENANT) as connection:
        rows = connection.execute("select count(*), count(distinct chunk_id) from embeddings").fetchall()
    assert rows == [(6, 3)]
