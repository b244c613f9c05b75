"""Power and false alarms of the comparison with a baseline on the demo's golden set.

``python -m tests.benchmarks.detecting`` evaluates the demo corpus in a scratch home, spoils the queries' figures in three
ways, a little more each time, and says the smallest mean drop of nDCG@10 that is found in four of five draws. The last
line of stdout is one JSON object.
"""

import json
from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import NDArray

from rag_core.configuration.schema import configure
from rag_core.evaluation.comparison.significance import paired_test
from rag_core.evaluation.runs.run import evaluate
from rag_core.evaluation.runs.served import evaluated_search
from rag_core.model.retrieval import Strategy
from rag_core.model.run_comparison import LEAST_DROP, SIGNIFICANCE
from rag_core.operation.demo_corpus import load_demo
from rag_core.runtime.engine import DEMO_TENANT, Engine

from .indexing import index_all
from .progress import step
from .scratch import forget_environment, scratch_engine

Figures = NDArray[np.float64]
Spoil = Callable[[Figures, float, np.random.Generator], Figures]
STRATEGIES: tuple[Strategy, ...] = ("semantic", "fulltext", "hybrid", "hybrid+rerank")
DRAWS = 200
POWER = 0.8
RESAMPLES = 2_000
ONE_RANK_LOWER = 1 / np.log2(3)  # nDCG of rank 2, that of rank 1 being 1


def main() -> None:
    """Measure and print."""
    forget_environment()
    figures = _evaluated()
    hybrid, others = (
        figures["hybrid"],
        {name: figures["hybrid+rerank"] - figures[name] for name in ("hybrid", "semantic")},
    )
    counts = range(1, len(hybrid) // 2)
    drops = np.arange(0.02, 0.2, 0.005)
    found = {"queries": len(hybrid), "means": {name: float(values.mean()) for name, values in figures.items()}}
    with step("queries lost outright"):
        found["lost"] = _smallest(hybrid, counts, _lose)
    with step("relevant notes a rank lower"):
        found["one_rank_lower"] = _smallest(hybrid, counts, _lower)
    for name, change in others.items():
        with step(f"amid changes like those from {name} to hybrid+rerank"):
            found[f"amid_{name}_to_rerank"] = _smallest(hybrid, drops, _amid(change))
            found[f"false_alarms_{name}_to_rerank"] = _false_alarms(change)
    print(json.dumps(found))


def _evaluated() -> dict[str, Figures]:
    with step("demo corpus, indexed and evaluated"), scratch_engine(is_durable=False) as engine:
        load_demo(engine.database, engine.settings)
        index_all(engine, tenant=DEMO_TENANT)
        return {strategy: _ndcg(engine, strategy) for strategy in STRATEGIES}


def _ndcg(engine: Engine, strategy: Strategy) -> Figures:
    config = configure(strategy=strategy)
    run = evaluate(
        engine.database,
        DEMO_TENANT,
        evaluated_search(engine, DEMO_TENANT, config=config, timeout_ms=30_000),
        set_name="default",
    )
    return np.array([query.ndcg_at_10 for query in run.queries])


def _smallest(before: Figures, amounts: Iterable[float], spoil: Spoil) -> dict[str, float] | None:
    """The first amount that is found with the power wanted, and the mean drop it makes."""
    for amount in amounts:
        draws = np.random.default_rng(1)
        spoilt = [spoil(before, amount, draws) for _ in range(DRAWS)]
        if np.mean([_is_found(before, after) for after in spoilt]) >= POWER:
            return {
                "amount": round(float(amount), 3),
                "drop": round(float((before - np.mean(spoilt, axis=0)).mean()), 4),
            }
    return None


def _is_found(before: Figures, after: Figures) -> bool:
    tested = paired_test(list(before), list(after), resamples=RESAMPLES)
    return round(-tested.difference, 9) >= LEAST_DROP and tested.p_worse < SIGNIFICANCE


def _lose(before: Figures, count: float, draws: np.random.Generator) -> Figures:
    after = before.copy()
    after[draws.choice(np.flatnonzero(before), int(count), replace=False)] = 0
    return after


def _lower(before: Figures, count: float, draws: np.random.Generator) -> Figures:
    after = before.copy()
    after[draws.choice(np.flatnonzero(before == 1), int(count), replace=False)] = ONE_RANK_LOWER
    return after


def _amid(change: Figures) -> Spoil:
    """A drop of every query, amid changes up and down drawn from those between two strategies."""

    def spoil(before: Figures, drop: float, draws: np.random.Generator) -> Figures:
        centred = draws.choice(change - change.mean(), len(before)) * draws.choice([-1, 1], len(before))
        return before + centred - drop

    return spoil


def _false_alarms(change: Figures) -> float:
    """Share of runs that look like a regression though each query's two figures were swapped by chance."""
    draws = np.random.default_rng(2)
    signs = draws.choice([-1, 1], (5 * DRAWS, len(change)))
    return float(np.mean([_is_found(np.zeros(len(change)), row * change) for row in signs]))


if __name__ == "__main__":
    main()
