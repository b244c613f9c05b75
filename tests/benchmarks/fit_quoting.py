"""Fits the weights of passages that are quoted, and of the evidence that they answer, and measures both on sets not fitted on.

``BRAIN_TEST_DATA=… python -m tests.benchmarks.fit_quoting`` asks every few questions of XQuAD-es, XQuAD-en, English ones of
XQuAD-es and squad-es-mt as they are served, and questions of squad-es-mt over the articles of the other half, which no note
answers. Of each question the chance of the passages that hold the answer, exp(score) over the sum of all, shall be high; the
evidence shall be the probability that what is quoted holds it. One set at a time is left out and measured; the demo's
golden queries and the diary's questions take no part in fitting. The last line of stdout is one JSON object, whose ``words`` and
``meaning`` are for ``rag_core/answering/quoting/sentence_scores.py`` and ``rag_core/answering/evidence.py``.
"""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rag_core.answering.answer import answer_events
from rag_core.answering.events import AnswerRequest, QuestionUnderstood, SourcesFound
from rag_core.answering.evidence import evidence_features
from rag_core.answering.quoting.passages import ranked_passages
from rag_core.answering.quoting.selection import MAX_PASSAGES, MOST_BEHIND, quote
from rag_core.answering.quoting.sentence_scores import FEATURES, SPREAD, ScoredSentence, score_sentences
from rag_core.model.note import Language
from rag_core.reranking.fitting import folds_of
from rag_core.runtime.engine import Engine

from .corpus import EXAMPLES, _rows, _stored
from .diary_answers import QUESTIONS, present
from .fit_reranking import import_corpus
from .indexing import index_all
from .progress import step
from .scratch import TENANT, forget_environment, scratch_engine

FITTED = ("xquad-es", "en-to-es", "xquad-en", "squad-es-mt")
SAMPLE = 200
RIDGE = 1.0
OF_WORDS = tuple(name for name in FEATURES if not name.startswith("meaning"))
EVIDENCE: Mapping[str, tuple[str, ...]] = {
    "words": ("words", "ahead"),
    "meaning": ("similarity", "ahead", "translated"),
}
TRANSLATED = 0.04
"""Cosine by which texts of two languages are farther apart; no question without an answer is asked in another language."""

Vector = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One question's sentences that a passage may begin with: their features, shape (sentences, features), which of their passages
    hold the answer, which other sentences each passage has, and the features of the evidence for it."""

    features: Vector
    is_right: NDArray[np.bool_]
    passages: tuple[frozenset[int], ...]
    evidence: Mapping[str, float]


def main() -> None:
    """Ask, fit, measure."""
    forget_environment(None)
    items = {name: list(found) for name, found in _asked(Path(os.environ["BRAIN_TEST_DATA"]))}
    told = {name: items[name] for name in FITTED}
    print(json.dumps({kind: _figures(items, told, kind) for kind in EVIDENCE}))


def _figures(items: Mapping[str, Sequence[Item]], told: Mapping[str, Sequence[Item]], kind: str) -> dict[str, Any]:
    columns = [FEATURES.index(name) for name in (FEATURES if kind == "meaning" else OF_WORDS)]
    weights = fitted([item for of in told.values() for item in of], columns)
    left_out = {}
    for name, of in items.items():
        rest = [item for other, others in told.items() if other != name for item in others]
        mine = fitted(rest, columns) if name in told else weights
        left_out[name] = [sum(_is_held(item, mine, columns) for item in of), len(of)]
    rows = [(item, _is_held(item, weights, columns)) for of in told.values() for item in of]
    rows += [(item, False) for item in items["absent"]]
    return {
        "left_out": left_out,
        "weights": dict(zip((FEATURES[at] for at in columns), np.round(weights, 1).tolist(), strict=True)),
        "evidence": fitted_evidence(rows, EVIDENCE[kind]),
    }


def fitted(items: Sequence[Item], columns: Sequence[int]) -> Vector:
    """Minimise -Σ ln Σ_right exp(s) / Σ exp(s) + ridge · |w|², with s = features · w."""
    from scipy.optimize import minimize  # type: ignore[import-untyped]
    from scipy.special import logsumexp  # type: ignore[import-untyped]

    told = [
        (item.features[:, columns], item.is_right) for item in items if item.is_right.any() and not item.is_right.all()
    ]

    def loss(point: Vector) -> tuple[float, Vector]:
        value, slope = RIDGE * float(point @ point), 2 * RIDGE * point
        for features, right in told:
            scores = features @ point
            every, of_right = logsumexp(scores), logsumexp(scores[right])
            value += float(every - of_right)
            slope = slope + np.exp(scores - every) @ features - np.exp(scores[right] - of_right) @ features[right]
        return value, slope

    found: Vector = minimize(loss, np.zeros(len(columns)), jac=True, method="L-BFGS-B").x
    return found


def fitted_evidence(rows: Sequence[tuple[Item, bool]], names: Sequence[str]) -> dict[str, float]:
    """Logistic regression of whether what is quoted holds the answer."""
    from scipy.optimize import minimize

    features = np.array([[item.evidence[name] for name in names] for item, _ in rows])
    if "translated" in names:
        at = names.index("translated")
        features[:, names.index("similarity")] += SPREAD * TRANSLATED * features[:, at]
        features[:, at] = 0.0
    signs = np.array([1.0 if is_held else -1.0 for _, is_held in rows])
    middle, spread = features.mean(axis=0), features.std(axis=0) + 1e-9
    scaled = (features - middle) / spread

    def loss(point: Vector) -> tuple[float, Vector]:
        margins = signs * (scaled @ point[:-1] + point[-1])
        pull = -signs * np.exp(-np.logaddexp(0, margins))
        value = float(np.logaddexp(0, -margins).sum() + RIDGE / 2 * point[:-1] @ point[:-1])
        return value, np.append(scaled.T @ pull + RIDGE * point[:-1], pull.sum())

    found = minimize(loss, np.zeros(len(names) + 1), jac=True, method="L-BFGS-B").x
    weights = found[:-1] / spread
    made = dict(zip(names, np.round(weights, 2).tolist(), strict=True))
    if "translated" in made:
        made["translated"] = round(made["similarity"] * SPREAD * TRANSLATED, 2)
    return made | {"intercept": round(float(found[-1] - weights @ middle), 2)}


def _is_held(item: Item, weights: Vector, columns: Sequence[int]) -> bool:
    """Test whether one of the passages that these weights would quote holds the answer."""
    scores = item.features[:, columns] @ weights
    quoted: list[int] = []
    for at in np.argsort(-scores):
        if scores[at] < scores.max() - MOST_BEHIND or len(quoted) == MAX_PASSAGES:
            break
        if not any(at in item.passages[other] or item.passages[at] & item.passages[other] for other in quoted):
            quoted.append(int(at))
    return bool(item.is_right[quoted].any())


# Asking ----------------------------------------------------------------------------------------------------------------


def _asked(folder: Path) -> Iterator[tuple[str, Iterator[Item]]]:
    with step("questions to the demo"), scratch_engine(is_durable=False) as engine:
        _index(engine, list(_rows(EXAMPLES / "notes.jsonl")), "es")
        yield "diary", _items(engine, [row for row in _rows(QUESTIONS) if row["must"]])
        held_back = _rows(QUESTIONS.with_name("diary_held_back.jsonl"))
        yield "held_back", _items(engine, [row for row in held_back if row["must"]])
        yield "golden", _items(engine, list(_rows(EXAMPLES / "golden.jsonl")))
    spanish, english = (list(_rows(_stored(folder / f"xquad-{name}" / "queries.jsonl"))) for name in ("es", "en"))
    with step("questions of xquad-es"), scratch_engine(is_durable=False) as engine:
        _index(engine, list(_rows(_stored(folder / "xquad-es" / "corpus.jsonl"))), "es")
        yield "xquad-es", _items(engine, _sample(spanish, 1))
        answers = {row["id"]: row["answer"] for row in spanish}
        across = list(_rows(folder / "xquad-cross" / "queries-en-to-es.jsonl"))
        yield "en-to-es", _items(engine, _sample([row | {"answer": answers[row["id"]]} for row in across], 2))
    with step("questions of xquad-en"), scratch_engine(is_durable=False) as engine:
        _index(engine, list(_rows(_stored(folder / "xquad-en" / "corpus.jsonl"))), "en")
        yield "xquad-en", _items(engine, _sample(english, 0))
    rows = list(_rows(_stored(folder / "squad-es-mt" / "corpus.jsonl")))
    questions = list(_rows(_stored(folder / "squad-es-mt" / "queries.jsonl")))
    with step("questions of squad-es-mt"), scratch_engine(is_durable=False) as engine:
        _index(engine, rows, "es")
        yield "squad-es-mt", _items(engine, _sample(questions, 1, 2 * SAMPLE))
    yield "absent", _absent(rows, questions)


def _absent(rows: Sequence[Mapping[str, Any]], questions: Sequence[Mapping[str, Any]]) -> Iterator[Item]:
    fold_of = folds_of([_article(row["id"]) for row in rows], 2)
    for fold in (0, 1):
        with step(f"questions on absent articles, half {fold}"), scratch_engine(is_durable=False) as engine:
            _index(engine, [dict(row) for row in rows if fold_of[_article(row["id"])] != fold], "es")
            mine = [row for row in questions if fold_of[_article(row["relevant_ids"][0])] == fold]
            yield from _items(engine, [{"query": row["query"], "must": [], "notes": []} for row in _sample(mine, 0)])


def _article(document: str) -> str:
    return document.rpartition("-")[0]


def _sample(rows: Sequence[Mapping[str, Any]], start: int, count: int = SAMPLE) -> list[dict[str, Any]]:
    every = max(1, len(rows) // count)
    return [
        {"must": [row["answer"]], "notes": row["relevant_ids"]} | {"query": row["query"]} for row in rows[start::every]
    ]


def _index(engine: Engine, rows: Sequence[dict[str, Any]], language: Language) -> None:
    import_corpus(engine, rows, "fitting", language)
    index_all(engine)


def _items(engine: Engine, rows: Sequence[Mapping[str, Any]]) -> Iterator[Item]:
    for row in rows:
        request = AnswerRequest(question=row["query"], contract="command", user_hash="", is_recorded=False)
        language, context = None, None
        with present(row.get("now")):
            for event in answer_events(engine, TENANT, request):
                language = event.language if isinstance(event, QuestionUnderstood) else language
                context = event.context if isinstance(event, SourcesFound) else context
        if language is None or context is None or not context.sources or context.asked_time is not None:
            continue
        scored = score_sentences(row["query"], context.sources, language=language)
        leads = [sentence for sentence in scored if sentence.may_lead]
        passages = [next(ranked_passages(scored, [lead])) for lead in leads]
        place = {sentence: at for at, sentence in enumerate(leads)}
        if leads:
            quotation = quote(row["query"], context, language=language)
            yield Item(
                features=np.array([[lead.features[name] for name in FEATURES] for lead in leads]),
                is_right=np.array([any(_holds(row, one) for one in passage) for passage in passages]),
                passages=tuple(frozenset(place[one] for one in passage if one in place) for passage in passages),
                evidence=evidence_features(quotation, language=language),
            )


def _holds(row: Mapping[str, Any], sentence: ScoredSentence) -> bool:
    if "relevance" in row:
        return any(
            sentence.source.external_id == relevant["id"]
            and (span["quote"] in sentence.text or sentence.text in span["quote"])
            for relevant in row["relevance"]
            for span in relevant.get("spans", [])
        )
    text = sentence.text.casefold()
    return sentence.source.external_id in row["notes"] and any(part.casefold() in text for part in row["must"])


if __name__ == "__main__":
    main()
