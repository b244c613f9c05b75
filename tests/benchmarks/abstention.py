"""Measurement of the evidence that parts answerable questions from others, and the origin of its weights.

``BRAIN_TEST_DATA=… python -m tests.benchmarks.abstention [--refit] [--curve FILE.svg]`` asks, with everything as it is served:

- ``answerable``: every question of squad-es-mt, over all its articles;
- ``absent``: every other one of them again, over the articles of the other folds, so that no note answers it;
- ``adversarial``: squad-es-mt's questions without an answer, written to look as if their paragraph had one;
- ``xquad-es``, ``xquad-en``: the questions of these sets over their paragraphs, answerable;
- ``demo``, ``own``, ``world``, ``near``, ``nonsense``: the demo's golden queries, and questions that its notes do not answer.

The weights are fitted on ``answerable`` and ``absent`` questions of half the articles; every figure is of the other half, of
XQuAD and the demo of all, as nothing was fitted on them. The last line of stdout is one JSON object; ``--refit`` has it hold
weights fitted anew, to be written into ``rag_core/answering/evidence.py``.
"""

import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from quoted_answers import QuotedAnswers

from rag_core.answering.confidence import HIGH_SCORE, MEDIUM_SCORE
from rag_core.answering.events import AnswerRequest
from rag_core.answering.evidence import EVIDENCE_INTERCEPT, EVIDENCE_WEIGHTS, evidence_features
from rag_core.answering.sources.context import build_context
from rag_core.answering.sources.fallbacks import find_sources
from rag_core.model.note import Language
from rag_core.reranking.fitting import folds_of
from rag_core.runtime.engine import Engine
from rag_core.settings import Settings

from .corpus import EXAMPLES, _rows, _stored
from .drawing import draw_curves
from .fit_reranking import import_corpus
from .indexing import index_all
from .progress import step
from .scratch import TENANT, forget_environment, scratch_engine
from .trade_offs import OperatingPoint, cheapest, risk_coverage, roc_auc, trade_off

OUTSIDE = Path(__file__).with_name("outside_questions.jsonl")
SQUAD = "squad-es-mt"
XQUADS: Mapping[str, Language] = {"xquad-es": "es", "xquad-en": "en"}
FOLDS = 4
FITTED_FOLDS = (0, 1)
EVERY_ABSENT = 2
RIDGE = 10.0
TIMEOUT_MS = 30_000
REFUSAL_COST = 4.0
"""A question refused though the notes answer it costs as much as four let through that they do not: what is let through is
still held to its sources, sentence by sentence, and shown with its confidence; a refusal is the end of it."""
THRESHOLDS = (0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
COVERAGES = (0.1, 0.25, 0.5, 0.75, 1.0)
ANSWERABLE = ("answerable", *XQUADS, "demo")

Vector = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question, of which kind and fold, with the features of what was found for it.

    ``is_first_right`` is whether the first source is of a relevant note; ``is_quoted`` whether quoting sentences, which has a
    rule of its own, gives an answer.
    """

    kind: str
    fold: int
    features: Mapping[str, float]
    is_first_right: bool
    is_quoted: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """Weights by feature and the intercept."""

    weights: Mapping[str, float]
    intercept: float

    def score(self, features: Mapping[str, float]) -> float:
        """As ``rag_core.answering.evidence.evidence_score``."""
        logit = sum(weight * features[name] for name, weight in self.weights.items()) + self.intercept
        return float(1 / (1 + np.exp(-logit)))


SHIPPED = Model(weights=EVIDENCE_WEIGHTS, intercept=EVIDENCE_INTERCEPT)


def main() -> None:
    """Ask, fit if asked to, measure, draw if asked to."""
    folder = Path(os.environ["BRAIN_TEST_DATA"])
    forget_environment()
    asked = [*_asked_squad(folder), *_asked_absent(folder), *_asked_xquad(folder), *_asked_demo()]
    model = fitted([one for one in asked if one.fold in FITTED_FOLDS]) if "--refit" in sys.argv else SHIPPED
    held_out = [one for one in asked if one.fold not in FITTED_FOLDS]
    scores = {kind: [model.score(one.features) for one in held_out if one.kind == kind] for kind in _kinds(held_out)}
    if "--curve" in sys.argv:
        path = Path(sys.argv[sys.argv.index("--curve") + 1])
        path.write_text(draw_curves(_curves(scores)) + "\n", encoding="utf-8")
    print(json.dumps(_figures(held_out, scores, model), ensure_ascii=False))


def fitted(asked: Sequence[Asked]) -> Model:
    """Logistic regression of answerable on absent questions, both kinds weighing the same, no weight negative.

    Minimises the mean of ln(1 + e^-margin) plus ridge / (2 · questions) · |w|² in units of each feature's spread.
    """
    from scipy.optimize import minimize  # type: ignore[import-untyped]

    used = [one for one in asked if one.kind in {"answerable", "absent"}]
    names = tuple(EVIDENCE_WEIGHTS)
    rows = np.array([[one.features[name] for name in names] for one in used])
    signs = np.array([1.0 if one.kind == "answerable" else -1.0 for one in used])
    share = np.where(signs > 0, 0.5 / (signs > 0).sum(), 0.5 / (signs < 0).sum())
    spread = np.where(rows.std(axis=0) > 0, rows.std(axis=0), 1.0)
    scaled = rows / spread

    def loss(point: Vector) -> tuple[float, Vector]:
        margins = signs * (scaled @ point[:-1] + point[-1])
        pull = -signs * share * np.exp(-np.logaddexp(0, margins))
        ridge = RIDGE / len(used)
        value = float(share @ np.logaddexp(0, -margins) + ridge / 2 * point[:-1] @ point[:-1])
        return value, np.append(scaled.T @ pull + ridge * point[:-1], pull.sum())

    bounds = [(0, None)] * len(names) + [(None, None)]
    found = minimize(loss, np.zeros(len(names) + 1), jac=True, method="L-BFGS-B", bounds=bounds).x
    weights = {name: round(float(value), 2) for name, value in zip(names, found[:-1] / spread, strict=True)}
    return Model(weights=weights, intercept=round(float(found[-1]), 2))


# Asking ----------------------------------------------------------------------------------------------------------------


def _asked_squad(folder: Path) -> Iterator[Asked]:
    rows = list(_rows(_stored(folder / SQUAD / "corpus.jsonl")))
    fold_of = _folds(rows)
    with step("answerable and adversarial questions"), scratch_engine(is_durable=False) as engine:
        _index(engine, rows, SQUAD)
        for row in _rows(_stored(folder / SQUAD / "queries.jsonl")):
            yield _ask(engine, row, kind="answerable", fold=fold_of[_article(row["relevant_ids"][0])])
        for row in _rows(_stored(folder / SQUAD / "queries_unanswerable.jsonl")):
            yield _ask(engine, row, kind="adversarial", fold=fold_of[_article(row["near_ids"][0])])


def _asked_absent(folder: Path) -> Iterator[Asked]:
    rows = list(_rows(_stored(folder / SQUAD / "corpus.jsonl")))
    questions = list(_rows(_stored(folder / SQUAD / "queries.jsonl")))
    fold_of = _folds(rows)
    for fold in range(FOLDS):
        with step(f"questions on absent articles, fold {fold}"), scratch_engine(is_durable=False) as engine:
            _index(engine, [row for row in rows if fold_of[_article(row["id"])] != fold], SQUAD)
            absent = [row for row in questions if fold_of[_article(row["relevant_ids"][0])] == fold]
            for row in absent[::EVERY_ABSENT]:
                yield _ask(engine, row | {"relevant_ids": []}, kind="absent", fold=fold)


def _asked_xquad(folder: Path) -> Iterator[Asked]:
    for name, language in XQUADS.items():
        with step(f"questions of {name}"), scratch_engine(is_durable=False) as engine:
            _index(engine, list(_rows(_stored(folder / name / "corpus.jsonl"))), name, language)
            for row in _rows(_stored(folder / name / "queries.jsonl")):
                yield _ask(engine, row, kind=name, fold=FOLDS, language=language)


def _asked_demo() -> Iterator[Asked]:
    with step("questions to the demo"), scratch_engine(is_durable=False) as engine:
        _index(engine, list(_rows(EXAMPLES / "notes.jsonl")), "demo")
        for row in _rows(EXAMPLES / "golden.jsonl"):
            yield _ask(engine, row, kind="demo", fold=FOLDS)
        for row in _rows(OUTSIDE):
            yield _ask(engine, row | {"relevant_ids": []}, kind=row["kind"], fold=FOLDS)


def _index(engine: Engine, rows: Sequence[dict[str, Any]], source: str, language: Language = "es") -> None:
    import_corpus(engine, rows, source, language)
    index_all(engine)


def _ask(engine: Engine, row: Mapping[str, Any], *, kind: str, fold: int, language: Language = "es") -> Asked:
    question = row["query"]
    request = AnswerRequest(question=question, contract="command", user_hash="", is_recorded=False)
    found = find_sources(engine, TENANT, question, request, timeout_ms=TIMEOUT_MS)
    sources = build_context(found.hits).sources
    quoted = QuotedAnswers().answer(question, found.hits, language=language, timeout_seconds=1)
    return Asked(
        kind=kind,
        fold=fold,
        features=evidence_features(question, found.retrieval, sources, language=language, statistics=found.statistics),
        is_first_right=bool(sources) and sources[0].external_id in row["relevant_ids"],
        is_quoted=not quoted.is_refusal,
    )


def _folds(rows: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    return folds_of([_article(row["id"]) for row in rows], FOLDS)


def _article(document: str) -> str:
    return document.rpartition("-")[0]


# Measuring -------------------------------------------------------------------------------------------------------------


def _kinds(asked: Sequence[Asked]) -> list[str]:
    return list(dict.fromkeys(one.kind for one in asked))


def _figures(asked: Sequence[Asked], scores: Mapping[str, Sequence[float]], model: Model) -> dict[str, Any]:
    served = Settings.model_fields["answer_evidence"].default
    others = [kind for kind in scores if kind not in ANSWERABLE]
    base = {"absent": "answerable", "adversarial": "answerable"}
    return {
        "questions": {kind: len(scores[kind]) for kind in scores},
        "auc": {kind: _rounded(roc_auc(scores[base.get(kind, "demo")], scores[kind])) for kind in others},
        "single_features_auc": {
            kind: {name: _rounded(_feature_auc(asked, name, base.get(kind, "demo"), kind)) for name in model.weights}
            for kind in ("absent", "adversarial")
        },
        "table": _table(scores),
        "served": {kind: _served(asked, scores[kind], kind, served) for kind in scores},
        "cheapest": {
            kind: cheapest(
                trade_off(scores[base[kind]], scores[kind], thresholds=THRESHOLDS), refusal_cost=REFUSAL_COST
            ).threshold
            for kind in base
        },
        "risk_at_coverage": _risks(asked, model),
        "levels": _levels(asked, model, served),
        "means": {name: _mean_feature(asked, name) for name in model.weights},
        "weights": dict(model.weights) | {"intercept": model.intercept},
    }


def _table(scores: Mapping[str, Sequence[float]]) -> list[dict[str, float]]:
    """Per threshold the share answered, of every kind."""
    return [
        {"threshold": at} | {kind: _rounded(float(np.mean(np.array(of) >= at))) or 0.0 for kind, of in scores.items()}
        for at in THRESHOLDS
    ]


def _served(asked: Sequence[Asked], scores: Sequence[float], kind: str, threshold: float) -> dict[str, float | None]:
    """Shares answered by the evidence alone, by quoting alone, and by both."""
    reached = np.array(scores) >= threshold
    quoted = np.array([one.is_quoted for one in asked if one.kind == kind])
    shares = {"evidence": reached, "quoting": quoted, "both": reached & quoted}
    return {name: _rounded(float(np.mean(share))) for name, share in shares.items()}


def _levels(asked: Sequence[Asked], model: Model, threshold: float) -> dict[str, dict[str, float | None]]:
    """Of answerable and absent questions, each kind counting the same: how often the notes answer it, by level."""
    bounds = {"insufficient": (0.0, threshold), "low": (threshold, MEDIUM_SCORE)}
    bounds |= {"medium": (MEDIUM_SCORE, HIGH_SCORE), "high": (HIGH_SCORE, 1.01)}
    scores = {
        kind: np.array([model.score(one.features) for one in asked if one.kind == kind])
        for kind in ("answerable", "absent")
    }
    right = np.array([one.is_first_right for one in asked if one.kind == "answerable"])

    def level(low: float, high: float) -> dict[str, float | None]:
        inside = {kind: (of >= low) & (of < high) for kind, of in scores.items()}
        shares = {kind: float(of.mean()) for kind, of in inside.items()}
        both = sum(shares.values())
        return {
            "share_of_answerable": _rounded(shares["answerable"]),
            "is_in_the_notes": _rounded(shares["answerable"] / both) if both else None,
            "first_source_right": _rounded(float(right[inside["answerable"]].mean()))
            if inside["answerable"].any()
            else None,
        }

    return {name: level(*limits) for name, limits in bounds.items()}


def _risks(asked: Sequence[Asked], model: Model) -> dict[str, float]:
    """Answerable and absent questions together: the share whose first source is not right, of the best-scored ones."""
    used = [one for one in asked if one.kind in {"answerable", "absent"}]
    curve = risk_coverage([model.score(one.features) for one in used], [one.is_first_right for one in used])
    return {f"{at}": round(next(risk for coverage, risk in curve if coverage >= at), 3) for at in COVERAGES}


def _feature_auc(asked: Sequence[Asked], name: str, answerable: str, other: str) -> float | None:
    one, two = ([item.features[name] for item in asked if item.kind == kind] for kind in (answerable, other))
    return roc_auc(one, two)


def _mean_feature(asked: Sequence[Asked], name: str) -> float:
    """Over answerable and absent questions, each kind counting the same."""
    kinds = ([one.features[name] for one in asked if one.kind == kind] for kind in ("answerable", "absent"))
    return round(float(np.mean([np.mean(values) for values in kinds])), 3)


def _curves(scores: Mapping[str, Sequence[float]]) -> dict[str, list[tuple[float, float]]]:
    """Share refused against share answered at every threshold, by kind of what should be refused."""
    thresholds = [at / 200 for at in range(201)]
    away = [score for kind in ("own", "world", "near") for score in scores[kind]]
    pairs = {
        "absent article": (scores["answerable"], scores["absent"]),
        "adversarial": (scores["answerable"], scores["adversarial"]),
        "demo, not in the notes": (scores["demo"], away),
    }
    return {name: _points(trade_off(*pair, thresholds=thresholds)) for name, pair in pairs.items()}


def _points(points: Sequence[OperatingPoint]) -> list[tuple[float, float]]:
    return [
        (point.answered, point.refused) for point in points if point.answered is not None and point.refused is not None
    ]


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 3)


if __name__ == "__main__":
    main()
