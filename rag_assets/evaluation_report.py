"""The measured quality of retrieval: every tenant's golden set, asked under each strategy, and held against its baseline."""

from collections.abc import Callable, Sequence
from datetime import timedelta
from functools import partial
from typing import Any

import dagster as dg

from rag_assets.evaluation_checks import EVALUATION_CHECKS, Measurement, gate_checks, hybrid_check, quality_check
from rag_assets.fulltext_index import fulltext_index
from rag_assets.knowledge_graph import knowledge_graph
from rag_assets.stages import OWNERS, Materialized, Stopwatch, table
from rag_core.configuration.schema import configure
from rag_core.evaluation.comparison.gate import GATE_STRATEGIES, GateTargets
from rag_core.evaluation.comparison.gate_runs import TIMEOUT_MS, gate_targets
from rag_core.evaluation.comparison.quality_check import verdict_on
from rag_core.evaluation.report.addresses import comparison_address, run_address
from rag_core.evaluation.report.markdown import markdown_report
from rag_core.evaluation.runs.baselines import ensure_baseline
from rag_core.evaluation.runs.results import EvaluationRun
from rag_core.evaluation.runs.run import evaluate
from rag_core.evaluation.runs.served import evaluated_search, pinned
from rag_core.indexing.publishing import maintain
from rag_core.migration.measuring import has_golden_queries
from rag_core.model.evaluation import HEADLINE_METRICS
from rag_core.model.golden import DEFAULT_SET
from rag_core.model.note import TenantId
from rag_core.model.retrieval import Strategy
from rag_core.model_change.promotion import promote
from rag_core.promotion.going_back import PROMOTION, go_back_where_gate_failed
from rag_core.runtime.engine import Engine
from rag_core.storage.batches import list_tenants
from rag_core.storage.database import Database
from rag_core.storage.golden import OrphanedQuery, list_queries_with_deleted_notes

STRATEGIES = GATE_STRATEGIES


@dg.asset(
    deps=[fulltext_index, knowledge_graph],
    group_name="evaluation",
    owners=OWNERS,
    tags={"brain/scope": "all-tenants"},
    kinds={"python", "postgres"},
    code_version="2",
    freshness_policy=dg.FreshnessPolicy.time_window(fail_window=timedelta(hours=50), warn_window=timedelta(hours=26)),
    check_specs=EVALUATION_CHECKS,
    description=(
        "Hit rate, MRR, nDCG, recall and latency on every tenant's golden set `default`, by full text, by meaning, fused "
        "and re-ranked, each compared with its baseline; the first night makes the baselines. The runs are stored; a tenant "
        "without golden set is named."
    ),
)
def evaluation_report(context: dg.AssetExecutionContext, engine: dg.ResourceParam[Engine]) -> Materialized:
    """Evaluate every tenant that has golden queries, on a lean index."""
    clock = Stopwatch()
    tenants = list_tenants(engine.database)
    folded = [maintain(engine.database, tenant, engine.pipeline) for tenant in tenants]
    evaluated = [tenant for tenant in tenants if has_golden_queries(engine.database, tenant)]
    measured = [
        _measure(serving, tenant, strategy, dagster_run=context.run.run_id)
        for tenant in evaluated
        for serving in [pinned(engine, tenant)]
        for strategy in STRATEGIES
    ]
    targets = gate_targets(engine.settings)
    return dg.MaterializeResult(
        metadata={
            **(
                _returns(engine.database, measured, targets, partial(promote, engine))
                if engine.settings.gate_goes_back
                else {}
            ),
            "report": dg.MetadataValue.md(_report(tenants, measured)),
            "pipeline": engine.pipeline.fingerprint,
            "evaluated_tenants": len(evaluated),
            "new_baselines": sum(one.verdict == "new baseline" for one in measured),
            "folded": sum(folded),
            "seconds": clock.seconds,
            **_orphans(engine.database, tenants),
            **_figures(measured),
            **_links(engine.settings.api_url, measured),
        },
        check_results=[hybrid_check(measured), quality_check(measured), *gate_checks(measured, targets)],
    )


def _measure(engine: Engine, tenant: TenantId, strategy: Strategy, *, dagster_run: str) -> Measurement:
    served = engine.served(tenant)
    config = configure(strategy=strategy, base=served.config)
    run = evaluate(
        engine.database,
        tenant,
        evaluated_search(engine, tenant, config=config, timeout_ms=TIMEOUT_MS),
        set_name=DEFAULT_SET,
        purpose="nightly",
        circumstances={"dagsterRun": dagster_run, PROMOTION: served.promotion},
    )
    is_baseline = ensure_baseline(engine.database, tenant, run, strategy=strategy)
    return Measurement(tenant=tenant, strategy=strategy, run=run, verdict=verdict_on(run, is_new_baseline=is_baseline))


def _returns(
    database: Database, measured: Sequence[Measurement], targets: GateTargets, promote_model: Callable[..., object]
) -> dict[str, Any]:
    """Roll back promotions since which the gate fails, and report them."""
    nights = {
        tenant: {one.strategy: one.run for one in measured if one.tenant == tenant}
        for tenant in dict.fromkeys(one.tenant for one in measured)
    }
    returns = go_back_where_gate_failed(
        database,
        nights,
        targets,
        promote_model=lambda name, former: promote_model(name, instead_of=former),
    )
    return {"went_back": table([one.to_json() for one in returns])} if returns else {}


def _report(tenants: Sequence[TenantId], measured: Sequence[Measurement]) -> str:
    parts = [
        f"# {one.tenant}, {one.strategy}\n\n{markdown_report(one.run)}"
        + ("\nThis run is the baseline from now on.\n" if one.verdict == "new baseline" else "")
        for one in measured
    ]
    evaluated = {one.tenant for one in measured}
    parts += [
        f"# {tenant}\n\nNot evaluated: no golden set `{DEFAULT_SET}` with a note that exists. Make one with "
        f"`brain golden import FILE --tenant {tenant}`.\n"
        for tenant in tenants
        if tenant not in evaluated
    ]
    return "\n".join(parts) or "There are no notes yet. Import some with `brain import FILE`.\n"


def _orphans(database: Database, tenants: Sequence[TenantId]) -> dict[str, Any]:
    rows = [
        {
            "tenant": tenant,
            "query": orphan.query,
            "id": orphan.external_id or str(orphan.query_id),
            "notes_left": orphan.notes_left,
            "notes_deleted": orphan.notes_deleted,
        }
        for tenant in tenants
        for orphan in _queries_with_deleted_notes(database, tenant)
    ]
    counted: dict[str, Any] = {"golden_queries_with_deleted_notes": len(rows)}
    return counted | ({"golden_queries_to_mend": table(rows)} if rows else {})


def _queries_with_deleted_notes(database: Database, tenant: TenantId) -> list[OrphanedQuery]:
    with database.transaction(tenant) as connection:
        return list_queries_with_deleted_notes(connection, tenant, set_name=DEFAULT_SET)


def _links(api_url: str, measured: Sequence[Measurement]) -> dict[str, Any]:
    """Links to each run's page, and to that of its comparison."""
    links: dict[str, Any] = {"history": dg.MetadataValue.url(f"{api_url}/evaluation")}
    for one in measured:
        name, run = f"{one.tenant}_{one.strategy}", one.run
        links[f"{name}_page"] = dg.MetadataValue.url(run_address(api_url, one.tenant, run.run_id))
        if run.comparison is not None:
            links[f"{name}_comparison"] = dg.MetadataValue.url(
                comparison_address(api_url, one.tenant, run.comparison.baseline_run_id, run.run_id, is_common=True)
            )
    return links


def _figures(measured: Sequence[Measurement]) -> dict[str, Any]:
    """Floats by name, which Dagster plots over the materializations."""
    return {
        f"{one.tenant}_{one.strategy}_{name}": figure
        for one in measured
        for name, figure in (
            *((name, one.run.metrics.by_name[name]) for name in HEADLINE_METRICS),
            *_extra(one.run),
            ("latency_p50_ms", one.run.latency_ms.p50),
            ("latency_p95_ms", one.run.latency_ms.p95),
            *_difference(one.run),
        )
    }


def _extra(run: EvaluationRun) -> list[tuple[str, float]]:
    kept = ((name, run.extra.get(name)) for name in ("u_measure", "confidence_rate"))
    return [(name, figure) for name, figure in kept if figure is not None]


def _difference(run: EvaluationRun) -> list[tuple[str, float]]:
    compared = run.comparison
    if compared is None or compared.obstacle is not None:
        return []
    ndcg = compared.metrics["ndcg_at_10"]
    return [("ndcg_at_10_difference", ndcg.difference), ("ndcg_at_10_p_one_sided", ndcg.p_worse)]
