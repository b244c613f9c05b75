"""The gate: whether retrieval as measured now is good enough to go on, check by check. No I/O.

The nightly report and ``brain evaluate --gate`` ask the same checks of one golden set's runs, one a strategy.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from rag_core.evaluation.comparison.fusion_check import (
    LEGS,
    MIN_OTHER_FIRST,
    LegParticipation,
    hybrid_shortfall,
    participation,
    why_participation_is_unknown,
)
from rag_core.evaluation.comparison.intervals import metric_intervals, query_figures
from rag_core.evaluation.comparison.quality_check import Verdict, is_improvement, verdict_on
from rag_core.evaluation.report.markdown import comparison_line, coverage_line, disturbance_line
from rag_core.evaluation.runs.results import EvaluationRun
from rag_core.model.counting import in_english
from rag_core.model.retrieval import Strategy
from rag_core.model.run_comparison import Comparison

HYBRID: tuple[Strategy, ...] = ("hybrid", "hybrid+rerank")
GATE_STRATEGIES: tuple[Strategy, ...] = (*LEGS, *HYBRID)
"""Strategies that a gate measures: each leg alone, both fused, and re-ranked."""

Severity = Literal["error", "warning"]
CheckName = Literal[
    "no_significant_drop",
    "hit_rate_reaches_target",
    "hybrid_not_below_best_leg",
    "both_legs_take_part",
    "rankings_are_explained",
    "latency_p95_within_target",
]
MAX_REORDERED = 0.25
"""Greatest share of queries with other notes first when no recorded input has changed; a larger one has an unrecorded cause.
Questions that speak of today or of last week rank by the day, so 0 would be too strict."""
SHORT_ID = 8
"""Number of characters of a short run id."""
LEAST_FOR_P95 = 20
"""Of fewer queries the slowest one is p95."""
_UNTOLD: tuple[Verdict, ...] = ("no baseline", "new baseline", "too few queries")
_UNCLEAR: tuple[Verdict, ...] = ("disturbed", "outdated baseline")


@dataclass(frozen=True, slots=True, kw_only=True)
class GateTargets:
    """Targets of the gate: a hit rate at 10, and a 95th percentile of the latency in milliseconds."""

    hit_rate_at_10: float
    latency_p95_ms: float


@dataclass(frozen=True, slots=True, kw_only=True)
class GateCheck:
    """One check: passed, failed, or None where it cannot be judged; the message says why, ``details`` hold its figures."""

    name: CheckName
    passed: bool | None
    severity: Severity
    message: str
    details: Mapping[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """The check as it is printed."""
        return {
            "name": self.name,
            "passed": self.passed,
            "severity": self.severity,
            "message": self.message,
            "details": dict(self.details),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class GateReport:
    """All checks, in a fixed order."""

    checks: tuple[GateCheck, ...]

    @property
    def passed(self) -> bool:
        """True when no check failed; one that cannot be judged does not fail."""
        return all(check.passed is not False for check in self.checks)

    def to_json(self) -> dict[str, Any]:
        """The report as it is printed."""
        return {"passed": self.passed, "checks": [check.to_json() for check in self.checks]}


def judge_gate(
    runs: Mapping[Strategy, EvaluationRun],
    targets: GateTargets,
    *,
    new_baselines: frozenset[Strategy] = frozenset(),
) -> GateReport:
    """Judge the runs of one golden set, made at one time, by strategy; ``new_baselines`` are those compared with themselves."""
    return GateReport(
        checks=(
            check_drop(runs, new_baselines=new_baselines),
            check_hit_rate(runs, target=targets.hit_rate_at_10),
            check_fusion(runs),
            check_legs(runs),
            check_rankings(runs),
            check_latency(runs, target_ms=targets.latency_p95_ms),
        )
    )


def check_drop(
    runs: Mapping[Strategy, EvaluationRun], *, new_baselines: frozenset[Strategy] = frozenset()
) -> GateCheck:
    """No strategy is significantly worse than its baseline; a warning where that cannot be told though it should."""
    verdicts = {name: verdict_on(run, is_new_baseline=name in new_baselines) for name, run in runs.items()}
    worse = [name for name, verdict in verdicts.items() if verdict == "regression"]
    unclear = [name for name, verdict in verdicts.items() if verdict in _UNCLEAR]
    is_judged = any(verdict not in _UNTOLD for verdict in verdicts.values())
    if worse or unclear:
        lines = [f"{name}: {verdicts[name]}; {_figures(runs[name])}" for name in worse or unclear]
        message = ". ".join(lines)
    else:
        told = f"no strategy is worse than its baseline, judged on {coverage_line(runs.values())}"
        message = told if is_judged else f"not judged: {_untold(verdicts)}"
    if outdated := [runs[name] for name, verdict in verdicts.items() if verdict == "outdated baseline"]:
        ids = " ".join(str(run.run_id)[:SHORT_ID] for run in outdated)
        message += f". Judged on {coverage_line(outdated)}; to compare with these runs from now on: brain golden baseline {ids}"
    return GateCheck(
        name="no_significant_drop",
        passed=False if worse or unclear else True if is_judged else None,
        severity="warning" if unclear and not worse else "error",
        message=message,
        details={name: {"verdict": verdict, **_compared(runs[name])} for name, verdict in verdicts.items()},
    )


def check_hit_rate(runs: Mapping[Strategy, EvaluationRun], *, target: float) -> GateCheck:
    """The better of the two hybrid strategies finds a relevant note among the first ten often enough."""
    rates: dict[str, float] = {name: runs[name].metrics.hit_rate_at[10] for name in HYBRID if name in runs}
    if not rates:
        return _unjudged("hit_rate_reaches_target", "neither hybrid strategy was measured")
    best = max((name for name in HYBRID if name in runs), key=lambda name: rates[name])
    sure = metric_intervals({"hit": query_figures(query)["hit_rate_at_10"]} for query in runs[best].queries)["hit"]
    asked = in_english(sure.queries, "query", "queries")
    told = (
        f"hit rate @10 of {best} is {rates[best]:.3f} (95 %: {sure.low:.3f} to {sure.high:.3f}, {asked}), the "
        f"target is {target:.3f}"
    )
    return GateCheck(
        name="hit_rate_reaches_target",
        passed=rates[best] >= target,
        severity="error",
        message=f"{told}; so few queries do not tell it from the target" if sure.low <= target <= sure.high else told,
        details={"target": target, **rates, "interval": [sure.low, sure.high], "queries": sure.queries},
    )


def check_fusion(runs: Mapping[Strategy, EvaluationRun]) -> GateCheck:
    """Hybrid search is not below the better of its legs by more than chance explains; a warning, for fusion harms no data."""
    found = hybrid_shortfall(runs)
    if found is None:
        return _unjudged("hybrid_not_below_best_leg", "hybrid search or both legs were not measured", "warning")
    return GateCheck(
        name="hybrid_not_below_best_leg",
        passed=not found.is_significant,
        severity="warning",
        message=(
            f"hybrid search {'loses' if found.lost > 0 else 'gains'} {abs(found.lost):.3f} nDCG@10 against {found.leg} search "
            f"alone on {in_english(found.queries, 'query', 'queries')} (one-sided p {found.p_worse:.3f})"
        ),
        details={"leg": found.leg, "lost": found.lost, "p_worse": found.p_worse, "queries": found.queries},
    )


def check_legs(runs: Mapping[Strategy, EvaluationRun]) -> GateCheck:
    """Hybrid search is not one of its legs alone: both have a say in what it ranks first."""
    found = participation(runs)
    if found is None:
        return _unjudged("both_legs_take_part", why_participation_is_unknown(runs))
    if not found.is_clear:
        return _unjudged(
            "both_legs_take_part",
            f"the legs bring another note first on {found.other_first} queries, {MIN_OTHER_FIRST} are needed; {_shares(found)}",
        )
    silent = found.silent_leg
    return GateCheck(
        name="both_legs_take_part",
        passed=silent is None,
        severity="error",
        message=_participation_line(found),
        details={
            "queries": found.queries,
            "decided_alone_by": dict(found.alone),
            "other_first": found.other_first,
            "decided_first_by": dict(found.alone_first),
            "silent_leg": silent,
        },
    )


def check_rankings(runs: Mapping[Strategy, EvaluationRun]) -> GateCheck:
    """Check that the notes, models, configuration and program of the baseline rank no worse than they did in it.

    A defect too small for a test over few queries still reorders most of them: words no longer reduced to stems, for example,
    or vectors that are not of their chunks. Where a recorded input has changed, the check does not apply.
    """
    compared = {name: run.comparison for name, run in runs.items() if run.comparison is not None}
    same = {name: found for name, found in compared.items() if found.changed_inputs == () and found.obstacle is None}
    if not same:
        return _unjudged("rankings_are_explained", _why_unexplained(compared))
    other = {
        name: found
        for name, found in same.items()
        if found.reordered > MAX_REORDERED * found.queries and not is_improvement(found)
    }
    told = "; ".join(
        f"{name} on {found.reordered} of {found.queries} queries" for name, found in (other or same).items()
    )
    return GateCheck(
        name="rankings_are_explained",
        passed=not other,
        severity="error",
        message=f"nothing recorded has changed since the baseline; other notes come first by {told}",
        details={name: {"reordered": found.reordered, "queries": found.queries} for name, found in same.items()},
    )


def check_latency(runs: Mapping[Strategy, EvaluationRun], *, target_ms: float) -> GateCheck:
    """Check that every strategy answers nineteen of twenty queries in time."""
    p95: dict[str, float] = {name: run.latency_ms.p95 for name, run in runs.items()}
    if not p95:
        return _unjudged("latency_p95_within_target", "nothing was measured")
    slowest = max(runs, key=lambda name: p95[name])
    return GateCheck(
        name="latency_p95_within_target",
        passed=p95[slowest] <= target_ms,
        severity="error",
        message=f"{_slowness(runs[slowest], slowest)}; the target is {target_ms:.0f} ms",
        details={"target_ms": target_ms, **p95},
    )


def _slowness(run: EvaluationRun, strategy: Strategy) -> str:
    """Of which strategy p95 is the longest; below twenty queries one of them is all that p95 is."""
    if run.total_queries < LEAST_FOR_P95:
        return f"the slowest of {run.total_queries} queries took {strategy} {run.latency_ms.p95:.0f} ms"
    return f"p95 of {strategy} is {run.latency_ms.p95:.0f} ms, the slowest"


def _unjudged(name: CheckName, reason: str, severity: Severity = "error") -> GateCheck:
    return GateCheck(name=name, passed=None, severity=severity, message=f"not judged: {reason}")


def _untold(verdicts: Mapping[Strategy, Verdict]) -> str:
    if not verdicts:
        return "nothing was measured"
    reasons = dict.fromkeys(_WHY[verdict] for verdict in verdicts.values())
    return "; ".join(
        f"{', '.join(name for name, verdict in verdicts.items() if _WHY[verdict] == why)}: {why}" for why in reasons
    )


def _why_unexplained(compared: Mapping[Strategy, Comparison]) -> str:
    if not compared:
        return "there is no baseline"
    changed = sorted({name for found in compared.values() for name in found.changed_inputs or ()})
    if changed:
        return f"changed since the baseline: {', '.join(changed)}; brain golden baseline RUN takes a run of now as the baseline"
    obstacles = {name: found.objection for name, found in compared.items() if found.changed_inputs == ()}
    if not obstacles:
        return "no baseline says what it searched"
    return "; ".join(
        f"{', '.join(name for name, other in obstacles.items() if other == why)}: {why}"
        for why in dict.fromkeys(obstacles.values())
    )


_WHY: Mapping[Verdict, str] = {
    "no baseline": "no baseline",
    "new baseline": "the baseline from now on",
    "too few queries": "too few queries",
}


def _figures(run: EvaluationRun) -> str:
    if run.is_disturbed:
        return disturbance_line(run)
    return "there is no baseline" if run.comparison is None else comparison_line(run.comparison)


def _compared(run: EvaluationRun) -> dict[str, Any]:
    compared = run.comparison
    if compared is None:
        return {"run_id": str(run.run_id)}
    return {
        "run_id": str(run.run_id),
        "baseline_run_id": str(compared.baseline_run_id),
        "queries": compared.queries,
        "total_queries": run.total_queries,
        "metric": compared.metric,
        "difference": compared.difference,
        "p_worse": compared.p_worse,
        "regressed": list(compared.regressed),
    }


def _participation_line(found: LegParticipation) -> str:
    told = _shares(found)
    return told if found.silent_leg is None else f"{found.silent_leg} search has no say in hybrid search: {told}"


def _shares(found: LegParticipation) -> str:
    shares = ", ".join(f"{leg} search alone decides {share:.0%}" for leg, share in found.alone.items())
    firsts = ", ".join(f"{leg} search {share:.0%}" for leg, share in found.alone_first.items())
    return (
        f"of {found.queries} queries on which the legs differ, {shares}; of {found.other_first} on which they bring another "
        f"note first, {firsts}"
    )
