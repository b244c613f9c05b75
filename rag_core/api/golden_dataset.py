"""``/api/golden-dataset``: the set `default` of questions with the notes that answer them."""

from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Path, Response

from rag_core.api.access import EngineOf
from rag_core.api.errors import ExplainedError, explained
from rag_core.api.golden_import import import_document
from rag_core.api.schemas import (
    GoldenDocument,
    GoldenExport,
    GoldenImported,
    GoldenIn,
    GoldenList,
    GoldenOut,
    failures,
)
from rag_core.errors import ConflictError, InvalidInputError, NotFoundError
from rag_core.evaluation.golden_edits import (
    add_golden_query,
    delete_golden_query,
    list_golden_queries,
    update_golden_query,
)
from rag_core.evaluation.golden_query import DEFAULT_SET, GoldenQuery
from rag_core.evaluation.golden_set import export_golden
from rag_core.storage.golden import fetch_golden_query
from rag_core.wire import moment_to_wire

NO_SUCH_QUERY = "No existe ninguna consulta de referencia con ese identificador"
NO_SUCH_NOTE = "Alguna de las notas de relevantNoteIds no existe"
SAME_QUERY = "El conjunto de referencia ya tiene esa consulta; usa PUT para cambiarla"

router = APIRouter(prefix="/api/golden-dataset", tags=["golden dataset"])
QueryPath = Annotated[UUID, Path(description="The golden query's UUID.")]


@router.post("", status_code=201, response_model=GoldenOut, responses=failures(400, 404, 409, 415, 503))
def add(body: GoldenIn, response: Response, engine: EngineOf) -> dict[str, Any]:
    """Add a question with the notes that answer it; the notes must exist."""
    with (
        explained(NotFoundError, NO_SUCH_NOTE),
        explained(ConflictError, SAME_QUERY),
    ):
        added = add_golden_query(
            engine.database,
            engine.writing_tenant(),
            query=body.query,
            relevant_note_ids=body.relevant_note_ids,
            expected_answer=body.expected_answer,
            category=body.category,
            difficulty=body.difficulty,
            tags=body.tags,
        )
    response.headers["Location"] = f"/api/golden-dataset/{added.id}"
    return _to_wire(added)


@router.get("", response_model=GoldenList, responses=failures(503))
def list_all(engine: EngineOf) -> dict[str, Any]:
    """All questions of the set, in the order they were made."""
    found = list_golden_queries(engine.database, engine.tenant())
    return {"queries": [_to_wire(query) for query in found]}


@router.post("/export", response_model=GoldenExport, responses=failures(503))
def export_all(engine: EngineOf) -> dict[str, Any]:
    """The set as one document that `import` takes, here or elsewhere: notes go by their external ids."""
    lines = export_golden(engine.database, engine.tenant())
    return {"set": DEFAULT_SET, "queries": [_line_to_wire(line) for line in lines]}


@router.post("/import", response_model=GoldenImported, responses=failures(400, 413, 415, 503))
def import_all(document: GoldenDocument, engine: EngineOf) -> dict[str, Any]:
    """Take the good questions of an exported document and list the others; one that is there is replaced.

    When none can be taken the answer is 400.
    """
    imported, rejected = import_document(engine.database, engine.writing_tenant(), document.queries)
    if not imported:
        place, reason = min(rejected.items())
        details = f"No se pudo importar ninguna consulta. La número {place}: {reason}"
        raise ExplainedError(details, kind=InvalidInputError)
    listed = [{"line": number, "error": error} for number, error in sorted(rejected.items())]
    return {"imported": imported, "rejected": listed}


@router.get("/{query_id}", response_model=GoldenOut, responses=failures(400, 404, 503))
def read(query_id: QueryPath, engine: EngineOf) -> dict[str, Any]:
    """One question."""
    tenant = engine.tenant()
    with engine.database.transaction(tenant, timeout_ms=engine.settings.request_timeout_ms) as connection:
        found = fetch_golden_query(connection, tenant, query_id)
    if found is None:
        raise ExplainedError(NO_SUCH_QUERY, kind=NotFoundError)
    return _to_wire(found)


@router.put("/{query_id}", response_model=GoldenOut, responses=failures(400, 404, 409, 415, 503))
def replace(query_id: QueryPath, body: GoldenIn, engine: EngineOf) -> dict[str, Any]:
    """Replace all fields of a question."""
    details = "No existe esa consulta de referencia, o alguna de las notas de relevantNoteIds"
    with explained(NotFoundError, details), explained(ConflictError, SAME_QUERY):
        changed = update_golden_query(
            engine.database,
            engine.writing_tenant(),
            query_id,
            query=body.query,
            relevant_note_ids=body.relevant_note_ids,
            expected_answer=body.expected_answer,
            category=body.category,
            difficulty=body.difficulty,
            tags=body.tags,
        )
    return _to_wire(changed)


@router.delete("/{query_id}", status_code=204, responses=failures(400, 404, 503))
def delete(query_id: QueryPath, engine: EngineOf) -> None:
    """Delete a question."""
    with explained(NotFoundError, NO_SUCH_QUERY):
        delete_golden_query(engine.database, engine.writing_tenant(), query_id)


def _to_wire(query: GoldenQuery) -> dict[str, Any]:
    return {
        "id": str(query.id),
        "query": query.query,
        "relevantNoteIds": [str(note) for note in query.relevant_note_ids],
        "expectedAnswer": query.expected_answer,
        "category": query.category,
        "difficulty": query.difficulty,
        "tags": list(query.tags),
        "createdAt": moment_to_wire(query.created_at),
        "updatedAt": moment_to_wire(query.updated_at),
    }


def _line_to_wire(line: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": line["id"],
        "query": line["query"],
        "relevantIds": line["relevant_ids"],
        "expectedAnswer": line["answer"],
        "category": line["category"],
        "difficulty": line["difficulty"],
        "tags": line["tags"],
        "createdAt": moment_to_wire(datetime.fromisoformat(line["created_at"])),
        "updatedAt": moment_to_wire(datetime.fromisoformat(line["updated_at"])),
    }
