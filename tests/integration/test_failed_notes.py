"""Notes that cannot be chunked, embedded or published: recorded, found by their words still, and in nobody's way."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from builders import make_embedding_model
from ollama_server import OllamaServer
from ollama_server import ollama_server as ollama_server  # noqa: PLC0414 - a fixture, re-exported to pytest

from rag_core.configuration.schema import configure
from rag_core.embedding import build_embedder
from rag_core.errors import EmbeddingError, EmbeddingUnavailableError, ModelChangedError
from rag_core.indexing import publishing, staging
from rag_core.indexing.failures import record_failures
from rag_core.indexing.pipeline import Pipeline
from rag_core.indexing.publishing import publish_staged
from rag_core.indexing.staging import embed_staged, stage_note, stage_notes
from rag_core.migration import control
from rag_core.model.note import NoteId, TenantId
from rag_core.retrieval.retrieve import retrieve
from rag_core.runtime.engine import Engine
from rag_core.settings import read_settings
from rag_core.storage import staging as store
from rag_core.storage.batches import register_batches, stale_batches
from rag_core.storage.checks import run_check
from rag_core.storage.notes import delete_notes

BATCHES = ["pruebas-000000"]
FAILURES = "select external_id, stage, attempts, reason from migration_failures order by 1"
CHUNKED = "select external_id from notes where indexed_fingerprint is not null order by 1"
STAGED = "select count(*) from staged_notes"


def rows(engine: Engine, statement: str, *parameters: object) -> list[tuple]:
    with engine.database.transaction(TenantId("pruebas")) as connection:
        return connection.execute(statement, parameters).fetchall()


def execute(engine: Engine, statement: str) -> None:
    with engine.database.transaction(TenantId("pruebas")) as connection:
        connection.execute(statement)


class Refusing:
    """The engine's embedder, but for texts with a certain word."""

    def __init__(self, engine: Engine, word: str) -> None:
        self.name, self.dimensions = engine.embedder.name, engine.embedder.dimensions
        self.word = word
        self.texts: list[str] = []
        self._embedder = engine.embedder

    def embed(self, texts, *, role):
        if any(self.word in text for text in texts):
            raise EmbeddingError(f"no puedo con «{self.word}»")
        self.texts += texts
        return self._embedder.embed(texts, role=role)


def with_embedder(engine: Engine, embedder) -> Pipeline:
    return Pipeline(chunking=engine.pipeline.chunking, model=engine.model, embedder=embedder)


def run(engine: Engine, tenant: TenantId, pipeline: Pipeline | None = None):
    """Every stage over all batches that are stale; the three reports."""
    database, pipeline = engine.database, pipeline or engine.pipeline
    register_batches(database, tenant)
    keys = stale_batches(database, tenant, fingerprint=pipeline.fingerprint)
    return (
        stage_notes(database, tenant, keys, pipeline),
        embed_staged(database, tenant, keys, pipeline),
        publish_staged(database, tenant, keys, pipeline),
    )


def found(engine: Engine, tenant: TenantId, text: str, strategy: str) -> list[str]:
    hits = retrieve(engine, tenant, text, config=configure({}, strategy=strategy), timeout_ms=30_000).hits
    return [hit.external_id for hit in hits]


def plant(engine: Engine, table: str, body: str) -> None:
    """Have the database run a piece of PL/pgSQL before each row of a table is inserted."""
    with engine.database.owner() as connection:
        connection.execute(
            f"create or replace function brain.planted() returns trigger language plpgsql as $$ begin {body} end $$"
        )
        connection.execute(
            f"create trigger planted before insert on brain.{table} for each row execute function brain.planted()"
        )


def uproot(engine: Engine, table: str) -> None:
    with engine.database.owner() as connection:
        connection.execute(f"drop trigger planted on brain.{table}")


@pytest.fixture
def notes(make_note) -> dict[str, NoteId]:
    """Twelve notes, of which the fifth has the word that is refused."""
    texts = {f"n{n:02d}": f"La nota {n} habla del huerto y del pozo número {n * 7}." for n in range(12)}
    texts["n05"] = "El veneno de la víbora quedó guardado en el botiquín."
    return {name: make_note(text, external_id=name) for name, text in texts.items()}


def all_but(*names: str) -> list[tuple[str]]:
    return [(f"n{n:02d}",) for n in range(12) if f"n{n:02d}" not in names]


class TestChunking:
    """A note that the chunker cannot read."""

    @pytest.fixture(autouse=True)
    def _planted(self, monkeypatch) -> None:
        honest = staging.sentence_spans

        def spans(content, language):
            if "veneno" in content:
                raise ValueError("frases imposibles")
            return honest(content, language)

        monkeypatch.setattr(staging, "sentence_spans", spans)

    def test_it_is_recorded_and_all_others_are_indexed(self, engine, tenant, notes) -> None:
        staged, embedded, published = run(engine, tenant)

        assert (staged.notes, staged.failed) == (11, 1)
        assert (embedded.failed, published.published, published.failed) == (0, 11, 0)
        assert rows(engine, CHUNKED) == all_but("n05")
        assert rows(engine, FAILURES) == [("n05", "chunking", 1, "ValueError: frases imposibles")]

    def test_it_is_found_by_its_words_and_breaks_no_promise(self, engine, tenant, notes) -> None:
        run(engine, tenant)

        assert found(engine, tenant, "veneno de la víbora", "fulltext") == ["n05"]
        for check in ("check_lost_notes", "check_postings", "check_staged_leftovers"):
            assert run_check(engine.database, tenant, check).examples == ()
        assert run_check(engine.database, tenant, "check_vectors", model=engine.model).examples == ()

    def test_after_three_runs_it_is_passed_over_until_it_is_to_be_tried_again(
        self, engine, tenant, notes, monkeypatch
    ) -> None:
        failed = [run(engine, tenant)[0].failed for _ in range(5)]
        assert failed == [1, 1, 1, 0, 0]
        assert rows(engine, "select attempts from migration_failures") == [(3,)]
        monkeypatch.undo()
        assert run(engine, tenant)[0].notes == 0

        assert control.retry_failed(engine.database, tenant, fingerprint=engine.pipeline.fingerprint) == 1

        assert run(engine, tenant)[2].published == 1
        assert rows(engine, FAILURES) == []

    def test_an_edit_gives_it_a_new_chance(self, engine, tenant, notes, make_note) -> None:
        for _ in range(3):
            run(engine, tenant)

        make_note("La víbora ya no está.", external_id="n05")

        assert rows(engine, FAILURES) == []
        assert run(engine, tenant)[2].published == 1

    def test_a_deleted_note_leaves_no_failure(self, engine, tenant, notes) -> None:
        run(engine, tenant)

        with engine.database.transaction(tenant) as connection:
            delete_notes(connection, tenant, [notes["n05"]])

        assert rows(engine, FAILURES) == []


class TestEmbedding:
    """A note that the provider refuses."""

    def test_it_is_recorded_and_all_others_are_indexed(self, engine, tenant, notes) -> None:
        staged, embedded, published = run(engine, tenant, with_embedder(engine, Refusing(engine, "veneno")))

        assert (staged.failed, embedded.failed, published.failed) == (0, 1, 0)
        assert (embedded.embedded, published.published, published.left) == (22, 11, 0)
        assert rows(engine, CHUNKED) == all_but("n05")
        assert rows(engine, FAILURES) == [("n05", "embedding", 1, "no puedo con «veneno»")]
        assert rows(engine, STAGED) == [(0,)]

    def test_every_note_with_the_refused_text_is_recorded(self, engine, tenant, notes, make_note) -> None:
        make_note("El veneno de la víbora quedó guardado en el botiquín.", external_id="n99")

        run(engine, tenant, with_embedder(engine, Refusing(engine, "veneno")))

        assert [row[0] for row in rows(engine, FAILURES)] == ["n05", "n99"]

    def test_when_it_succeeds_in_the_end_nothing_is_left_of_it(self, engine, tenant, notes) -> None:
        run(engine, tenant, with_embedder(engine, Refusing(engine, "veneno")))

        published = run(engine, tenant)[2]

        assert published.published == 1
        assert rows(engine, FAILURES) == []

    def test_an_outage_is_no_notes_failure_and_loses_no_vector(self, engine, tenant, notes, monkeypatch) -> None:
        class Failing(Refusing):
            def embed(self, texts, *, role):
                if self.texts:
                    raise EmbeddingUnavailableError("nadie contesta")
                return super().embed(texts, role=role)

        monkeypatch.setattr(staging, "EMBED_CHUNKS", 4)

        with pytest.raises(EmbeddingUnavailableError):
            run(engine, tenant, with_embedder(engine, Failing(engine, "veneno")))

        assert rows(engine, "select count(*) from embedding_cache") == [(8,)]
        assert rows(engine, FAILURES) == []
        assert run(engine, tenant)[1].embedded == 16

    def test_an_ollama_that_answers_400_for_one_text_embeds_all_others(
        self, engine, tenant, notes, ollama_server: OllamaServer
    ) -> None:
        ollama_server.serve("bge-m3", dimensions=engine.model.dimensions)
        ollama_server.refuses = lambda text: "veneno" in text
        model = make_embedding_model(
            id=engine.model.id,
            name="bge-m3",
            provider="ollama",
            dimensions=engine.model.dimensions,
            fusion_method="rrf",
            semantic_weight=0.5,
            fulltext_weight=0.5,
        )
        with engine.database.owner() as connection:
            connection.execute(
                "update brain.embedding_models set name = 'bge-m3', provider = 'ollama', version = '1', query_prefix = '', "
                "document_prefix = '', context_tokens = 8192, similarity_threshold = null, fusion_method = 'rrf', "
                "semantic_weight = 0.5, fulltext_weight = 0.5, searched_vectors = 'contextual' where state = 'active'"
            )
        pipeline = Pipeline(
            chunking=engine.pipeline.chunking,
            model=model,
            embedder=build_embedder(model, settings=read_settings(ollama_host=ollama_server.url)),
        )

        _, embedded, published = run(engine, tenant, pipeline)

        assert (embedded.failed, published.published) == (1, 11)
        [(name, stage, _, reason)] = rows(engine, FAILURES)
        assert (name, stage) == ("n05", "embedding")
        assert "failed to encode input" in reason
        assert len(ollama_server.bodies("/api/embed")) < 16


class TestTwoRuns:
    """One run fails at a note that another one publishes."""

    def test_what_another_published_meanwhile_is_no_failure(self, engine, tenant, notes) -> None:
        run(engine, tenant)

        record_failures(
            engine.database, tenant, {notes["n05"]: "tarde"}, stage="embedding", fingerprint=engine.pipeline.fingerprint
        )

        assert rows(engine, FAILURES) == []

    def test_a_failure_of_a_note_that_is_live_and_current_is_settled_by_trying_again(
        self, engine, tenant, notes
    ) -> None:
        run(engine, tenant)
        for note, fingerprint in (("n05", "otra"), ("n06", "otra")):
            record_failures(engine.database, tenant, {notes[note]: "no"}, stage="embedding", fingerprint=fingerprint)
        execute(engine, "update notes set indexed_fingerprint = null where external_id = 'n06'")

        retried = control.retry_failed(engine.database, tenant, fingerprint=engine.pipeline.fingerprint)

        assert retried == 1
        assert rows(engine, FAILURES) == [("n06", "embedding", 1, "no")]

    def test_a_row_that_was_refused_is_no_attempt_of_the_pipeline(self, engine, tenant, notes) -> None:
        execute(
            engine,
            "insert into migration_failures (tenant_id, source, external_id, stage, attempts, reason) "
            "select tenant_id, source, external_id, 'attachment', 7, 'sin fecha' from notes where external_id = 'n05'",
        )

        record_failures(engine.database, tenant, {notes["n05"]: "no"}, stage="chunking", fingerprint="f")

        assert rows(engine, FAILURES) == [("n05", "chunking", 1, "no")]


class TestPublication:
    """A note that PostgreSQL refuses, or of which not everything arrives."""

    def test_it_is_recorded_and_all_others_are_published(self, engine, tenant, notes) -> None:
        plant(engine, "chunks", "if new.content like '%veneno%' then raise 'no quiero'; end if; return new;")

        _, _, published = run(engine, tenant)

        assert (published.published, published.failed, published.left) == (11, 1, 0)
        assert rows(engine, CHUNKED) == all_but("n05")
        [(name, stage, _, reason)] = rows(engine, FAILURES)
        assert (name, stage) == ("n05", "publication")
        assert "no quiero" in reason
        assert found(engine, tenant, "veneno de la víbora", "fulltext") == ["n05"]

    def test_a_note_that_lost_a_chunk_on_the_way_is_put_back_whole(self, engine, tenant, notes, make_note) -> None:
        make_note("  ".join(f"La frase {n} del cuento sigue. " * 60 for n in range(3)), external_id="largo")
        plant(engine, "chunks", "if new.chunk_index = 1 then return null; end if; return new;")

        _, _, published = run(engine, tenant)

        made = len(stage_note(_to_stage(engine, "largo"), engine.pipeline, tenant).chunks)
        assert (published.published, published.failed) == (12, 1)
        assert rows(engine, FAILURES) == [
            ("largo", "publication", 1, f"Chunk count mismatch: expected {made}, got {made - 1}")
        ]
        assert run_check(engine.database, tenant, "check_lost_notes").examples == ()
        uproot(engine, "chunks")
        assert run(engine, tenant)[2].published == 1

    def test_nothing_goes_live_for_a_model_that_is_no_longer_active(self, engine, tenant, notes) -> None:
        register_batches(engine.database, tenant)
        stage_notes(engine.database, tenant, BATCHES, engine.pipeline)
        embed_staged(engine.database, tenant, BATCHES, engine.pipeline)
        with engine.database.owner() as connection:
            connection.execute("update brain.embedding_models set state = 'ready'")

        with pytest.raises(ModelChangedError, match="another model was promoted meanwhile; run it again"):
            publish_staged(engine.database, tenant, BATCHES, engine.pipeline)

        assert rows(engine, CHUNKED) == []
        assert rows(engine, FAILURES) == []


def _to_stage(engine: Engine, name: str) -> store.NoteToStage:
    [(note_id, title, content, language, digest)] = rows(
        engine, "select note_id, title, content, language, content_hash from notes where external_id = %s", name
    )
    return store.NoteToStage(
        note_id=note_id, title=title, content=content, language=language, content_hash=digest, kind="note"
    )


class TestTwoWorkers:
    """Two that take the same batches."""

    @pytest.fixture
    def staged(self, engine, tenant, notes, monkeypatch) -> None:
        monkeypatch.setattr(publishing, "PUBLISH_NOTES", 2)
        register_batches(engine.database, tenant)
        stage_notes(engine.database, tenant, BATCHES, engine.pipeline)
        embed_staged(engine.database, tenant, BATCHES, engine.pipeline)

    def test_no_note_is_published_twice(self, engine, tenant, staged) -> None:
        together = threading.Barrier(2, timeout=10)

        def publish():
            together.wait()
            return publish_staged(engine.database, tenant, BATCHES, engine.pipeline)

        with ThreadPoolExecutor(2) as threads:
            reports = [one.result(timeout=60) for one in [threads.submit(publish), threads.submit(publish)]]

        assert sum(report.published for report in reports) == 12
        assert [(report.left, report.failed) for report in reports] == [(0, 0), (0, 0)]
        assert run_check(engine.database, tenant, "check_vectors", model=engine.model).examples == ()

    def test_a_note_that_another_has_locked_is_left_for_the_end(self, engine, tenant, staged, notes) -> None:
        with ThreadPoolExecutor(1) as thread:
            with engine.database.transaction(tenant) as connection:
                store.lock_notes(connection, tenant, [notes["n00"]])
                connection.execute("select 1").fetchone()
                publishing_all = thread.submit(publish_staged, engine.database, tenant, BATCHES, engine.pipeline)
                _wait_until(engine, CHUNKED, all_but("n00"))
            report = publishing_all.result(timeout=30)

        assert (report.published, report.left) == (12, 0)

    def test_what_another_published_meanwhile_is_not_staged_again(self, engine, tenant, staged, notes) -> None:
        late = [stage_note(_to_stage(engine, name), engine.pipeline, tenant) for name in ("n00", "n01")]
        publish_staged(engine.database, tenant, BATCHES, engine.pipeline)

        assert store.write_staged(engine.database, tenant, late) == []

        assert rows(engine, STAGED) == [(0,)]


def _wait_until(engine: Engine, statement: str, expected: list[tuple]) -> None:
    """Until the statement gives what is expected, ten seconds at most."""
    for _ in range(500):
        if rows(engine, statement) == expected:
            return
        time.sleep(0.02)
    raise AssertionError(rows(engine, statement))
