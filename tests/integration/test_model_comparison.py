"""Two embedding models asked the same golden sets."""

import json

import pytest

from rag_core.errors import InvalidInputError, ModelStateError
from rag_core.evaluation.golden.importing import import_golden
from rag_core.model.embedding import WantedModel
from rag_core.model.note import TenantId
from rag_core.model_change.backfill import begin_backfill, fill_model, settle_model
from rag_core.model_change.model_comparison import compare_models
from rag_core.model_change.registration import register_model
from rag_core.runtime.engine import Engine, with_model
from rag_core.settings import read_settings

SUBJECTS = (
    "facturas de marzo",
    "reunión con el jefe",
    "pan de masa madre",
    "tos del perro",
    "migrañas y natación",
    "huerto de tomates",
    "vuelo a Valparaíso",
    "novela de la ceramista",
    "goteras del tejado",
    "receta del roscón",
)


@pytest.fixture
def corpus(engine: Engine, tenant: TenantId, make_note, index_notes) -> TenantId:
    """Ten notes with a question each, and a model of a single dimension that is ready."""
    for number, subject in enumerate(SUBJECTS):
        make_note(f"Hoy escribo sobre {subject}, que da para mucho.", external_id=f"n{number}")
    index_notes()
    lines = [
        json.dumps({"query": subject, "relevant_ids": [f"n{number}"]}).encode()
        for number, subject in enumerate(SUBJECTS)
    ]
    import_golden(engine.database, tenant, lines, set_name="diario")
    register_model(
        engine.database,
        WantedModel(name="blunt", provider="hashing", dimensions=1),
        settings=read_settings(ollama_host=""),
    )
    model = begin_backfill(engine.database, "blunt")
    fill_model(engine.database, model, with_model(engine, model).embedder)
    settle_model(engine.database, model)
    return tenant


def test_every_set_is_asked_under_every_strategy_and_the_difference_told(engine, corpus) -> None:
    found = compare_models(engine, corpus, "blunt")

    assert [(each.set_name, each.strategy) for each in found] == [
        ("diario", "semantic"),
        ("diario", "hybrid"),
        ("diario", "hybrid+rerank"),
    ]
    semantic = found[0].comparison
    assert (semantic.queries, semantic.baseline) == (10, 1.0)
    assert semantic.difference < -0.3
    assert semantic.is_significant


def test_both_runs_are_stored_as_a_models(engine, corpus) -> None:
    compare_models(engine, corpus, "blunt", set_names=["diario"])

    with engine.database.transaction(corpus) as connection:
        rows = connection.execute(
            "select purpose, models ->> 'embedding', strategy, comparison is not null from evaluation_runs"
            " where strategy = 'semantic' order by created_at"
        ).fetchall()
    assert rows == [("model", "hashing@1", "semantic", False), ("model", "blunt@1", "semantic", True)]


def test_what_was_written_since_is_filled_in_first(engine, corpus, make_note) -> None:
    make_note("Una nota de después.")

    found = compare_models(engine, corpus, "blunt")

    assert found[0].candidate.degraded_queries == 0


def test_a_model_that_was_never_filled_in_is_not_compared(engine, corpus) -> None:
    register_model(
        engine.database,
        WantedModel(name="empty", provider="hashing", dimensions=8),
        settings=read_settings(ollama_host=""),
    )

    with pytest.raises(ModelStateError, match=r"empty lacks 20 vectors .* `brain models backfill empty`"):
        compare_models(engine, corpus, "empty")


def test_the_active_model_is_not_compared_with_itself(engine, corpus) -> None:
    with pytest.raises(ModelStateError, match="hashing is active itself"):
        compare_models(engine, corpus, "hashing")


def test_without_a_golden_set_the_command_that_makes_one_is_told(engine, corpus) -> None:
    with pytest.raises(InvalidInputError, match=r"stranger has no golden set .* `brain golden import FILE`"):
        compare_models(engine, TenantId("stranger"), "blunt")
