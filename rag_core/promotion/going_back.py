"""Going back by itself: a promotion is taken back where the gate fails in the first nightly evaluation that searched under it.

Done where the operator switched it on (``BRAIN_GATE_GOES_BACK``). A check that failed the night before as well is not the
promotion's fault, and without a night before nobody can tell. What was promoted while the night was measured, or after, was
not measured and stays.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from rag_core.configuration.served import model_key
from rag_core.errors import RagError
from rag_core.evaluation.comparison.gate import HYBRID, CheckName, GateTargets, judge_gate
from rag_core.evaluation.comparison.quality_check import verdict_on
from rag_core.evaluation.runs.results import EvaluationRun
from rag_core.model.evaluation import StoredRun
from rag_core.model.note import TenantId
from rag_core.model.retrieval import Strategy
from rag_core.promotion.promote import return_to_former
from rag_core.storage.configurations import list_promotions
from rag_core.storage.database import Database
from rag_core.storage.evaluations import list_runs
from rag_core.storage.models import list_models

PROMOTION = "promotion"
"""Key in a nightly run's circumstances of the promotion that it searched under, null before the first."""
LOOKED_AT = 200
"""Runs of a tenant among which those of the night before are looked for."""
Night = Mapping[Strategy, EvaluationRun]
PromoteModel = Callable[[str, int], object]
"""Promotes the model of a name instead of the one of an id."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Return:
    """Promotion taken back; ``problem`` says why it could not be. A model is every tenant's, so its ``tenant`` is None."""

    kind: Literal["configuration", "model"]
    tenant: TenantId | None
    reason: str
    problem: str | None = None

    def to_json(self) -> dict[str, Any]:
        """The return as it is told."""
        return {"kind": self.kind, "tenant": self.tenant, "reason": self.reason, "problem": self.problem}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Failure:
    """Checks that fail and did not the night before, the models of the two nights, and the ``promotion`` that is new in this one."""

    reason: str
    promotion: int | None
    model: str
    former_model: str


def go_back_where_gate_failed(
    database: Database, nights: Mapping[TenantId, Night], targets: GateTargets, *, promote_model: PromoteModel
) -> list[Return]:
    """Take back each tenant's configuration, and the embedding model, that a failing night searched with and the one before did not.

    Where both were promoted both are taken back: either may be the cause.
    """
    failures = {
        tenant: failure for tenant, night in nights.items() if (failure := _failure(database, tenant, night, targets))
    }
    returns = [one for tenant, failure in failures.items() if (one := _configuration(database, tenant, failure))]
    model = _model(database, list(failures.values()), promote_model) if failures else None
    return [*returns, model] if model else returns


def _failure(database: Database, tenant: TenantId, night: Night, targets: GateTargets) -> _Failure | None:
    before = _night_before(database, tenant, night)
    failed = {check.name: check.message for check in judge_gate(night, targets).checks if check.passed is False}
    new = [message for name, message in failed.items() if name in set(_passed(before, targets))]
    if not new:
        return None
    then, now = _last(before.values()), _last(night.values())
    return _Failure(
        reason="; ".join(new),
        promotion=_new_promotion(then, now),
        model=now.models.get("embedding", ""),
        former_model=then.models.get("embedding", ""),
    )


def _last(runs: Iterable[StoredRun]) -> StoredRun:
    return max(runs, key=lambda run: run.created_at)


def _new_promotion(then: StoredRun, now: StoredRun) -> int | None:
    """The promotion that a run searched under and the one before did not; None too where one of them did not keep it."""
    number: int | None = now.circumstances.get(PROMOTION)
    return number if then.circumstances.get(PROMOTION, number) != number else None


def _night_before(database: Database, tenant: TenantId, night: Night) -> dict[str, StoredRun]:
    """The last nightly run of each strategy before this night's."""
    ids = {run.run_id for run in night.values()}
    with database.transaction(tenant) as connection:
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


def _configuration(database: Database, tenant: TenantId, failure: _Failure) -> Return | None:
    with database.transaction(tenant) as connection:
        last = next(iter(list_promotions(connection, tenant, limit=1)), None)
    if last is None or last.action != "promote" or last.number != failure.promotion:
        return None
    reason = f"the gate failed after promotion {last.number}: {failure.reason}"
    try:
        return_to_former(database, tenant, reason=reason, expected=last.number)
    except RagError as error:
        return Return(kind="configuration", tenant=tenant, reason=reason, problem=str(error))
    return Return(kind="configuration", tenant=tenant, reason=reason)


def _model(database: Database, failures: Sequence[_Failure], promote_model: PromoteModel) -> Return | None:
    """Back to the model that the night before searched with, where this night searched with another that is still active."""
    with database.owner() as connection:
        models = {model_key(one.model): one.model for one in list_models(connection)}
    active = next(key for key, one in models.items() if one.state == "active")
    blaming = [one for one in failures if one.model == active != one.former_model]
    former = models.get(blaming[0].former_model) if blaming else None
    if former is None:
        return None
    reason = f"the gate failed after {models[active].name} was promoted: {blaming[0].reason}"
    try:
        promote_model(former.name, models[active].id)
    except RagError as error:
        return Return(kind="model", tenant=None, reason=reason, problem=str(error))
    return Return(kind="model", tenant=None, reason=reason)
