"""Space of the configurations that are tried: the knobs, their values, and a point as the few that were turned. Pure."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from rag_core.configuration.schema import RetrievalConfig, configure, served_strategy
from rag_core.errors import InvalidInputError
from rag_core.model.embedding import EmbeddingModel
from rag_core.retrieval.ranking import fusion_method, leg_weights, similarity_threshold

Part = Literal["fusion", "threshold", "candidates", "reranking"]
PARTS: tuple[Part, ...] = get_args(Part)


@dataclass(frozen=True, slots=True, kw_only=True)
class Knob:
    """One thing to be turned: the configuration's keys it sets, together, and the values to try."""

    name: str
    part: Part
    keys: tuple[str, ...]
    values: tuple[tuple[Any, ...], ...]


# What a note's recency is worth depends on when a query is asked, and a golden set is asked at one moment: fusion by recency
# (``weighted``) is for a person to choose.
_BALANCE = (0.0, 0.1, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.75, 0.8, 0.9, 1.0)
_THRESHOLDS = (0.0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8)
KNOBS = (
    Knob(
        name="balance",
        part="fusion",
        keys=("hybridSearch.semanticWeight", "hybridSearch.fulltextWeight"),
        values=tuple((share, round(1 - share, 2)) for share in _BALANCE),
    ),
    Knob(
        name="method",
        part="fusion",
        keys=("hybridSearch.method",),
        values=(("relative_score",), ("rrf",)),
    ),
    Knob(name="rrf_k", part="fusion", keys=("hybridSearch.rrfK",), values=((5,), (10,), (20,), (60,), (100,))),
    Knob(name="graph", part="fusion", keys=("graphRAG.weight",), values=((0.0,), (0.25,), (0.5,), (0.75,), (1.0,))),
    Knob(
        name="threshold",
        part="threshold",
        keys=("hybridSearch.threshold",),
        values=tuple((value,) for value in _THRESHOLDS),
    ),
    Knob(
        name="candidates",
        part="candidates",
        keys=("topK.retrieval",),
        values=((10,), (15,), (20,), (30,), (40,), (50,)),
    ),
    Knob(name="reranking", part="reranking", keys=("reranking.enabled",), values=((True,), (False,))),
)

Point = frozenset[tuple[str, tuple[Any, ...]]]
"""The knobs that stand elsewhere than in the configuration served: name and values. The empty one is what is served."""
SERVED: Point = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Space:
    """The points around a configuration that is served with an embedding model, within the parts that may change."""

    base: RetrievalConfig
    model: EmbeddingModel
    parts: Collection[Part] = PARTS

    @property
    def knobs(self) -> tuple[Knob, ...]:
        """The knobs of the parts that mean something to the strategy."""
        return tuple(knob for knob in KNOBS if knob.part in self.parts and self._matters(knob))

    def override(self, point: Point) -> dict[str, Any]:
        """Changes of the point, as a partial configuration."""
        changed: dict[str, Any] = {}
        for name, values in sorted(point):
            for key, value in zip(_KNOB[name].keys, values, strict=True):
                group, _, item = key.partition(".")
                changed.setdefault(group, {})[item] = value
        return changed

    def config(self, point: Point) -> RetrievalConfig:
        """The whole configuration at a point."""
        return configure(self.override(point), base=self.base)

    def turned(self, point: Point, knob: Knob, values: tuple[Any, ...]) -> Point:
        """The point with one knob at these values; knobs that mean nothing there any more go back to what is served."""
        others = {name: held for name, held in point if name != knob.name}
        if values != self.standing(knob, frozenset(others.items())):
            others[knob.name] = values
        return self._meaningful(others)

    def neighbours(self, point: Point, knob: Knob) -> Iterator[Point]:
        """The point with one knob at each of its values, each once; the point itself is left out."""
        turned = (self.turned(point, knob, values) for values in self._values(knob))
        yield from (other for other in dict.fromkeys(turned) if other != point)

    def random_point(self, rng: np.random.Generator) -> Point:
        """A point with every knob at one of its values, by chance."""
        point = SERVED
        for knob in self.knobs:
            values = self._values(knob)
            point = self.turned(point, knob, values[int(rng.integers(len(values)))])
        return point

    def with_reranking(self, point: Point) -> Point | None:
        """The point with re-ranking; None where the strategy has none, or it may not be turned on."""
        reranking = self.turned(point, _KNOB["reranking"], (True,)) if "reranking" in self.parts else point
        return reranking if served_strategy(self.config(reranking)) == "hybrid+rerank" else None

    def standing(self, knob: Knob, point: Point) -> tuple[Any, ...]:
        """The values that a knob has at a point; what the configuration leaves open is the model's."""
        config = self.config(point)
        if knob.name == "balance":
            weights = leg_weights(config, self.model)
            return weights["semantic"], weights["fulltext"]
        if knob.name == "method":
            return (fusion_method(config, self.model),)
        if knob.name == "threshold":
            return (similarity_threshold(config, self.model),)
        wire = config.to_wire()
        return tuple(wire[group][item] for group, _, item in (key.partition(".") for key in knob.keys))

    def _values(self, knob: Knob) -> tuple[tuple[Any, ...], ...]:
        if knob.name == "candidates":
            return tuple(values for values in knob.values if values[0] >= self.base.top_k.reranking)
        return knob.values

    def _matters(self, knob: Knob) -> bool:
        """True when the served strategy uses the knob."""
        strategy = served_strategy(self.base)
        if knob.name == "reranking":
            return self.base.strategy == "hybrid+rerank" and self.base.hybrid_search.enabled
        if knob.name == "graph":
            return strategy.startswith("hybrid") and self.base.graph_rag.enabled
        if knob.part == "fusion":
            return strategy.startswith("hybrid")
        return knob.name != "threshold" or strategy != "fulltext"

    def _meaningful(self, held: Mapping[str, tuple[Any, ...]]) -> Point:
        point: Point = frozenset(held.items())
        method = fusion_method(self.config(point), self.model)
        return point if method == "rrf" else frozenset(item for item in point if item[0] != "rrf_k")


_KNOB = {knob.name: knob for knob in KNOBS}


def parse_parts(text: str) -> tuple[Part, ...]:
    """The parts in a list with commas, in their own order.

    Raises:
        InvalidInputError: one of them is none, or there is none.
    """
    named = {part.strip() for part in text.split(",") if part.strip()}
    unknown = sorted(named - set(PARTS))
    if unknown or not named:
        found = unknown[0] if unknown else ""
        raise InvalidInputError(f"parts has {found!r}; expected some of {', '.join(PARTS)}, with commas between them")
    return tuple(part for part in PARTS if part in named)
