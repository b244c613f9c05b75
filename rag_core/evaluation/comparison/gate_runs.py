"""The gate's measurements: a golden set asked under every strategy as it is served now, each against its baseline."""

from collections.abc import Callable

from rag_core.configuration.schema import RetrievalConfig, configure
from rag_core.evaluation.comparison.gate import GATE_STRATEGIES, GateReport, GateTargets, judge_gate
from rag_core.evaluation.runs.results import EvaluationRun
from rag_core.evaluation.runs.run import evaluate
from rag_core.evaluation.runs.served import evaluated_search, pinned
from rag_core.model.golden import DEFAULT_SET
from rag_core.model.note import TenantId
from rag_core.model.retrieval import Strategy
from rag_core.runtime.engine import Engine
from rag_core.settings import Settings

TIMEOUT_MS = 30_000
"""Quality is measured, so no query is cut short; how long it took is a check of its own."""


def gate_targets(settings: Settings) -> GateTargets:
    """The targets of the settings."""
    return GateTargets(hit_rate_at_10=settings.gate_hit_rate, latency_p95_ms=settings.gate_latency_ms)


def run_gate(
    engine: Engine,
    tenant: TenantId,
    *,
    targets: GateTargets,
    set_name: str = DEFAULT_SET,
    config: RetrievalConfig | None = None,
    on_progress: Callable[[int, int], None] = lambda _done, _total: None,
) -> tuple[GateReport, dict[Strategy, EvaluationRun]]:
    """Measure and judge; the runs are stored, and none becomes a baseline.

    ``config`` is measured under every strategy, by default what is served now. ``on_progress`` gets queries done and their number, over
    all strategies.

    Raises:
        InvalidInputError: the set is unknown or has no query to ask.
    """
    engine = pinned(engine, tenant)
    served = config or engine.served_config(tenant)
    runs = {
        strategy: evaluate(
            engine.database,
            tenant,
            evaluated_search(engine, tenant, config=configure(strategy=strategy, base=served), timeout_ms=TIMEOUT_MS),
            set_name=set_name,
            purpose="gate",
            on_progress=_of_all(place, on_progress),
        )
        for place, strategy in enumerate(GATE_STRATEGIES)
    }
    return judge_gate(runs, targets), runs


def _of_all(place: int, on_progress: Callable[[int, int], None]) -> Callable[[int, int], None]:
    return lambda done, total: on_progress(place * total + done, len(GATE_STRATEGIES) * total)
