"""The checks of the evaluation report: hybrid against its legs, every strategy against its baseline, and the gate's others."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import dagster as dg

from rag_assets.stages import table
from rag_core.evaluation.comparison.fusion_check import Shortfall, hybrid_shortfall
from rag_core.evaluation.comparison.gate import (
    GateCheck,
    GateTargets,
    check_hit_rate,
    check_latency,
    check_legs,
    check_rankings,
)
from rag_core.evaluation.comparison.quality_check import Verdict
from rag_core.evaluation.report.markdown import comparison_line, coverage_line, disturbance_line
from rag_core.evaluation.runs.results import EvaluationRun
from rag_core.model.note import TenantId
from rag_core.model.retrieval import Strategy

HYBRID_CHECK = "hybrid_is_not_below_its_better_leg"
QUALITY_CHECK = "quality_has_not_dropped"
HIT_RATE_CHECK = "hit_rate_reaches_target"
LEGS_CHECK = "both_legs_take_part"
RANKINGS_CHECK = "rankings_are_explained"
LATENCY_CHECK = "latency_p95_is_within_target"
RUNBOOK = "docs/operations/alerts.md#evaluation_regression"

EVALUATION_CHECKS = [
    dg.AssetCheckSpec(
        HYBRID_CHECK,
        asset="evaluation_report",
        description=(
            "On no golden set is the nDCG@10 of hybrid search below that of the better of its two legs by more than chance "
            "explains (one-sided p < 0.05, paired randomisation test)."
        ),
    ),
    dg.AssetCheckSpec(
        QUALITY_CHECK,
        asset="evaluation_report",
        description=(
            "On no golden set and by no strategy is nDCG@10, the U-measure over golden spans or the share of confident "
            "answers lower than the baseline's by 0.02 or more with one-sided p < 0.05 (paired randomisation test over the "
            "queries in common, Holm's correction over the three)."
        ),
    ),
    dg.AssetCheckSpec(
        HIT_RATE_CHECK,
        asset="evaluation_report",
        description=(
            "On every golden set the better of the two hybrid strategies has a relevant note among its first ten for as "
            "many queries as BRAIN_GATE_HIT_RATE asks."
        ),
    ),
    dg.AssetCheckSpec(
        LEGS_CHECK,
        asset="evaluation_report",
        description=(
            "Hybrid search is not one of its legs alone: on fewer than 95 % of the queries on which full text and meaning "
            "bring another note first does it bring the first ten notes of one of them, in its order."
        ),
    ),
    dg.AssetCheckSpec(
        RANKINGS_CHECK,
        asset="evaluation_report",
        description=(
            "Where notes, models, configuration and program are those of the baseline, no more than a quarter of the queries "
            "has other notes among its first ten, unless quality rose."
        ),
    ),
    dg.AssetCheckSpec(
        LATENCY_CHECK,
        asset="evaluation_report",
        description="By every strategy 95 % of the queries are answered within BRAIN_GATE_LATENCY_MS.",
    ),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Measurement:
    """One run of the report, and what it says of the quality."""

    tenant: TenantId
    strategy: Strategy
    run: EvaluationRun
    verdict: Verdict


def hybrid_check(measured: Sequence[Measurement]) -> dg.AssetCheckResult:
    """A warning where fusion loses to the better of its legs."""
    tenants = dict.fromkeys(one.tenant for one in measured)
    shortfalls = {
        tenant: hybrid_shortfall({one.strategy: one.run for one in measured if one.tenant == tenant})
        for tenant in tenants
    }
    known = {tenant: found for tenant, found in shortfalls.items() if found is not None}
    losing = {tenant: found for tenant, found in known.items() if found.is_significant}
    return dg.AssetCheckResult(
        check_name=HYBRID_CHECK,
        passed=not losing,
        severity=dg.AssetCheckSeverity.WARN,
        metadata={
            f"{tenant}_{name}": figure
            for tenant, found in known.items()
            for name, figure in (("ndcg_at_10_lost", found.lost), ("p_worse", found.p_worse))
        },
        description="; ".join(_hybrid_line(tenant, found) for tenant, found in losing.items()) or None,
    )


def _hybrid_line(tenant: TenantId, found: Shortfall) -> str:
    return (
        f"{tenant}: hybrid search loses {found.lost:.3f} nDCG@10 to {found.leg} search alone on {found.queries} queries "
        f"(one-sided p = {found.p_worse:.3f}): search by `--strategy {found.leg}`, or with other weights "
        "(hybridSearch.semanticWeight and fulltextWeight), until another model is promoted"
    )


def gate_checks(measured: Sequence[Measurement], targets: GateTargets) -> list[dg.AssetCheckResult]:
    """Checks of the gate beside the fusion and the baselines, over all tenants."""

    def hit_rate(runs: Mapping[Strategy, EvaluationRun]) -> GateCheck:
        return check_hit_rate(runs, target=targets.hit_rate_at_10)

    def latency(runs: Mapping[Strategy, EvaluationRun]) -> GateCheck:
        return check_latency(runs, target_ms=targets.latency_p95_ms)

    judges: dict[str, Callable[[Mapping[Strategy, EvaluationRun]], GateCheck]] = {
        HIT_RATE_CHECK: hit_rate,
        LEGS_CHECK: check_legs,
        RANKINGS_CHECK: check_rankings,
        LATENCY_CHECK: latency,
    }
    tenants = dict.fromkeys(one.tenant for one in measured)
    runs = {tenant: {one.strategy: one.run for one in measured if one.tenant == tenant} for tenant in tenants}
    return [
        _over_tenants(name, {tenant: judge(found) for tenant, found in runs.items()}) for name, judge in judges.items()
    ]


def _over_tenants(name: str, found: Mapping[TenantId, GateCheck]) -> dg.AssetCheckResult:
    """Red where any tenant's check failed; what cannot be judged is said."""
    failed = {tenant: check for tenant, check in found.items() if check.passed is False}
    return dg.AssetCheckResult(
        check_name=name,
        passed=not failed,
        severity=dg.AssetCheckSeverity.ERROR,
        metadata={
            str(tenant): dg.MetadataValue.json({"passed": check.passed, "message": check.message, **check.details})
            for tenant, check in found.items()
        },
        description="\n".join(f"{tenant}: {check.message}." for tenant, check in (failed or found).items()) or None,
    )


def quality_check(measured: Sequence[Measurement]) -> dg.AssetCheckResult:
    """Red where retrieval got worse; a warning where that cannot be told though it should."""
    worse = [one for one in measured if one.verdict == "regression"]
    unclear = [one for one in measured if one.verdict in {"disturbed", "outdated baseline"}]
    return dg.AssetCheckResult(
        check_name=QUALITY_CHECK,
        passed=not worse and not unclear,
        severity=dg.AssetCheckSeverity.WARN if unclear and not worse else dg.AssetCheckSeverity.ERROR,
        metadata={
            "regressions": len(worse),
            "not_comparable": len(unclear),
            **_comparisons(measured),
            **_losses(worse),
            **({"remedy": dg.MetadataValue.md(_remedy(worse, unclear))} if worse or unclear else {}),
        },
        description=_description(worse or unclear, measured),
    )


def _description(failing: Sequence[Measurement], measured: Sequence[Measurement]) -> str | None:
    if failing:
        return "\n".join(
            f"{one.tenant}, {one.strategy}: {one.verdict}. {_figures(one.run)}{_of_all(one)}." for one in failing
        )
    new = sum(one.verdict == "new baseline" for one in measured)
    few = sum(one.verdict == "too few queries" for one in measured)
    said = [f"{new} of {len(measured)} runs are baselines from now on."] if new else []
    said += [f"{few} of {len(measured)} runs have too few queries for a verdict."] if few else []
    if judged := coverage_line(one.run for one in measured if one.verdict in {"steady", "improvement"}):
        said.insert(0, f"Judged on {judged}.")
    return " ".join(said) or None


def _of_all(one: Measurement) -> str:
    covered = coverage_line([one.run])
    return f"; judged on {covered}" if one.verdict == "outdated baseline" and covered else ""


def _figures(run: EvaluationRun) -> str:
    if run.is_disturbed:
        return disturbance_line(run)
    return "There is no baseline" if run.comparison is None else comparison_line(run.comparison)


def _comparisons(measured: Sequence[Measurement]) -> dict[str, Any]:
    rows = [_row(one) for one in measured]
    return {"comparisons": table(rows)} if rows else {}


def _row(one: Measurement) -> dict[str, Any]:
    compared = one.run.comparison
    return {
        "tenant": one.tenant,
        "strategy": one.strategy,
        "verdict": one.verdict,
        "baseline": None if compared is None else round(compared.baseline, 4),
        "now": round(one.run.metrics.ndcg_at_10 if compared is None else compared.current, 4),
        "difference": None if compared is None else round(compared.difference, 4),
        "metric": None if compared is None else compared.metric,
        "p_one_sided": None if compared is None else round(compared.p_worse, 4),
        "queries": one.run.total_queries if compared is None else compared.queries,
        "run": str(one.run.run_id),
    }


def _losses(worse: Sequence[Measurement]) -> dict[str, Any]:
    rows = [
        {
            "tenant": one.tenant,
            "strategy": one.strategy,
            "query": loss.query,
            "metric": one.run.comparison.metric,
            "was": round(loss.baseline, 4),
            "is": round(loss.current, 4),
            "rank_was": loss.baseline_rank,
            "rank_is": loss.current_rank,
        }
        for one in worse
        if one.run.comparison is not None
        for loss in one.run.comparison.losses
    ]
    return {"queries_that_lost_most": table(rows)} if rows else {}


def _remedy(worse: Sequence[Measurement], unclear: Sequence[Measurement]) -> str:
    said = [f"What to look at first: {RUNBOOK}."]
    if any(one.verdict == "disturbed" for one in unclear):
        said.append(
            "Where queries were degraded or failed, look at what was down (`brain doctor`) and run the report again."
        )
    said += [
        f"To take the new level as the baseline: `brain golden baseline {' '.join(runs)} --tenant {tenant}`."
        for tenant, runs in _runs_to_promote([*worse, *unclear]).items()
    ]
    return "\n\n".join(said)


def _runs_to_promote(failing: Sequence[Measurement]) -> dict[TenantId, list[str]]:
    wanted = [one for one in failing if one.verdict != "disturbed"]
    return {
        tenant: [str(one.run.run_id) for one in wanted if one.tenant == tenant]
        for tenant in dict.fromkeys(one.tenant for one in wanted)
    }
