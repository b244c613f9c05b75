"""Weights of the embedded re-ranker: logistic regression on ``rag_core.reranking.features``."""

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rag_core.errors import RerankingError
from rag_core.reranking.features import FEATURES, FeatureMatrix
from rag_core.reranking.passage import sigmoid

TEMPERATURE = 3.0
"""The fit is so sure of itself that all but the first candidate had 0.00; the order is the same, and now it shows."""
_REMEDY = "go back to the shipped weights with brain promote --defaults, then fit again"


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """Weights of a fit: score = sigmoid(slope · (features · coefficients) + intercept).

    ``version`` names the weights in a configuration's hash; ``fitted_on`` says on which queries, when, and how well.
    """

    version: str
    features: tuple[str, ...]
    coefficients: tuple[float, ...]
    slope: float
    intercept: float
    fitted_on: Mapping[str, Any]

    def logits(self, rows: FeatureMatrix) -> NDArray[np.float64]:
        """One number a row, shape (rows,); higher is better."""
        return np.asarray(self.slope * (rows @ np.array(self.coefficients)) + self.intercept, dtype=float)

    def probabilities(self, rows: FeatureMatrix) -> list[float]:
        """Probability that each row's candidate answers the query, smoothed: sigmoid(logit / ``TEMPERATURE``)."""
        return [sigmoid(logit / TEMPERATURE) for logit in self.logits(rows).tolist()]

    def to_json(self) -> dict[str, Any]:
        """The weights as JSON-ready values."""
        return json.loads(json.dumps(asdict(self)))  # type: ignore[no-any-return]


@cache
def shipped_weights(*, is_by_meaning: bool = False) -> Weights:
    """The weights that come with the package, for embedding models of meaning or for others; their provenance is in the files."""
    name = "weights_of_meaning.json" if is_by_meaning else "weights.json"
    return parse_weights(json.loads(files(__package__).joinpath(name).read_text(encoding="utf-8")))


def parse_weights(document: Any) -> Weights:
    """Weights from JSON, checked: features of this version, finite numbers, a rising calibration. A feature that is not there has 0.

    Raises:
        RerankingError: they are not, with the remedy.
    """
    try:
        fitted = dict(zip(document["features"], map(float, document["coefficients"]), strict=True))
        weights = Weights(
            version=str(document["version"]),
            features=FEATURES,
            coefficients=tuple(fitted.get(name, 0.0) for name in FEATURES),
            slope=float(document["slope"]),
            intercept=float(document["intercept"]),
            fitted_on=dict(document["fitted_on"]),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise RerankingError(f"the weights cannot be read ({type(error).__name__}: {error}); {_REMEDY}") from error
    if unknown := sorted(fitted.keys() - set(FEATURES)):
        raise RerankingError(
            f"the weights {weights.version!r} are for features that this version does not have ({', '.join(unknown)}); {_REMEDY}"
        )
    numbers = (*weights.coefficients, weights.slope, weights.intercept)
    if not all(math.isfinite(number) for number in numbers) or weights.slope <= 0:
        raise RerankingError(f"the weights {weights.version!r} are not finite or turn the order around; {_REMEDY}")
    return weights
