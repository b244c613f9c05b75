"""Accuracy of the router: types and strategies of questions, by language.

``python -m tests.benchmarks.router`` routes the questions of ``tests/data/router_questions.jsonl``, which somebody labelled who had
not seen the rules. They are in two halves by a hash of their words: the rules' author read the misses of ``seen`` and changed rules
by them; of ``unseen`` nobody read questions or misses. Beside it stand the most frequent label and a linear model of words and
pairs of words that is fitted to the seen half. The examples are those of the original requirements. ``--misses`` prints those of the
seen half, never those of the other. Intervals are Wilson's, 95 %. The last line of stdout is one JSON object.
"""

import hashlib
import json
import re
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from scipy.optimize import minimize

from rag_core.language import LANGUAGES
from rag_core.language.folding import fold_words
from rag_core.query.routing import QueryAnalysis, route

from .guardrails import interval, lines

LABELLED = Path(__file__).parents[1] / "data" / "router_questions.jsonl"
EXAMPLES = (
    ("Was ist die maximale Dateigröße für Uploads?", "factual", False),
    ("Vergleiche die Urlaubsregelungen für Vollzeit- und Teilzeitkräfte", "comparative", False),
    ("Wie beantrage ich Homeoffice?", "procedural", False),
    ("Wer ist der Abteilungsleiter von Marketing?", "relational", False),
    ("Liste alle aktiven Projekte im Q1 2026", "aggregative", False),
    ("Welche Compliance-Anforderungen gelten für das Projekt, das Max Mustermann leitet?", "relational", True),
)
"""Questions of the original requirements with their type, and whether they need two documents."""
PENALTY = 1e-3
Row = dict[str, Any]
Teller = Callable[[Row], str]


def main() -> None:
    """Measure and print."""
    rows = list(lines(LABELLED))
    halves = {name: [row for row in rows if half_of(row["question"]) == name] for name in ("seen", "unseen")}
    began = perf_counter()
    told = {row["question"]: routed(row) for row in rows}
    found: dict[str, Any] = {"ms": round((perf_counter() - began) * 1000 / len(rows), 2)}
    found |= {name: by_language(half, told) for name, half in halves.items()}
    found["all"] = by_language(rows, told)
    found["beside_unseen"] = {label: beside(halves, label) for label in ("type", "strategy")}
    found["confused"] = {label: confused(rows, told, label) for label in ("type", "strategy")}
    found["examples"] = sum(is_right(example) for example in EXAMPLES)
    if "--misses" in sys.argv[1:]:
        for row in halves["seen"]:
            _print_miss(row, told[row["question"]])
    for name, figures in found.items():
        print(name, json.dumps(figures, ensure_ascii=False, indent=1))
    print(json.dumps(found, ensure_ascii=False))


def half_of(question: str) -> str:
    """The half of a question, by the first byte of its SHA-256."""
    return "unseen" if hashlib.sha256(question.encode()).digest()[0] % 2 else "seen"


def routed(row: Row) -> QueryAnalysis:
    """Analysis of a labelled question, its language given."""
    return route(row["question"], language=row["language"])


def is_right(example: tuple[str, str, bool]) -> bool:
    """True when the router tells an example's type and hops."""
    question, kind, is_multi_hop = example
    analysis = route(question, language="de")
    return (analysis.query_type, analysis.is_multi_hop) == (kind, is_multi_hop)


def label_of(analysis: QueryAnalysis, label: str) -> str:
    """The label as the router tells it."""
    told: str = analysis.query_type if label == "type" else analysis.suggested_strategy
    return told


def by_language(rows: Sequence[Row], told: dict[str, QueryAnalysis]) -> Row:
    """Accuracy of type, strategy and hops, in each language and in all."""
    groups = {"all": rows} | {language: [row for row in rows if row["language"] == language] for language in LANGUAGES}
    return {
        language: {
            **{
                label: share([label_of(told[row["question"]], label) == row[label] for row in group])
                for label in ("type", "strategy")
            },
            "hops": share([told[row["question"]].is_multi_hop == row["is_multi_hop"] for row in group]),
        }
        for language, group in groups.items()
    }


def share(right: Sequence[bool]) -> dict[str, float]:
    """The share that is right, with its interval."""
    return interval(sum(right), len(right))


def confused(rows: Sequence[Row], told: dict[str, QueryAnalysis], label: str) -> dict[str, dict[str, int]]:
    """Counts of the labels told, by the label that was given."""
    counts: dict[str, Counter[str]] = {}
    for row in rows:
        counts.setdefault(row[label], Counter())[label_of(told[row["question"]], label)] += 1
    return {given: dict(one.most_common()) for given, one in sorted(counts.items())}


def beside(halves: dict[str, list[Row]], label: str) -> Row:
    """Accuracy in the unseen half of the most frequent label, and of a linear model, both of the seen half."""
    frequent = Counter(row[label] for row in halves["seen"]).most_common(1)[0][0]
    tellers: dict[str, Teller] = {"majority": lambda _: frequent, "linear": fitted(halves["seen"], label)}
    return {
        name: {
            language: share([tell(row) == row[label] for row in halves["unseen"] if row["language"] == language])
            for language in LANGUAGES
        }
        for name, tell in tellers.items()
    }


def fitted(rows: Sequence[Row], label: str) -> Teller:
    """Softmax regression over words and pairs of words of a question in its language, with a penalty on squared weights."""
    kinds = sorted({row[label] for row in rows})
    places = {feature: at for at, feature in enumerate(sorted({one for row in rows for one in _features(row)}))}
    wanted = np.eye(len(kinds))[[kinds.index(row[label]) for row in rows]]
    inputs = np.array([_vector(row, places) for row in rows])

    def loss(flat: Any) -> tuple[float, Any]:
        weights = flat.reshape(inputs.shape[1], -1)
        logits = inputs @ weights
        norms = np.logaddexp.reduce(logits, axis=1, keepdims=True)
        slope = inputs.T @ (np.exp(logits - norms) - wanted) / len(rows) + 2 * PENALTY * weights
        return float((wanted * (norms - logits)).sum() / len(rows) + PENALTY * (weights**2).sum()), slope.ravel()

    best = minimize(loss, np.zeros(inputs.shape[1] * len(kinds)), jac=True, method="L-BFGS-B").x
    weights = best.reshape(inputs.shape[1], -1)
    return lambda row: kinds[int(np.argmax(_vector(row, places) @ weights))]


def _features(row: Row) -> set[str]:
    words = ["^", *re.findall(r"\w+", fold_words(row["question"]))]
    return {f"{row['language']}:{' '.join(pair)}" for pair in [*((word,) for word in words), *pairwise(words)]}


def _vector(row: Row, places: dict[str, int]) -> Any:
    vector = np.zeros(len(places))
    vector[[places[one] for one in _features(row) if one in places]] = 1
    return vector


def _print_miss(row: Row, analysis: QueryAnalysis) -> None:
    given = (row["type"], row["strategy"], row["is_multi_hop"])
    told = (analysis.query_type, analysis.suggested_strategy, analysis.is_multi_hop)
    if given != told:
        print(row["language"], row["question"], *given, "->", *told)


if __name__ == "__main__":
    main()
