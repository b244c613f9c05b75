"""The assets on a real database, run as Dagster runs them."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import dagster as dg
import pytest
from pipeline_runs import TENANT, ImportTexts, RunJob

from rag_core.errors import EmbeddingError
from rag_core.indexing import staging
from rag_core.model.embedding import FloatMatrix
from rag_core.model.note import TenantId
from rag_core.runtime.engine import DEMO_TENANT, Engine

STRATEGIES = ("fulltext", "semantic", "hybrid", "hybrid+rerank")


class DownEmbedder:
    """An embedding provider that nobody answers for."""

    name = "hashing"
    dimensions = 768

    def embed(self, texts: Sequence[str], *, role: str) -> FloatMatrix:
        raise EmbeddingError("no answer at 127.0.0.1:9.")


def test_a_range_of_batches_is_indexed_by_one_run_and_each_tells_its_own_counts(
    engine: Engine, run_job: RunJob, import_texts: ImportTexts
) -> None:
    import_texts([f"La nota número {number} habla del huerto." for number in range(103)])
    import_texts(["Otra persona escribe sobre su perro."], owner=TenantId("otra"))

    result = run_job("update_index")

    assert result.success
    assert _run_counts(result, "notes", "notes", "stale", "damaged") == (104, 104, 0)
    assert _run_counts(result, "chunks", "notes", "chunks") == (104, 104)
    assert _run_counts(result, "fulltext_index", "published", "left", "deleted") == (104, 0, 0)
    assert _stale_notes(engine) == 0
    counts = {
        event.partition: event.materialization.metadata["notes_in_batch"].value
        for event in result.get_asset_materialization_events()
        if event.asset_key == dg.AssetKey("notes")
    }
    assert counts == {"otra-000000": 1, "pruebas-000000": 100, "pruebas-000001": 3}


def test_the_run_log_tells_chunks_with_vectors_their_number_and_the_remaining_time(
    run_job: RunJob, import_texts: ImportTexts, instance: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(staging, "EMBED_CHUNKS", 2)
    import_texts([f"La nota número {number}." for number in range(3)])

    result = run_job("update_index")

    messages = [entry.user_message for entry in instance.all_logs(result.run_id)]
    told = [message for message in messages if "have their vectors" in message]
    assert [message.partition(" have")[0] for message in told] == ["2 of 3 chunks", "3 of 3 chunks"]
    assert told[1].endswith(", 0 s remaining")


def test_an_unchanged_note_is_not_staged_again(run_job: RunJob, import_texts: ImportTexts) -> None:
    import_texts(["Riego el huerto los martes."])
    run_job("update_index")

    result = run_job("update_index")

    assert _run_counts(result, "chunks", "notes", "chunks") == (0, 0)
    assert _run_counts(result, "embeddings", "embedded", "reused") == (0, 0)


def test_every_stage_shows_rows_of_the_demo_and_the_pipeline_it_ran(
    engine: Engine, run_job: RunJob, import_texts: ImportTexts
) -> None:
    import_texts(["Nado los jueves."])
    import_texts(["Riego el huerto los martes."], owner=DEMO_TENANT)

    result = run_job("update_index")

    for asset in ("notes", "chunks", "embeddings", "fulltext_index"):
        metadata = _metadata(result, asset)
        assert len(metadata["preview"].records) == 1
        assert "jueves" not in str(metadata)
        assert metadata["pipeline"].value == engine.pipeline.fingerprint
        assert metadata["seconds"].value >= 0


def test_no_event_of_a_run_holds_the_text_of_notes(
    engine: Engine, instance: dg.DagsterInstance, run_job: RunJob, import_texts: ImportTexts
) -> None:
    import_texts(["Riego el huerto los martes porque la lluvia no llega."])
    run_job("index_notes")
    with engine.database.owner() as connection:
        connection.execute("update brain.chunks set content = replace(content, 'huerto', 'parque')")

    result = run_job("check_index", is_partitioned=False)

    assert not result.success
    kept = "".join(dg.serialize_value(entry) for run in instance.get_runs() for entry in instance.all_logs(run.run_id))
    assert "its 53 characters are not those of the note from 0 to" in kept
    for word in ("huerto", "lluvia", "parque", "lluvi", "huert"):
        assert word not in kept


def test_a_failing_provider_leaves_the_old_chunks_live_and_says_how_to_go_on(
    engine: Engine, run_job: RunJob, import_texts: ImportTexts
) -> None:
    import_texts(["Riego el huerto los martes."])
    before = _live_contents(engine)
    broken = replace(engine, embedder=DownEmbedder())

    result = run_job("update_index", with_engine=broken)

    failure = next(event for event in result.all_events if event.is_step_failure)
    said = failure.step_failure_data.user_failure_data.description
    assert "no answer at 127.0.0.1:9" in said
    assert "run `brain index`" in said
    assert _live_contents(engine) == before


def test_a_run_after_the_provider_is_back_publishes_what_was_staged(
    engine: Engine, run_job: RunJob, import_texts: ImportTexts
) -> None:
    import_texts(["Riego el huerto los martes."])
    run_job("update_index", with_engine=replace(engine, embedder=DownEmbedder()))

    result = run_job("update_index")

    assert _run_counts(result, "chunks", "notes", "chunks") == (0, 0)
    assert _run_counts(result, "embeddings", "embedded", "reused") == (2, 0)
    assert _run_counts(result, "fulltext_index", "published", "left", "deleted") == (1, 0, 0)


def test_a_tenant_without_golden_set_is_named_in_the_report(run_job: RunJob, import_texts: ImportTexts) -> None:
    import_texts(["Riego el huerto los martes."])

    result = run_job("index_notes")

    assert result.success
    metadata = _metadata(result, "evaluation_report")
    assert "pruebas" in metadata["report"].value
    assert "brain golden import" in metadata["report"].value
    assert metadata["evaluated_tenants"].value == 0


def test_a_golden_set_is_evaluated_under_each_strategy(
    engine: Engine, run_job: RunJob, import_texts: ImportTexts
) -> None:
    from rag_core.evaluation.golden.importing import import_golden
    from rag_core.storage.evaluations import list_runs

    import_texts(["Riego el huerto los martes.", "Mi hermana vive en Bilbao.", "El tren sale a las siete."])
    import_golden(
        engine.database,
        TENANT,
        [b'{"query": "hermana en Bilbao", "relevant_ids": ["n1"]}'],
        set_name="default",
    )

    result = run_job("index_notes")

    metadata = _metadata(result, "evaluation_report")
    assert [metadata[f"pruebas_{name}_mrr"].value for name in STRATEGIES] == [1.0] * 4
    with engine.database.transaction(TENANT) as connection:
        stored = list_runs(connection, TENANT, limit=10)
    assert sorted(run.config["strategy"] for run in stored) == ["fulltext", "hybrid", "hybrid+rerank", "semantic"]


@pytest.mark.parametrize("text", ["Corto.", "Uno. Dos.\n\nTres."])
def test_the_index_of_a_short_note_passes_every_check(run_job: RunJob, import_texts: ImportTexts, text: str) -> None:
    import_texts([text])

    result = run_job("index_notes")

    assert [e.check_name for e in result.get_asset_check_evaluations() if not e.passed] == []
    assert len(result.get_asset_check_evaluations()) == 20


def _metadata(result: dg.ExecuteInProcessResult, asset: str) -> dict[str, Any]:
    events = [e for e in result.get_asset_materialization_events() if e.asset_key == dg.AssetKey(asset)]
    return dict(events[0].materialization.metadata)


def _run_counts(result: dg.ExecuteInProcessResult, asset: str, *names: str) -> tuple[int, ...]:
    metadata = _metadata(result, asset)
    return tuple(metadata[name].value for name in names)


def _stale_notes(engine: Engine) -> int:
    with engine.database.owner() as connection:
        row = connection.execute(
            "select count(*) from brain.notes where indexed_fingerprint is distinct from %s",
            [engine.pipeline.fingerprint],
        ).fetchone()
    assert row is not None
    return row[0]


def _live_contents(engine: Engine) -> list[tuple[Any, ...]]:
    with engine.database.owner() as connection:
        return connection.execute("select chunk_id, content from brain.chunks order by 1").fetchall()
