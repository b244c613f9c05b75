"""The measured quality of retrieval: every tenant's golden set, asked under each strategy."""

from collections.abc import Mapping
from typing import Any

import dagster as dg

from rag_assets.causal_graph import causal_graph
from rag_assets.fulltext_index import fulltext_index
from rag_assets.stages import OWNERS, Materialized, Stopwatch
from rag_core.configuration import configure
from rag_core.engine import Engine
from rag_core.evaluation.fusion_check import hybrid_shortfall
from rag_core.evaluation.golden_query import DEFAULT_SET
from rag_core.evaluation.report import markdown_report
from rag_core.evaluation.results import EvaluationRun
from rag_core.evaluation.runs import evaluate
from rag_core.evaluation.served import evaluation_config, searcher
from rag_core.indexing.batches import list_tenants
from rag_core.indexing.publishing import maintain
from rag_core.model import Strategy, TenantId
from rag_core.storage.golden import fetch_golden_queries

STRATEGIES: tuple[Strategy, ...] = ("fulltext", "semantic", "hybrid", "hybrid+rerank")
TIMEOUT_MS = 30_000
"""Quality is measured here, so no query is cut short; the latency it took is in the report."""

HYBRID_CHECK = "hybrid_is_not_below_its_better_leg"

Runs = Mapping[Strategy, EvaluationRun]


@dg.asset(
    deps=[fulltext_index, causal_graph],
    group_name="evaluation",
    owners=OWNERS,
    tags={"brain/scope": "all-tenants"},
    kinds={"python", "postgres"},
    code_version="1",
    check_specs=[
        dg.AssetCheckSpec(
            HYBRID_CHECK,
            asset="evaluation_report",
            description="Hybrid search reaches the nDCG@10 of the better of its two legs, on every golden set.",
        )
    ],
    description=(
        "Hit rate, MRR, nDCG, recall and latency on every tenant's golden set `default`, by full text, by meaning and "
        "fused. The runs are stored; a tenant without golden set is named."
    ),
)
def evaluation_report(engine: dg.ResourceParam[Engine]) -> Materialized:
    """Evaluate every tenant that has golden queries, on a lean index."""
    clock = Stopwatch()
    tenants = list_tenants(engine.database)
    folded = [maintain(engine.database, tenant, engine.pipeline) for tenant in tenants]
    measured = {tenant: _evaluate(engine, tenant) for tenant in tenants if _has_golden_queries(engine, tenant)}
    return dg.MaterializeResult(
        metadata={
            "report": dg.MetadataValue.md(_report(tenants, measured)),
            "pipeline": engine.pipeline.fingerprint,
            "evaluated_tenants": len(measured),
            "folded": sum(folded),
            "seconds": clock.seconds,
            **_figures(measured),
        },
        check_results=[_hybrid_check(measured)],
    )


def _has_golden_queries(engine: Engine, tenant: TenantId) -> bool:
    with engine.database.transaction(tenant) as connection:
        queries = fetch_golden_queries(connection, tenant, set_name=DEFAULT_SET, category=None)
    return any(query.relevant_note_ids for query in queries)


def _evaluate(engine: Engine, tenant: TenantId) -> Runs:
    return {strategy: _run(engine, tenant, strategy) for strategy in STRATEGIES}


def _run(engine: Engine, tenant: TenantId, strategy: Strategy) -> EvaluationRun:
    config = evaluation_config(configure(strategy=strategy))
    return evaluate(
        engine.database,
        tenant,
        set_name=DEFAULT_SET,
        config=config,
        search=searcher(engine, tenant, config=config, timeout_ms=TIMEOUT_MS),
        models=engine.model_names(tenant, config),
        pipeline_fingerprint=engine.pipeline.fingerprint,
    )


def _report(tenants: list[TenantId], measured: Mapping[TenantId, Runs]) -> str:
    parts = [
        f"# {tenant}, {strategy}\n\n{markdown_report(run)}"
        for tenant, runs in measured.items()
        for strategy, run in runs.items()
    ]
    parts += [
        f"# {tenant}\n\nNot evaluated: no golden set `{DEFAULT_SET}` with a note that exists. Make one with "
        f"`brain golden import FILE --tenant {tenant}`.\n"
        for tenant in tenants
        if tenant not in measured
    ]
    return "\n".join(parts) or "There are no notes yet. Import some with `brain import FILE`.\n"


def _figures(measured: Mapping[TenantId, Runs]) -> dict[str, Any]:
    """Floats by name, which Dagster plots over the materializations."""
    return {
        f"{tenant}_{strategy}_{name}": figure
        for tenant, runs in measured.items()
        for strategy, run in runs.items()
        for name, figure in (
            ("hit_rate_at_10", run.metrics.hit_rate_at[10]),
            ("mrr", run.metrics.mrr),
            ("ndcg_at_10", run.metrics.ndcg_at_10),
            ("recall_at_20", run.metrics.recall_at_20),
            ("latency_p95_ms", run.latency_ms.p95),
        )
    }


def _hybrid_check(measured: Mapping[TenantId, Runs]) -> dg.AssetCheckResult:
    shortfalls = {tenant: hybrid_shortfall(runs) for tenant, runs in measured.items()}
    losing = {tenant: lost for tenant, lost in shortfalls.items() if lost is not None and lost > 0}
    return dg.AssetCheckResult(
        check_name=HYBRID_CHECK,
        passed=not losing,
        severity=dg.AssetCheckSeverity.WARN,
        metadata={f"{tenant}_ndcg_at_10_lost": lost for tenant, lost in losing.items()},
        description="Promote other fusion weights for the embedding model." if losing else None,
    )
