"""An evaluation as a job of the server: the run has the job's id."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from rag_core.configuration.schema import configure, of_search
from rag_core.errors import InvalidInputError
from rag_core.evaluation.jobs.queue import JobProgress, register
from rag_core.evaluation.runs.asking import MAX_CONCURRENCY
from rag_core.evaluation.runs.judges import build_judge
from rag_core.evaluation.runs.run import evaluate
from rag_core.evaluation.runs.served import evaluated_search, pinned
from rag_core.evaluation.runs.served_answers import ServedAnswers
from rag_core.model.golden import DEFAULT_SET
from rag_core.model.note import TenantId
from rag_core.runtime.engine import Engine

TIMEOUT_MS = 30_000
"""Quality is measured, so no query is cut short; how long it took is a figure of its own."""
STAGE = "evaluating"


class _Asked(BaseModel):
    """Parameters of an evaluation."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    set: str = DEFAULT_SET
    config: dict[str, Any] | None = None
    category: str | None = None
    answers: bool = False
    concurrency: int = Field(1, ge=1, le=MAX_CONCURRENCY)


def run_evaluation(
    engine: Engine, tenant: TenantId, parameters: Mapping[str, Any], progress: JobProgress
) -> dict[str, Any]:
    """Evaluate a set (``set``) as it is served, or with what ``config`` changes of that; the id of the stored run.

    ``category`` limits it, ``answers`` has the queries answered and judged, ``concurrency`` is how many are asked at a time.

    Raises:
        InvalidInputError: there is no such parameter, set or category, a parameter is out of bounds, or nothing to ask.
        EvaluationCancelledError, JobCancelledError: somebody cancelled it; nothing is stored.
    """
    asked = _parsed(parameters)
    result = {"run_id": str(progress.job_id)}
    engine = pinned(engine, tenant)
    override = of_search(asked.config or {})
    config = configure(override, base=engine.served_config(tenant))
    evaluated = evaluated_search(engine, tenant, config=config, timeout_ms=TIMEOUT_MS)
    if asked.answers:
        answerer = ServedAnswers(engine=engine, tenant=tenant, config=config, override=override)
        evaluated = replace(evaluated, answerer=answerer, judge=build_judge(engine))
    evaluate(
        engine.database,
        tenant,
        evaluated,
        set_name=asked.set,
        category=asked.category,
        run_id=progress.job_id,
        on_stored=lambda connection: progress.complete(connection, result),
        concurrency=asked.concurrency,
        should_stop=progress.should_stop,
        on_progress=lambda done, total: progress.report(STAGE, done, total),
    )
    return result


def _parsed(parameters: Mapping[str, Any]) -> _Asked:
    try:
        return _Asked.model_validate(dict(parameters))
    except ValidationError as error:
        told = (f"{'.'.join(map(str, one['loc']))}: {one['msg'].lower()}" for one in error.errors())
        raise InvalidInputError(f"{'; '.join(told)}; an evaluation takes {', '.join(_Asked.model_fields)}") from error


register("evaluation", run_evaluation)
