"""``/api/v2/evaluation/golden-dataset``: golden sets of the vocabulary rag_v2; the set `rag-v2` unless another is named.

Relevant chunks are kept as the places that they cover, because chunks change with every indexing; what goes out are the chunks
that cover those places today.
"""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Annotated, Any
from urllib.parse import quote
from uuid import UUID

from fastapi import APIRouter, Path, Query, Response

from rag_core.api.access import Context, RequestContext
from rag_core.api.brain_sync.golden_dataset import statistics_to_wire
from rag_core.api.brain_sync.schemas_golden import GoldenDatasetV2, GoldenQueryV2, GoldenQueryV2In
from rag_core.api.errors import ExplainedError, explained
from rag_core.api.messages.golden import explained_golden
from rag_core.api.schemas import failures
from rag_core.errors import ConflictError, InvalidInputError, NotFoundError
from rag_core.evaluation.golden.chunks import fetch_relevant_chunks
from rag_core.evaluation.golden.edits import add_golden_query, delete_golden_query, update_golden_query
from rag_core.evaluation.golden.query import GivenRelevance
from rag_core.evaluation.golden.statistics import describe, fetch_set_contents
from rag_core.model.golden import GoldenQuery, difficulty_word
from rag_core.storage.golden import GoldenSet, find_golden_set
from rag_core.wire.values import moment_to_wire

DEFAULT_V2_SET = "rag-v2"
NO_SUCH_SET = "Diesen Datensatz gibt es nicht"
NO_SUCH_QUERY = "In diesem Datensatz gibt es keine Frage mit dieser Kennung"
SAME_QUERY = "Der Datensatz hat diese Frage schon; mit PUT lässt sie sich ändern"

router = APIRouter(prefix="/api/v2/evaluation/golden-dataset", tags=["rag v2"])
QueryPath = Annotated[UUID, Path(description="The golden query's UUID.")]
DatasetQuery = Annotated[
    str, Query(alias="datasetId", min_length=1, max_length=512, description="The set's id or name.")
]


@router.get("", response_model=GoldenDatasetV2, responses=failures(400, 404, 503))
def read_dataset(context: Context, dataset: DatasetQuery = DEFAULT_V2_SET) -> dict[str, Any]:
    """The set with its questions, in the order they were made, and what it holds."""
    golden = _find(context, dataset)
    if golden is None:
        empty = describe([], "rag_v2", chunks={})
        return _dataset(None, [], statistics_to_wire(empty))
    contents = fetch_set_contents(context.database, context.tenant, set_name=golden.name)
    queries = [_to_wire(query, contents.chunks.get(query.id, ())) for query in contents.queries]
    return _dataset(golden, queries, statistics_to_wire(contents.statistics()))


@router.post("", status_code=201, response_model=GoldenQueryV2, responses=failures(400, 404, 409, 415, 503))
def add(
    body: GoldenQueryV2In, response: Response, context: Context, dataset: DatasetQuery = DEFAULT_V2_SET
) -> dict[str, Any]:
    """Add a question; the set `rag-v2` is made by its first one."""
    golden = _find(context, dataset)
    with _told_in_german():
        added = add_golden_query(
            context.database,
            context.writing_tenant,
            query=body.query,
            expected_answer=body.expected_answer,
            category=body.category,
            difficulty=body.difficulty,
            relevance=_documents(body),
            relevant_chunk_ids=body.relevant_chunk_ids or (),
            key_facts=body.key_facts or (),
            forbidden_content=body.forbidden_content or (),
            created_by=body.created_by,
            verified_by=body.verified_by,
            set_name=golden.name if golden else DEFAULT_V2_SET,
            vocabulary="rag_v2",
        )
    response.headers["Location"] = f"/api/v2/evaluation/golden-dataset/{added.id}"
    return _with_chunks(context, added)


@router.put("/{query_id}", response_model=GoldenQueryV2, responses=failures(400, 404, 409, 415, 503))
def replace(
    query_id: QueryPath, body: GoldenQueryV2In, context: Context, dataset: DatasetQuery = DEFAULT_V2_SET
) -> dict[str, Any]:
    """Replace a question's fields; optional ones that are left out stay as they are."""
    golden = _existing(context, dataset)
    with _told_in_german():
        changed = update_golden_query(
            context.database,
            context.writing_tenant,
            query_id,
            query=body.query,
            expected_answer=body.expected_answer,
            category=body.category,
            difficulty=body.difficulty,
            relevance=_documents(body),
            relevant_chunk_ids=body.relevant_chunk_ids,
            key_facts=body.key_facts,
            forbidden_content=body.forbidden_content,
            created_by=body.created_by,
            verified_by=body.verified_by,
            within=golden.id,
        )
    return _with_chunks(context, changed)


@router.delete("/{query_id}", status_code=204, responses=failures(400, 404, 503))
def delete(query_id: QueryPath, context: Context, dataset: DatasetQuery = DEFAULT_V2_SET) -> None:
    """Delete a question."""
    golden = _existing(context, dataset)
    with explained(NotFoundError, NO_SUCH_QUERY):
        delete_golden_query(context.database, context.writing_tenant, query_id, within=golden.id)


@contextmanager
def _told_in_german() -> Iterator[None]:
    with explained(NotFoundError, NO_SUCH_QUERY), explained(ConflictError, SAME_QUERY), explained_golden("de"):
        yield


def _find(context: RequestContext, dataset: str) -> GoldenSet | None:
    """The set of that id or name; None for the default one before its first question."""
    with context.transaction() as connection:
        found = find_golden_set(connection, context.tenant, dataset)
    if found is None and dataset != DEFAULT_V2_SET:
        raise ExplainedError(NO_SUCH_SET, kind=NotFoundError)
    if found is not None and found.vocabulary != "rag_v2":
        address = f"/api/golden-dataset?set={quote(found.name)}"
        details = f"Der Datensatz „{found.name}“ hat das Vokabular brain_sync; er steht unter {address}"
        raise ExplainedError(details, kind=InvalidInputError)
    return found


def _existing(context: RequestContext, dataset: str) -> GoldenSet:
    golden = _find(context, dataset)
    if golden is None:
        raise ExplainedError(NO_SUCH_QUERY, kind=NotFoundError)
    return golden


def _documents(body: GoldenQueryV2In) -> list[GivenRelevance]:
    return [GivenRelevance(note=name.strip()) for name in body.relevant_document_ids]


def _with_chunks(context: RequestContext, query: GoldenQuery) -> dict[str, Any]:
    with context.transaction() as connection:
        chunks = fetch_relevant_chunks(connection, context.tenant, [query])
    return _to_wire(query, chunks.get(query.id, ()))


def _dataset(golden: GoldenSet | None, queries: list[dict[str, Any]], statistics: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": str(golden.id) if golden else None,
        "name": golden.name if golden else DEFAULT_V2_SET,
        "version": golden.version if golden else 0,
        "createdAt": moment_to_wire(golden.created_at) if golden else None,
        "queries": queries,
        "statistics": statistics,
    }


def _to_wire(query: GoldenQuery, chunks: Collection[UUID]) -> dict[str, Any]:
    return {
        "id": str(query.id),
        "query": query.query,
        "expectedAnswer": query.expected_answer,
        "relevantDocumentIds": [str(note) for note in query.relevant_note_ids],
        "relevantChunkIds": sorted(str(chunk) for chunk in chunks),
        "category": query.category,
        "difficulty": difficulty_word(query.difficulty),
        "keyFacts": list(query.key_facts),
        "forbiddenContent": list(query.forbidden_content),
        "createdBy": query.created_by,
        "verifiedBy": query.verified_by,
        "lastUpdated": moment_to_wire(query.updated_at),
    }
