"""Measurement of the evidence that parts answerable questions from others.

``BRAIN_TEST_DATA=… python -m tests.benchmarks.abstention [--curve FILE.svg]`` asks, with everything as it is served:

- ``answerable``: every question of squad-es-mt, over all its articles;
- ``absent``: every other one of them again, over the articles of the other folds, so that no note answers it;
- ``adversarial``: squad-es-mt's questions without an answer, written to look as if their paragraph had one;
- ``xquad-es``, ``xquad-en``: the questions of these sets over their paragraphs, answerable;
- ``en-to-es``, ``es-to-en``: every other question of xquad-cross, answerable though its words are in another language;
  ``absent-en-to-es``, ``absent-es-to-en``: the others, over the articles of the other half, so that no note answers them;
- ``demo``, ``own``, ``world``, ``near``, ``nonsense``: the demo's golden queries, and questions that its notes do not answer.

``tests/benchmarks/fit_quoting.py`` fits the weights. The last line of stdout is one JSON object.
"""

import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from rag_core.answering.confidence import HIGH_SCORE, MEDIUM_SCORE
from rag_core.answering.events import AnswerRequest
from rag_core.answering.evidence import evidence_features, evidence_score
from rag_core.answering.quoting.selection import quote
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
EVERY_ABSENT = 2
ACROSS: Mapping[str, tuple[str, Language, Language]] = {
    "en-to-es": ("xquad-es", "en", "es"),
    "es-to-en": ("xquad-en", "es", "en"),
}
"""Of each kind the set of the notes, the language of the questions, and the notes' own."""
TIMEOUT_MS = 30_000
REFUSAL_COST = 4.0
"""A question refused though the notes answer it costs as much as four let through that they do not: what is let through is
still held to its sources, sentence by sentence, and shown with its confidence; a refusal is the end of it."""
THRESHOLDS = (0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
COVERAGES = (0.1, 0.25, 0.5, 0.75, 1.0)
ANSWERABLE = ("answerable", *XQUADS, *ACROSS, "demo")


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question, of which kind, with the score of the evidence for what is quoted.

    ``is_right`` is whether the first passage that is quoted is of a relevant note.
    """

    kind: str
    score: float
    is_right: bool


def main() -> None:
    """Ask, measure, draw if asked to."""
    folder = Path(os.environ["BRAIN_TEST_DATA"])
    forget_environment(None)
    asked = [
        *_asked_squad(folder),
        *_asked_absent(folder),
        *_asked_xquad(folder),
        *_asked_across(folder),
        *_asked_demo(),
    ]
    scores = {kind: [one.score for one in asked if one.kind == kind] for kind in _kinds(asked)}
    if "--curve" in sys.argv:
        path = Path(sys.argv[sys.argv.index("--curve") + 1])
        path.write_text(draw_curves(_curves(scores)) + "\n", encoding="utf-8")
    print(json.dumps(_figures(asked, scores), ensure_ascii=False))


# Asking ----------------------------------------------------------------------------------------------------------------


def _asked_squad(folder: Path) -> Iterator[Asked]:
    with step("answerable and adversarial questions"), scratch_engine(is_durable=False) as engine:
        _index(engine, list(_rows(_stored(folder / SQUAD / "corpus.jsonl"))), SQUAD)
        for row in _rows(_stored(folder / SQUAD / "queries.jsonl")):
            yield _ask(engine, row, kind="answerable")
        for row in _rows(_stored(folder / SQUAD / "queries_unanswerable.jsonl")):
            yield _ask(engine, row | {"relevant_ids": []}, kind="adversarial")


def _asked_absent(folder: Path) -> Iterator[Asked]:
    rows = list(_rows(_stored(folder / SQUAD / "corpus.jsonl")))
    questions = list(_rows(_stored(folder / SQUAD / "queries.jsonl")))
    fold_of = _folds(rows)
    for fold in range(FOLDS):
        with step(f"questions on absent articles, fold {fold}"), scratch_engine(is_durable=False) as engine:
            _index(engine, [row for row in rows if fold_of[_article(row["id"])] != fold], SQUAD)
            absent = [row for row in questions if fold_of[_article(row["relevant_ids"][0])] == fold]
            for row in absent[::EVERY_ABSENT]:
                yield _ask(engine, row | {"relevant_ids": []}, kind="absent")


def _asked_xquad(folder: Path) -> Iterator[Asked]:
    for name, language in XQUADS.items():
        with step(f"questions of {name}"), scratch_engine(is_durable=False) as engine:
            _index(engine, list(_rows(_stored(folder / name / "corpus.jsonl"))), name, language)
            for row in _rows(_stored(folder / name / "queries.jsonl")):
                yield _ask(engine, row, kind=name, language=language)


def _asked_across(folder: Path) -> Iterator[Asked]:
    for kind, (name, asked_in, written_in) in ACROSS.items():
        notes = list(_rows(_stored(folder / name / "corpus.jsonl")))
        questions = list(_rows(folder / "xquad-cross" / f"queries-{kind}.jsonl"))
        half_of = folds_of([_article(row["id"]) for row in notes], 2)
        with step(f"questions {kind}"), scratch_engine(is_durable=False) as engine:
            _index(engine, notes, name, written_in)
            for row in questions[::2]:
                yield _ask(engine, row, kind=kind, language=asked_in)
        for half in (0, 1):
            with step(f"questions {kind} on absent articles, half {half}"), scratch_engine(is_durable=False) as engine:
                _index(engine, [row for row in notes if half_of[_article(row["id"])] != half], name, written_in)
                for row in questions[1::2]:
                    if half_of[_article(row["relevant_ids"][0])] == half:
                        yield _ask(engine, row | {"relevant_ids": []}, kind=f"absent-{kind}", language=asked_in)


def _asked_demo() -> Iterator[Asked]:
    with step("questions to the demo"), scratch_engine(is_durable=False) as engine:
        _index(engine, list(_rows(EXAMPLES / "notes.jsonl")), "demo")
        for row in _rows(EXAMPLES / "golden.jsonl"):
            yield _ask(engine, row, kind="demo")
        for row in _rows(OUTSIDE):
            yield _ask(engine, row | {"relevant_ids": []}, kind=row["kind"])


def _index(engine: Engine, rows: Sequence[dict[str, Any]], source: str, language: Language = "es") -> None:
    import_corpus(engine, rows, source, language)
    index_all(engine)


def _ask(engine: Engine, row: Mapping[str, Any], *, kind: str, language: Language = "es") -> Asked:
    question = row["query"]
    request = AnswerRequest(question=question, contract="command", user_hash="", is_recorded=False)
    found = find_sources(engine, TENANT, question, request, timeout_ms=TIMEOUT_MS)
    quotation = quote(question, build_context(found.hits), language=language)
    first = quotation.sentences[0].source.external_id if quotation.passages else None
    return Asked(
        kind=kind,
        score=evidence_score(evidence_features(quotation, language=language)),
        is_right=first in row["relevant_ids"],
    )


def _folds(rows: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    return folds_of([_article(row["id"]) for row in rows], FOLDS)


def _article(document: str) -> str:
    return document.rpartition("-")[0]


# Measuring -------------------------------------------------------------------------------------------------------------


def _kinds(asked: Sequence[Asked]) -> list[str]:
    return list(dict.fromkeys(one.kind for one in asked))


def _figures(asked: Sequence[Asked], scores: Mapping[str, Sequence[float]]) -> dict[str, Any]:
    others = [kind for kind in scores if kind not in ANSWERABLE]
    base = {"absent": "answerable", "adversarial": "answerable"} | {f"absent-{kind}": kind for kind in ACROSS}
    return {
        "questions": {kind: len(scores[kind]) for kind in scores},
        "auc": {kind: _rounded(roc_auc(scores[base.get(kind, "demo")], scores[kind])) for kind in others},
        "table": _table(scores),
        "cheapest": {
            kind: cheapest(
                trade_off(scores[base[kind]], scores[kind], thresholds=THRESHOLDS), refusal_cost=REFUSAL_COST
            ).threshold
            for kind in base
        },
        "risk_at_coverage": _risks(asked),
        "levels": _levels(asked, Settings.model_fields["answer_evidence"].default),
    }


def _table(scores: Mapping[str, Sequence[float]]) -> list[dict[str, float]]:
    """Per threshold the share answered, of every kind."""
    return [
        {"threshold": at} | {kind: _rounded(float(np.mean(np.array(of) >= at))) or 0.0 for kind, of in scores.items()}
        for at in THRESHOLDS
    ]


def _levels(asked: Sequence[Asked], threshold: float) -> dict[str, dict[str, float | None]]:
    """Of answerable and absent questions, each kind counting the same: how often the notes answer it, by level."""
    bounds = {"insufficient": (0.0, threshold), "low": (threshold, MEDIUM_SCORE)}
    bounds |= {"medium": (MEDIUM_SCORE, HIGH_SCORE), "high": (HIGH_SCORE, 1.01)}
    scores = {kind: np.array([one.score for one in asked if one.kind == kind]) for kind in ("answerable", "absent")}
    right = np.array([one.is_right for one in asked if one.kind == "answerable"])

    def level(low: float, high: float) -> dict[str, float | None]:
        inside = {kind: (of >= low) & (of < high) for kind, of in scores.items()}
        shares = {kind: float(of.mean()) for kind, of in inside.items()}
        both, answered = sum(shares.values()), right[inside["answerable"]]
        return {
            "share_of_answerable": _rounded(shares["answerable"]),
            "is_in_the_notes": _rounded(shares["answerable"] / both) if both else None,
            "first_passage_right": _rounded(float(answered.mean())) if answered.size else None,
        }

    return {name: level(*limits) for name, limits in bounds.items()}


def _risks(asked: Sequence[Asked]) -> dict[str, float]:
    """Answerable and absent questions together: the share whose first passage is not right, of the best-scored ones."""
    used = [one for one in asked if one.kind in {"answerable", "absent"}]
    curve = risk_coverage([one.score for one in used], [one.is_right for one in used])
    return {f"{at}": round(next(risk for coverage, risk in curve if coverage >= at), 3) for at in COVERAGES}


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
