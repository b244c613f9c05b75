"""Fits the weights of sentences that are quoted, and says how often the best sentence is the right one on questions not fitted on.

``BRAIN_TEST_DATA=… python -m tests.benchmarks.fit_quoting`` asks the diary's questions, the demo's golden queries, and every few of
XQuAD-es and squad-es-mt as they are served, takes down the sentences of their sources, and fits: of each question the chance of its
answering sentences, exp(score) over the sum of all, shall be high. A fifth of the questions at a time is left out and measured.
The last line of stdout is one JSON object; its ``weights`` are for ``rag_core/answering/quoting/sentence_scores.py``.
"""

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rag_core.answering.answer import answer_events
from rag_core.answering.events import AnswerRequest, QuestionUnderstood, SourcesFound
from rag_core.answering.quoting.asked_time import is_of
from rag_core.answering.quoting.sentence_scores import FEATURES, WEIGHTS, ScoredSentence, score_sentences
from rag_core.runtime.engine import Engine

from .corpus import EXAMPLES, _rows, _stored
from .diary_answers import QUESTIONS, present
from .fit_reranking import import_corpus
from .indexing import index_all
from .progress import step
from .scratch import TENANT, forget_environment, scratch_engine

SETS = ("xquad-es", "squad-es-mt")
SAMPLE = 300
FOLDS = 5
RIDGE = 1.0
SET_WEIGHTS: Mapping[str, float] = {"diary": 2.0, "golden": 1.5}
"""What a question of the diary counts; one of the other sets counts ``OTHER_WEIGHT``."""
OTHER_WEIGHT = 0.4

Vector = NDArray[np.float64]
Test = Callable[[Mapping[str, Any], ScoredSentence], bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One question's sentences: their features, shape (sentences, features), and which of them answer it."""

    features: Vector
    is_right: NDArray[np.bool_]


def main() -> None:
    """Ask, fit, measure."""
    forget_environment()
    items = {name: list(found) for name, found in _asked(Path(os.environ["BRAIN_TEST_DATA"]))}
    hits = dict.fromkeys(items, 0)
    for fold in range(FOLDS):
        rest = {name: [item for at, item in enumerate(of) if at % FOLDS != fold] for name, of in items.items()}
        weights = fitted(rest)
        for name, of in items.items():
            hits[name] += _right(weights, of[fold::FOLDS])
    served = np.array([WEIGHTS[name] for name in FEATURES])
    print(
        json.dumps(
            {
                "left_out": {name: [hits[name], len(of)] for name, of in items.items()},
                "as_served": {name: [_right(served, of), len(of)] for name, of in items.items()},
                "weights": dict(zip(FEATURES, np.round(fitted(items), 2).tolist(), strict=True)),
            }
        )
    )


def fitted(items: Mapping[str, Sequence[Item]]) -> Vector:
    """Minimise -Σ weight · ln Σ_right exp(s) / Σ exp(s) + ridge · |w|², with s = features · w."""
    from scipy.optimize import minimize  # type: ignore[import-untyped]
    from scipy.special import logsumexp  # type: ignore[import-untyped]

    told = [
        (SET_WEIGHTS.get(name, OTHER_WEIGHT), item)
        for name, of in items.items()
        for item in of
        if item.is_right.any() and not item.is_right.all()
    ]

    def loss(point: Vector) -> tuple[float, Vector]:
        value, slope = RIDGE * float(point @ point), 2 * RIDGE * point
        for weight, item in told:
            scores, right = item.features @ point, item.is_right
            every, of_right = logsumexp(scores), logsumexp(scores[right])
            value += weight * float(every - of_right)
            pull = np.exp(scores - every) @ item.features - np.exp(scores[right] - of_right) @ item.features[right]
            slope = slope + weight * pull
        return value, slope

    found: Vector = minimize(loss, np.zeros(len(FEATURES)), jac=True, method="L-BFGS-B").x
    return found


def _right(weights: Vector, items: Sequence[Item]) -> int:
    return sum(bool(item.is_right[np.argmax(item.features @ weights)]) for item in items)


# Asking ----------------------------------------------------------------------------------------------------------------


def _asked(folder: Path) -> Iterator[tuple[str, Iterator[Item]]]:
    with step("questions to the demo"), scratch_engine(is_durable=False) as engine:
        _index(engine, list(_rows(EXAMPLES / "notes.jsonl")), "demo")
        yield "diary", _items(engine, [row for row in _rows(QUESTIONS) if row["must"]], _holds)
        yield "golden", _items(engine, list(_rows(EXAMPLES / "golden.jsonl")), _is_marked)
    for name in SETS:
        with step(f"questions of {name}"), scratch_engine(is_durable=False) as engine:
            _index(engine, list(_rows(_stored(folder / name / "corpus.jsonl"))), name)
            questions = list(_rows(_stored(folder / name / "queries.jsonl")))
            rows = [
                row | {"must": [row["answer"]], "notes": row["relevant_ids"]}
                for row in questions[1 :: max(1, len(questions) // SAMPLE)]
            ]
            yield name, _items(engine, rows, _holds)


def _index(engine: Engine, rows: Sequence[dict[str, Any]], source: str) -> None:
    import_corpus(engine, rows, source, "es")
    index_all(engine)


def _items(engine: Engine, rows: Sequence[Mapping[str, Any]], is_right: Test) -> Iterator[Item]:
    for row in rows:
        sentences = _sentences(engine, row)
        if sentences:
            features = np.array([[sentence.features[name] for name in FEATURES] for sentence in sentences])
            yield Item(features=features, is_right=np.array([is_right(row, sentence) for sentence in sentences]))


def _sentences(engine: Engine, row: Mapping[str, Any]) -> list[ScoredSentence]:
    """The sentences that may be quoted by their words: of the time asked for where there is any."""
    request = AnswerRequest(question=row["query"], contract="command", user_hash="", is_recorded=False)
    language, context = None, None
    with present(row.get("now")):
        for event in answer_events(engine, TENANT, request):
            language = event.language if isinstance(event, QuestionUnderstood) else language
            context = event.context if isinstance(event, SourcesFound) else context
    if language is None or context is None or (context.asked_time and context.asked_time.is_all):
        return []
    asked = context.asked_time
    question = asked.without or row["query"] if asked else row["query"]
    scored = score_sentences(question, context.sources, language=language, text_of=lambda source: source.original)
    within = [one for one in scored if asked is None or is_of(one.source, asked)] or scored
    return [sentence for sentence in within if sentence.coverage > 0]


def _holds(row: Mapping[str, Any], sentence: ScoredSentence) -> bool:
    text = sentence.text.casefold()
    return sentence.source.external_id in row["notes"] and any(part.casefold() in text for part in row["must"])


def _is_marked(row: Mapping[str, Any], sentence: ScoredSentence) -> bool:
    """Test whether the golden query's spans have the sentence, or a part of it."""
    return any(
        sentence.source.external_id == relevant["id"]
        and (span["quote"] in sentence.text or sentence.text in span["quote"])
        for relevant in row["relevance"]
        for span in relevant.get("spans", [])
    )


if __name__ == "__main__":
    main()
