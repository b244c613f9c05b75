"""An evaluation run: every query of a golden set asked in turn, the figures stored with what led to them."""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from datetime import UTC, datetime
from itertools import islice
from typing import Any
from uuid import UUID, uuid4

from rag_core.configuration import RetrievalConfig, config_hash
from rag_core.errors import InvalidInputError, RagError
from rag_core.evaluation.baselines import Comparison, compare_with_baseline, compare_with_run
from rag_core.evaluation.golden_query import Category, GoldenQuery, parse_category
from rag_core.evaluation.results import (
    RANKING_DEPTH,
    EvaluationRun,
    Purpose,
    QueryResult,
    RetrievalMetrics,
    latency_percentiles,
    metrics_by_category,
    precision_metrics,
    queries_of,
    retrieval_metrics,
)
from rag_core.model import Hit, NoteId, Retrieval, TenantId
from rag_core.storage.database import Connection, Database
from rag_core.storage.evaluations import fetch_run, insert_run, list_runs
from rag_core.storage.golden import (
    GoldenSet,
    fetch_golden_queries,
    fetch_golden_set,
    list_golden_set_names,
)

__all__ = ["RANKING_DEPTH", "EvaluationRun", "evaluate", "list_runs", "to_json"]

Search = Callable[[str], Retrieval]


def evaluate(
    database: Database,
    tenant: TenantId,
    *,
    set_name: str,
    config: RetrievalConfig,
    search: Search,
    models: Mapping[str, str],
    pipeline_fingerprint: str,
    category: str | None = None,
    purpose: Purpose = "manual",
    strategy: str | None = None,
    circumstances: Mapping[str, Any] | None = None,
    baseline_run_id: UUID | None = None,
    on_progress: Callable[[int, int], None] = lambda _done, _total: None,
    clock: Callable[[], float] = time.perf_counter,
) -> EvaluationRun:
    """Ask every query of the set, or of one category, and store the run with its queries in one transaction.

    ``search`` must look deep enough for ``RANKING_DEPTH`` notes, whatever is served, and must not cache;
    ``config`` and ``models`` are what it searches with, for the hash. A query that raises a ``RagError`` is a
    miss with the error's name. Queries whose relevant notes are all deleted are left out and counted.
    The run is compared with ``baseline_run_id``, else with the baseline of its set and ``strategy``, by default the
    configuration's, if there is one. ``on_progress`` gets the queries done and their number; ``clock`` gives seconds.

    Raises:
        InvalidInputError: the set is unknown or has no query to ask, or there is no such category.
        NotFoundError: there is no run ``baseline_run_id``.
    """
    wanted = None if category is None else parse_category(category)
    with database.transaction(tenant) as connection:
        if baseline_run_id is not None:
            fetch_run(connection, tenant, baseline_run_id)
        golden, queries = _fetch_set(connection, tenant, set_name, wanted)
    asked = [query for query in queries if query.relevant_note_ids]
    _check_asked(asked, queries, set_name, wanted)
    results = []
    for done, query in enumerate(asked, 1):
        results.append(_ask(query, search, clock))
        on_progress(done, len(asked))
    run = EvaluationRun(
        run_id=uuid4(),
        set_name=set_name,
        set_version=golden.version,
        category=wanted,
        config_hash=config_hash(config, model_names=models),
        config=config.to_wire(),
        models=dict(models),
        pipeline_fingerprint=pipeline_fingerprint,
        metrics=retrieval_metrics(results),
        faithfulness=None,
        answer_relevance=None,
        latency_ms=latency_percentiles(results),
        total_queries=len(results),
        degraded_queries=sum(result.is_degraded for result in results),
        failed_queries=sum(result.error is not None for result in results),
        created_at=datetime.now(UTC),
        purpose=purpose,
        strategy=strategy or config.strategy,
        circumstances=dict(circumstances or {}),
        queries=tuple(results),
        orphaned_queries=len(queries) - len(asked),
    )
    run = replace(run, comparison=_compared(database, tenant, run, baseline_run_id))
    with database.transaction(tenant) as connection:
        insert_run(connection, tenant, run, results)
    return run


def _compared(
    database: Database, tenant: TenantId, run: EvaluationRun, baseline_run_id: UUID | None
) -> Comparison | None:
    if baseline_run_id is not None:
        return compare_with_run(database, tenant, run, baseline_run_id)
    assert run.strategy is not None
    return compare_with_baseline(database, tenant, run, strategy=run.strategy)


def _fetch_set(
    connection: Connection, tenant: TenantId, name: str, category: Category | None
) -> tuple[GoldenSet, list[GoldenQuery]]:
    golden = fetch_golden_set(connection, tenant, name)
    if golden is None:
        known = ", ".join(list_golden_set_names(connection, tenant)) or "none"
        raise InvalidInputError(f"no golden set is called {name!r} (there is: {known}); {_import_remedy(name)}")
    return golden, fetch_golden_queries(connection, tenant, set_name=name, category=category)


def _check_asked(
    asked: Sequence[GoldenQuery], queries: Sequence[GoldenQuery], name: str, category: Category | None
) -> None:
    if asked:
        return
    kind = f" of category {category}" if category else ""
    if queries:
        raise InvalidInputError(
            f"every note that answers the {len(queries)} queries{kind} of the golden set {name!r} "
            f"is deleted; {_import_remedy(name)}"
        )
    raise InvalidInputError(f"the golden set {name!r} has no query{kind}; {_import_remedy(name)}")


def _import_remedy(name: str) -> str:
    return f"fill it with brain golden import FILE --set {name}"


def _ask(query: GoldenQuery, search: Search, clock: Callable[[], float]) -> QueryResult:
    ranked: tuple[NoteId, ...] = ()
    is_degraded, error = False, None
    began = clock()
    try:
        found = search(query.query)
        ranked, is_degraded = ranked_notes(found.hits), found.is_degraded
    except RagError as problem:
        error = type(problem).__name__
    return QueryResult(
        query_id=query.id,
        query=query.query,
        category=query.category,
        difficulty=query.difficulty,
        relevant_note_ids=query.relevant_note_ids,
        ranked_note_ids=ranked,
        latency_ms=(clock() - began) * 1000,
        is_degraded=is_degraded,
        error=error,
    )


def ranked_notes(hits: Iterable[Hit]) -> tuple[NoteId, ...]:
    """The notes of the hits, each once, in the order of its best hit, to ``RANKING_DEPTH``."""
    return tuple(islice(dict.fromkeys(hit.note_id for hit in hits), RANKING_DEPTH))


def to_json(run: EvaluationRun) -> dict[str, Any]:
    """The run as ``brain evaluate --json`` prints it; metrics of answers are null without a judge."""
    return {
        "run_id": str(run.run_id),
        "set": run.set_name,
        "set_version": run.set_version,
        "category": run.category,
        "config_hash": run.config_hash,
        "models": dict(run.models),
        "pipeline_fingerprint": run.pipeline_fingerprint,
        "total_queries": run.total_queries,
        "degraded_queries": run.degraded_queries,
        "failed_queries": run.failed_queries,
        "orphaned_queries": run.orphaned_queries,
        "metrics": _metrics_to_json(run),
        "latency_ms": asdict(run.latency_ms),
        "created_at": run.created_at.isoformat(),
        "purpose": run.purpose,
        "strategy": run.strategy,
        "circumstances": dict(run.circumstances),
        "comparison": None if run.comparison is None else run.comparison.to_json(),
    }


def _metrics_to_json(run: EvaluationRun) -> dict[str, Any]:
    return {
        **_means_to_json(run.metrics),
        **asdict(precision_metrics(run.queries)),
        "faithfulness": run.faithfulness,
        "answer_relevance": run.answer_relevance,
        "by_category": {
            category: {"total_queries": len(queries_of(category, run.queries)), **_means_to_json(metrics)}
            for category, metrics in metrics_by_category(run.queries).items()
        },
    }


def _means_to_json(metrics: RetrievalMetrics) -> dict[str, Any]:
    return {**asdict(metrics), "hit_rate_at": {str(k): rate for k, rate in metrics.hit_rate_at.items()}}
