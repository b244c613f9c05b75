"""The vectors of a model that is not active: made beside the live ones, whatever is written, fails or is killed meanwhile."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from rag_core.embedding import Embedder
from rag_core.embedding.providers.hashing import HashingEmbedder
from rag_core.errors import EmbeddingError, EmbeddingUnavailableError, ModelStateError
from rag_core.model.embedding import EmbeddingModel, FloatMatrix, WantedModel, input_hash
from rag_core.model.note import TenantId
from rag_core.model_change import backfill
from rag_core.model_change.backfill import ModelBackfillReport, backfill_model, begin_backfill, settle_model
from rag_core.model_change.registration import register_model
from rag_core.runtime.engine import Engine
from rag_core.settings import read_settings
from rag_core.storage.models import change_state, count_vectors_by_tenant, find_model
from rag_core.storage.notes import delete_notes

FIRST = "La casa azul está junto al río."
SECOND = "Treinta y dos facturas sin pagar, todas de marzo."


class Spy:
    """The candidate's embedder with something that happens before each call."""

    def __init__(self, model: EmbeddingModel, before: Callable[[int, Sequence[str]], None]) -> None:
        self.name = model.name
        self.dimensions = model.dimensions
        self.calls = 0
        self._before = before
        self._embedder = HashingEmbedder(model.dimensions)

    def embed(self, texts: Sequence[str], *, role: str) -> FloatMatrix:
        self.calls += 1
        self._before(self.calls, texts)
        return self._embedder.embed(texts, role=role)  # type: ignore[arg-type]


@pytest.fixture
def candidate(engine: Engine) -> EmbeddingModel:
    """A model of 256 dimensions, registered and taken into work."""
    wanted = WantedModel(name="hashing-256", provider="hashing", dimensions=256)
    register_model(engine.database, wanted, settings=read_settings(ollama_host=""))
    return begin_backfill(engine.database, "hashing-256")


def fill(
    engine: Engine, tenant: TenantId, model: EmbeddingModel, embedder: Embedder | None = None, **more: Any
) -> ModelBackfillReport:
    return backfill_model(
        engine.database, tenant, more.get("batches"), model, embedder or HashingEmbedder(model.dimensions)
    )


def missing(engine: Engine, model: EmbeddingModel) -> int:
    with engine.database.owner() as connection:
        return sum(count.missing for count in count_vectors_by_tenant(connection, model.id).values())


def rows(engine: Engine, tenant: TenantId, statement: str, **parameters: Any) -> list[tuple[Any, ...]]:
    with engine.database.transaction(tenant) as connection:
        return connection.execute(statement, parameters).fetchall()


def vector_of(engine: Engine, tenant: TenantId, model: EmbeddingModel, kind: str) -> np.ndarray:
    [(vector,)] = rows(
        engine,
        tenant,
        "select vector from embeddings where model_id = %(model)s and kind = %(kind)s",
        model=model.id,
        kind=kind,
    )
    return vector.to_numpy()


class TestWhatIsMade:
    def test_every_live_chunk_gets_both_vectors(self, engine, tenant, make_note, index_notes, candidate) -> None:
        make_note("Una frase larga que se parte en varios trozos. " * 120)
        make_note(SECOND)
        index_notes()
        [(chunks,)] = rows(engine, tenant, "select count(*) from chunks")

        report = fill(engine, tenant, candidate)

        assert chunks > 2
        assert report.failed == 0
        assert report.embedded + report.reused == 2 * chunks
        assert missing(engine, candidate) == 0

    def test_the_active_models_vectors_are_left_alone(self, engine, tenant, make_note, index_notes, candidate) -> None:
        make_note(FIRST)
        index_notes()
        before = vector_of(engine, tenant, engine.model, "contextual")

        fill(engine, tenant, candidate)

        assert np.array_equal(vector_of(engine, tenant, engine.model, "contextual"), before)

    def test_a_vector_is_made_from_what_the_pipeline_would_make_it_from(
        self, engine, tenant, make_note, index_notes, candidate
    ) -> None:
        make_note(FIRST, title="Vacaciones")
        index_notes()
        [(context, content)] = rows(engine, tenant, "select context, content from chunks")

        fill(engine, tenant, candidate)

        text = f"{context}\n\n{content}"
        expected = HashingEmbedder(256).embed([text], role="document")[0]
        assert np.allclose(vector_of(engine, tenant, candidate, "contextual"), expected, atol=1e-6)
        assert rows(
            engine,
            tenant,
            "select input_hash from embeddings where model_id = %(model)s and kind = 'contextual'",
            model=candidate.id,
        ) == [(input_hash(candidate, text, role="document"),)]

    def test_a_note_that_is_not_chunked_has_one_vector_in_both_kinds(
        self, engine, tenant, make_note, candidate
    ) -> None:
        make_note(FIRST)

        report = fill(engine, tenant, candidate)

        assert (report.embedded, report.reused) == (1, 1)
        standard = vector_of(engine, tenant, candidate, "standard")
        assert np.array_equal(standard, vector_of(engine, tenant, candidate, "contextual"))

    def test_only_the_batches_asked_for_are_filled(self, engine, tenant, make_note, index_notes, candidate) -> None:
        make_note(FIRST)
        index_notes()

        fill(engine, tenant, candidate, batches=["pruebas-000007"])

        assert missing(engine, candidate) == 2

    def test_a_second_run_computes_nothing(self, engine, tenant, make_note, index_notes, candidate) -> None:
        make_note(FIRST)
        index_notes()
        fill(engine, tenant, candidate)

        assert fill(engine, tenant, candidate) == ModelBackfillReport(embedded=0, reused=0, failed=0)

    def test_what_an_edit_took_away_and_an_undo_brought_back_is_not_computed_again(
        self, engine, tenant, make_note, index_notes, candidate
    ) -> None:
        make_note(FIRST, external_id="a")
        index_notes()
        fill(engine, tenant, candidate)
        for text in (SECOND, FIRST):
            make_note(text, external_id="a")
            index_notes()

        report = fill(engine, tenant, candidate)

        assert (report.embedded, report.reused) == (0, 2)
        assert rows(engine, tenant, "select 1 from embedding_cache c join embeddings e using (input_hash)") == []

    def test_long_notes_are_read_a_few_at_a_time(self, engine, tenant, make_note, candidate, monkeypatch) -> None:
        for number in range(3):
            make_note(f"palabra{number} " * 500)
        monkeypatch.setattr(backfill, "PAGE_CHARACTERS", 4_000)
        texts_a_call: list[int] = []

        fill(engine, tenant, candidate, Spy(candidate, lambda _call, texts: texts_a_call.append(len(texts))))

        assert texts_a_call == [1, 1, 1]
        assert missing(engine, candidate) == 0


class TestWhatHappensMeanwhile:
    def test_a_chunk_of_another_context_than_when_it_was_read_gets_no_vector(
        self, engine, tenant, make_note, index_notes, candidate
    ) -> None:
        make_note(FIRST, external_id="a", title="Vacaciones")
        index_notes()

        def retitle(call: int, _texts: Sequence[str]) -> None:
            if call == 1:
                make_note(FIRST, external_id="a", title="Presupuesto")
                index_notes()

        fill(engine, tenant, candidate, Spy(candidate, retitle))
        left = missing(engine, candidate)
        fill(engine, tenant, candidate)

        assert left == 2
        [(context,)] = rows(engine, tenant, "select context from chunks")
        assert "Presupuesto" in context
        expected = HashingEmbedder(256).embed([f"{context}\n\n{FIRST}"], role="document")[0]
        assert np.allclose(vector_of(engine, tenant, candidate, "contextual"), expected, atol=1e-6)

    def test_a_note_deleted_meanwhile_is_passed_over(self, engine, tenant, make_note, index_notes, candidate) -> None:
        gone = make_note(FIRST)
        make_note(SECOND)
        index_notes()

        def delete(_call: int, _texts: Sequence[str]) -> None:
            with engine.database.transaction(tenant) as connection:
                delete_notes(connection, tenant, [gone])

        report = fill(engine, tenant, candidate, Spy(candidate, delete))

        assert report.failed == 0
        assert missing(engine, candidate) == 0
        assert rows(engine, tenant, "select count(*) from chunks") == [(1,)]

    def test_a_provider_that_goes_down_leaves_what_was_made_and_the_next_run_goes_on(
        self, engine, tenant, make_note, index_notes, candidate, monkeypatch
    ) -> None:
        for number in range(6):
            make_note(f"Nota número {number}.")
        index_notes()
        monkeypatch.setattr(backfill, "PAGE_CHUNKS", 2)

        def fall(call: int, _texts: Sequence[str]) -> None:
            if call == 3:
                raise EmbeddingUnavailableError("the server is gone")

        with pytest.raises(EmbeddingUnavailableError):
            fill(engine, tenant, candidate, Spy(candidate, fall))
        left = missing(engine, candidate)
        report = fill(engine, tenant, candidate)

        assert left == 4
        assert report.embedded == 4
        assert missing(engine, candidate) == 0

    def test_a_retirement_meanwhile_ends_it(self, engine, tenant, make_note, index_notes, candidate) -> None:
        make_note(FIRST)
        index_notes()

        def retire(_call: int, _texts: Sequence[str]) -> None:
            with engine.database.owner() as connection:
                change_state(connection, candidate.id, to="retired", among=["backfilling"])

        with pytest.raises(ModelStateError, match="hashing-256 was retired meanwhile"):
            fill(engine, tenant, candidate, Spy(candidate, retire))

        assert missing(engine, candidate) == 2


class TestTextsTheModelGivesNothingFor:
    @staticmethod
    def refuse_poison(_call: int, texts: Sequence[str]) -> None:
        if any("veneno" in text for text in texts):
            raise EmbeddingError("no vector for this")

    def test_they_are_counted_with_their_notes_and_hold_nobody_up(
        self, engine, tenant, make_note, index_notes, candidate
    ) -> None:
        for number in range(9):
            make_note(f"Nota número {number}.")
        make_note("Un frasco de veneno.", external_id="mala")
        index_notes()

        report = fill(engine, tenant, candidate, Spy(candidate, self.refuse_poison))

        assert report.failed == 1
        assert [(failure.note, failure.reason) for failure in report.failures] == [("notas:mala", "no vector for this")]
        assert missing(engine, candidate) == 2

    def test_many_of_them_hold_nobody_up_either(self, engine, tenant, make_note, index_notes, candidate) -> None:
        for number in range(8):
            make_note(f"Nota {number}, veneno.")
        make_note(FIRST)
        index_notes()

        report = fill(engine, tenant, candidate, Spy(candidate, self.refuse_poison))

        assert (report.failed, missing(engine, candidate)) == (8, 16)

    def test_a_model_that_gives_nothing_for_any_text_is_at_fault_itself(
        self, engine, tenant, make_note, index_notes, candidate
    ) -> None:
        make_note(FIRST)
        index_notes()

        def refuse(_call: int, _texts: Sequence[str]) -> None:
            raise EmbeddingError("no vector at all")

        with pytest.raises(EmbeddingError, match="no vector at all"):
            fill(engine, tenant, candidate, Spy(candidate, refuse))

        assert missing(engine, candidate) == 2

    def test_what_was_made_of_a_page_before_the_provider_went_down_stays(
        self, engine, tenant, make_note, index_notes, candidate
    ) -> None:
        make_note(FIRST)
        make_note(SECOND)
        index_notes()

        def fall(call: int, _texts: Sequence[str]) -> None:
            if call == 1:
                raise EmbeddingError("not these together")
            if call == 4:  # after a plain text and the first half
                raise EmbeddingUnavailableError("the server is gone")

        with pytest.raises(EmbeddingUnavailableError):
            fill(engine, tenant, candidate, Spy(candidate, fall))

        assert missing(engine, candidate) == 2


class TestStates:
    def test_a_model_is_ready_once_every_tenant_has_all_its_vectors(
        self, engine, tenant, make_note, index_notes, candidate
    ) -> None:
        other = TenantId("vecina")
        make_note(FIRST)
        make_note(SECOND, owner=other)
        index_notes()
        fill(engine, tenant, candidate)
        before = settle_model(engine.database, candidate).state
        fill(engine, other, candidate)

        after = settle_model(engine.database, candidate).state

        assert (before, after) == ("backfilling", "ready")

    def test_the_active_model_is_not_filled_in(self, engine) -> None:
        with pytest.raises(ModelStateError, match="hashing is active: `brain index` makes its vectors"):
            begin_backfill(engine.database, "hashing")

    def test_a_retired_model_can_be_taken_into_work_again(self, engine, candidate) -> None:
        with engine.database.owner() as connection:
            change_state(connection, candidate.id, to="retired", among=["backfilling"])

        assert begin_backfill(engine.database, "hashing-256").state == "backfilling"

    def test_a_ready_model_stays_ready_while_it_is_completed(self, engine, candidate) -> None:
        settle_model(engine.database, candidate)

        assert begin_backfill(engine.database, "hashing-256").state == "ready"
        with engine.database.owner() as connection:
            assert find_model(connection, "hashing-256").retired_at is None
