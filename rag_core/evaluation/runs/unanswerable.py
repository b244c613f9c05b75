"""Golden queries that the notes do not answer: asked with the answers of a run, and right when they are refused.

They are in no metric of retrieval, because there is nothing to find, and in no mean of answers.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from rag_core.model.golden import GoldenQuery

UNANSWERABLE = "unanswerable"
"""Key of a run's circumstances with these outcomes."""
MAX_KEPT_ANSWERS = 100
_SHOWN = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class UnanswerableResult:
    """Outcome of one query: refused, answered with ``text``, or neither, with the name of the error."""

    query_id: UUID
    query: str
    is_refused: bool
    text: str | None = None
    error: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WronglyAnswered:
    """One that was answered, and with what."""

    query_id: str
    query: str
    answer: str


@dataclass(frozen=True, slots=True, kw_only=True)
class UnanswerableFigures:
    """Of the set's ``queries`` those ``asked``, none in a run without answers; of these those refused, and that failed.

    At most 100 of those that were answered are kept.
    """

    queries: int
    asked: int = 0
    refused: int = 0
    failed: int = 0
    answered: tuple[WronglyAnswered, ...] = ()

    @property
    def refusal_rate(self) -> float | None:
        """Refused / asked without an error; None of none."""
        sound = self.asked - self.failed
        return self.refused / sound if sound else None

    def to_json(self) -> dict[str, Any]:
        """The figures as a run keeps and prints them."""
        return {
            "queries": self.queries,
            "asked": self.asked,
            "refused": self.refused,
            "failed": self.failed,
            "refusal_rate": self.refusal_rate,
            "answered": [{"id": one.query_id, "query": one.query, "answer": one.answer} for one in self.answered],
        }

    @property
    def line(self) -> str:
        """Summary in one line."""
        if not self.asked:
            if self.queries == 1:
                return "1 query that the notes do not answer is asked with --answers only"
            return f"{self.queries:,} queries that the notes do not answer are asked with --answers only"
        wrong = self.asked - self.failed - self.refused
        parts = [
            f"refused, as is right, of the queries that the notes do not answer: {self.refused:,} of {self.queries:,}"
        ]
        if wrong:
            some = ", ".join(one.query for one in self.answered[:_SHOWN])
            parts.append(f"answered: {wrong:,} ({some}{', …' if wrong > _SHOWN else ''})")
        if self.failed:
            parts.append(f"failed: {self.failed:,}")
        return "; ".join(parts)


def count_unanswerable(
    queries: Collection[GoldenQuery], results: Iterable[UnanswerableResult]
) -> UnanswerableFigures | None:
    """The figures of a run; None where the set has no such query."""
    if not queries:
        return None
    found = list(results)
    wrong = [one for one in found if not one.is_refused and one.error is None]
    return UnanswerableFigures(
        queries=len(queries),
        asked=len(found),
        refused=sum(one.is_refused for one in found),
        failed=sum(one.error is not None for one in found),
        answered=tuple(
            WronglyAnswered(query_id=str(one.query_id), query=one.query, answer=one.text or "")
            for one in wrong[:MAX_KEPT_ANSWERS]
        ),
    )


def kept_unanswerable(circumstances: Mapping[str, Any]) -> UnanswerableFigures | None:
    """The figures that a stored run has kept."""
    kept = circumstances.get(UNANSWERABLE)
    if kept is None:
        return None
    return UnanswerableFigures(
        queries=kept["queries"],
        asked=kept["asked"],
        refused=kept["refused"],
        failed=kept["failed"],
        answered=tuple(
            WronglyAnswered(query_id=one["id"], query=one["query"], answer=one["answer"]) for one in kept["answered"]
        ),
    )
