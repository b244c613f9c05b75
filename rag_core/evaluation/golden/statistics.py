"""Contents of a golden set in figures, and what it lacks. Pure but for the one function that reads a set."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from uuid import UUID

from rag_core.evaluation.golden.chunks import fetch_relevant_chunks
from rag_core.evaluation.golden.edits import fetch_set_queries
from rag_core.model.golden import (
    CATEGORIES,
    DEFAULT_SET,
    DIFFICULTIES,
    DIFFICULTY_WORDS,
    Category,
    GoldenQuery,
    Vocabulary,
)
from rag_core.model.note import TenantId
from rag_core.storage.database import Database
from rag_core.storage.golden import GoldenSet, count_lost_spans, fetch_golden_set

MINIMUM_QUERIES: Mapping[Vocabulary, int] = {"brain_sync": 50, "rag_v2": 85}
MINIMUM_OF_CATEGORY: Mapping[Category, int] = {
    "factual": 20,
    "comparative": 10,
    "procedural": 15,
    "relational": 15,
    "aggregative": 10,
    "multi_hop": 15,
}
"""Of rag_v2; brain_sync asks only for so many in all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CategoryCoverage:
    """Number of queries of a category, by difficulty, beside the required minimum."""

    category: Category
    total: int
    by_difficulty: Mapping[str, int]
    minimum: int | None

    @property
    def missing(self) -> int:
        """Number of queries still to be written; 0 without a minimum."""
        return max(0, (self.minimum or 0) - self.total)


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldenStatistics:
    """Contents of a set. All counts but ``total_queries``, ``without_notes`` and ``unanswerable`` are of queries that notes answer.

    Means are None without a query. ``coverage`` has every category of the vocabulary, ``missing`` what is lacking: in the
    whole set or in its categories, whichever is more.
    """

    total_queries: int
    by_category: Mapping[str, int]
    by_difficulty: Mapping[str, int]
    avg_relevant_notes: float | None
    avg_relevant_chunks: float | None
    verified: int
    retrieval_only: int
    with_spans: int
    lost_spans: int
    without_notes: int
    unanswerable: int
    coverage: tuple[CategoryCoverage, ...]
    minimum: int
    missing: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SetContents:
    """A set as it is at one moment; ``golden`` is None for the default set before its first query."""

    name: str
    golden: GoldenSet | None
    queries: Sequence[GoldenQuery]
    chunks: Mapping[UUID, Collection[UUID]]
    lost_spans: int

    @property
    def vocabulary(self) -> Vocabulary:
        """The words in which the set speaks."""
        return self.golden.vocabulary if self.golden else "brain_sync"

    def statistics(self) -> GoldenStatistics:
        """Statistics of the set."""
        return describe(self.queries, self.vocabulary, chunks=self.chunks, lost_spans=self.lost_spans)


def fetch_set_contents(database: Database, tenant: TenantId, *, set_name: str = DEFAULT_SET) -> SetContents:
    """The set with its queries and the chunks that hold their answers today.

    Raises:
        NotFoundError: there is no such set; the default one is never missing, only empty.
    """
    with database.transaction(tenant) as connection:
        queries = fetch_set_queries(connection, tenant, set_name)
        golden = fetch_golden_set(connection, tenant, set_name)
        return SetContents(
            name=set_name,
            golden=golden,
            queries=queries,
            chunks=fetch_relevant_chunks(connection, tenant, queries),
            lost_spans=count_lost_spans(connection, tenant, [query.id for query in queries]),
        )


def describe(
    queries: Sequence[GoldenQuery],
    vocabulary: Vocabulary,
    *,
    chunks: Mapping[UUID, Collection[UUID]],
    lost_spans: int = 0,
) -> GoldenStatistics:
    """Count what a set holds; ``chunks`` are those that cover spans of a query, by its id."""
    askable = [query for query in queries if query.relevance]
    unanswerable = sum(not query.is_answerable for query in queries)
    coverage = tuple(_covered(category, askable, vocabulary) for category in CATEGORIES[vocabulary])
    minimum = MINIMUM_QUERIES[vocabulary]
    return GoldenStatistics(
        total_queries=len(queries),
        by_category={one.category: one.total for one in coverage},
        by_difficulty=_by_difficulty(askable, vocabulary),
        avg_relevant_notes=fmean(len(query.relevance) for query in askable) if askable else None,
        avg_relevant_chunks=fmean(len(chunks.get(query.id, ())) for query in askable) if askable else None,
        verified=sum(query.verified_by is not None for query in askable),
        retrieval_only=sum(query.is_retrieval_only for query in askable),
        with_spans=sum(any(one.spans for one in query.relevance) for query in askable),
        lost_spans=lost_spans,
        without_notes=len(queries) - len(askable) - unanswerable,
        unanswerable=unanswerable,
        coverage=coverage,
        minimum=minimum,
        missing=max(0, minimum - len(askable), sum(one.missing for one in coverage)),
    )


def _covered(category: Category, askable: Sequence[GoldenQuery], vocabulary: Vocabulary) -> CategoryCoverage:
    here = [query for query in askable if query.category == category]
    return CategoryCoverage(
        category=category,
        total=len(here),
        by_difficulty=_by_difficulty(here, vocabulary),
        minimum=MINIMUM_OF_CATEGORY[category] if vocabulary == "rag_v2" else None,
    )


def _by_difficulty(queries: Sequence[GoldenQuery], vocabulary: Vocabulary) -> dict[str, int]:
    counts = Counter(query.difficulty for query in queries)
    if vocabulary == "rag_v2":
        return {word: counts[number] for word, number in DIFFICULTY_WORDS.items()}
    return {str(number): counts[number] for number in DIFFICULTIES}
