import itertools
import json

import pytest
from command_line import Brain
from filling import TENANT, Filled, fill_with_notes

from rag_core.errors import InvalidInputError
from rag_core.evaluation.golden.importing import import_golden
from rag_core.evaluation.tuning.calibrating import calibrate_model, store_threshold
from rag_core.evaluation.tuning.record import leg_search
from rag_core.runtime.engine import Engine
from rag_core.settings import read_settings
from rag_core.storage.database import open_database
from rag_core.storage.models import fetch_active_model, hold_model

THINGS = [
    "paraguas",
    "bufanda",
    "bicicleta",
    "guitarra",
    "maleta",
    "cámara",
    "mochila",
    "sombrero",
    "violín",
    "tablero",
]
PLACES = ["Cádiz", "Pamplona", "Soria"]
TIMEOUT_MS = 30_000


def fill(url: str) -> None:
    """Thirty notes that say nearly what is asked, and thirty that speak of nothing like it."""
    notes, lines = [], []
    for number, (thing, place) in enumerate(itertools.product(THINGS, PLACES)):
        notes.append({"text": f"Perdí mi {thing} en {place}.", "external_id": f"n{number}"})
        sum_of_it = f"1{number} x 7 = {7 * (10 + number)}; kWh, m², ÷"
        notes.append({"text": sum_of_it, "external_id": f"cuenta-{number}"})
        lines.append({"query": f"¿perdí mi {thing} en {place}?", "relevant_ids": [f"n{number}"]})
    fill_with_notes(url, notes)
    content = [json.dumps(line, ensure_ascii=False).encode() for line in lines]
    with open_database(read_settings(database_url=url)) as database:
        assert import_golden(database, TENANT, content, set_name="default").imported == 30


@pytest.fixture
def diary() -> None:
    """Ask for the notes and questions of ``fill``."""


@pytest.fixture
def beginning(request: pytest.FixtureRequest, template: str, filled: Filled) -> str:
    return filled("calibrated_diary", fill) if "diary" in request.fixturenames else template


def active_threshold(database) -> float | None:
    with database.owner() as connection:
        return fetch_active_model(connection).similarity_threshold


@pytest.mark.usefixtures("diary")
def test_the_threshold_keeps_what_is_right_and_drops_what_is_not(engine: Engine, tenant) -> None:
    found = calibrate_model(leg_search(engine, tenant, timeout_ms=TIMEOUT_MS), set_name="default")

    assert (found.queries, found.relevant, found.left_out) == (30, 30, 0)
    assert found.threshold is not None
    [row] = [row for row in found.table if row.threshold == found.threshold]
    assert row.kept == 1.0
    assert row.dropped > 0.9
    kept = [row.kept for row in found.table]
    dropped = [row.dropped for row in found.table]
    assert kept == sorted(kept, reverse=True)
    assert dropped == sorted(dropped)
    held_out = found.attempts[-1]
    assert held_out.is_borne_out
    assert held_out.kept >= 0.99
    assert held_out.semantic.difference == 0


@pytest.mark.usefixtures("diary")
def test_it_is_kept_with_the_model_and_part_of_what_runs_are_told_apart_by(
    brain: Brain, engine: Engine, database, tenant
) -> None:
    before = engine.model_names(tenant, engine.served(tenant).config)

    done = brain("models", "calibrate", "--json")
    said = done.json

    assert done.exit_code == 0
    assert (said["former"], said["stored"], said["model"]) == (None, True, "hashing")
    assert active_threshold(database) == said["threshold"] > 0
    with database.owner() as connection:
        calibrated = fetch_active_model(connection)
    object.__setattr__(engine, "model", calibrated)
    after = engine.model_names(tenant, engine.served(tenant).config)
    assert after == before | {"similarityThreshold": f"{said['threshold']:g}"}


@pytest.mark.usefixtures("diary")
def test_a_dry_run_changes_nothing(brain: Brain, database) -> None:
    done = brain("models", "calibrate", "--dry-run", "--json")
    said = done.json

    assert (done.exit_code, said["stored"]) == (0, False)
    assert said["threshold"] is not None
    assert active_threshold(database) is None


@pytest.mark.usefixtures("diary")
def test_people_see_what_each_threshold_keeps_and_drops(brain: Brain) -> None:
    shown = brain("models", "calibrate")

    assert shown.exit_code == 0
    for told in ("←", "relevant kept", "others dropped", "chosen to keep 99 %", "(was none)"):
        assert told in shown.output


def test_whoever_writes_vectors_meanwhile_goes_on(engine: Engine, database, tenant) -> None:
    store_threshold(engine.database, engine.model, 0.2)

    with database.transaction(tenant) as connection:
        assert hold_model(connection, engine.model) == "active"
    assert not engine.watch.is_retired(engine.model)
    assert active_threshold(database) == 0.2


def test_too_little_found_is_an_error_with_a_remedy(engine: Engine, database, tenant, make_note, index_notes) -> None:
    make_note("Perdí el paraguas.", external_id="n")
    index_notes()
    import_golden(database, tenant, [b'{"query": "paraguas", "relevant_ids": ["n"]}'], set_name="default")

    with pytest.raises(InvalidInputError, match="finds 1 relevant notes for 1 queries"):
        calibrate_model(leg_search(engine, tenant, timeout_ms=TIMEOUT_MS), set_name="default")
