"""The run that others of its golden set and strategy are measured against: compared with, made, promoted."""

from uuid import UUID

from rag_core.errors import InvalidInputError
from rag_core.evaluation.comparison.quality_check import verdict_on
from rag_core.evaluation.comparison.stored import compare_results
from rag_core.evaluation.runs.results import EvaluationRun
from rag_core.model.evaluation import StoredRun
from rag_core.model.note import TenantId
from rag_core.model.run_comparison import MAX_DISTURBED_SHARE, MIN_COMMON_QUERIES, Comparison
from rag_core.storage.database import Database
from rag_core.storage.evaluations import (
    fetch_baseline,
    fetch_query_results,
    fetch_run,
    write_baseline,
)


def compare_with_baseline(
    database: Database, tenant: TenantId, run: EvaluationRun, *, strategy: str
) -> Comparison | None:
    """Compare a run with the baseline of its set and this strategy; None while there is none."""
    with database.transaction(tenant) as connection:
        baseline = fetch_baseline(connection, tenant, set_name=run.set_name, strategy=strategy)
    return None if baseline is None else compare_with_run(database, tenant, run, baseline.run_id)


def compare_with_run(database: Database, tenant: TenantId, run: EvaluationRun, baseline_run_id: UUID) -> Comparison:
    """Compare a run with a stored one, baseline or not, on the queries they have in common.

    Raises:
        NotFoundError: the tenant has no such run.
    """
    with database.transaction(tenant) as connection:
        baseline = fetch_run(connection, tenant, baseline_run_id)
        before = fetch_query_results(connection, tenant, baseline_run_id)
    return compare_results(baseline, before, run, run.queries)[0]


def ensure_baseline(database: Database, tenant: TenantId, run: EvaluationRun, *, strategy: str) -> bool:
    """Make the run the baseline of its set and strategy where there is none; whether it is now.

    One that nobody promoted gives way as well when the golden set has become another: when the run has ten queries or
    more, and fewer than ten or than half of them are the baseline's, unless those got worse. A run of one category,
    or one whose queries were degraded or failed, is no baseline.
    """
    if _objection(run) is not None:
        return False
    lost = run.total_queries >= MIN_COMMON_QUERIES and verdict_on(run) == "outdated baseline"
    with database.transaction(tenant) as connection:
        return write_baseline(
            connection,
            tenant,
            set_name=run.set_name,
            strategy=strategy,
            run_id=run.run_id,
            is_automatic=True,
            replaces="automatic" if lost else "none",
        )


def promote_baseline(database: Database, tenant: TenantId, run_id: UUID) -> StoredRun:
    """Make a stored run the baseline of its set and strategy, in place of any other, and return it.

    Raises:
        NotFoundError: the tenant has no such run.
        InvalidInputError: it asked one category only, or too many of its queries were degraded or failed.
    """
    with database.transaction(tenant) as connection:
        run = fetch_run(connection, tenant, run_id)
        objection = _objection(run)
        if objection is not None:
            raise InvalidInputError(f"run {run_id} cannot be a baseline: {objection}")
        assert run.strategy is not None  # every configuration has one
        write_baseline(
            connection,
            tenant,
            set_name=run.set_name,
            strategy=run.strategy,
            run_id=run_id,
            is_automatic=False,
            replaces="any",
        )
    return run


def _objection(run: StoredRun) -> str | None:
    if run.category is not None:
        return f"it asked the queries of category {run.category} only; evaluate the whole set"
    if run.is_disturbed:
        return (
            f"{run.degraded_queries + run.failed_queries} of its {run.total_queries} queries were degraded or failed, more "
            f"than {MAX_DISTURBED_SHARE:.0%}; evaluate again when everything is up"
        )
    return None
