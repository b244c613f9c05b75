"""``/evaluation/tuning``, ``/evaluation/benchmarks`` and ``/evaluation/experiments``: what came of a piece of work."""

from uuid import UUID

from fastapi import APIRouter, Depends, Response

from rag_core.api.access import Context, RequestContext
from rag_core.api.errors import ExplainedError, explained
from rag_core.api.pages.evaluation.frame import framed, not_here, refuse_foreign_link
from rag_core.api.pages.evaluation.views.benchmark import benchmark_report
from rag_core.api.pages.evaluation.views.experiment import experiment_report
from rag_core.api.pages.evaluation.views.work import (
    TrialLine,
    WorkReport,
    configuration_report,
    trial_lines,
    tuning_report,
)
from rag_core.api.pages.texts import Texts, tr
from rag_core.errors import NotFoundError
from rag_core.experiments.report import figures_of
from rag_core.model.note import TenantId
from rag_core.promotion.served_runs import trials_of
from rag_core.storage.configurations import Configuration, fetch_configuration
from rag_core.storage.evaluations import list_runs
from rag_core.storage.experiments import find_experiment, list_experiment_queries
from rag_core.storage.jobs import Job, JobKind, fetch_job

_NO_SUCH = Texts(
    {
        "job": "No existe ningún trabajo de esa clase con ese identificador",
        "configuration": "No existe ninguna configuración con ese número",
        "experiment": "No existe ningún experimento con ese identificador",
    }
)
_NUMBER_DIGITS = 10

MAX_RUNS = 500
"""Greatest number of runs searched for trials of a configuration."""

router = APIRouter(prefix="/evaluation", include_in_schema=False, dependencies=[Depends(refuse_foreign_link)])


@router.get("/tuning/{job_or_number}")
def show_tuning(job_or_number: str, context: Context) -> Response:
    """Show the result of a tuning, by its job or by the number of the configuration that it proposed."""
    if not job_or_number.isdecimal():
        return _page(context.tenant, tuning_report(_result(context, job_or_number, "tuning"), None))
    if len(job_or_number) > _NUMBER_DIGITS:
        raise ExplainedError(not_here(_NO_SUCH["configuration"], context.tenant), kind=NotFoundError)
    configuration, trials = _configuration(context, int(job_or_number))
    if configuration.origin == "tuning" and "metrics" in configuration.evidence:
        return _page(context.tenant, tuning_report(configuration.evidence, configuration, trials))
    return _page(context.tenant, configuration_report(configuration, trials, context.zone))


@router.get("/benchmarks/{job_id}")
def show_benchmark(job_id: str, context: Context) -> Response:
    """Embedding models side by side."""
    return _page(context.tenant, benchmark_report(_result(context, job_id, "embedding_benchmark")))


@router.get("/experiments/{experiment_id}")
def show_experiment(experiment_id: str, context: Context) -> Response:
    """An experiment on live queries."""
    tenant = context.tenant
    with explained(NotFoundError, not_here(_NO_SUCH["experiment"], tenant)), context.transaction() as connection:
        experiment = find_experiment(connection, tenant, experiment_id)
        queries = list_experiment_queries(connection, tenant, experiment.id)
    return _page(tenant, experiment_report(experiment, figures_of(experiment, queries), context.zone))


def _page(tenant: TenantId, report: WorkReport) -> Response:
    return framed(tenant, "evaluation/work.html", report=report)


def _configuration(context: RequestContext, number: int) -> tuple[Configuration, tuple[TrialLine, ...]]:
    """A configuration with its trials, newest first.

    Raises:
        ExplainedError: there is none of that number.
    """
    tenant = context.tenant
    if number > 2**31 - 1:
        raise ExplainedError(not_here(_NO_SUCH["configuration"], tenant), kind=NotFoundError)
    with explained(NotFoundError, not_here(_NO_SUCH["configuration"], tenant)), context.transaction() as connection:
        configuration = fetch_configuration(connection, tenant, number)
        trials = trials_of(number, list_runs(connection, tenant, limit=MAX_RUNS))
    return configuration, trial_lines(trials, context.zone)


def _result(context: RequestContext, job_id: str, kind: JobKind) -> dict[str, object]:
    """Return the result of a job of this kind.

    Raises:
        ExplainedError: there is no such job, or it has no result.
    """
    job = _job(context, job_id)
    if job.kind != kind:
        raise ExplainedError(not_here(_NO_SUCH["job"], context.tenant), kind=NotFoundError)
    if job.result is None:
        raise ExplainedError(tr("El trabajo no ha terminado: no tiene resultado que mostrar"), kind=NotFoundError)
    return dict(job.result)


def _job(context: RequestContext, job_id: str) -> Job:
    tenant = context.tenant
    try:
        wanted = UUID(job_id)
    except ValueError as error:
        raise ExplainedError(not_here(_NO_SUCH["job"], tenant), kind=NotFoundError) from error
    with explained(NotFoundError, not_here(_NO_SUCH["job"], tenant)), context.transaction() as connection:
        return fetch_job(connection, tenant, wanted)
