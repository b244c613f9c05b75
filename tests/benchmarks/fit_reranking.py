"""Fits the embedded re-ranker's shipped weights and says what they are worth on articles they have not seen.

``BRAIN_TEST_DATA=… python -m tests.benchmarks.fit_reranking [--write]`` indexes the sets in scratch homes, takes down the
candidates that re-ranking is given for every question, and fits. The sets speak of the same articles, in two translations
and in the original, so a fold holds an article in all of them. The demo's golden set is measured and never fitted on.
``--write`` replaces ``rag_core/reranking/weights.json``. The last line of stdout is one JSON object.
"""

import json
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from rag_core.configuration.schema import DEFAULT_RETRIEVAL_CONFIG
from rag_core.evaluation.golden.importing import import_golden
from rag_core.evaluation.tuning.record import Recording, fetch_queries, leg_search, record
from rag_core.evaluation.tuning.replay import Replay
from rag_core.model.golden import GoldenQuery
from rag_core.model.note import Language
from rag_core.notes.importing import import_lines
from rag_core.reranking.fitting import (
    SHIPPED_RIDGE,
    JudgedList,
    fit,
)
from rag_core.reranking.weights import Weights
from rag_core.runtime.engine import Engine

from .corpus import EXAMPLES, _rows, _stored
from .fit_worth import Quality, difference_interval, order_by, out_of_fold_orders, quality
from .indexing import index_all
from .progress import step
from .scratch import TENANT, forget_environment, scratch_engine

WEIGHTS = Path(__file__).parents[2] / "rag_core" / "reranking" / "weights.json"
VERSION = "1"
FOLDS = 6
TIMEOUT_MS = 30_000
DEMO = "demo"
ARTICLES = {
    "1973: Crisis del petróleo": "1973 oil crisis",
    "Complejidad computacional teoría": "Computational complexity theory",
    "Conmutación de paquetes": "Packet switching",
    "Geología": "Geology",
    "Hugonotes": "Huguenot",
    "Ley Europea": "European Union law",
    "Maestra": "Teacher",
    "Martín Lutero": "Martin Luther",
    "Motor": "Steam engine",
    "Muerte negra": "Black Death",
    "Normandos": "Normans",
    "Oxígeno": "Oxygen",
    "Programa Apolo": "Apollo program",
    "Selva Amazónica": "Amazon rainforest",
    "Sky (Reino Unido)": "Sky (United Kingdom)",
    "Varsovia": "Warsaw",
    "Victoria and Albert Museum (en inglés)": "Victoria and Albert Museum",
}
"""One name for an article whose title was translated."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    """Corpora that are searched together, and the sets of questions asked of them."""

    language: Language
    corpora: tuple[str, ...]
    sets: tuple[str, ...]


POOLS = (
    Pool(language="es", corpora=("xquad-es", "squad-es-mt", "clinical-es"), sets=("xquad-es", "squad-es-mt")),
    Pool(language="en", corpora=("xquad-en",), sets=("xquad-en",)),
)


def main() -> None:
    """Collect, cross-validate, fit, and write when asked to."""
    folder = Path(os.environ["BRAIN_TEST_DATA"])
    forget_environment()
    lists = [item for pool in POOLS for item in _collected(pool, folder)]
    demo = _collected_demo()
    with step("cross-validation"):
        orders = out_of_fold_orders(lists, fit_fold=_fitted, folds=FOLDS)
        weights = _fitted(lists)
    figures = {name: _figures(*_of(name, lists, orders)) for pool in POOLS for name in pool.sets}
    figures[DEMO] = _figures(demo, [order_by(weights, item) for item in demo])
    provenance = {
        "sets": [name for pool in POOLS for name in pool.sets],
        "queries": len(lists),
        "folds": f"{FOLDS}, by article",
        "ridge": SHIPPED_RIDGE,
        "date": datetime.now(UTC).date().isoformat(),
        "out_of_fold": {name: figures[name] for pool in POOLS for name in pool.sets},
        "never_fitted_on": {DEMO: figures[DEMO]},
    }
    if "--write" in sys.argv:
        document = replace(weights, fitted_on=provenance).to_json()
        WEIGHTS.write_text(json.dumps(document, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    print(json.dumps(provenance | {"weights": dict(zip(weights.features, weights.coefficients, strict=True))}))


def _fitted(lists: Sequence[JudgedList]) -> Weights:
    return fit(lists, version=VERSION, fitted_on={})


def _collected(pool: Pool, folder: Path) -> Iterator[JudgedList]:
    """The judged lists of a pool's sets; the unit of a question is the article that answers it."""
    with step(f"candidates of {', '.join(pool.sets)}"), scratch_engine(is_durable=False) as engine:
        article_of: dict[tuple[str, str], str] = {}
        for name in pool.corpora:
            rows = list(_rows(_stored(folder / name / "corpus.jsonl")))
            import_corpus(engine, rows, name, pool.language)
            titles = {row["id"]: row.get("title") or "" for row in rows}
            article_of |= {(name, key): ARTICLES.get(title, title) for key, title in titles.items()}
        index_all(engine)
        for name in pool.sets:
            questions = [row for row in _rows(_stored(folder / name / "queries.jsonl")) if row["relevant_ids"]]
            unit_of = {row["query"]: article_of[name, row["relevant_ids"][0]] for row in questions}
            for query, item in _judged(engine, name, questions):
                yield replace(item, unit=unit_of[query.query])


def _collected_demo() -> list[JudgedList]:
    with step("candidates of the demo"), scratch_engine(is_durable=False) as engine:
        import_corpus(engine, list(_rows(EXAMPLES / "notes.jsonl")), DEMO, "es")
        index_all(engine)
        return [item for _, item in _judged(engine, DEMO, list(_rows(EXAMPLES / "golden.jsonl")))]


def import_corpus(engine: Engine, rows: Sequence[dict[str, Any]], source: str, language: Language) -> None:
    """Import the documents of a set as notes of a source of that name."""
    report = import_lines(
        engine.database,
        TENANT,
        [json.dumps(row, ensure_ascii=False).encode() for row in rows],
        source=source,
        language=language,
        zone=ZoneInfo("Europe/Madrid"),
        max_characters=engine.settings.max_note_characters,
    )
    if report.imported != len(rows):
        raise RuntimeError(f"{report.imported} of {len(rows)} notes were imported: {report.rejected[:3]}")


def recorded(engine: Engine, name: str, questions: Sequence[dict[str, Any]]) -> Recording:
    """Import the questions as a golden set of that name, and record what they find."""
    lines = [
        json.dumps({"query": row["query"], "relevant_ids": row["relevant_ids"]}, ensure_ascii=False).encode()
        for row in questions
    ]
    import_golden(engine.database, TENANT, lines, set_name=name)
    queries = fetch_queries(engine.database, TENANT, name)
    searched = leg_search(engine, TENANT, timeout_ms=TIMEOUT_MS)
    return record(searched, queries, config=DEFAULT_RETRIEVAL_CONFIG)


def _judged(engine: Engine, name: str, questions: Sequence[dict[str, Any]]) -> Iterator[tuple[GoldenQuery, JudgedList]]:
    replay = Replay(recording=recorded(engine, name, questions))
    for at, query in enumerate(replay.recording.queries):
        found = replay.judged_list(at, DEFAULT_RETRIEVAL_CONFIG)
        if found is not None:
            yield query.golden, replace(found, family=name)


def _of(
    name: str, lists: Sequence[JudgedList], orders: Sequence[Sequence[int]]
) -> tuple[list[JudgedList], list[Sequence[int]]]:
    chosen = [at for at, item in enumerate(lists) if item.family == name]
    return [lists[at] for at in chosen], [orders[at] for at in chosen]


def _figures(lists: Sequence[JudgedList], orders: Sequence[Sequence[int]]) -> dict[str, Any]:
    """Means before and after, and the difference with its 95 % interval, whole articles drawn."""
    before = quality(lists, [range(len(item.notes)) for item in lists])
    after = quality(lists, orders)
    units = [item.unit for item in lists]
    return {"queries": len(lists)} | {
        name: _difference(before, after, attribute, units)
        for name, attribute in (("ndcg_at_10", "ndcg_at_10"), ("mrr", "reciprocal_rank"))
    }


def _difference(before: Quality, after: Quality, attribute: str, units: Sequence[str]) -> dict[str, Any]:
    searched, ranked = getattr(before, attribute), getattr(after, attribute)
    mean, low, high = difference_interval(searched, ranked, units=units)
    values = {"hybrid": searched.mean(), "reranked": ranked.mean(), "difference": mean, "low": low, "high": high}
    return {name: round(float(value), 4) for name, value in values.items()}


if __name__ == "__main__":
    main()
