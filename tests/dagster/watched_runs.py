"""Runs that do what a test wants, and a sensor that looks at them."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import dagster as dg
import pytest

from rag_assets.alerts import look, remember
from rag_core.alerting.delivery import Notifier
from rag_core.runtime.engine import Engine

QUIET = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}
NOTHING = Notifier()


@dataclass
class Probe:
    """A job whose asset and blocking check do what a test wants."""

    instance: dg.DagsterInstance
    error: BaseException | None = None
    is_sound: bool = True
    severity: dg.AssetCheckSeverity = dg.AssetCheckSeverity.ERROR

    def run(self, **tags: str) -> None:
        @dg.asset(name="probe")
        def asset() -> None:
            if self.error is not None:
                raise self.error

        @dg.asset_check(asset=asset, name="is_sound", blocking=True)
        def is_sound() -> dg.AssetCheckResult:
            return dg.AssetCheckResult(passed=self.is_sound, severity=self.severity, description="n1: no chunk")

        job = dg.define_asset_job("probe_job", executor_def=dg.in_process_executor)
        definitions = dg.Definitions(assets=[asset], asset_checks=[is_sound], jobs=[job])
        definitions.resolve_job_def("probe_job").execute_in_process(
            instance=self.instance, tags=tags, run_config=QUIET, raise_on_error=False
        )


@pytest.fixture
def probe(instance: dg.DagsterInstance) -> Probe:
    return Probe(instance)


def soon() -> datetime:
    """When what has just been written has settled."""
    return datetime.now(UTC) + timedelta(seconds=10)


class Looking:
    """Looks at an instance, a minute apart, as long as a test wants."""

    def __init__(self, instance: dg.DagsterInstance, engine: Engine, notifier: Notifier = NOTHING) -> None:
        self.instance, self.engine, self.notifier = instance, engine, notifier
        self.now = soon()
        self.memory = remember(None, pipeline=engine.pipeline.fingerprint, now=self.now)

    def look(self) -> str:
        self.now = max(soon(), self.now + timedelta(minutes=1))
        database, settings = self.engine.database, self.engine.settings
        report, self.memory = look(self.instance, database, settings, self.notifier, self.memory, now=self.now)
        return report.summary
