from rag_core.configuration.schema import configure
from rag_core.model.note import TenantId
from rag_core.model.retrieval import Retrieval
from rag_core.retrieval.legs import LOW_CONFIDENCE
from rag_core.retrieval.retrieve import retrieve
from rag_core.runtime.engine import Engine

TEXTS = ("Perdí la bufanda en el tren a Cádiz.", "El fontanero arregló la caldera del piso.")


def found(engine: Engine, tenant: TenantId, *, threshold: float) -> Retrieval:
    config = configure({"hybridSearch": {"threshold": threshold}}, strategy="semantic")
    return retrieve(engine, tenant, "¿dónde perdí la bufanda?", config=config, timeout_ms=30_000)


def test_what_is_as_near_as_asked_is_found_without_a_warning(engine, tenant, make_note, index_notes) -> None:
    lost, _ = [make_note(text) for text in TEXTS]
    index_notes()

    answer = found(engine, tenant, threshold=0.05)

    assert answer.hits[0].note_id == lost
    assert LOW_CONFIDENCE not in answer.warnings
    assert answer.is_confident


def test_where_nothing_is_as_near_as_asked_the_nearest_come_with_a_warning(
    engine, tenant, make_note, index_notes
) -> None:
    lost, _ = [make_note(text) for text in TEXTS]
    index_notes()

    answer = found(engine, tenant, threshold=0.99)

    assert answer.hits[0].note_id == lost
    assert LOW_CONFIDENCE in answer.warnings
    assert answer.is_confident is False
