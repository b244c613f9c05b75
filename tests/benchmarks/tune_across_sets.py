"""Worth of tuning on one set of questions for others that it never saw.

``BRAIN_TEST_DATA=… python -m tests.benchmarks.tune_across_sets [--minutes 5]`` indexes the corpora in scratch homes, records the
legs of every question, and tunes on one set at a time: what the other folds of the same set say (cross-validation), and what
the choice gains on the other sets. The last line of stdout is one JSON object.
"""

import json
import os
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from rag_core.configuration.schema import configure
from rag_core.evaluation.tuning.cross_validation import Bench, Choice, cross_validate
from rag_core.evaluation.tuning.record import Recording
from rag_core.evaluation.tuning.replay import Figures, Replay
from rag_core.evaluation.tuning.report import held_out
from rag_core.evaluation.tuning.space import SERVED, Space
from rag_core.evaluation.tuning.tune import Budget
from rag_core.reranking.weights import shipped_weights

from .corpus import _rows, _stored
from .fit_reranking import POOLS, import_corpus, recorded
from .indexing import index_all
from .progress import step
from .scratch import forget_environment, scratch_engine

SAMPLE = 5
"""Of the larger set every fifth question is asked: 623 of 3,115."""
SAMPLED = {"squad-es-mt": SAMPLE}
FITTED_ON = ("xquad-es", "squad-es-mt")
STARTS: Mapping[str, Mapping[str, Any]] = {
    "equal weights, RRF, threshold 0.5": {
        "strategy": "hybrid",
        "hybridSearch": {"method": "rrf", "semanticWeight": 0.5, "fulltextWeight": 0.5, "threshold": 0.5},
    },
    "equal weights, RRF": {
        "strategy": "hybrid",
        "hybridSearch": {"method": "rrf", "semanticWeight": 0.5, "fulltextWeight": 0.5},
    },
    "the defaults, not re-ranked": {"strategy": "hybrid"},
    "the defaults": {},
}
"""What is served when tuning begins; the first are usual values of systems that have measured nothing."""


def main() -> None:
    """Record, tune, judge, print."""
    folder = Path(os.environ["BRAIN_TEST_DATA"])
    minutes = float(sys.argv[sys.argv.index("--minutes") + 1]) if "--minutes" in sys.argv else 5.0
    forget_environment()
    recordings = dict(_recordings(folder))
    found = [_tuned(name, recordings, start, minutes=minutes) for start in STARTS for name in FITTED_ON]
    print(json.dumps({"sets": {name: len(one.queries) for name, one in recordings.items()}, "tunings": found}))


def _recordings(folder: Path) -> Iterator[tuple[str, Recording]]:
    for pool in POOLS:
        with scratch_engine(is_durable=False) as engine:
            with step(f"indexing {', '.join(pool.corpora)}"):
                for name in pool.corpora:
                    import_corpus(engine, _undated(folder, name), name, pool.language)
                index_all(engine)
            for name in pool.sets:
                questions = [row for row in _rows(_stored(folder / name / "queries.jsonl")) if row["relevant_ids"]]
                with step(f"recording {name}"):
                    yield name, recorded(engine, name, questions[:: SAMPLED.get(name, 1)])


def _undated(folder: Path, name: str) -> list[dict[str, Any]]:
    """The documents without dates: only one of the corpora has any, so they would tell the corpora apart."""
    rows = _rows(_stored(folder / name / "corpus.jsonl"))
    return [{key: value for key, value in row.items() if key != "created_at"} for row in rows]


def _tuned(name: str, recordings: dict[str, Recording], start: str, *, minutes: float) -> dict[str, Any]:
    bench = _bench(recordings[name], start)
    began = time.monotonic()
    with step(f"tuning {start} on {name}"):
        budget = Budget(
            ends_at=began + 60 * minutes, clock=time.monotonic, on_progress=lambda _stage, _done, _total: None
        )
        validation = cross_validate(bench, shares=budget.share, on_choice=budget.choice_made)
    seconds = round(time.monotonic() - began, 1)
    others = {
        other: _judged(_bench(recording, start), validation.choice)
        for other, recording in recordings.items()
        if other != name
    }
    document = {
        "fitted_on": name,
        "start": start,
        "tried": validation.tried,
        "seconds": seconds,
        "choice": _told(bench.space, validation.choice),
        "folds": [_told(bench.space, choice) for choice in validation.folds],
        "cross_validated": _compared(validation.served, validation.tuned),
        "on_others": others,
    }
    print(json.dumps(document, indent=1), file=sys.stderr, flush=True)
    return document


def _bench(recording: Recording, start: str) -> Bench:
    return Bench(
        replay=Replay(recording=recording),
        space=Space(base=configure(STARTS[start]), model=recording.model),
        weights=shipped_weights(),
        fitted_from=shipped_weights(),
    )


def _judged(bench: Bench, choice: Choice) -> dict[str, Any]:
    places = range(len(bench.replay.recording.queries))
    return _compared(bench.figures(SERVED), bench.worth(choice, places))


def _told(space: Space, choice: Choice) -> dict[str, Any]:
    return {"override": space.override(choice.point), "has_own_weights": choice.weights is not None}


def _compared(before: Figures, after: Figures) -> dict[str, Any]:
    rows = {
        "ndcg_at_10": (before.ndcg_at_10, after.ndcg_at_10),
        "mrr": (before.reciprocal_rank, after.reciprocal_rank),
    }
    found: dict[str, Any] = {}
    for metric, (served, tuned) in rows.items():
        item = held_out(metric, served, tuned)
        low, high = item.test.interval
        figures = {
            "served": item.served,
            "tuned": item.tuned,
            "difference": item.test.difference,
            "low": low,
            "high": high,
            "p_value": item.test.p_value,
        }
        found[metric] = {key: round(value, 4) for key, value in figures.items()}
    gains = after.ndcg_at_10 - before.ndcg_at_10
    return found | {"gained": int(np.sum(gains > 0)), "lost": int(np.sum(gains < 0))}


if __name__ == "__main__":
    main()
