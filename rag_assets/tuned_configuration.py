"""A better configuration, looked for on every tenant's golden set and tried against what is served; serving it is the next asset's."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import dagster as dg
from pydantic import Field

from rag_assets.fulltext_index import fulltext_index
from rag_assets.knowledge_graph import knowledge_graph
from rag_assets.stages import OWNERS, Materialized, Stopwatch, outages_retried, table
from rag_core.errors import InvalidInputError
from rag_core.evaluation.report.addresses import comparison_address
from rag_core.evaluation.tuning.record import leg_search
from rag_core.evaluation.tuning.report import Tuning
from rag_core.evaluation.tuning.tune import DEFAULT_MINUTES, propose, tune
from rag_core.model.golden import DEFAULT_SET
from rag_core.model.note import TenantId
from rag_core.promotion.trial import Trial, trial_bench, try_configuration
from rag_core.runtime.engine import Engine
from rag_core.settings import Settings
from rag_core.storage.batches import list_tenants

NO_DROP_CHECK = "no_significant_drop"
TIMEOUT_MS = 30_000
"""Quality is measured, so no query is cut short."""
PROPOSALS = "proposals"
"""Metadata of a tuning: the numbers of the configurations that it proposes, by tenant."""


class TuningConfig(dg.Config):
    """Configuration of a run."""

    tenants: list[str] | None = Field(default=None, description="Whose searches are tuned; by default everybody's.")
    golden_set: str = Field(default=DEFAULT_SET, description="The golden set that is tuned on, 30 queries or more.")
    minutes: float = Field(default=DEFAULT_MINUTES, gt=0, le=120, description="How long to look, for each tenant.")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Tuned:
    """Result for a tenant: the tuning, or the reason it was left out; of a proposal its trial."""

    tenant: TenantId
    tuning: Tuning | None = None
    reason: str | None = None
    trial: Trial | None = None


@dg.asset(
    deps=[fulltext_index, knowledge_graph],
    group_name="tuning",
    owners=OWNERS,
    tags={"brain/scope": "all-tenants"},
    kinds={"python", "postgres"},
    code_version="1",
    check_specs=[
        dg.AssetCheckSpec(
            NO_DROP_CHECK,
            asset="tuned_configuration",
            blocking=True,
            description=(
                "No proposed configuration is significantly worse than what is served, or too slow, when both are searched with as "
                "a request would; otherwise none is promoted. Passes when nothing is proposed."
            ),
        )
    ],
    description=(
        "For every tenant with a golden set of 30 queries or more: fusion, thresholds, numbers of candidates and weights of the "
        "re-ranker looked for by cross-validation. A configuration is proposed only when it is significantly better on queries "
        "that it was not chosen on. What is served stays as it is."
    ),
)
def tuned_configuration(
    context: dg.AssetExecutionContext, config: TuningConfig, engine: dg.ResourceParam[Engine]
) -> Materialized:
    """Tune for each tenant, and try what is proposed."""
    clock = Stopwatch()
    with outages_retried(context):
        tenants = list_tenants(engine.database) if config.tenants is None else [TenantId(n) for n in config.tenants]
        tuned = [_tuned(engine, tenant, config) for tenant in tenants]
    proposals: dict[str, int] = {
        one.tenant: one.tuning.number for one in tuned if one.tuning and one.tuning.number is not None
    }
    return dg.MaterializeResult(
        metadata={
            PROPOSALS: dg.MetadataValue.json(proposals),
            "tenants": _tenants_table(tuned),
            **_categories(tuned),
            **_links(engine.settings, tuned),
            "seconds": clock.seconds,
        },
        check_results=[_no_drop(tuned)],
    )


def _tuned(engine: Engine, tenant: TenantId, config: TuningConfig) -> _Tuned:
    searched = leg_search(engine, tenant, timeout_ms=TIMEOUT_MS)
    try:
        tuning = tune(searched, set_name=config.golden_set, minutes=config.minutes)
    except InvalidInputError as error:  # no golden set, or one too small
        return _Tuned(tenant=tenant, reason=str(error))
    tuning = propose(searched, tuning)
    if tuning.number is None:
        return _Tuned(tenant=tenant, tuning=tuning)
    trial = try_configuration(trial_bench(engine, tenant), tuning.number, set_name=config.golden_set)
    return _Tuned(tenant=tenant, tuning=tuning, trial=trial)


def _no_drop(tuned: Sequence[_Tuned]) -> dg.AssetCheckResult:
    trials = {one.tenant: one.trial for one in tuned if one.trial is not None}
    objections = {tenant: trial.objection for tenant, trial in trials.items() if trial.objection is not None}
    rows = [_trial_row(tenant, trial) for tenant, trial in trials.items()]
    return dg.AssetCheckResult(
        check_name=NO_DROP_CHECK,
        passed=not objections,
        metadata={"proposals": len(trials), **({"trials": table(rows)} if rows else {})},
        description="\n".join(f"{tenant}: {objection}" for tenant, objection in objections.items()) or None,
    )


def _trial_row(tenant: TenantId, trial: Trial) -> dict[str, Any]:
    before, after = trial.served_run, trial.candidate_run
    return {
        "tenant": tenant,
        "configuration": trial.number,
        "instead_of": trial.served.name,
        "verdict": trial.verdict,
        "ndcg_at_10_served": None if before is None else before.metrics.ndcg_at_10,
        "ndcg_at_10": None if after is None else after.metrics.ndcg_at_10,
        "latency_p95_ms": None if after is None else after.latency_ms.p95,
        "objection": trial.objection,
    }


def _tenants_table(tuned: Sequence[_Tuned]) -> dg.MetadataValue[Any]:
    rows = [_tenant_row(one) for one in tuned]
    return table(rows) if rows else dg.MetadataValue.md("*no notes yet*")


def _tenant_row(one: _Tuned) -> dict[str, Any]:
    found = one.tuning
    if found is None:
        return dict.fromkeys(_COLUMNS) | {"tenant": one.tenant, "outcome": one.reason}
    ndcg = found.metrics[0]
    low, high = ndcg.test.interval
    outcome = f"proposed as configuration {found.number}" if found.number is not None else found.objection
    values = (one.tenant, found.queries, found.tried, ndcg.served, ndcg.tuned, low, high, ndcg.test.p_value, outcome)
    return dict(zip(_COLUMNS, values, strict=True))


_COLUMNS = ("tenant", "queries", "tried", "ndcg_served", "ndcg_tuned", "gain_from", "gain_to", "p_value", "outcome")
"""The figures are held out, the gain's interval is of 95 %."""


def _categories(tuned: Sequence[_Tuned]) -> dict[str, Any]:
    rows = [
        {
            "tenant": one.tenant,
            "category": outcome.category,
            "queries": outcome.queries,
            "ndcg_served": outcome.served,
            "ndcg_tuned": outcome.tuned,
            "gained": outcome.gained,
            "lost": outcome.lost,
        }
        for one in tuned
        if one.tuning is not None
        for outcome in one.tuning.categories
    ]
    return {"by_category": table(rows)} if rows else {}


def _links(settings: Settings, tuned: Sequence[_Tuned]) -> dict[str, Any]:
    """A page a trial, with both runs side by side."""
    return {
        f"comparison_{trial.candidate_run.run_id}": dg.MetadataValue.url(
            comparison_address(settings.api_url, one.tenant, trial.served_run.run_id, trial.candidate_run.run_id)
        )
        for one in tuned
        if (trial := one.trial) is not None and trial.served_run is not None and trial.candidate_run is not None
    }
