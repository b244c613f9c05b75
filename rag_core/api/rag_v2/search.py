"""``POST /api/v2/rag/search``: passages, and what the router made of the question."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from fastapi import APIRouter, Request

from rag_core.api.access import ROUTING, Context, RequestContext, time_left_ms
from rag_core.api.asking import refusals_told
from rag_core.api.errors import explained
from rag_core.api.places import pace_of
from rag_core.api.rag_v2.routed import (
    GERMAN_FIRST,
    WARNINGS,
    analysis_to_wire,
    german_warnings,
    graph_to_wire,
)
from rag_core.api.rag_v2.schemas_search import SearchFiltersV2, SearchRequestV2, SearchResponseV2
from rag_core.api.rag_v2.sections import place_in_hierarchy
from rag_core.api.rag_v2.tables import find_first_rows, tables_to_wire
from rag_core.api.schemas_answers import question_failures
from rag_core.api.searching import find, read_filters
from rag_core.api.streaming import searched
from rag_core.errors import DeadlineExceededError, InvalidInputError
from rag_core.guardrails.incoming import check_question
from rag_core.guardrails.policies import Hiding, hiding, redaction_policy, thresholds_of
from rag_core.model.note import ChunkId, department_key
from rag_core.model.retrieval import Filters, Hit
from rag_core.resilience.cancellation import Cancellation
from rag_core.retrieval.deadline import Deadline
from rag_core.retrieval.legs import HYDE, OUT_OF_TIME
from rag_core.retrieval.routed import Routed, arranged, figures_of, of_tables, routed, routed_config, wants_tables
from rag_core.wire.values import moment_to_wire, place_to_wire

LEAST_HIDING_MS = 250
"""For hiding personal data in what was found, however long the search took: without it nothing can be shown."""
WRONG_DATES = "filters.dateRange: erwartet werden Daten nach ISO 8601 wie 2025-03-01, from vor to"
WRONG_TOPICS = "filters: ein Schlagwort ist leer oder enthält ein unzulässiges Zeichen"
WRONG_DOCUMENTS = (
    "filters.documentIds: ein Dokument gibt es nicht, oder es steht in mehreren Quellen und heißt quelle:id"
)

router = APIRouter(prefix="/api/v2/rag", tags=["rag v2"])


@router.post("/search", response_model=SearchResponseV2, responses=question_failures(404, 502))
async def search(body: SearchRequestV2, request: Request, context: Context) -> Any:
    """Search with the strategy that the question asks for, or the one that is given.

    `vector_only` goes by meaning alone; `hybrid` by words and meaning; `hybrid_with_graph_refinement` also follows what the notes say
    led to what, for questions about causes and effects; `table_focused` searches tables first and shows them before text;
    `multi_index` searches text, tables and graph, deeper, and shows a passage of every document before a second of any. `tables` has
    rows with their headers. `score` keeps the search's own scale.
    Personal data and secrets are hidden in passages as they are in answers.
    """
    pace = pace_of(request, context.caller)

    def record(routing: Routed) -> None:
        request.scope[ROUTING] = figures_of(routing)

    return await searched(request, lambda cancellation: _found(body, context, pace, record, cancellation=cancellation))


def _found(
    body: SearchRequestV2,
    context: RequestContext,
    pace: Callable[[], None],
    record: Callable[[Routed], None],
    *,
    cancellation: Cancellation,
) -> dict[str, Any]:
    began, settings = time.perf_counter(), context.settings
    pace()  # what the search computes counts
    with refusals_told("de"):
        checked = check_question(
            body.query,
            minimum=settings.guardrails_question_min_characters,
            maximum=settings.guardrails_question_max_characters,
            policy=settings.guardrails_injection,
            thresholds=thresholds_of(settings),
            check_rate=context.count_question,
            is_trusted=context.caller.is_trusted,
        )
    context = narrowed(context, body.filters)
    routing = routed(
        checked.text, strategy=body.strategy, include_graph=body.include_graph_refinement, known=GERMAN_FIRST
    )
    record(routing)
    config = routed_config(
        context.served().config,
        routing,
        limit=body.limit,
        rerank=body.rerank,
        alpha=body.hybrid_alpha,
        with_sections=body.include_parent_chunks,
    )
    filters = german_filters(context, body.filters)
    found = find(context, checked.text, config, filters, cancellation=cancellation)
    tables, told = list[Hit](), german_warnings(found)
    if wants_tables(routing.strategy) if body.search_tables is None else body.search_tables:
        only = replace(filters, tables_only=True)
        beside = find(context, checked.text, of_tables(config), only, cancellation=cancellation)
        tables, told = list(beside.hits), [*told, *german_warnings(beside)]
    hits = arranged(found.hits, tables, routing.strategy, limit=body.limit)
    policy = redaction_policy("rag_v2", settings.guardrails_personal_data)
    deadline = Deadline.after_ms(max(LEAST_HIDING_MS, time_left_ms(context.timeout_ms)))

    def check() -> None:
        pace()
        deadline.check()

    hide = hiding(policy, "de", check=check)
    graph = graph_to_wire(found, routing, hide)
    results = _results(hits, hide, with_parents=body.include_parent_chunks)
    shown = _shown_tables(tables, hide, find_first_rows(context, tables))
    late = [WARNINGS[OUT_OF_TIME]] if len(results) < len(hits) or (tables and not shown) else []
    return {
        "results": results,
        "tables": shown,
        "totalCandidates": found.candidates,
        "queryAnalysis": analysis_to_wire(routing.analysis),
        "graphContext": graph,
        "searchTime": (time.perf_counter() - began) * 1000,
        "strategy": routing.strategy,
        "warnings": list(dict.fromkeys([*checked.messages("de"), *told, *late])),
    }


def _shown_tables(
    tables: Sequence[Hit], hide: Hiding, first_rows: Mapping[ChunkId, int | None]
) -> list[dict[str, Any]]:
    """The parts of tables as they may be shown; none where there was no time for it."""
    try:
        return tables_to_wire(tables, hide, first_rows)
    except DeadlineExceededError:
        return []


def narrowed(context: RequestContext, filters: SearchFiltersV2 | None) -> RequestContext:
    """The request as these departments see it, as far as the caller may see it too; without departments the same.

    The tenant is the one that the caller sees: a narrower view of the notes is no reason to show the demo.
    """
    if filters is None or not filters.departments:
        return context
    departments = context.caller.departments
    own = None if departments is None else {department_key(name) for name in departments}
    wanted = [name for name in filters.departments if own is None or department_key(name) in own]
    return context.seen_by(wanted)


def german_filters(context: RequestContext, filters: SearchFiltersV2 | None) -> Filters:
    """The filters, with what is wrong about them told in German.

    Raises:
        ExplainedError: a date, a topic or a document cannot be taken.
    """
    wire = filters or SearchFiltersV2()
    dates = wire.date_range
    since, until = (None, None) if dates is None else (dates.since, dates.until)
    with explained(InvalidInputError, WRONG_DATES):
        read_filters(context, {"from": since, "to": until})
    with explained(InvalidInputError, WRONG_TOPICS):
        read_filters(context, {"topics": wire.topics})
    with explained(InvalidInputError, WRONG_DOCUMENTS):
        return read_filters(
            context,
            {
                "from": since,
                "to": until,
                "documentTypes": wire.document_types,
                "topics": wire.topics,
                "languages": wire.languages,
                "documentIds": wire.document_ids,
            },
        )


def _results(hits: Sequence[Hit], hide: Hiding, *, with_parents: bool) -> list[dict[str, Any]]:
    """The passages as they may be shown, best first; those that there was no time for are left out.

    Raises:
        DeadlineExceededError: there was time for none.
    """
    results: list[dict[str, Any]] = []
    for rank, hit in enumerate(hits, start=1):
        try:
            results.append(_result(hit, rank, hide, with_parent=with_parents))
        except DeadlineExceededError:
            if not results:
                raise
            break
    return results


def _result(hit: Hit, rank: int, hide: Hiding, *, with_parent: bool) -> dict[str, Any]:
    """A passage with RAG V2's names."""
    return {
        "id": str(hit.chunk_id),
        "documentId": str(hit.note_id),
        "documentTitle": hide(hit.title or hit.external_id),
        "content": hide(hit.content),
        **place_in_hierarchy(hit.note_id, hit.chunk_id, hit.section),
        "parentContent": hide(hit.expanded_content) if with_parent else None,
        "score": hit.score,
        "vectorScore": _best_of(hit, "semantic"),
        "bm25Score": _best_of(hit, "fulltext"),
        "rank": rank,
        "createdAt": moment_to_wire(hit.created_at),
        "metadata": {
            "externalId": hit.external_id,
            "source": hit.source,
            "language": hit.language,
            "chunkIndex": hit.chunk_index,
            **place_to_wire(hit),
            "retrievalMethod": hit.method,
            "ranks": dict(hit.ranks),
            "fusionScore": hit.fusion_score,
            "rerankScore": hit.rerank_score,
            "isAboveThreshold": hit.is_above_threshold,
        },
    }


def _best_of(hit: Hit, leg: str) -> float | None:
    """The best score that a leg's searches for the query gave a passage; None where none found it."""
    scores = [
        score for name, score in hit.leg_scores.items() if name.partition(":")[0] == leg and not name.endswith(HYDE)
    ]
    return max(scores, default=None)
