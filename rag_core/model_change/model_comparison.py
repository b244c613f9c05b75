"""Two models on the same golden sets: who finds what, and whether the difference is more than chance."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Any

from rag_core.configuration.schema import configure
from rag_core.errors import InvalidInputError, ModelStateError
from rag_core.evaluation.runs.asking import EvaluatedSearch
from rag_core.evaluation.runs.results import EvaluationRun
from rag_core.evaluation.runs.run import evaluate
from rag_core.evaluation.runs.served import evaluated_search, pinned
from rag_core.model.embedding import EmbeddingModel
from rag_core.model.note import TenantId
from rag_core.model.retrieval import Strategy
from rag_core.model.run_comparison import Comparison
from rag_core.model_change.backfill import fill_model
from rag_core.runtime.engine import Engine, with_model
from rag_core.storage.database import Database
from rag_core.storage.golden import has_askable_query, list_golden_set_names
from rag_core.storage.models import count_vectors_by_tenant, find_model

STRATEGIES: tuple[Strategy, ...] = ("semantic", "hybrid", "hybrid+rerank")
TIMEOUT_MS = 30_000
"""Quality is measured, so no query is cut short."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelComparison:
    """One golden set under one strategy: the active model's run, the other one's, and the paired difference."""

    set_name: str
    strategy: Strategy
    active: EvaluationRun
    candidate: EvaluationRun
    comparison: Comparison

    def to_json(self) -> dict[str, Any]:
        """The comparison as it is printed."""
        return {
            "set": self.set_name,
            "strategy": self.strategy,
            "active": _figures(self.active),
            "candidate": _figures(self.candidate),
            "comparison": self.comparison.to_json(),
        }


def _figures(run: EvaluationRun) -> dict[str, Any]:
    return {
        "run_id": str(run.run_id),
        "model": run.models["embedding"],
        "hit_rate_at_10": run.metrics.hit_rate_at[10],
        "mrr": run.metrics.mrr,
        "ndcg_at_10": run.metrics.ndcg_at_10,
        "recall_at_20": run.metrics.recall_at_20,
        "latency_p95_ms": run.latency_ms.p95,
        "total_queries": run.total_queries,
        "degraded_queries": run.degraded_queries,
    }


def compare_models(
    engine: Engine,
    tenant: TenantId,
    name: str,
    *,
    set_names: Sequence[str] | None = None,
    on_progress: Callable[[str], None] = lambda _step: None,
) -> list[ModelComparison]:
    """Ask every golden set, or those named, by the engine's model and by another one; every run is stored.

    The difference is the other's minus the active's. ``on_progress`` is told of each run before it begins.

    Raises:
        NotFoundError: no model has that name.
        ModelStateError: it is the engine's own, or lacks vectors of this tenant, so that it could only lose.
        InvalidInputError: there is no golden set with a query that a note of the tenant answers.
    """
    model = comparable_model(engine, tenant, name)
    names = set_names or askable_sets(engine.database, tenant)
    engines = pinned(engine, tenant), pinned(with_model(engine, model), tenant)
    compared = []
    for set_name, strategy in product(names, STRATEGIES):
        active, candidate = (_search(each, tenant, strategy) for each in engines)
        on_progress(f"{set_name}, {strategy}")
        compared.append(_compare(engine.database, tenant, set_name, strategy, active=active, candidate=candidate))
    return compared


def comparable_model(engine: Engine, tenant: TenantId, name: str) -> EmbeddingModel:
    """The model, with all of the tenant's vectors: of one that is ready, those of notes written since are made now."""
    with engine.database.owner() as connection:
        model = find_model(connection, name).model
    if model.id == engine.model.id:
        raise ModelStateError(f"{name} is active itself; name the model to compare it with")
    if model.state == "ready":
        fill_model(engine.database, model, with_model(engine, model).embedder, {tenant: None})
    with engine.database.owner() as connection:
        counts = count_vectors_by_tenant(connection, model.id).get(tenant)
    missing = counts.missing if counts else 0
    if missing or model.state == "retired":
        raise ModelStateError(
            f"{name} lacks {missing} vectors of this tenant's notes, so it could only lose; make them with `brain models backfill "
            f"{name}`"
        )
    return model


def askable_sets(database: Database, tenant: TenantId) -> list[str]:
    """The golden sets that have a query to ask."""
    with database.transaction(tenant) as connection:
        found = [
            name
            for name in list_golden_set_names(connection, tenant)
            if has_askable_query(connection, tenant, set_name=name)
        ]
    if not found:
        raise InvalidInputError(
            f"{tenant} has no golden set with a query that its notes answer; make one with `brain golden import FILE`"
        )
    return found


def _search(engine: Engine, tenant: TenantId, strategy: Strategy) -> EvaluatedSearch:
    config = configure(strategy=strategy, base=engine.served_config(tenant))
    return evaluated_search(engine, tenant, config=config, timeout_ms=TIMEOUT_MS)


def _compare(
    database: Database,
    tenant: TenantId,
    set_name: str,
    strategy: Strategy,
    *,
    active: EvaluatedSearch,
    candidate: EvaluatedSearch,
) -> ModelComparison:
    run = partial(evaluate, database, tenant, set_name=set_name, purpose="model")
    before = run(active)
    after = run(candidate, baseline_run_id=before.run_id)
    assert after.comparison is not None  # it was asked for
    return ModelComparison(
        set_name=set_name, strategy=strategy, active=before, candidate=after, comparison=after.comparison
    )
