"""``/api/golden-dataset``: sets of questions with the notes that answer them; the set `default` unless another is named."""

from datetime import datetime
from typing import Annotated, Any
from urllib.parse import quote
from uuid import UUID

from fastapi import APIRouter, Path, Query, Response

from rag_core.api.access import Context
from rag_core.api.brain_sync.golden_import import import_document
from rag_core.api.brain_sync.schemas_golden import (
    GoldenDocument,
    GoldenExport,
    GoldenImported,
    GoldenIn,
    GoldenList,
    GoldenOut,
    GoldenStatisticsOut,
    RelevanceIn,
)
from rag_core.api.errors import ExplainedError, explained
from rag_core.api.messages.golden import explained_golden
from rag_core.api.schemas import failures
from rag_core.errors import ConflictError, InvalidInputError, NotFoundError
from rag_core.evaluation.golden.edits import (
    add_golden_query,
    delete_golden_query,
    list_golden_queries,
    update_golden_query,
)
from rag_core.evaluation.golden.exporting import export_document
from rag_core.evaluation.golden.query import GivenRelevance, GivenSpan
from rag_core.evaluation.golden.statistics import CategoryCoverage, GoldenStatistics, fetch_set_contents
from rag_core.model.golden import DEFAULT_SET, GoldenQuery, GoldenSpan, difficulty_word
from rag_core.model.note import NoteId
from rag_core.storage.golden import fetch_golden_query
from rag_core.wire.values import moment_to_wire

NO_SUCH_QUERY = "No existe ninguna consulta de referencia con ese identificador"
NO_SUCH_NOTE = "Alguna de las notas de relevantNoteIds no existe"
NO_SUCH_SET = "No existe ningún conjunto de referencia con ese nombre"
SAME_QUERY = "El conjunto de referencia ya tiene esa consulta; usa PUT para cambiarla"

router = APIRouter(prefix="/api/golden-dataset", tags=["golden dataset"])
QueryPath = Annotated[UUID, Path(description="The golden query's UUID.")]
SetQuery = Annotated[
    str, Query(alias="set", min_length=1, max_length=512, description="The set's name.", examples=[DEFAULT_SET])
]


@router.post("", status_code=201, response_model=GoldenOut, responses=failures(400, 404, 409, 415, 503))
def add(body: GoldenIn, response: Response, context: Context, set_name: SetQuery = DEFAULT_SET) -> dict[str, Any]:
    """Add a question with the notes that answer it; the notes must exist. A set is made by its first question."""
    with (
        explained(NotFoundError, NO_SUCH_NOTE),
        explained(ConflictError, SAME_QUERY),
        explained_golden("es"),
    ):
        added = add_golden_query(
            context.database,
            context.writing_tenant,
            query=body.query,
            relevant_note_ids=body.relevant_note_ids,
            relevance=_given(body.relevance or []),
            expected_answer=body.expected_answer,
            category=body.category,
            difficulty=body.difficulty,
            tags=body.tags or (),
            key_facts=body.key_facts or (),
            forbidden_content=body.forbidden_content or (),
            created_by=body.created_by,
            verified_by=body.verified_by,
            set_name=set_name,
        )
    response.headers["Location"] = f"/api/golden-dataset/{added.id}"
    return _to_wire(added)


@router.get("", response_model=GoldenList, responses=failures(400, 404, 503))
def list_all(context: Context, set_name: SetQuery = DEFAULT_SET) -> dict[str, Any]:
    """All questions of the set, in the order they were made."""
    with explained(NotFoundError, NO_SUCH_SET):
        found = list_golden_queries(context.database, context.tenant, set_name=set_name)
    return {"queries": [_to_wire(query) for query in found]}


@router.get("/statistics", response_model=GoldenStatisticsOut, responses=failures(400, 404, 503))
def statistics(context: Context, set_name: SetQuery = DEFAULT_SET) -> dict[str, Any]:
    """Count the set's queries by category and difficulty, and list what it lacks."""
    with explained(NotFoundError, NO_SUCH_SET):
        contents = fetch_set_contents(context.database, context.tenant, set_name=set_name)
    found = contents.statistics()
    return {
        "set": contents.name,
        "vocabulary": contents.vocabulary,
        "version": contents.golden.version if contents.golden else 0,
        **statistics_to_wire(found),
        "verified": found.verified,
        "retrievalOnly": found.retrieval_only,
        "withSpans": found.with_spans,
        "lostSpans": found.lost_spans,
        "withoutNotes": found.without_notes,
        "coverage": [_coverage_to_wire(one) for one in found.coverage],
        "minimum": found.minimum,
        "missing": found.missing,
    }


@router.post("/export", response_model=GoldenExport, responses=failures(400, 404, 503))
def export_all(context: Context, set_name: SetQuery = DEFAULT_SET) -> dict[str, Any]:
    """The set as one document that `import` takes, here or elsewhere: notes go by their external ids."""
    with explained(NotFoundError, NO_SUCH_SET):
        document = export_document(context.database, context.tenant, set_name=set_name)
    return {**document, "queries": [_line_to_wire(line) for line in document["queries"]]}


@router.post("/import", response_model=GoldenImported, responses=failures(400, 413, 415, 503))
def import_all(document: GoldenDocument, context: Context, set_name: SetQuery = DEFAULT_SET) -> dict[str, Any]:
    """Take the good questions of an exported document and list the others; one that is there is replaced.

    When none can be taken the answer is 400.
    """
    if document.set not in (None, set_name):
        details = (
            f"El documento es del conjunto «{document.set}»; para importarlo allí, indica ?set={quote(document.set)}"
        )
        raise ExplainedError(details, kind=InvalidInputError)
    with explained_golden("es"):
        imported, rejected = import_document(
            context.database,
            context.writing_tenant,
            document.queries,
            set_name=set_name,
            vocabulary=document.vocabulary,
        )
    if not imported:
        place, reason = min(rejected.items())
        details = f"No se pudo importar ninguna consulta. La número {place}: {reason}"
        raise ExplainedError(details, kind=InvalidInputError)
    listed = [{"line": number, "error": error} for number, error in sorted(rejected.items())]
    return {"imported": imported, "rejected": listed}


@router.get("/{query_id}", response_model=GoldenOut, responses=failures(400, 404, 503))
def read(query_id: QueryPath, context: Context) -> dict[str, Any]:
    """One question, of any set."""
    with context.transaction() as connection:
        found = fetch_golden_query(connection, context.tenant, query_id)
    if found is None:
        raise ExplainedError(NO_SUCH_QUERY, kind=NotFoundError)
    return _to_wire(found)


@router.put("/{query_id}", response_model=GoldenOut, responses=failures(400, 404, 409, 415, 503))
def replace(query_id: QueryPath, body: GoldenIn, context: Context) -> dict[str, Any]:
    """Replace the fields of a question; optional ones that are left out stay, as do grades and spans of notes that stay."""
    details = "No existe esa consulta de referencia, o alguna de las notas de relevantNoteIds"
    with explained(NotFoundError, details), explained(ConflictError, SAME_QUERY), explained_golden("es"):
        changed = update_golden_query(
            context.database,
            context.writing_tenant,
            query_id,
            query=body.query,
            relevant_note_ids=body.relevant_note_ids,
            relevance=_given(body.relevance or []),
            expected_answer=body.expected_answer,
            category=body.category,
            difficulty=body.difficulty,
            tags=body.tags,
            key_facts=body.key_facts,
            forbidden_content=body.forbidden_content,
            created_by=body.created_by,
            verified_by=body.verified_by,
        )
    return _to_wire(changed)


@router.delete("/{query_id}", status_code=204, responses=failures(400, 404, 503))
def delete(query_id: QueryPath, context: Context) -> None:
    """Delete a question."""
    with explained(NotFoundError, NO_SUCH_QUERY):
        delete_golden_query(context.database, context.writing_tenant, query_id)


def statistics_to_wire(found: GoldenStatistics) -> dict[str, Any]:
    """The statistics of a golden set in the words of RAG V2."""
    return {
        "totalQueries": found.total_queries,
        "byCategory": dict(found.by_category),
        "byDifficulty": dict(found.by_difficulty),
        "avgRelevantDocs": found.avg_relevant_notes,
        "avgRelevantChunks": found.avg_relevant_chunks,
    }


def _coverage_to_wire(coverage: CategoryCoverage) -> dict[str, Any]:
    return {
        "category": coverage.category,
        "total": coverage.total,
        "byDifficulty": dict(coverage.by_difficulty),
        "minimum": coverage.minimum,
        "missing": coverage.missing,
    }


def _given(relevance: list[RelevanceIn]) -> list[GivenRelevance]:
    return [
        GivenRelevance(
            note=NoteId(one.note_id),
            grade=one.grade,
            spans=None
            if one.spans is None
            else tuple(GivenSpan(start=span.start, end=span.end, quote=span.quote) for span in one.spans),
        )
        for one in relevance
    ]


def _to_wire(query: GoldenQuery) -> dict[str, Any]:
    return {
        "id": str(query.id),
        "query": query.query,
        "relevantNoteIds": [str(note) for note in query.relevant_note_ids],
        "relevance": [
            {"noteId": str(one.note_id), "grade": one.grade, "spans": [_span_to_wire(span) for span in one.spans]}
            for one in query.relevance
        ],
        "expectedAnswer": query.expected_answer,
        "vocabulary": query.vocabulary,
        "category": query.category,
        "difficulty": difficulty_word(query.difficulty) if query.vocabulary == "rag_v2" else query.difficulty,
        "tags": list(query.tags),
        "keyFacts": list(query.key_facts),
        "forbiddenContent": list(query.forbidden_content),
        "createdBy": query.created_by,
        "verifiedBy": query.verified_by,
        "verifiedAt": None if query.verified_at is None else moment_to_wire(query.verified_at),
        "createdAt": moment_to_wire(query.created_at),
        "updatedAt": moment_to_wire(query.updated_at),
    }


def _span_to_wire(span: GoldenSpan) -> dict[str, Any]:
    return {"start": span.start, "end": span.end, "quote": span.quote}


def _line_to_wire(line: dict[str, Any]) -> dict[str, Any]:
    verified_at = line.get("verified_at")
    return {
        "id": line["id"],
        "query": line["query"],
        "relevantIds": line["relevant_ids"],
        "relevance": line.get("relevance", []),
        "expectedAnswer": line["answer"],
        "category": line["category"],
        "difficulty": line["difficulty"],
        "tags": line["tags"],
        "keyFacts": line.get("key_facts", []),
        "forbiddenContent": line.get("forbidden_content", []),
        "createdBy": line.get("created_by"),
        "verifiedBy": line.get("verified_by"),
        "verifiedAt": verified_at and moment_to_wire(datetime.fromisoformat(verified_at)),
        "createdAt": moment_to_wire(datetime.fromisoformat(line["created_at"])),
        "updatedAt": moment_to_wire(datetime.fromisoformat(line["updated_at"])),
    }
