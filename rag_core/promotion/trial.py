"""A configuration tried against what is served: both measured on one golden set, and what speaks against a change."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

from rag_core.configuration.overrides import over_served
from rag_core.configuration.proposals import check_configuration
from rag_core.configuration.schema import RetrievalConfig
from rag_core.configuration.served import ServedConfiguration, as_served, resolve, served_configuration
from rag_core.errors import ConfigurationError, InvalidInputError, RagError
from rag_core.evaluation.comparison.intervals import metric_intervals, query_figures
from rag_core.evaluation.comparison.quality_check import Verdict, verdict_on
from rag_core.evaluation.report.markdown import comparison_line, disturbance_line
from rag_core.evaluation.runs.asking import EvaluatedSearch
from rag_core.evaluation.runs.results import EvaluationRun
from rag_core.evaluation.runs.run import evaluate
from rag_core.evaluation.runs.served import evaluated_search
from rag_core.model.embedding import EmbeddingModel
from rag_core.model.evaluation import HEADLINE_METRICS
from rag_core.model.golden import DEFAULT_SET
from rag_core.model.note import TenantId
from rag_core.runtime.engine import Engine, with_configuration
from rag_core.storage.configurations import fetch_configuration
from rag_core.storage.database import Database

WARM_UP = "¿qué pasó ayer?"
TIMEOUT_MS = 30_000
"""Quality is measured, so no query is cut short."""
SLOWER = 1.25
"""Factor by which p95 may grow where the served configuration exceeds the limit too."""

Progress = Callable[[str, int, int], None]
"""Told which of the two is measured, how many queries are done, and of how many."""


def silent(_stage: str, _done: int, _total: int) -> None:
    """Tell nobody."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """A configuration against what is served: both runs on the same golden set, and why it should not be served, if so.

    ``number`` is None for one that is only tried. The runs are None where nothing could be measured. ``comparison`` of the
    candidate's run is candidate - served. ``remarks`` are what readers will notice and no metric tells.
    """

    number: int | None
    served: ServedConfiguration
    served_run: EvaluationRun | None = None
    candidate_run: EvaluationRun | None = None
    verdict: Verdict | None = None
    objection: str | None = None
    remarks: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The trial as it is printed, and kept with the promotion as its evidence."""
        runs = {"served": self.served_run, "candidate": self.candidate_run}
        comparison = None if self.candidate_run is None else self.candidate_run.comparison
        return {
            "configuration": self.number,
            "served": self.served.number,
            "verdict": self.verdict,
            "objection": self.objection,
            "remarks": list(self.remarks),
            "runs": {name: None if run is None else _figures(run) for name, run in runs.items()},
            "comparison": None if comparison is None else comparison.to_json(),
        }


def _figures(run: EvaluationRun) -> dict[str, Any]:
    return {
        "run_id": str(run.run_id),
        "config_hash": run.config_hash,
        "intervals": _intervals(run),
        "set": run.set_name,
        "set_version": run.set_version,
        "strategy": run.strategy,
        "total_queries": run.total_queries,
        "degraded_queries": run.degraded_queries,
        **{name: run.metrics.by_name[name] for name in HEADLINE_METRICS},
        "latency_p95_ms": run.latency_ms.p95,
    }


def _intervals(run: EvaluationRun) -> dict[str, list[float]]:
    """The 95 % intervals of the run's metrics."""
    found = metric_intervals(query_figures(query) for query in run.queries)
    return {name: [found[name].low, found[name].high] for name in HEADLINE_METRICS if name in found}


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialBench:
    """A tenant's notes as a configuration is tried on them.

    ``search`` gives the search of a configuration; ``latency_ms`` is the p95 that is allowed.
    """

    database: Database
    tenant: TenantId
    model: EmbeddingModel
    latency_ms: float
    search: Callable[[ServedConfiguration], EvaluatedSearch]


def trial_bench(engine: Engine, tenant: TenantId) -> TrialBench:
    """The bench of an engine."""
    return TrialBench(
        database=engine.database,
        tenant=tenant,
        model=engine.model,
        latency_ms=engine.settings.gate_latency_ms,
        search=lambda served: evaluated_search(
            with_configuration(engine, served), tenant, config=served.config, timeout_ms=TIMEOUT_MS
        ),
    )


def try_configuration(
    bench: TrialBench,
    number: int,
    *,
    set_name: str = DEFAULT_SET,
    on_progress: Progress = silent,
) -> Trial:
    """Measure a configuration and what is served now on a golden set, one after the other; both runs are stored.

    Without a golden set to measure by, or one too small to tell anything, there is an objection as well.

    Raises:
        NotFoundError: there is no such configuration.
        ConfigurationError: this program cannot search with it: its version, or its settings.
    """
    with bench.database.transaction(bench.tenant) as connection:
        stored = fetch_configuration(connection, bench.tenant, number)
        candidate = as_served(connection, bench.tenant, stored, bench.model)
    return _try(bench, candidate, set_name, on_progress)


def try_override(
    bench: TrialBench,
    override: Mapping[str, Any],
    *,
    set_name: str = DEFAULT_SET,
    on_progress: Progress = silent,
) -> Trial:
    """Measure what a person wrote as ``try_configuration`` does, merged as ``adopt_override`` merges it; it gets no number.

    Raises:
        ConfigurationError: see ``propose_configuration`` and ``try_configuration``.
    """
    with bench.database.transaction(bench.tenant) as connection:
        merged = over_served(connection, bench.tenant, override, bench.model)
    check_configuration(merged.override, reranker_weights=merged.reranker_weights)
    return _try(bench, resolve(merged, bench.model), set_name, on_progress)


def _try(bench: TrialBench, candidate: ServedConfiguration, set_name: str, on_progress: Progress) -> Trial:
    served, number = served_configuration(bench.database, bench.tenant, bench.model), candidate.number
    _check_problems(candidate)
    served_search, candidate_search = map(bench.search, (served, candidate))
    measure = partial(_measure, bench.database, bench.tenant, set_name=set_name)
    remarks = remarks_on(served.config, candidate.config)
    try:
        before = measure(served_search, served, against=None, on_progress=partial(on_progress, served.name))
        after = measure(
            candidate_search, candidate, against=before, on_progress=partial(on_progress, _label(candidate))
        )
    except ConfigurationError:
        raise
    except InvalidInputError as error:
        return Trial(number=number, served=served, objection=f"nothing to judge it by: {error}", remarks=remarks)
    verdict = verdict_on(after)
    return Trial(
        number=number,
        served=served,
        served_run=before,
        candidate_run=after,
        verdict=verdict,
        objection=objection_to(before, after, latency_ms=bench.latency_ms),
        remarks=remarks,
    )


def remarks_on(served: RetrievalConfig, candidate: RetrievalConfig) -> tuple[str, ...]:
    """Return remarks on changes for readers that no figure shows: metrics look deeper than the results shown."""
    before, after = served.top_k.final, candidate.top_k.final
    if after >= before:
        return ()
    results = "1 result" if after == 1 else f"{after} results"
    return (
        f"readers who ask for no number get {results} instead of {before} (topK.final); the figures look further down",
    )


def _check_problems(candidate: ServedConfiguration) -> None:
    if candidate.problems:
        raise ConfigurationError(f"{_label(candidate)} cannot be served: {'; '.join(candidate.problems)}")


def _label(candidate: ServedConfiguration) -> str:
    return "the configuration on trial" if candidate.number is None else candidate.name


def _measure(
    database: Database,
    tenant: TenantId,
    evaluated: EvaluatedSearch,
    served: ServedConfiguration,
    *,
    set_name: str,
    against: EvaluationRun | None,
    on_progress: Callable[[int, int], None],
) -> EvaluationRun:
    with suppress(RagError):  # what is loaded for the first search is not this configuration's latency
        evaluated.search(WARM_UP)
    return evaluate(
        database,
        tenant,
        evaluated,
        set_name=set_name,
        purpose="promotion",
        circumstances={"configuration": served.number, "role": "served" if against is None else "candidate"},
        baseline_run_id=None if against is None else against.run_id,
        on_progress=on_progress,
    )


def objection_to(before: EvaluationRun, after: EvaluationRun, *, latency_ms: float) -> str | None:
    """Return the reason why a candidate should not be served, after the comparison with the served run; None when it is no worse."""
    if before.is_disturbed or after.is_disturbed:
        return f"not comparable: {disturbance_line(before if before.is_disturbed else after)}"
    compared = after.comparison
    assert compared is not None  # it was asked for
    if compared.is_regression:
        return f"it is worse than what is served: {comparison_line(compared)}"
    if compared.obstacle is not None:
        return compared.objection
    if compared.disturbance is not None:
        return f"more searches fail than with what is served: {compared.disturbance}"
    if _is_too_slow(before.latency_ms.p95, after.latency_ms.p95, latency_ms=latency_ms):
        return (
            f"it is too slow: one query in twenty takes {after.latency_ms.p95:.0f} ms or longer, {latency_ms:.0f} ms are allowed "
            f"(BRAIN_GATE_LATENCY_MS), and {before.latency_ms.p95:.0f} ms it takes now"
        )
    return None


def _is_too_slow(before: float, after: float, *, latency_ms: float) -> bool:
    """Tell whether the candidate exceeds the limit while the served configuration is within it or clearly faster."""
    return after > latency_ms and (before <= latency_ms or after > SLOWER * before)
