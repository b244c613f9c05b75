"""The type of a document by multinomial logistic regression on ``features``; the weights come with the package."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rag_core.enrichment.features import FEATURES, features_of
from rag_core.enrichment.reading import ReadText
from rag_core.model.enrichment import DOCUMENT_TYPES, DocumentType

LEAST_CONFIDENCE = 0.5
"""Below, a text is "other": a type is named where it is likelier than all others together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TypeWeights:
    """Fitted weights: softmax(features · coefficients + intercepts), shapes (features, types) and (types,)."""

    coefficients: NDArray[np.float64]
    intercepts: NDArray[np.float64]

    def probabilities(self, features: NDArray[np.float64]) -> NDArray[np.float64]:
        """Probability of each type of ``DOCUMENT_TYPES``; shape (…, types)."""
        logits = features @ self.coefficients + self.intercepts
        powers = np.exp(logits - logits.max(axis=-1, keepdims=True))
        return np.asarray(powers / powers.sum(axis=-1, keepdims=True), dtype=float)

    def to_json(self) -> dict[str, Any]:
        """The weights by the names of types and features."""
        return {
            "intercepts": dict(zip(DOCUMENT_TYPES, self.intercepts.round(4).tolist(), strict=True)),
            "coefficients": {
                feature: dict(zip(DOCUMENT_TYPES, row, strict=True))
                for feature, row in zip(FEATURES, self.coefficients.round(4).tolist(), strict=True)
            },
        }


def classify(read: ReadText, title: str | None = None) -> tuple[DocumentType, float]:
    """The type of a text with its probability; "other" below ``LEAST_CONFIDENCE``, with the probability of that.

    So is a text without a word of the type: a few digits alone have the form of an invoice.
    """
    features = features_of(read, title)
    probabilities = shipped_weights().probabilities(np.array(features))
    kind, confidence = named(probabilities)
    said = dict(zip(FEATURES, features, strict=True))
    if kind != "other" and not said[f"words_{kind}"] and not said[f"first_{kind}"]:
        return "other", float(probabilities[DOCUMENT_TYPES.index("other")])
    return kind, confidence


def named(probabilities: NDArray[np.float64]) -> tuple[DocumentType, float]:
    """The type that these probabilities name, shape (types,), and its own."""
    best = int(probabilities.argmax())
    if probabilities[best] < LEAST_CONFIDENCE:
        best = DOCUMENT_TYPES.index("other")
    return DOCUMENT_TYPES[best], float(probabilities[best])


@cache
def shipped_weights() -> TypeWeights:
    """The weights that come with the package; ``python -m tests.benchmarks.document_types fit`` writes them."""
    document = json.loads(files(__package__).joinpath("document_types.json").read_text(encoding="utf-8"))
    return _parse(document)


def _parse(document: Mapping[str, Any]) -> TypeWeights:
    rows = document["coefficients"]
    return TypeWeights(
        coefficients=np.array([[rows[feature][kind] for kind in DOCUMENT_TYPES] for feature in FEATURES]),
        intercepts=np.array([document["intercepts"][kind] for kind in DOCUMENT_TYPES]),
    )
