"""Dagster's side of the alerts: what its runs and checks came to since the last look, and the sensor that looks.

What is trouble, what is remembered and who is told is ``rag_core.alerting``'s.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import Any

import dagster as dg
from dagster import (
    AssetCheckEvaluation,
    DagsterEventType,
    EventLogRecord,
    EventRecordsFilter,
    RunsFilter,
    RunStatusChangeRecordsFilter,
)

from rag_assets.checks import LOOKED_AT
from rag_assets.evaluation_checks import QUALITY_CHECK as EVALUATION_QUALITY_CHECK
from rag_assets.migration import QUALITY_CHECK as MIGRATION_QUALITY_CHECK
from rag_assets.partitions import PARTITIONS_NAME, RANGE_END_TAG, RANGE_START_TAG
from rag_assets.worker_processes import PROCESS_TAG
from rag_core.alerting import rules
from rag_core.alerting.delivery import Notifier
from rag_core.alerting.facts import WITHOUT_PARTITIONS, CheckEnd, RunEnd, thresholds
from rag_core.alerting.rules import Rule
from rag_core.alerting.watch import (
    Judge,
    WatchReport,
    policy_of,
    quality_rules,
    service_rules,
    stale_rule,
    watch,
)
from rag_core.model.incident import EVERYTHING, Scope
from rag_core.runtime.engine import Engine
from rag_core.settings import Settings
from rag_core.storage.database import Database

MAX_EVENTS = 200
"""Of one type a look; the next look goes on."""
FIRST_LOOK_BACK = timedelta(days=1)
SETTLING = timedelta(seconds=5)
"""Events are numbered when they are written and seen when that is committed: after so long none comes in before another."""
STALE_EVERY = timedelta(minutes=10)
"""Interval between checks of every note."""
MAX_CAUSE_CHARACTERS = 500
WITH_OWN_RULE = (
    ("evaluation_report", EVALUATION_QUALITY_CHECK),
    ("migration_report", MIGRATION_QUALITY_CHECK),
)
"""Retrieval that got worse is told by ``evaluation_regression`` and ``migration_stalled``."""
_WILL_RETRY = "dagster/will_retry"
_PARTITION = "dagster/partition"
_CHECK_FAILURE = "DagsterAssetCheckFailedError"
_INTERRUPTION = "DagsterExecutionInterruptedError"
_WRAPPINGS = frozenset({"DagsterExecutionStepExecutionError", "Failure", "RetryRequestedFromPolicy"})
_RUN_ENDS = (DagsterEventType.RUN_SUCCESS, DagsterEventType.RUN_FAILURE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """State of the sensor: events up to ``after`` are done; the pipeline, and the time since when it is this one."""

    since: float
    after: int | None = None
    pipeline: str = ""
    pipeline_since: float = 0.0
    stale_judged_at: float = 0.0

    def to_json(self) -> str:
        """The sensor's cursor."""
        return json.dumps(asdict(self))


def remember(cursor: str | None, *, pipeline: str, now: datetime) -> Memory:
    """Parse the cursor; without one, or with one of another version, the last day's events are examined.

    Times after now are from before the clock was set back: they are moved back.
    """
    moment, day_ago = now.timestamp(), (now - FIRST_LOOK_BACK).timestamp()
    try:
        memory = Memory(**json.loads(cursor or "null"))
    except (TypeError, ValueError):
        memory = Memory(since=day_ago)
    if memory.pipeline != pipeline:
        memory = replace(memory, pipeline=pipeline, pipeline_since=moment)
    return replace(
        memory,
        since=min(memory.since, day_ago),
        pipeline_since=min(memory.pipeline_since, moment),
        stale_judged_at=min(memory.stale_judged_at, moment),
    )


class NewEvents:
    """The ends of runs and checks since the last look, read once, in the order they happened."""

    def __init__(self, instance: dg.DagsterInstance, memory: Memory, *, now: datetime) -> None:
        self._instance = instance
        self._memory = memory
        self._now = now

    @cached_property
    def _records(self) -> list[EventLogRecord]:
        pages = [
            *(self._run_ends(kind) for kind in _RUN_ENDS),
            self._instance.event_log_storage.get_event_records(
                EventRecordsFilter(
                    DagsterEventType.ASSET_CHECK_EVALUATION,
                    after_cursor=self._memory.after,
                    after_timestamp=self._memory.since,
                ),
                limit=MAX_EVENTS,
                ascending=True,
            ),
        ]
        return in_order(pages, now=self._now.timestamp(), page_size=MAX_EVENTS)

    def _run_ends(self, kind: Any) -> Sequence[EventLogRecord]:
        wanted = RunStatusChangeRecordsFilter(
            kind, after_storage_id=self._memory.after, after_timestamp=self._memory.since
        )
        return self._instance.fetch_run_status_changes(wanted, limit=MAX_EVENTS, ascending=True).records

    @property
    def after(self) -> int | None:
        """Up to where they are done."""
        return self._records[-1].storage_id if self._records else self._memory.after

    @property
    def runs(self) -> list[RunEnd]:
        """Runs that ended."""
        records = [record for record in self._records if record.event_log_entry.dagster_event_type in _RUN_ENDS]
        tags = self._tags([record.run_id for record in records])
        return [self._run_end(record, tags.get(record.run_id, {})) for record in records]

    def _tags(self, run_ids: Sequence[str]) -> dict[str, dict[str, str]]:
        if not run_ids:
            return {}
        return {run.run_id: dict(run.tags) for run in self._instance.get_runs(RunsFilter(run_ids=list(run_ids)))}

    def _run_end(self, record: EventLogRecord, tags: dict[str, str]) -> RunEnd:
        failures = [] if _is_success(record) else self._step_failures(record.run_id)
        outermost = {classes[0] for _, classes in failures}
        return RunEnd(
            run_id=record.run_id,
            job=record.event_log_entry.job_name or "?",
            is_success=_is_success(record),
            ended_at=datetime.fromtimestamp(record.timestamp, UTC),
            is_retried=tags.get(_WILL_RETRY) == "true",
            is_check_failure=outermost == {_CHECK_FAILURE},
            is_interrupted=outermost == {_INTERRUPTION} and PROCESS_TAG in tags,
            cause=_cause(record, failures),
            scope=self._scope(tags),
        )

    def _scope(self, tags: dict[str, str]) -> Scope:
        """The partitions of a run, those between the ends of its range as they are ordered now."""
        ends = [tags[name] for name in (RANGE_START_TAG, RANGE_END_TAG) if name in tags]
        if not ends:
            return frozenset({tags[_PARTITION]}) if tags.get(_PARTITION) else WITHOUT_PARTITIONS
        places = sorted(self._places[key] for key in ends if key in self._places)
        between = list(self._places)[places[0] : places[-1] + 1] if places else []
        return frozenset([*ends, *between])

    @cached_property
    def _places(self) -> dict[str, int]:
        return {key: place for place, key in enumerate(self._instance.get_dynamic_partitions(PARTITIONS_NAME))}

    def _step_failures(self, run_id: str) -> list[tuple[str, list[str]]]:
        """The steps that failed, each with the classes of its error and of what led to it."""
        found = self._instance.get_records_for_run(run_id, of_type=DagsterEventType.STEP_FAILURE, limit=20)
        return [(record.event_log_entry.step_key or "?", _error_classes(record)) for record in found.records]

    @property
    def checks(self) -> list[CheckEnd]:
        """Checks that were evaluated."""
        return [
            _check_end(record)
            for record in self._records
            if record.event_log_entry.dagster_event_type is DagsterEventType.ASSET_CHECK_EVALUATION
        ]


def in_order(pages: Sequence[Sequence[EventLogRecord]], *, now: float, page_size: int) -> list[EventLogRecord]:
    """The records of all pages as they happened, up to the first that has not settled or that a full page may not reach.

    One of the future comes from a clock that was set back or goes wrong: it is taken, or nothing after it ever would be.
    """
    settled = now - SETTLING.total_seconds()
    ends = [page[-1].storage_id for page in pages if len(page) >= page_size]
    ends += [record.storage_id - 1 for page in pages for record in page if settled < record.timestamp <= now]
    end = min(ends, default=None)
    records = [record for page in pages for record in page if end is None or record.storage_id <= end]
    return sorted(records, key=lambda record: record.storage_id)


def _is_success(record: EventLogRecord) -> bool:
    return record.event_log_entry.dagster_event_type is DagsterEventType.RUN_SUCCESS


def _error_classes(record: EventLogRecord) -> list[str]:
    event = record.event_log_entry.dagster_event
    error = None if event is None else event.step_failure_data.error
    classes = []
    while error is not None:
        classes.append(error.cls_name or "?")
        error = error.cause
    return classes or ["?"]


def _cause(record: EventLogRecord, failures: Sequence[tuple[str, Sequence[str]]]) -> str:
    """Cause of a failed run: its steps and what they raised, without messages, which may quote notes; or Dagster's own message."""
    if failures:
        return "; ".join(f"{step}: {_telling(classes)}" for step, classes in failures)[:MAX_CAUSE_CHARACTERS]
    event = record.event_log_entry.dagster_event
    text = "" if event is None or _is_success(record) else event.message or ""
    return text.strip()[:MAX_CAUSE_CHARACTERS]


def _telling(classes: Sequence[str]) -> str:
    """The first class that is not Dagster's wrapping."""
    return next((name for name in classes if name not in _WRAPPINGS), classes[0])


def _check_end(record: EventLogRecord) -> CheckEnd:
    event = record.event_log_entry.dagster_event
    assert event is not None
    evaluation = event.asset_check_evaluation_data
    return CheckEnd(
        asset=evaluation.asset_key.to_user_string(),
        check=evaluation.check_name,
        run_id=record.run_id,
        is_passed=evaluation.passed,
        is_error=evaluation.severity is dg.AssetCheckSeverity.ERROR,
        evaluated_at=datetime.fromtimestamp(record.timestamp, UTC),
        description=(evaluation.description or "")[:MAX_CAUSE_CHARACTERS],
        scope=_looked_at(evaluation),
    )


def _looked_at(evaluation: AssetCheckEvaluation) -> Scope:
    """Scope of the check, as it reports it; one that reports none covers everything."""
    said = evaluation.metadata.get(LOOKED_AT)
    return frozenset(said.value) if said is not None and isinstance(said.value, list) else EVERYTHING


def look(
    instance: dg.DagsterInstance,
    database: Database,
    settings: Settings,
    notifier: Notifier,
    memory: Memory,
    *,
    now: datetime,
) -> tuple[WatchReport, Memory]:
    """Judge everything once, tell who is to know, and what to remember. Events of a rule that failed are read again."""
    limits, events = thresholds(settings), NewEvents(instance, memory, now=now)
    is_stale_due = now.timestamp() - memory.stale_judged_at >= STALE_EVERY.total_seconds()
    judges: dict[Rule, Judge] = {
        "run_failed": lambda _connection: rules.run_failed(events.runs),
        "check_failed": lambda _connection: rules.check_failed(events.checks, with_own_rule=WITH_OWN_RULE),
        **quality_rules(limits, now=now),
        **service_rules(limits, now=now),
    }
    if is_stale_due:
        since = datetime.fromtimestamp(memory.pipeline_since, UTC)
        judges |= stale_rule(limits, fingerprint=memory.pipeline, pipeline_since=since, now=now)
    report = watch(database, judges, notifier=notifier, policy=policy_of(settings), now=now)
    if report.is_watched_elsewhere:
        return report, memory
    if is_stale_due:
        memory = replace(memory, stale_judged_at=now.timestamp())
    if {"run_failed", "check_failed"}.isdisjoint(report.not_judged):
        memory = replace(memory, after=events.after)
    return report, memory


@dg.sensor(
    minimum_interval_seconds=60,
    default_status=dg.DefaultSensorStatus.RUNNING,
    tags={"brain/purpose": "alerts"},
    description=(
        "Every minute: looks for worse retrieval, failed runs and checks, a migration, an index or a graph that stands still, a slow, "
        "failing or silent API, and tells those whom BRAIN_ALERT_URLS names. It starts no run."
    ),
)
def watch_and_alert(
    context: dg.SensorEvaluationContext, engine: dg.ResourceParam[Engine], notifier: dg.ResourceParam[Notifier]
) -> dg.SensorResult:
    """Look once, and say what was found."""
    now = datetime.now(UTC)
    memory = remember(context.cursor, pipeline=engine.pipeline.fingerprint, now=now)
    report, after = look(context.instance, engine.database, engine.settings, notifier, memory, now=now)
    return dg.SensorResult(skip_reason=report.summary, cursor=after.to_json())
