"""The sensor and the schedule that index, ticked by hand."""

from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path

import dagster as dg
import pytest
from dagster._core.instance.ref import InstanceRef

from rag_assets.definitions import build_definitions
from rag_core.runtime.engine import Engine

SENSOR = "index_new_and_changed_notes"
Tick = Callable[[], dg.SensorResult]


@pytest.fixture
def reference(instance: dg.DagsterInstance, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> InstanceRef:
    """The reference from which a schedule opens its instance: here the one in memory that is open."""
    monkeypatch.setattr(dg.DagsterInstance, "from_ref", lambda _reference: nullcontext(instance))
    return InstanceRef.from_dir(str(tmp_path))


@pytest.fixture
def tick(engine: Engine, instance: dg.DagsterInstance) -> Tick:
    """One tick of the sensor after another, each with the cursor that the one before left."""
    cursor: list[str | None] = [None]

    def ticked() -> dg.SensorResult:
        found = _sense(engine, instance, cursor[0])
        cursor[0] = found.cursor
        return found

    return ticked


def _sense(engine: Engine, instance: dg.DagsterInstance, cursor: str | None) -> dg.SensorResult:
    sensor = build_definitions().resolve_sensor_def(SENSOR)
    with dg.build_sensor_context(instance=instance, cursor=cursor, resources={"engine": engine}) as context:
        return sensor.evaluate_tick(context)  # type: ignore[return-value]  # what evaluating gives has the same fields


@dg.job(name="update_index")
def _some_job() -> None:
    """A run of this name is all that is needed."""
