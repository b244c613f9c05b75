"""Stages that a change makes anew, line by line as docs/operations/re-index.md tells it, and traces of a delete."""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import dagster as dg
import pytest
from filling import Filled
from pipeline_runs import TENANT, RunJob, run_over_all

from rag_assets import chunks as chunks_module
from rag_assets import embeddings as embeddings_module
from rag_assets import knowledge_graph as knowledge_graph_module
from rag_assets.chunks import code_version
from rag_assets.definitions import build_definitions
from rag_core.chat import Message
from rag_core.chunking import CHUNKERS, DEFAULT_CHUNKER
from rag_core.configuration.schema import DEFAULT_RETRIEVAL_CONFIG, Chunking
from rag_core.embedding.summaries import Summariser
from rag_core.evaluation.golden.importing import import_golden
from rag_core.graph.rules import RuleExtractor
from rag_core.indexing import pipeline as pipeline_module
from rag_core.indexing.graph import stale_batches_with_graph
from rag_core.indexing.pipeline import Pipeline
from rag_core.notes.importing import import_lines
from rag_core.runtime.engine import Engine, open_engine
from rag_core.settings import read_settings
from rag_core.storage.models import fetch_active_model
from rag_core.storage.notes import delete_notes, find_note

PARAGRAPHS = [f"Párrafo {n}: el huerto, el pozo y la cosecha de este año tan seco en la comarca." for n in range(120)]
LONG = "\n\n".join(PARAGRAPHS)
SHORT = "No dormí bien porque tomé café por la tarde."
Write = Callable[..., None]


@pytest.fixture
def write(engine: Engine) -> Write:
    """Import notes as lines: the long one and the short one, with fields on top."""
    return partial(write_both, engine)


def write_both(engine: Engine, *, text: str = LONG, **fields: Any) -> None:
    lines = [{"id": "long", "text": text, **fields}, {"id": "short", "text": SHORT}]
    import_lines(
        engine.database,
        TENANT,
        [json.dumps(line).encode() for line in lines],
        source="notas",
        language="es",
        zone=ZoneInfo("Europe/Madrid"),
        max_characters=1_000_000,
    )


@pytest.fixture
def beginning(request: pytest.FixtureRequest, template: str, filled: Filled, tmp_path: Path) -> str:
    fill = partial(index_both, home=tmp_path / "filling")
    return filled("long_and_short", fill) if "chunks_of_both" in request.fixturenames else template


def index_both(url: str, *, home: Path) -> None:
    settings = read_settings(home=home, database_url=url)
    with open_engine(settings) as engine, dg.DagsterInstance.ephemeral() as instance:
        write_both(engine)
        assert run_over_all("update_index", engine.database, instance, with_engine=engine).success


@pytest.fixture
def chunks_of_both(engine: Engine) -> int:
    """Both notes, with which the test's database begins, indexed; how many chunks they have."""
    with engine.database.owner() as connection:
        row = connection.execute("select count(*) from brain.chunks").fetchone()
    assert row is not None
    assert row[0] > 4
    return int(row[0])


class SummingUpChat:
    """A chat model that sums up every note with the same words."""

    name = "guion"

    def complete(self, _messages: Sequence[Message], **_more: object) -> str:
        return json.dumps({"summary": "De la sequía."})


def made(result: dg.ExecuteInProcessResult) -> tuple[int, ...]:
    """Notes chunked, vectors computed, vectors reused, notes whose graph was read."""
    wanted = (("chunks", "notes"), ("embeddings", "embedded"), ("embeddings", "reused"), ("knowledge_graph", "notes"))
    assert result.success
    return tuple(_count(result, asset, name) for asset, name in wanted)


def with_pipeline(engine: Engine, **parts: Any) -> Engine:
    """The engine as another version or configuration of the program would open it."""
    changed = replace(engine)
    same = {"chunking": DEFAULT_RETRIEVAL_CONFIG.chunking, "model": engine.model, "embedder": engine.embedder}
    changed.__dict__["pipeline"] = Pipeline(**{**same, **parts})
    return changed


def test_without_a_change_nothing_is_made(run_job: RunJob, chunks_of_both: int) -> None:
    assert made(run_job("update_index")) == (0, 0, 0, 0)


def test_an_edited_sentence_embeds_its_chunk_anew_and_no_other(
    run_job: RunJob, write: Write, chunks_of_both: int
) -> None:
    write(text="\n\n".join([*PARAGRAPHS[:-1], PARAGRAPHS[-1].replace("seco", "húmedo")]))

    notes, embedded, reused, graph = made(run_job("update_index"))

    assert (notes, embedded, graph) == (1, 2, 1)
    assert reused == 2 * (chunks_of_both - 1) - 2


def test_a_new_title_computes_contextual_vectors_alone(run_job: RunJob, write: Write, chunks_of_both: int) -> None:
    write(title="La comarca")

    notes, embedded, reused, _ = made(run_job("update_index"))

    assert (notes, embedded, reused) == (1, chunks_of_both - 1, chunks_of_both - 1)


@pytest.mark.parametrize("field", [{"metadata": {"lugar": "Sueca"}}, {"created_at": "2024-05-01"}])
def test_dates_and_metadata_make_nothing_anew(
    run_job: RunJob, write: Write, chunks_of_both: int, field: dict[str, Any]
) -> None:
    write(**field)

    assert made(run_job("update_index")) == (0, 0, 0, 0)


def change_chunker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(CHUNKERS._entries, DEFAULT_CHUNKER, replace(CHUNKERS.get(DEFAULT_CHUNKER), version="next"))


def change_context(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipeline_module, "CONTEXT_VERSION", "next")


@pytest.mark.parametrize("change", [change_chunker, change_context])
def test_a_new_chunker_or_context_makes_all_notes_anew_and_embeds_only_inputs_that_differ(
    engine: Engine,
    run_job: RunJob,
    chunks_of_both: int,
    monkeypatch: pytest.MonkeyPatch,
    change: Callable[[pytest.MonkeyPatch], None],
) -> None:
    change(monkeypatch)

    found = made(run_job("update_index", with_engine=with_pipeline(engine)))

    assert found == (2, 0, 2 * chunks_of_both, 2)


def test_other_chunk_sizes_make_all_notes_anew(engine: Engine, run_job: RunJob, chunks_of_both: int) -> None:
    sizes = Chunking(max_chunk_size=128, overlap_size=0, min_chunk_size=20)

    notes, embedded, _, graph = made(run_job("update_index", with_engine=with_pipeline(engine, chunking=sizes)))

    assert (notes, graph) == (2, 2)
    assert embedded > 2 * chunks_of_both


def test_another_version_of_the_model_computes_every_vector(
    engine: Engine, run_job: RunJob, chunks_of_both: int
) -> None:
    model = replace(engine.model, version="2")
    with engine.database.owner() as connection:
        connection.execute("update brain.embedding_models set version = '2' where state = 'active'")

    found = made(run_job("update_index", with_engine=with_pipeline(engine, model=model)))

    assert found == (2, 2 * chunks_of_both, 0, 2)


def test_summaries_turned_on_compute_contextual_vectors_of_long_notes_alone(
    engine: Engine, run_job: RunJob, chunks_of_both: int
) -> None:
    summariser = Summariser(chat=SummingUpChat())

    found = made(run_job("update_index", with_engine=with_pipeline(engine, summariser=summariser)))

    assert found == (2, chunks_of_both - 1, chunks_of_both + 1, 2)


def test_new_rules_of_the_causal_graph_read_the_notes_and_embed_nothing(
    engine: Engine, run_job: RunJob, chunks_of_both: int
) -> None:
    with engine.database.owner() as connection:
        connection.execute("update brain.graph_notes set fingerprint = 'rules-0'")

    assert made(run_job("update_index")) == (0, 0, 0, 2)


def test_weights_and_thresholds_of_the_search_make_nothing_stale(
    engine: Engine, run_job: RunJob, chunks_of_both: int
) -> None:
    with engine.database.owner() as connection:
        connection.execute("update brain.embedding_models set fusion_method = 'rrf', similarity_threshold = 0.9")
        model = fetch_active_model(connection)
    changed = with_pipeline(engine, model=model)

    stale = stale_batches_with_graph(
        engine.database, TENANT, fingerprint=changed.pipeline.fingerprint, extractor=RuleExtractor()
    )

    assert model.similarity_threshold == 0.9
    assert stale == []


class TestCodeVersion:
    """Code of the pipeline is in the code version of the stage that it is code of."""

    @pytest.mark.parametrize(
        ("name", "part"),
        [
            ("CONTEXT_VERSION", "context-next"),
            ("PROMPT_VERSION", "summaries-next"),
        ],
    )
    def test_chunks_show_context_and_instructions(self, monkeypatch: pytest.MonkeyPatch, name: str, part: str) -> None:
        monkeypatch.setattr(chunks_module, name, "next")

        assert part in code_version(DEFAULT_RETRIEVAL_CONFIG.chunking).split()

    def test_chunks_show_their_chunker(self, monkeypatch: pytest.MonkeyPatch) -> None:
        change_chunker(monkeypatch)

        assert "chunker-next/2" in code_version(DEFAULT_RETRIEVAL_CONFIG.chunking).split()

    def test_chunks_show_their_sizes(self) -> None:
        sizes = Chunking(max_chunk_size=128, overlap_size=7, min_chunk_size=20)

        assert "sizes-128/7/20" in code_version(sizes).split()

    def test_embeddings_show_context_and_the_embedded_model_and_the_graph_its_rules(self) -> None:
        versions = {
            spec.key.to_user_string(): spec.code_version for spec in build_definitions().resolve_all_asset_specs()
        }

        context, hashing = embeddings_module.CONTEXT_VERSION, embeddings_module.HASHING_VERSION
        assert versions["embeddings"] == f"context-{context} hashing-{hashing}"
        assert versions["knowledge_graph"] == (
            f"{knowledge_graph_module.RULES_FINGERPRINT} instructions-{knowledge_graph_module.PROMPT_VERSION}"
        )

    def test_what_the_database_says_stands_in_the_data_version(
        self, engine: Engine, run_job: RunJob, write: Write, instance: dg.DagsterInstance
    ) -> None:
        write()
        run_job("update_index")

        event = instance.get_latest_materialization_event(dg.AssetKey("embeddings"))

        assert event is not None
        materialization = event.asset_materialization
        assert materialization is not None
        assert (materialization.tags or {})["dagster/data_version"] == engine.pipeline.fingerprint
        assert materialization.metadata["model"].value == f"{engine.model.name}@{engine.model.version}"


class TestDelete:
    """A deleted note is gone from everything made of it, and golden queries that asked for it are told."""

    def test_nothing_of_a_deleted_note_is_left(self, engine: Engine, run_job: RunJob, chunks_of_both: int) -> None:
        before = _holding(engine, "brain.notes where external_id = 'short'")
        _delete(engine, "short")

        result = run_job("index_notes")

        assert before == 1
        assert _holding(engine, "brain.chunks where content like '%café%'") == 0
        assert _holding(engine, "brain.postings where lexeme = 'caf'") == 0
        assert _holding(engine, "brain.lexeme_statistics where lexeme = 'caf' and document_frequency <> 0") == 0
        assert _holding(engine, "brain.relations") == _holding(engine, "brain.mentions") == 0
        vectors = _holding(engine, "brain.embeddings"), _holding(engine, "brain.embedding_cache")
        assert vectors == (2 * (chunks_of_both - 1), 0)
        assert [e.check_name for e in result.get_asset_check_evaluations() if not e.passed] == []

    def test_a_golden_query_whose_note_was_deleted_is_named(
        self, engine: Engine, run_job: RunJob, chunks_of_both: int
    ) -> None:
        line = b'{"id": "q1", "query": "caf\xc3\xa9 por la tarde", "relevant_ids": ["short"]}'
        import_golden(engine.database, TENANT, [line], set_name="default")
        _delete(engine, "short")

        result = run_job("check_index", is_partitioned=False)

        (found,) = [e for e in result.get_asset_check_evaluations() if e.check_name == "orphaned_golden_queries"]
        assert (found.passed, found.severity) == (False, dg.AssetCheckSeverity.WARN)
        assert [record.data["note"] for record in found.metadata["examples"].records] == ["q1"]
        assert "café" not in str(found.description)
        assert "brain golden import" in str(found.metadata["remedy"].value)

    def test_golden_queries_whose_notes_are_there_are_sound(
        self, engine: Engine, run_job: RunJob, chunks_of_both: int
    ) -> None:
        line = b'{"query": "caf\xc3\xa9 por la tarde", "relevant_ids": ["short"]}'
        import_golden(engine.database, TENANT, [line], set_name="default")

        result = run_job("check_index", is_partitioned=False)

        (found,) = [e for e in result.get_asset_check_evaluations() if e.check_name == "orphaned_golden_queries"]
        assert found.passed


def _delete(engine: Engine, external_id: str) -> None:
    with engine.database.transaction(TENANT) as connection:
        delete_notes(connection, TENANT, [find_note(connection, TENANT, external_id)])


def _holding(engine: Engine, source: str) -> int:
    with engine.database.owner() as connection:
        row = connection.execute(f"select count(*) from {source}").fetchone()  # type: ignore[arg-type]  # ours
    assert row is not None
    return int(row[0])


def _count(result: dg.ExecuteInProcessResult, asset: str, name: str) -> int:
    events = [e for e in result.get_asset_materialization_events() if e.asset_key == dg.AssetKey(asset)]
    return int(events[0].materialization.metadata[name].value)  # type: ignore[arg-type]
