"""``/evaluation``: how good the search is, was, and would be; pages that work without JavaScript."""

from uuid import UUID

from fastapi import APIRouter, Depends, Response

from rag_core.api.access import Context
from rag_core.api.errors import ExplainedError, explained
from rag_core.api.pages.evaluation.frame import framed, not_here, overview_link, refuse_foreign_link, way
from rag_core.api.pages.evaluation.loading import known_notes, load_history, load_run
from rag_core.api.pages.evaluation.views.comparison import comparison_report
from rag_core.api.pages.evaluation.views.parts import RUNS_ADDRESS
from rag_core.api.pages.evaluation.views.query import query_report
from rag_core.api.pages.evaluation.views.run import Chosen, run_report
from rag_core.api.pages.search import as_uuid
from rag_core.api.pages.texts import tr
from rag_core.errors import NotFoundError
from rag_core.evaluation.comparison.comparability import asked_differently
from rag_core.evaluation.comparison.stored import compare_results
from rag_core.model.evaluation import QueryResult, StoredRun
from rag_core.model.note import TenantId
from rag_core.storage.database import Connection
from rag_core.storage.evaluations import list_baselines
from rag_core.storage.golden import fetch_golden_query

router = APIRouter(include_in_schema=False, dependencies=[Depends(refuse_foreign_link)])


@router.get("/evaluation/runs/{run_id}")
def show_run(run_id: str, context: Context, categoria: str = "", solo: str = "") -> Response:
    """The report of one run."""
    tenant = context.tenant
    with context.transaction() as connection:
        run, results = _loaded(connection, tenant, run_id)
        baselines = frozenset(str(one.run_id) for one in list_baselines(connection, tenant))
        history = load_history(connection, tenant)
    compared = run.comparison
    return framed(
        tenant,
        "evaluation/run.html",
        report=run_report(run, results, zone=context.zone, baselines=baselines, history=history),
        chosen=Chosen(category=categoria, only=solo),
        compared_address=None
        if compared is None
        else comparison_address(compared.baseline_run_id, run.run_id, is_common=True),
        compared_is_baseline=compared is not None and str(compared.baseline_run_id) in baselines,
    )


@router.get("/evaluation/compare")
def show_comparison(context: Context, baseline: str = "", candidate: str = "", common: bool = False) -> Response:
    """One run against another; runs that asked differently only on what they have in common, if that is wanted."""
    tenant = context.tenant
    with context.transaction() as connection:
        (before, earlier), (after, now) = (_loaded(connection, tenant, run_id) for run_id in (baseline, candidate))
        baselines = frozenset(str(one.run_id) for one in list_baselines(connection, tenant))
        history = load_history(connection, tenant)
    if not common and asked_differently(before, after.set_id, after.set_name, after.set_version, after.category):
        return framed(
            tenant,
            "evaluation/incomparable.html",
            before=before,
            after=after,
            common=comparison_address(before.run_id, after.run_id, is_common=True),
        )
    comparison, effects = compare_results(before, earlier, after, now)
    return framed(
        tenant,
        "evaluation/compare.html",
        report=comparison_report(
            before,
            after,
            comparison,
            effects,
            zone=context.zone,
            baselines=baselines,
            history=history,
        ),
        turned=comparison_address(after.run_id, before.run_id, is_common=common),
    )


@router.get("/evaluation/runs/{run_id}/queries/{query_id}")
def show_query(run_id: str, query_id: str, context: Context, baseline: str = "") -> Response:
    """Show the results of one query, beside those of another run."""
    tenant = context.tenant
    with context.transaction() as connection:
        asked = [
            _asked(connection, tenant, wanted, query_id) for wanted in ((baseline, run_id) if baseline else (run_id,))
        ]
        golden = fetch_golden_query(connection, tenant, asked[0][1].query_id)
        notes = known_notes(connection, tenant, [result for _, result in asked], zone=context.zone)
    run = asked[-1][0]
    return framed(
        tenant,
        "evaluation/query.html",
        path=way(overview_link(), (tr("Evaluación de «{name}»", name=run.set_name), f"{RUNS_ADDRESS}/{run.run_id}")),
        report=query_report(asked, notes, golden),
    )


def comparison_address(baseline: UUID, candidate: UUID, *, is_common: bool) -> str:
    """The page that compares two runs."""
    return f"/evaluation/compare?baseline={baseline}&candidate={candidate}{'&common=1' if is_common else ''}"


def _asked(connection: Connection, tenant: TenantId, run_id: str, query_id: str) -> tuple[StoredRun, QueryResult]:
    """A query of a run.

    Raises:
        ExplainedError: there is no such run, or it did not ask that query.
    """
    run, results = _loaded(connection, tenant, run_id)
    wanted = as_uuid(query_id)
    found = next((result for result in results if result.query_id == wanted), None)
    if found is None:
        raise ExplainedError(tr("Esa evaluación no hizo ninguna consulta con ese identificador"), kind=NotFoundError)
    return run, found


def _loaded(connection: Connection, tenant: TenantId, run_id: str) -> tuple[StoredRun, list[QueryResult]]:
    """A run with its queries.

    Raises:
        ExplainedError: there is no such run, or nothing of its queries was kept.
    """
    wanted = as_uuid(run_id)
    no_such = not_here(tr("No existe ninguna evaluación con ese identificador"), tenant)
    if wanted is None:
        raise ExplainedError(no_such, kind=NotFoundError)
    with explained(NotFoundError, no_such):
        return load_run(connection, tenant, wanted)
