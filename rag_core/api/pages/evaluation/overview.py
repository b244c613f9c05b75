"""``/evaluation``: the first page about evaluation."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from fastapi import APIRouter, Depends, Response

from rag_core.api.access import Context
from rag_core.api.pages.evaluation.frame import framed, refuse_foreign_link, way
from rag_core.api.pages.evaluation.loading import load_history
from rag_core.api.pages.evaluation.views.beside import (
    SetCoverage,
    Work,
    configuration_lines,
    experiment_line,
    job_line,
    set_coverage,
)
from rag_core.api.pages.evaluation.views.overview import (
    Happened,
    alerts_happened,
    baselines_happened,
    models_happened,
    overview,
    promotions_happened,
)
from rag_core.api.pages.texts import Texts, tr
from rag_core.errors import RagError
from rag_core.evaluation.golden.statistics import fetch_set_contents
from rag_core.model.evaluation import StoredRun
from rag_core.model.note import TenantId
from rag_core.storage.database import Connection, Database
from rag_core.storage.evaluations import Baseline, list_baselines, list_runs
from rag_core.storage.experiments import list_experiments
from rag_core.storage.golden import list_golden_set_names
from rag_core.storage.jobs import list_jobs
from rag_core.storage.models import list_models
from rag_core.storage.reports import list_regression_alerts
from rag_core.telemetry.logs import log_degraded

MAX_RUNS = 500
MAX_LISTED = 10
PERIODS = Texts({"7": "la última semana", "30": "el último mes", "90": "los últimos tres meses", "": "siempre"})

router = APIRouter(include_in_schema=False, dependencies=[Depends(refuse_foreign_link)])


@router.get("/evaluation")
def show_overview(context: Context, conjunto: str = "", dias: str = "") -> Response:
    """Show the figures over time, the events meanwhile, and links to the details."""
    tenant, zone = context.tenant, context.zone
    with context.transaction() as connection:
        runs = list_runs(connection, tenant, limit=MAX_RUNS)
        baselines = list_baselines(connection, tenant)
        history = load_history(connection, tenant)
        jobs = list_jobs(connection, tenant, limit=MAX_LISTED)
        experiments = list_experiments(connection, tenant)
        names = list_golden_set_names(connection, tenant)
    sets = list(dict.fromkeys([*(run.set_name for run in runs), *names]))
    chosen = conjunto if conjunto in sets else sets[0] if sets else ""
    happened = [
        *promotions_happened(history),
        *baselines_happened(_of(chosen, baselines)),
        *_operators(context.database, tenant, zone),
    ]
    return framed(
        tenant,
        "evaluation/overview.html",
        path=way(),
        report=overview(_within(runs, chosen, dias), happened, _of(chosen, baselines), zone=zone, history=history),
        sets=sets,
        chosen=chosen,
        periods=PERIODS,
        period=dias if dias in PERIODS else "",
        coverage=[_coverage(context.database, tenant, name) for name in names[:MAX_LISTED]],
        works=_works(
            (tr("Trabajos del servidor"), [job_line(job, zone) for job in jobs]),
            (tr("Experimentos"), [experiment_line(one, count, zone) for one, count in experiments[:MAX_LISTED]]),
            (tr("Configuraciones"), configuration_lines(history, zone)[:MAX_LISTED]),
        ),
    )


def _within(runs: list[StoredRun], set_name: str, days: str) -> list[StoredRun]:
    """The runs of a set, of the last days where so many are asked for."""
    since = datetime.now(UTC) - timedelta(days=int(days)) if days and days in PERIODS else None
    return [run for run in runs if run.set_name == set_name and (since is None or run.created_at >= since)]


def _of(set_name: str, baselines: list[Baseline]) -> list[Baseline]:
    return [one for one in baselines if one.set_name == set_name]


def _operators(database: Database, tenant: TenantId, zone: ZoneInfo) -> list[Happened]:
    """Events that only the operator's tables know; the page does without them when the tables cannot be read."""
    try:
        with database.owner() as connection:
            return _happened_to(connection, tenant, zone)
    except RagError as error:
        log_degraded("evaluation page", error, tenant=tenant)
        return []


def _happened_to(owner: Connection, tenant: TenantId, zone: ZoneInfo) -> list[Happened]:
    alerts = list_regression_alerts(owner, tenant, limit=MAX_RUNS)
    return [*alerts_happened(alerts, zone), *models_happened(list_models(owner))]


def _coverage(database: Database, tenant: TenantId, name: str) -> SetCoverage:
    found = fetch_set_contents(database, tenant, set_name=name)
    return set_coverage(name, found.golden.version if found.golden else 0, found.vocabulary, found.statistics())


def _works(*lists: tuple[str, list[Work]]) -> list[tuple[str, list[Work]]]:
    """The lists that have something in them."""
    return [(title, works) for title, works in lists if works]
