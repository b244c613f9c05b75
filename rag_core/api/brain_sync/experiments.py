"""``/api/experiments``: what experiments on live queries tell, and what readers made of the answers that take part."""

from typing import Annotated, Any

from fastapi import APIRouter, Path

from rag_core.api.access import Context
from rag_core.api.brain_sync.schemas_experiments import ExperimentOut, ExperimentsOut, FeedbackIn, FeedbackOut
from rag_core.api.errors import explained
from rag_core.api.pages.evaluation.views.experiment import experiment_verdict
from rag_core.api.schemas import failures
from rag_core.errors import ConflictError, InvalidInputError, NotFoundError
from rag_core.experiments.feedback import give_feedback
from rag_core.experiments.report import experiment_to_json, fetch_report
from rag_core.model.note import NoteId
from rag_core.storage.experiments import list_experiments
from rag_core.wire.values import camel_keys

NO_SUCH_ANSWER = "No existe ninguna respuesta de un experimento con ese queryId; está en metadata.experiment"
HAS_ENDED = "El experimento ha terminado; sus respuestas ya no admiten opiniones"
NOT_OF_THE_ANSWER = "noteId debe ser una de las notas de la respuesta; solo «helpful» y «unhelpful» pueden ir sin nota"
NO_SUCH_EXPERIMENT = "No existe ningún experimento con ese nombre o identificador; GET /api/experiments los enumera"

router = APIRouter(prefix="/api/experiments", tags=["experiments"])
NamePath = Annotated[str, Path(description="The experiment's name, or its id.")]


@router.get("", response_model=ExperimentsOut, responses=failures(503))
def list_all(context: Context) -> dict[str, Any]:
    """All experiments, newest first."""
    with context.transaction() as connection:
        found = list_experiments(connection, context.tenant)
    return {"experiments": [camel_keys(experiment_to_json(one)) | {"queries": queries} for one, queries in found]}


@router.post("/feedback", response_model=FeedbackOut, responses=failures(400, 404, 409, 415, 503))
def add_feedback(body: FeedbackIn, context: Context) -> dict[str, Any]:
    """Say that a note of an answer was opened, or that the note or the whole answer helped or did not.

    The same again changes nothing. When the experiment has ended nothing is taken any more (409).
    """
    note_id = None if body.note_id is None else NoteId(body.note_id)
    with (
        explained(NotFoundError, NO_SUCH_ANSWER),
        explained(InvalidInputError, NOT_OF_THE_ANSWER),
        explained(ConflictError, HAS_ENDED),
    ):
        is_new = give_feedback(
            context.database,
            context.tenant,
            body.query_id,
            note_id=note_id,
            kind=body.kind,
            timeout_ms=context.timeout_ms,
        )
    return {
        "queryId": str(body.query_id),
        "noteId": None if note_id is None else str(note_id),
        "kind": body.kind,
        "isNew": is_new,
    }


@router.get("/{name}", response_model=ExperimentOut, responses=failures(404, 503))
def show(name: NamePath, context: Context) -> dict[str, Any]:
    """An experiment with its figures up to now, and how many more live queries it needs."""
    with explained(NotFoundError, NO_SUCH_EXPERIMENT):
        report = fetch_report(
            context.database,
            context.tenant,
            name,
            served=context.engine.served(context.tenant),
            model=context.engine.model,
        )
    document = camel_keys(report.to_json())
    return {
        **document,
        "isPaused": report.pause is not None,
        "conclusion": experiment_verdict(report.figures)[0],
    }
