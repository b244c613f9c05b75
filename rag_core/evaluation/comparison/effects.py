"""Parts of a comparison: the queries that two runs have in common, and the gain or loss of each. No I/O."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING
from uuid import UUID

from rag_core.model.metrics.registry import compared_metrics

if TYPE_CHECKING:
    from rag_core.model.evaluation import QueryResult
    from rag_core.model.golden import Category

Pair = tuple["QueryResult", "QueryResult"]
"""Results of a query in the baseline, and now."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryEffect:
    """One query's figure then and now; a rank is that of its first relevant note, None when there is none."""

    query_id: UUID
    query: str
    category: "Category"
    difficulty: int
    baseline: float
    current: float
    baseline_rank: int | None
    current_rank: int | None

    @property
    def difference(self) -> float:
        """Now - then; below 0 it lost."""
        return self.current - self.baseline


def query_effects(
    before: Sequence["QueryResult"], after: Sequence["QueryResult"], metric: str = "ndcg_at_10"
) -> tuple[QueryEffect, ...]:
    """Every query that two runs have in common and the metric is defined for, what lost most first."""
    return effects_of(common_queries(before, after), metric)


def effects_of(pairs: Sequence[Pair], metric: str) -> tuple[QueryEffect, ...]:
    """The effects of queries matched already; ties by the query's words."""
    figure = compared_metrics()[metric].figure
    found = (_effect(earlier, now, figure) for earlier, now in pairs)
    return tuple(sorted(filter(None, found), key=lambda effect: (effect.difference, effect.query)))


def common_queries(before: Sequence["QueryResult"], after: Sequence["QueryResult"]) -> list[Pair]:
    """The queries of two runs with the same id, text and relevant notes in both grades, disturbed in neither; as in ``after``."""
    earlier = {_identity(result): result for result in before if not result.is_disturbed}
    return [(earlier[_identity(now)], now) for now in after if not now.is_disturbed and _identity(now) in earlier]


def _identity(result: "QueryResult") -> Hashable:
    relevance = frozenset((note, result.grades.get(note, 1)) for note in result.relevant_note_ids)
    return result.query_id, result.query, relevance


def _effect(
    earlier: "QueryResult", now: "QueryResult", figure: Callable[["QueryResult"], float | None]
) -> QueryEffect | None:
    before, after = figure(earlier), figure(now)
    if before is None or after is None:
        return None
    return QueryEffect(
        query_id=now.query_id,
        query=now.query,
        category=now.category,
        difficulty=now.difficulty,
        baseline=before,
        current=after,
        baseline_rank=earlier.first_relevant_rank,
        current_rank=now.first_relevant_rank,
    )
