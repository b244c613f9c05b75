"""Embedding models side by side on the tenant's own golden sets: what each finds, and what it costs."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Any

from rag_core.configuration.schema import configure
from rag_core.errors import EmbeddingError, InvalidInputError, ModelStateError
from rag_core.evaluation.jobs.queue import JobProgress, register
from rag_core.evaluation.runs.asking import EvaluatedSearch
from rag_core.evaluation.runs.results import EvaluationRun
from rag_core.evaluation.runs.run import evaluate, never
from rag_core.evaluation.runs.served import evaluated_search, pinned
from rag_core.model.embedding import EmbeddingModel
from rag_core.model.note import TenantId
from rag_core.model.retrieval import Strategy
from rag_core.model_change.benchmark_report import (
    Benchmark,
    ModelBenchmark,
    QualityReport,
    adjusted_over_models,
    quality_report,
)
from rag_core.model_change.embedding_cost import measure_cost
from rag_core.model_change.model_comparison import TIMEOUT_MS, askable_sets, comparable_model
from rag_core.runtime.engine import Engine, with_model
from rag_core.storage.golden import fetch_golden_queries
from rag_core.storage.models import find_model, list_models

Say = Callable[[str, int, int], None]
Reference = dict[tuple[str, Strategy], EvaluationRun]
"""The active model's runs, by golden set and strategy."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Bench:
    """Texts and queries that all models are measured on."""

    engine: Engine
    tenant: TenantId
    sets: tuple[str, ...]
    on_progress: Say
    should_stop: Callable[[], bool]


def _say_nothing(_step: str, _done: int, _total: int) -> None:
    return


def benchmark_models(
    engine: Engine,
    tenant: TenantId,
    *,
    names: Sequence[str] | None = None,
    set_names: Sequence[str] | None = None,
    on_progress: Say = _say_nothing,
    should_stop: Callable[[], bool] = never,
) -> Benchmark:
    """Measure registered models beside the active one: by default all that have vectors of the tenant's chunks.

    Each asks every golden set, or those named, by meaning alone and as it would be served; every run is stored and compared
    with the active model's, its p adjusted for the number of models. A model whose server is away is named with the reason, and
    the others are measured. ``on_progress`` gets what is being done, queries done and their number.

    Raises:
        NotFoundError: no model has one of the names.
        ModelStateError: a model that was named lacks vectors.
        InvalidInputError: there is no golden set with a query that a note of the tenant answers.
        EvaluationCancelledError: ``should_stop`` said so; runs that were finished stay.
    """
    bench = _Bench(
        engine=engine,
        tenant=tenant,
        sets=tuple(set_names or askable_sets(engine.database, tenant)),
        on_progress=on_progress,
        should_stop=should_stop,
    )
    models, left_out = _chosen(engine, tenant, names)
    reference: Reference = {}
    measured = [_measured(bench, model, reference) for model in models]
    return Benchmark(models=adjusted_over_models(measured), left_out=left_out)


def _chosen(
    engine: Engine, tenant: TenantId, names: Sequence[str] | None
) -> tuple[list[EmbeddingModel], dict[str, str]]:
    """The active model and those to set beside it; which were left out and why, where nobody named any."""
    with engine.database.owner() as connection:
        if names is not None:
            for name in names:
                find_model(connection, name)
        known = [registered.model.name for registered in list_models(connection)]
    chosen, left_out = [engine.model], {}
    for name in dict.fromkeys(known if names is None else names):
        if name == engine.model.name:
            continue
        try:
            chosen.append(comparable_model(engine, tenant, name))
        except (ModelStateError, EmbeddingError) as error:
            if names is not None:
                raise
            left_out[name] = str(error)
    return chosen, left_out


def _measured(bench: _Bench, model: EmbeddingModel, reference: Reference) -> ModelBenchmark:
    """One model on every set; the active one, which comes first, leaves its runs in ``reference``.

    Where it failed there is nothing to compare the others with, and nobody takes its place.
    """
    engine, tenant = bench.engine, bench.tenant
    is_active = model.id == engine.model.id
    measured = partial(ModelBenchmark, name=model.name, is_active=is_active, dimensions=model.dimensions)
    bench.on_progress(f"{model.name}: time and memory", 0, 1)
    try:
        embedder = with_model(engine, model).embedder
        cost = measure_cost(
            engine.database, tenant, model, _queries(bench), embedder=embedder, settings=engine.settings
        )
    except EmbeddingError as error:
        return measured(failure=str(error))
    other = pinned(engine if is_active else with_model(engine, model), tenant)
    served = other.served_config(tenant)
    quality: list[QualityReport] = []
    for set_name, strategy in product(bench.sets, _strategies(served.strategy)):
        beside = reference.get((set_name, strategy))
        config = configure(strategy=strategy, base=served)
        search = evaluated_search(other, tenant, config=config, timeout_ms=TIMEOUT_MS)
        run = _run(bench, search, f"{model.name}: {set_name}, {strategy}", set_name, beside)
        if is_active:
            reference[set_name, strategy] = run
        quality.append(quality_report(run, strategy, None if beside is None else run.comparison))
    return measured(cost=cost, quality=tuple(quality))


def _queries(bench: _Bench) -> list[str]:
    with bench.engine.database.transaction(bench.tenant) as connection:
        return [
            golden.query
            for name in bench.sets
            for golden in fetch_golden_queries(connection, bench.tenant, set_name=name, category=None)
        ]


def _strategies(served: Strategy) -> tuple[Strategy, ...]:
    """By meaning alone, where only the model counts, and as it is served."""
    return ("semantic", served) if served not in {"semantic", "fulltext"} else ("semantic",)


def _run(
    bench: _Bench, search: EvaluatedSearch, step: str, set_name: str, beside: EvaluationRun | None
) -> EvaluationRun:
    return evaluate(
        bench.engine.database,
        bench.tenant,
        search,
        set_name=set_name,
        purpose="benchmark",
        baseline_run_id=None if beside is None else beside.run_id,
        should_stop=bench.should_stop,
        on_progress=lambda done, total: bench.on_progress(step, done, total),
    )


def run_benchmark(
    engine: Engine, tenant: TenantId, parameters: Mapping[str, Any], progress: JobProgress
) -> dict[str, Any]:
    """The benchmark as a job: ``models`` and ``sets`` are lists of names, absent or null for all."""
    known = {"models", "sets"}
    if unknown := set(parameters) - known:
        raise InvalidInputError(f"{', '.join(sorted(unknown))}: unknown; a benchmark takes models and sets")
    found = benchmark_models(
        engine,
        tenant,
        names=parameters.get("models"),
        set_names=parameters.get("sets"),
        on_progress=progress.report,
        should_stop=progress.should_stop,
    )
    return found.to_json()


register("embedding_benchmark", run_benchmark)
