"""Going back by itself: what was promoted since the last nightly evaluation is taken back where the gate fails only after it.

Done where the operator switched it on (``BRAIN_GATE_GOES_BACK``). A check that failed the night before as well is not the
promotion's fault, and without a night before nobody can tell.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from rag_core.configurations.promotion import return_to_former
from rag_core.configurations.served import model_key
from rag_core.engine import Engine
from rag_core.errors import RagError
from rag_core.evaluation.gate import HYBRID, CheckName, GateTargets, judge_gate
from rag_core.evaluation.quality_check import verdict_on
from rag_core.evaluation.results import EvaluationRun, StoredRun
from rag_core.model import Strategy, TenantId
from rag_core.model_change.promotion import promote
from rag_core.storage.configurations import list_promotions
from rag_core.storage.evaluations import list_runs
from rag_core.storage.models import list_models

LOOKED_AT = 200
"""Runs of a tenant among which those of the night before are looked for."""
Night = Mapping[Strategy, EvaluationRun]


@dataclass(frozen=True, slots=True, kw_only=True)
class Return:
    """What was taken back and why; ``problem`` says why it could not be. A model is every tenant's, so its ``tenant`` is None."""

    kind: Literal["configuration", "model"]
    tenant: TenantId | None
    reason: str
    problem: str | None = None

    def to_json(self) -> dict[str, Any]:
        """The return as it is told."""
        return {"kind": self.kind, "tenant": self.tenant, "reason": self.reason, "problem": self.problem}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Failure:
    """Checks that fail, and did not in the night at ``since``, which searched with ``model``."""

    since: datetime
    model: str
    reason: str


def go_back_where_gate_failed(engine: Engine, nights: Mapping[TenantId, Night], targets: GateTargets) -> list[Return]:
    """Take back each tenant's configuration, and the embedding model, that was promoted since the night before a gate that fails.

    Where both were promoted both are taken back: either may be the cause.
    """
    failures = {
        tenant: failure for tenant, night in nights.items() if (failure := _failure(engine, tenant, night, targets))
    }
    returns = [one for tenant, failure in failures.items() if (one := _configuration(engine, tenant, failure))]
    model = _model(engine, list(failures.values())) if failures else None
    return [*returns, model] if model else returns


def _failure(engine: Engine, tenant: TenantId, night: Night, targets: GateTargets) -> _Failure | None:
    before = _night_before(engine, tenant, night)
    failed = {check.name: check.message for check in judge_gate(night, targets).checks if check.passed is False}
    new = [message for name, message in failed.items() if name in set(_passed(before, targets))]
    if not new:
        return None
    last = max(before.values(), key=lambda run: run.created_at)
    return _Failure(since=last.created_at, model=last.models.get("embedding", ""), reason="; ".join(new))


def _night_before(engine: Engine, tenant: TenantId, night: Night) -> dict[str, StoredRun]:
    """The last nightly run of each strategy before this night's."""
    ids = {run.run_id for run in night.values()}
    with engine.database.transaction(tenant) as connection:
        runs = list_runs(connection, tenant, limit=LOOKED_AT)
    former = [run for run in runs if run.purpose == "nightly" and run.run_id not in ids and run.strategy is not None]
    return {str(run.strategy): run for run in reversed(former)}


def _passed(before: Mapping[str, StoredRun], targets: GateTargets) -> Iterator[CheckName]:
    """The checks that can be told of stored runs and that these pass; none without runs."""
    if not before:
        return
    if all(verdict_on(run) != "regression" for run in before.values()):
        yield "no_significant_drop"
    rates = [before[name].metrics.hit_rate_at[10] for name in HYBRID if name in before]
    if rates and max(rates) >= targets.hit_rate_at_10:
        yield "hit_rate_reaches_target"
    if max(run.latency_ms.p95 for run in before.values()) <= targets.latency_p95_ms:
        yield "latency_p95_within_target"


def _configuration(engine: Engine, tenant: TenantId, failure: _Failure) -> Return | None:
    with engine.database.transaction(tenant) as connection:
        last = next(iter(list_promotions(connection, tenant, limit=1)), None)
    if last is None or last.action != "promote" or last.promoted_at <= failure.since:
        return None
    reason = f"the gate failed after promotion {last.number}: {failure.reason}"
    try:
        return_to_former(engine.database, tenant, reason=reason)
    except RagError as error:
        return Return(kind="configuration", tenant=tenant, reason=reason, problem=str(error))
    return Return(kind="configuration", tenant=tenant, reason=reason)


def _model(engine: Engine, failures: Sequence[_Failure]) -> Return | None:
    """Back to the model that the night before searched with, where another was promoted since."""
    with engine.database.owner() as connection:
        models = {model_key(one.model): one for one in list_models(connection)}
    active = next(one for one in models.values() if one.model.state == "active")
    blaming = [one for one in failures if active.promoted_at is not None and active.promoted_at > one.since]
    former = models.get(blaming[0].model) if blaming else None
    if former is None or former.model.id == active.model.id:
        return None
    reason = f"the gate failed after {active.model.name} was promoted: {blaming[0].reason}"
    try:
        promote(engine, former.model.name)
    except RagError as error:
        return Return(kind="model", tenant=None, reason=reason, problem=str(error))
    return Return(kind="model", tenant=None, reason=reason)
