"""Accuracy of the types of documents, by type.

``python -m tests.benchmarks.document_types`` classifies the labelled texts of ``tests/data/document_types.jsonl`` that no weight was
fitted to: ``held_out`` is worded as such documents mostly are, ``oblique`` avoids their usual words. Beside it stand a majority
baseline and one that counts words. With BRAIN_TEST_DATA also the labelled files of ``documents``, and texts of encyclopaedias,
which have no type, are classified. Intervals are Wilson's, 95 %. The last line of stdout is one JSON object.

``python -m tests.benchmarks.document_types fit`` fits the weights that come with the package and writes them.
"""

import json
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from rag_core import enrichment
from rag_core.enrichment.document_types import TypeWeights, classify
from rag_core.enrichment.enrich import enrich
from rag_core.enrichment.features import features_of
from rag_core.enrichment.reading import read
from rag_core.model.enrichment import DOCUMENT_TYPES, DocumentType
from rag_core.parsing import ParsingLimits, SourceFile
from rag_core.parsing.working import DocumentParser

from .guardrails import interval, lines

LABELLED = Path(__file__).parents[1] / "data" / "document_types.jsonl"
NOTES = Path(__file__).parents[2] / "examples" / "notes.jsonl"
WEIGHTS = Path(enrichment.__path__[0]) / "document_types.json"
PENALTY = 3e-3
"""Of the squared weights, in units of a standard deviation; the best of 1e-4 … 1e-1 by log loss in ten folds of the fitted texts."""
Row = dict[str, Any]
Matrix = NDArray[np.float64]


def main() -> None:
    """Measure and print, or fit."""
    if sys.argv[1:] == ["fit"]:
        WEIGHTS.write_text(json.dumps(fitted().to_json(), indent=1) + "\n", encoding="utf-8")
        return
    rows = [row for row in lines(LABELLED) if "text" in row]
    found: dict[str, Any] = {
        part: measured([row for row in rows if row["part"] == part]) for part in ("held_out", "oblique")
    }
    if folder := os.environ.get("BRAIN_TEST_DATA"):
        found["files"] = of_files(Path(folder) / "documents")
        found["encyclopaedias"] = of_encyclopaedias(Path(folder))
    for name, figures in found.items():
        print(name, json.dumps(figures, ensure_ascii=False, indent=1))
    print(json.dumps(found, ensure_ascii=False))


def measured(rows: Sequence[Row]) -> Row:
    """Accuracy of the rules and both baselines, by type, and how many of the named types are right."""
    given = [row["type"] for row in rows]
    told = [classify(read(row["text"], row["language"]))[0] for row in rows]
    named = [(one, other) for one, other in zip(told, given, strict=True) if one != "other"]
    return {
        "accuracy": _share(told, given),
        "majority": _share([Counter(given).most_common(1)[0][0]] * len(given), given),
        "keywords": _share([_by_keywords(row) for row in rows], given),
        "named_and_right": interval(sum(one == other for one, other in named), len(named)),
        "by_type": {kind: _share(*_of_type(told, given, kind)) for kind in DOCUMENT_TYPES},
    }


def _of_type(told: Sequence[str], given: Sequence[str], kind: str) -> tuple[list[str], list[str]]:
    kept = [one for one, other in zip(told, given, strict=True) if other == kind]
    return kept, [kind] * len(kept)


def _share(told: Sequence[str], given: Sequence[str]) -> dict[str, float]:
    return interval(sum(one == other for one, other in zip(told, given, strict=True)), len(given))


def _by_keywords(row: Row) -> DocumentType:
    features = features_of(read(row["text"], row["language"]), None)
    counts = dict(zip(DOCUMENT_TYPES[:-1], features, strict=False))
    return max(counts, key=lambda kind: counts[kind]) if any(counts.values()) else "other"


def of_files(folder: Path) -> Row:
    """The labelled files, parsed and enriched as in a folder."""
    told = {}
    with DocumentParser(ParsingLimits(), workers=1) as parser:
        for row in lines(LABELLED):
            if "file" in row:
                path = folder / row["file"]
                document = parser.parse(SourceFile(name=path.name, data=path.read_bytes()))
                found = enrich(
                    document.text, title=document.title, language=row["language"], file_format=path.suffix[1:]
                )
                told[path.name] = (found.document_type, row["type"])
    right = sum(one == other for one, other in told.values())
    return {
        "accuracy": interval(right, len(told)),
        "wrong": {name: two for name, two in told.items() if len(set(two)) > 1},
    }


def of_encyclopaedias(folder: Path) -> Row:
    """Share of paragraphs from encyclopaedias that are given no type."""
    texts = [
        (row["text"], name[-2:]) for name in ("xquad-es", "xquad-en") for row in lines(folder / name / "corpus.jsonl")
    ]
    told = [classify(read(*text))[0] for text in texts]
    return {"accuracy": _share(told, ["other"] * len(told))}


def fitted() -> TypeWeights:
    """Weights fitted to the texts of part ``fit``, alone and joined to longer ones, and to every second note of the demo."""
    rows = list(_fitted_rows())
    features = np.array([features_of(read(text, language), None) for text, language, _ in rows])
    kinds = np.array([DOCUMENT_TYPES.index(kind) for _, _, kind in rows])
    mean, spread = features.mean(axis=0), features.std(axis=0) + 1e-9
    scaled = np.hstack([np.ones((len(rows), 1)), (features - mean) / spread])
    first = np.zeros(len(DOCUMENT_TYPES) * scaled.shape[1])
    best = minimize(_loss(scaled, kinds), first, jac=True, method="L-BFGS-B").x.reshape(scaled.shape[1], -1)
    coefficients = best[1:] / spread[:, None]
    return TypeWeights(coefficients=coefficients, intercepts=best[0] - mean @ coefficients)


def _loss(features: Matrix, kinds: NDArray[np.int64]) -> Callable[[Matrix], tuple[float, Matrix]]:
    """Mean log loss with its gradient, rows weighted by the inverse root of their type's frequency, and the penalty."""
    wanted = np.eye(len(DOCUMENT_TYPES))[kinds]
    weights = 1 / np.sqrt(wanted.sum(axis=0))[kinds]
    weights /= weights.sum()

    def loss(flat: Matrix) -> tuple[float, Matrix]:
        at = flat.reshape(features.shape[1], -1)
        logits = features @ at
        top = logits.max(axis=1, keepdims=True)
        norms = top + np.log(np.exp(logits - top).sum(axis=1, keepdims=True))
        slope = features.T @ (weights[:, None] * (np.exp(logits - norms) - wanted))
        slope[1:] += 2 * PENALTY * at[1:]
        value = (weights[:, None] * wanted * (norms - logits)).sum() + PENALTY * (at[1:] ** 2).sum()
        return float(value), slope.ravel()

    return loss


def _fitted_rows() -> Iterator[tuple[str, str, DocumentType]]:
    rows = list(lines(LABELLED))
    groups: dict[tuple[str, DocumentType], list[str]] = {}
    for row in rows:
        if row["part"] == "fit" and "text" in row:
            groups.setdefault((row["language"], row["type"]), []).append(row["text"])
    for (language, kind), texts in groups.items():
        for size in (1, 2, 4):  # texts as short as these alone would make every longer one another type
            for at in range(0, len(texts) - size + 1, size):
                yield "\n\n".join(texts[at : at + size]), language, kind
    meetings = {row["note"] for row in rows if "note" in row}
    for note in list(lines(NOTES))[::2]:
        yield (
            "\n\n".join(filter(None, (note.get("title"), note["text"]))),
            "es",
            "meeting_notes" if note["id"] in meetings else "other",
        )


if __name__ == "__main__":
    main()
