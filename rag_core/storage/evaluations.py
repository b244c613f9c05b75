"""Evaluation runs and what each of their queries brought back."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from psycopg.types.json import Jsonb

from rag_core.errors import InvalidInputError, NotFoundError
from rag_core.model.answer_metrics import parse_answer_metrics, parse_answer_record
from rag_core.model.evaluation import COLUMN_METRICS, LatencyPercentiles, QueryResult, StoredRun, retrieval_metrics_of
from rag_core.model.note import NoteId, TenantId
from rag_core.model.run_comparison import parse_comparison
from rag_core.storage.database import Connection
from rag_core.storage.queries import query
from rag_core.storage.rows import fetch_all, fetch_column, fetch_one, fetch_value

Replaces = Literal["any", "automatic", "none"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Baseline:
    """The run that later runs of its set and strategy are compared with; automatic when nobody chose it."""

    set_name: str
    strategy: str
    run_id: UUID
    is_automatic: bool
    promoted_at: datetime


def insert_run(connection: Connection, tenant: TenantId, run: StoredRun, results: Sequence[QueryResult]) -> None:
    """Store a run with its queries; they belong in one transaction, so that all of it stays or nothing."""
    connection.execute(query("insert_evaluation_run"), _run_parameters(tenant, run))
    rows = [_query_parameters(tenant, run.run_id, result) for result in results]
    connection.cursor().executemany(query("insert_evaluation_query"), rows)


def list_runs(
    connection: Connection, tenant: TenantId, *, limit: int, config_hash: str | None = None
) -> list[StoredRun]:
    """Runs newest first, of all configurations or of the one with that hash."""
    rows = connection.execute(
        query("list_evaluation_runs"), {"tenant": tenant, "limit": limit, "config_hash": config_hash}
    ).fetchall()
    return [_stored_run(row) for row in rows]


def fetch_run(connection: Connection, tenant: TenantId, run_id: UUID) -> StoredRun:
    """One run.

    Raises:
        NotFoundError: the tenant has no such run.
    """
    row = connection.execute(query("fetch_evaluation_run"), {"tenant": tenant, "run_id": run_id}).fetchone()
    if row is None:
        raise NotFoundError(f"no evaluation run {run_id}; brain evaluate prints the id of the run it makes")
    return _stored_run(row)


def find_run_id(connection: Connection, tenant: TenantId, beginning: str) -> UUID:
    """The id that begins so, in hexadecimal digits without hyphens; a whole one as it is, stored or not.

    Raises:
        NotFoundError: none of the tenant's runs begins so.
        InvalidInputError: several do.
    """
    if len(beginning) == 32:
        return UUID(beginning)
    rows = connection.execute(query("find_evaluation_runs"), {"tenant": tenant, "beginning": beginning}).fetchall()
    if not rows:
        raise NotFoundError(f"no evaluation run begins with {beginning}; brain runs lists them")
    if len(rows) > 1:
        raise InvalidInputError(
            f"several runs begin with {beginning}, such as {rows[0][0]} and {rows[1][0]}; give more characters"
        )
    return UUID(str(rows[0][0]))


def find_runs_of_configuration(connection: Connection, tenant: TenantId, config_hash: str, *, limit: int) -> list[UUID]:
    """The newest runs of whole golden sets with a configuration, newest first."""
    return fetch_column(
        connection, "find_runs_of_configuration", {"tenant": tenant, "config_hash": config_hash, "limit": limit}
    )


def fetch_query_results(connection: Connection, tenant: TenantId, run_id: UUID) -> list[QueryResult]:
    """The queries of a run, by their ids; an unknown run has none."""
    rows = connection.execute(query("fetch_evaluation_queries"), {"tenant": tenant, "run_id": run_id}).fetchall()
    return [_query_result(row) for row in rows]


def count_golden_queries(
    connection: Connection, tenant: TenantId, *, set_name: str, category: str | None = None
) -> int:
    """Count the queries that an evaluation of a set, or of one category, would run."""
    parameters = {"tenant": tenant, "name": set_name, "category": category}
    return int(fetch_value(connection, "count_golden_queries", parameters))


def count_notes_without_vectors(connection: Connection, tenant: TenantId, model_id: int) -> tuple[int, int]:
    """Count the notes without a vector of the model, and all notes."""
    row = connection.execute(query("count_notes_without_vectors"), {"tenant": tenant, "model": model_id}).fetchone()
    assert row is not None
    return int(row[0]), int(row[1])


def fetch_contents(connection: Connection, tenant: TenantId, notes: Iterable[NoteId]) -> dict[NoteId, str]:
    """The texts of those of the notes that exist."""
    rows = connection.execute(query("fetch_contents"), {"tenant": tenant, "notes": list(notes)}).fetchall()
    return {NoteId(note): content for note, content in rows}


def fetch_baseline(connection: Connection, tenant: TenantId, *, set_name: str, strategy: str) -> Baseline | None:
    """The baseline of a set and strategy, if there is one."""
    parameters = {"tenant": tenant, "set_name": set_name, "strategy": strategy}
    return fetch_one(connection, Baseline, "fetch_baseline", parameters)


def list_baselines(connection: Connection, tenant: TenantId) -> list[Baseline]:
    """All baselines of a tenant, by set and strategy."""
    return fetch_all(connection, Baseline, "list_baselines", {"tenant": tenant})


def write_baseline(
    connection: Connection,
    tenant: TenantId,
    *,
    set_name: str,
    strategy: str,
    run_id: UUID,
    is_automatic: bool,
    replaces: Replaces,
) -> bool:
    """Make a run the baseline of a set and strategy, where what is there may be replaced; whether it is now."""
    parameters = {
        "tenant": tenant,
        "set_name": set_name,
        "strategy": strategy,
        "run_id": run_id,
        "is_automatic": is_automatic,
        "replaces": replaces,
    }
    return connection.execute(query("write_baseline"), parameters).fetchone() is not None


def _run_parameters(tenant: TenantId, run: StoredRun) -> dict[str, Any]:
    return {
        "tenant": tenant,
        "run_id": run.run_id,
        "set_name": run.set_name,
        "set_version": run.set_version,
        "category": run.category,
        "config_hash": run.config_hash,
        "config": Jsonb(dict(run.config)),
        "models": Jsonb(dict(run.models)),
        "pipeline_fingerprint": run.pipeline_fingerprint,
        **run.metrics.by_name,
        "faithfulness": run.faithfulness,
        "answer_relevance": run.answer_relevance,
        "p50": run.latency_ms.p50,
        "p95": run.latency_ms.p95,
        "p99": run.latency_ms.p99,
        "total_queries": run.total_queries,
        "degraded_queries": run.degraded_queries,
        "failed_queries": run.failed_queries,
        "created_at": run.created_at,
        "purpose": run.purpose,
        "strategy": run.strategy,
        "circumstances": Jsonb(dict(run.circumstances)),
        "comparison": None if run.comparison is None else Jsonb(run.comparison.to_json()),
        "set_id": run.set_id,
        "set_vocabulary": run.set_vocabulary,
        "metrics": Jsonb(dict(run.extra)),
        "latency_stages": Jsonb({stage: asdict(found) for stage, found in run.latency_stages.items()}),
        "answers": None if run.answers is None else Jsonb(run.answers.to_json()),
    }


def _query_parameters(tenant: TenantId, run_id: UUID, result: QueryResult) -> dict[str, Any]:
    return {
        "tenant": tenant,
        "run_id": run_id,
        "query_id": result.query_id,
        "query": result.query,
        "category": result.category,
        "difficulty": result.difficulty,
        "relevant_note_ids": list(result.relevant_note_ids),
        "ranked_note_ids": list(result.ranked_note_ids),
        "first_relevant_rank": result.first_relevant_rank,
        "ndcg_at_10": result.ndcg_at_10,
        "recall_at_20": result.recall_at_20,
        "latency_ms": result.latency_ms,
        "is_degraded": result.is_degraded,
        "error": result.error,
        "relevance_grades": [result.grades.get(note, 1) for note in result.relevant_note_ids],
        "u_measure": result.u_measure,
        "first_passage_rank": result.first_passage_rank,
        "is_confident": result.is_confident,
        "stages": Jsonb(dict(result.stages)),
        "answer": None if result.answer is None else Jsonb(result.answer.to_json()),
    }


def _stored_run(row: tuple[Any, ...]) -> StoredRun:
    run_id, set_name, set_version, category, config_hash, config, models, fingerprint, *rest = row
    means, (faithfulness, answer_relevance) = rest[:7], rest[7:9]
    p50, p95, p99, total, degraded, failed, created_at, purpose, strategy, circumstances, comparison = rest[9:20]
    set_id, set_vocabulary, extra, latency_stages, answers = rest[20:]
    return StoredRun(
        run_id=run_id,
        set_name=set_name,
        set_version=set_version,
        category=category,
        config_hash=config_hash,
        config=config,
        models=models,
        pipeline_fingerprint=fingerprint,
        metrics=retrieval_metrics_of(dict(zip(COLUMN_METRICS, means, strict=True))),
        faithfulness=faithfulness,
        answer_relevance=answer_relevance,
        latency_ms=LatencyPercentiles(p50=p50, p95=p95, p99=p99),
        total_queries=total,
        degraded_queries=degraded,
        failed_queries=failed,
        created_at=created_at,
        purpose=purpose,
        strategy=strategy,
        circumstances=circumstances,
        comparison=None if comparison is None else parse_comparison(comparison),
        set_id=set_id,
        set_vocabulary=set_vocabulary,
        extra=extra,
        latency_stages={stage: LatencyPercentiles(**found) for stage, found in latency_stages.items()},
        answers=None if answers is None else parse_answer_metrics(answers),
    )


def _query_result(row: tuple[Any, ...]) -> QueryResult:
    query_id, text, category, difficulty, relevant, ranked, latency_ms, is_degraded, error, *rest = row
    grades, u_measure, first_passage_rank, is_confident, stages, answer = rest
    return QueryResult(
        query_id=query_id,
        query=text,
        category=category,
        difficulty=difficulty,
        relevant_note_ids=tuple(relevant),
        ranked_note_ids=tuple(ranked),
        latency_ms=latency_ms,
        is_degraded=is_degraded,
        error=error,
        grades={note: grade for note, grade in zip(relevant, grades or (), strict=grades is not None) if grade != 1},
        u_measure=u_measure,
        first_passage_rank=first_passage_rank,
        is_confident=is_confident,
        stages=stages,
        answer=None if answer is None else parse_answer_record(answer),
    )
