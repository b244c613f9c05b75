"""From one registered model of meaning to another and to hashing, with searches answered all the while."""

from itertools import pairwise

import pytest
from promoting import find

from rag_core.model.embedding import WantedModel
from rag_core.model_change.backfill import begin_backfill, fill_model, settle_model
from rag_core.model_change.promotion import promote
from rag_core.model_change.registration import register_model
from rag_core.runtime.engine import with_model
from rag_core.settings import read_settings
from rag_core.storage.models import find_model

CAR = "Vendido el Skoda por 2.900 € a un chico de Sevilla."
MEAL = "Receta de lentejas con chorizo de la abuela."
QUESTION = "How much money did I get for the car?"
PATHS = (("hashing", "use", "e5", "hashing"), ("hashing", "e5", "use", "hashing"))


@pytest.mark.parametrize("path", PATHS, ids="-".join)
def test_a_home_changes_between_the_models_and_answers_all_the_while(
    engine, tenant, make_note, index_notes, path: tuple[str, ...]
) -> None:
    make_note(CAR, external_id="car")
    make_note(MEAL, external_id="meal")
    index_notes()
    served = engine

    for former, name in pairwise(path):
        if name != "hashing":
            register_model(engine.database, WantedModel(name=name, provider=name), settings=read_settings())
        model = begin_backfill(engine.database, name)
        fill_model(engine.database, model, with_model(engine, model).embedder)
        settle_model(engine.database, model)
        during = find(served, tenant, "Skoda vendido")
        promote(engine, name)
        with engine.database.owner() as connection:
            served = with_model(engine, find_model(connection, name).model)
        after = find(served, tenant, QUESTION if name != "hashing" else "Skoda vendido")

        assert served.model.name == name != former
        assert (during.hits[0].external_id, after.hits[0].external_id) == ("car", "car")
        assert not during.is_degraded
        assert not after.is_degraded
