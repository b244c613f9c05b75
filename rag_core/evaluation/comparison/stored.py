"""Two stored runs held against each other, named by their ids or by the hashes of their configurations."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from rag_core.errors import IncomparableRunsError, NotFoundError
from rag_core.evaluation.comparison.comparability import asked_differently, changed_inputs, refuse_different
from rag_core.evaluation.comparison.compare import compare
from rag_core.evaluation.comparison.effects import QueryEffect, query_effects
from rag_core.evaluation.runs.confidence import as_compared
from rag_core.model.evaluation import QueryResult, StoredRun
from rag_core.model.note import TenantId
from rag_core.model.run_comparison import SIGNIFICANCE, Comparison
from rag_core.storage.database import Connection
from rag_core.storage.evaluations import fetch_query_results, fetch_run, find_runs_of_configuration

LATEST = 20
"""Number of a configuration's latest runs searched for one that can be compared."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunComparison:
    """Two runs, what differs between them, and every query's share in it; ``asked_differently`` says what they did not share."""

    baseline: StoredRun
    candidate: StoredRun
    comparison: Comparison
    effects: tuple[QueryEffect, ...]
    asked_differently: tuple[str, ...]

    @property
    def has_significant_metric(self) -> bool | None:
        """True when any metric differs, two-sided p < 0.05 after Holm over all of them; None without a verdict."""
        if self.comparison.obstacle is not None:
            return None
        return any(
            found.p_adjusted is not None and found.p_adjusted < SIGNIFICANCE
            for found in self.comparison.metrics.values()
        )


def compare_results(
    baseline: StoredRun, before: Sequence[QueryResult], candidate: StoredRun, after: Sequence[QueryResult]
) -> tuple[Comparison, tuple[QueryEffect, ...]]:
    """Two runs by their queries, what they searched that differs, and every query's share in the deciding metric."""
    then, now = as_compared(before, baseline, beside=candidate), as_compared(after, candidate, beside=baseline)
    comparison = compare(baseline.run_id, then, now, changed_inputs=changed_inputs(baseline, candidate))
    return comparison, query_effects(then, now, comparison.metric)


def compare_stored_runs(
    connection: Connection, tenant: TenantId, baseline_id: UUID, candidate_id: UUID, *, common_only: bool = False
) -> RunComparison:
    """Compare one stored run with another; ``common_only`` allows runs that asked differently, on the queries in common.

    Raises:
        NotFoundError: the tenant has no such run.
        IncomparableRunsError: they asked another set, version of it or category.
    """
    baseline, candidate = (fetch_run(connection, tenant, run_id) for run_id in (baseline_id, candidate_id))
    if not common_only:
        refuse_different(baseline, *_asked(candidate))
    before, after = (fetch_query_results(connection, tenant, run_id) for run_id in (baseline_id, candidate_id))
    comparison, effects = compare_results(baseline, before, candidate, after)
    return RunComparison(
        baseline=baseline,
        candidate=candidate,
        comparison=comparison,
        effects=effects,
        asked_differently=tuple(asked_differently(baseline, *_asked(candidate))),
    )


def find_comparable_runs(
    connection: Connection, tenant: TenantId, first: str, second: str, *, common_only: bool = False
) -> tuple[UUID, UUID]:
    """The newest run of the second configuration that has a run of the first to be compared with, and the newest such.

    Raises:
        NotFoundError: a configuration was not evaluated yet.
        IncomparableRunsError: no run of the one asked what a run of the other did.
    """
    earlier, later = (_runs_of(connection, tenant, config_hash) for config_hash in (first, second))
    for candidate in later:
        for baseline in earlier:
            is_other = baseline.run_id != candidate.run_id
            if is_other and (common_only or not asked_differently(baseline, *_asked(candidate))):
                return baseline.run_id, candidate.run_id
    raise IncomparableRunsError(
        f"no run of configuration {first} asked what a run of {second} did; evaluate both on the golden set as it is now",
        reasons=asked_differently(earlier[0], *_asked(later[0])),
    )


def _runs_of(connection: Connection, tenant: TenantId, config_hash: str) -> list[StoredRun]:
    found = find_runs_of_configuration(connection, tenant, config_hash, limit=LATEST)
    if not found:
        raise NotFoundError(
            f"no evaluation run with configuration {config_hash}; brain evaluate --json prints a run's config_hash"
        )
    return [fetch_run(connection, tenant, run_id) for run_id in found]


def _asked(run: StoredRun) -> tuple[UUID | None, str, int, str | None]:
    return run.set_id, run.set_name, run.set_version, run.category
