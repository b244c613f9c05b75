"""The embedded re-ranker's weights fitted anew on a golden set of the user's own notes, and kept only when that pays.

What it learns from is what re-ranking is given when the set's queries are searched; what a fit is worth is measured on
queries it has not seen.
"""

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime
from typing import Any

import numpy as np

from rag_core.configuration import Reranking, configure
from rag_core.engine import Engine
from rag_core.errors import InvalidInputError, RagError
from rag_core.evaluation.golden_query import GoldenQuery
from rag_core.model import TenantId
from rag_core.reranking import Candidate, QueryStatistics, Reranker
from rag_core.reranking.embedded import Weights
from rag_core.reranking.features import FeatureMatrix, features
from rag_core.reranking.fitting import (
    FOLDS,
    JudgedList,
    Quality,
    difference_interval,
    fit,
    order_by,
    out_of_fold_orders,
    quality,
)
from rag_core.retrieval.retrieve import retrieve
from rag_core.storage.database import Database
from rag_core.storage.golden import fetch_golden_queries, fetch_golden_set, list_golden_set_names

MIN_QUERIES = 30
"""With fewer, the interval of a difference is wider than any difference to be had."""

METRICS = {"ndcg_at_10": "nDCG@10", "mrr": "MRR"}

Search = Callable[[str, Reranker], object]
"""Searches as served, re-ranked by the re-ranker given."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Means over the queries: as the search found them, re-ranked with the shipped weights, and with the new ones."""

    metric: str
    without: float
    shipped: float
    tuned: float
    difference: tuple[float, float, float]
    """Mean of tuned - shipped, and its 95 % bootstrap interval."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tuning:
    """What a fit came to; ``weights`` are fitted on all queries, the comparisons are out of fold."""

    weights: Weights
    queries: int
    left_out: int
    comparisons: tuple[Comparison, ...]

    @property
    def is_worth_keeping(self) -> bool:
        """Whether a metric is higher than with the shipped weights, and none may be lower by its interval."""
        return self.objection is None

    @property
    def objection(self) -> str | None:
        """Why the new weights are not worth keeping; None when they are."""
        if not any(comparison.difference[0] > 0 for comparison in self.comparisons):
            return "on queries they have not seen the new weights are no better than the shipped ones"
        doubtful = [METRICS[item.metric] for item in self.comparisons if item.difference[1] < 0]
        if not doubtful:
            return None
        return (
            "on queries they have not seen the new weights may be worse than the shipped ones: the interval of the "
            f"difference in {' and '.join(doubtful)} begins below 0. More queries make it narrower"
        )


@dataclass(slots=True, kw_only=True)
class _Recorder:
    """A re-ranker that keeps the order and remembers what it was given."""

    name: str = "recorder@1"
    candidates: Sequence[Candidate] = ()
    rows: FeatureMatrix = field(default_factory=lambda: features("", (), QueryStatistics(documents={}, frequencies={})))

    def score(
        self,
        query: str,
        candidates: Sequence[Candidate],
        *,
        statistics: QueryStatistics,
        timeout_seconds: float,  # noqa: ARG002  nothing is waited for
    ) -> list[float]:
        """The scores that the candidates have."""
        self.candidates, self.rows = candidates, features(query, candidates, statistics)
        return [min(1.0, max(0.0, candidate.score)) for candidate in candidates]


def fetch_queries(database: Database, tenant: TenantId, set_name: str) -> list[GoldenQuery]:
    """The queries of a golden set.

    Raises:
        InvalidInputError: no set has that name.
    """
    with database.transaction(tenant) as connection:
        if fetch_golden_set(connection, tenant, set_name) is None:
            known = ", ".join(list_golden_set_names(connection, tenant)) or "none"
            raise InvalidInputError(
                f"no golden set is called {set_name!r} (there is: {known}); fill it with "
                f"brain golden import FILE --set {set_name}"
            )
        return fetch_golden_queries(connection, tenant, set_name=set_name)


def searching(engine: Engine, tenant: TenantId, *, timeout_ms: int) -> Search:
    """Searches a tenant's notes as a request would with the default configuration, without the cache."""
    config = configure({}, strategy="hybrid+rerank")

    def search(query: str, reranker: Reranker) -> object:
        served = _with_reranker(engine, reranker)
        return retrieve(served, tenant, query, config=config, timeout_ms=timeout_ms, use_cache=False)

    return search


def _with_reranker(engine: Engine, reranker: Reranker) -> Engine:
    """The same open resources, re-ranked by this re-ranker whatever is configured."""

    class Served(Engine):
        def reranker(self, tenant: TenantId, config: Reranking) -> Reranker:  # noqa: ARG002
            return reranker

    return Served(**{item.name: getattr(engine, item.name) for item in fields(engine)})


def judge(query: GoldenQuery, search: Search, *, family: str = "") -> JudgedList | None:
    """The candidates that re-ranking is given for a golden query; None when the search fails or finds nothing."""
    recorder = _Recorder()
    try:
        search(query.query, recorder)
    except RagError:
        return None
    if not recorder.candidates:
        return None
    return JudgedList(
        query=query.query,
        notes=tuple(candidate.note_id for candidate in recorder.candidates),
        features=recorder.rows,
        relevant=frozenset(query.relevant_note_ids),
        unit=str(query.id),
        family=family,
    )


def tune(
    queries: Sequence[GoldenQuery],
    *,
    search: Search,
    set_name: str,
    shipped: Weights,
    on_progress: Callable[[], None] = lambda: None,
) -> Tuning:
    """Fit weights on the queries, close to the shipped ones while they are few, and compare both on queries held out.

    Compared with the shipped ones and not with those in use, which may have been fitted on these very queries.
    ``on_progress`` is called once a query and once a fold, ``len(queries) + FOLDS`` times.

    Raises:
        InvalidInputError: fewer than ``MIN_QUERIES`` queries can be judged, or none tells anything.
    """
    lists: list[JudgedList] = []
    for query in queries:
        found = judge(query, search) if query.relevant_note_ids else None
        lists += [] if found is None else [found]
        on_progress()
    _check(lists, set_name)

    def fitted(seen: Sequence[JudgedList]) -> Weights:
        return fit(seen, prior=shipped, version="fold", fitted_on={})

    orders = out_of_fold_orders(lists, fit_fold=fitted, on_progress=on_progress)
    comparisons = _compared(lists, orders, shipped)
    return Tuning(
        weights=_versioned(fitted(lists), set_name, len(lists), comparisons),
        queries=len(lists),
        left_out=len(queries) - len(lists),
        comparisons=comparisons,
    )


def _check(lists: Sequence[JudgedList], set_name: str) -> None:
    informative = sum(item.is_informative for item in lists)
    if len(lists) < MIN_QUERIES or informative < MIN_QUERIES // 2:
        raise InvalidInputError(
            f"of the golden set {set_name!r}, {len(lists)} queries find something and {informative} of them a relevant note "
            f"among others; tuning needs at least {MIN_QUERIES} and {MIN_QUERIES // 2}. Add queries with "
            f"brain golden import FILE --set {set_name}, or run brain index"
        )


def _compared(lists: Sequence[JudgedList], orders: Sequence[Sequence[int]], shipped: Weights) -> tuple[Comparison, ...]:
    without = quality(lists, [range(len(item.notes)) for item in lists])
    shipped_quality = quality(lists, [order_by(shipped, item) for item in lists])
    tuned = quality(lists, orders)
    units = [item.unit for item in lists]
    return tuple(_comparison(metric, without, shipped_quality, tuned, units) for metric in METRICS)


def _comparison(metric: str, without: Quality, shipped: Quality, tuned: Quality, units: Sequence[str]) -> Comparison:
    searched, former, new = (
        found.ndcg_at_10 if metric == "ndcg_at_10" else found.reciprocal_rank for found in (without, shipped, tuned)
    )
    return Comparison(
        metric=metric,
        without=float(np.mean(searched)),
        shipped=float(np.mean(former)),
        tuned=float(np.mean(new)),
        difference=difference_interval(former, new, units=units),
    )


def _versioned(weights: Weights, set_name: str, queries: int, comparisons: Sequence[Comparison]) -> Weights:
    """The weights with their provenance, named by what they are: the same numbers have the same name."""
    numbers = json.dumps([weights.coefficients, weights.slope, weights.intercept])
    provenance: dict[str, Any] = {
        "sets": [set_name],
        "queries": queries,
        "folds": FOLDS,
        "date": datetime.now(UTC).date().isoformat(),
        "out_of_fold": {item.metric: {"shipped": item.shipped, "tuned": item.tuned} for item in comparisons},
    }
    version = f"tuned-{hashlib.sha256(numbers.encode()).hexdigest()[:8]}"
    return replace(weights, version=version, fitted_on=provenance)


def to_json(tuning: Tuning, *, set_name: str, is_stored: bool) -> dict[str, Any]:
    """The tuning as ``brain tune --json`` prints it."""
    return {
        "set": set_name,
        "queries": tuning.queries,
        "left_out": tuning.left_out,
        "folds": FOLDS,
        "metrics": {
            item.metric: {
                "without_reranking": item.without,
                "shipped": item.shipped,
                "tuned": item.tuned,
                "difference": dict(zip(("mean", "low", "high"), item.difference, strict=True)),
            }
            for item in tuning.comparisons
        },
        "version": tuning.weights.version,
        "is_worth_keeping": tuning.is_worth_keeping,
        "objection": tuning.objection,
        "stored": is_stored,
    }
