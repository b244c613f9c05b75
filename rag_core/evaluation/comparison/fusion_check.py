"""Check of the fusion: hybrid search must not lose to the better of its two legs, and must use both. No I/O."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from rag_core.evaluation.comparison.compare import FIRST
from rag_core.evaluation.comparison.significance import paired_test
from rag_core.evaluation.runs.results import EvaluationRun
from rag_core.model.note import NoteId
from rag_core.model.retrieval import Strategy
from rag_core.model.run_comparison import MIN_COMMON_QUERIES

LEGS: tuple[Strategy, ...] = ("fulltext", "semantic")
SIGNIFICANT_P = 0.05
MAX_ALONE = 0.95
MAX_ALONE_AT_ALL = 0.8
"""With as large a share of queries decided by one leg alone, the other is off: the first where the legs bring another note first, the
second where they differ at all. On the demo, its notes one by one and joined to months, a leg of weight 0 leaves at least 0.96
and 0.88, one of weight 0.05 to 0.25 at most 0.11 and 0.15."""
MIN_OTHER_FIRST = 5
"""With fewer queries on which the legs bring another note first nobody can tell a leg that is off from one whose ties the other
breaks by right. Five of five are no chance: a leg that is on changes nine of ten."""


_Ranking = tuple[NoteId, ...]
_Answer = tuple[_Ranking, tuple[_Ranking, _Ranking]]
"""Ranking of hybrid search, and the rankings of its legs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shortfall:
    """Loss of nDCG@10 of hybrid search against its better leg (0 or less when it does not lose), with the p-value of the loss."""

    leg: Strategy
    lost: float
    p_worse: float
    queries: int

    @property
    def is_significant(self) -> bool:
        """True when hybrid search loses significantly."""
        return self.lost > 0 and self.p_worse < SIGNIFICANT_P


def hybrid_shortfall(runs: Mapping[Strategy, EvaluationRun]) -> Shortfall | None:
    """Hybrid search against the leg with the higher nDCG@10, query by query.

    The runs are of one golden set at one time, by strategy; None when hybrid or both legs are missing.
    """
    legs = [leg for leg in LEGS if leg in runs]
    if not legs or "hybrid" not in runs:
        return None
    better = max(legs, key=lambda leg: runs[leg].metrics.ndcg_at_10)
    before = {result.query_id: result.ndcg_at_10 for result in runs[better].queries}
    after = {result.query_id: result.ndcg_at_10 for result in runs["hybrid"].queries}
    common = sorted(before.keys() & after.keys())
    found = paired_test([before[query] for query in common], [after[query] for query in common])
    return Shortfall(leg=better, lost=-found.difference, p_worse=found.p_worse, queries=found.pairs)


@dataclass(frozen=True, slots=True, kw_only=True)
class LegParticipation:
    """On how many queries the legs differ, and on which share of these hybrid search brings one leg's own list.

    ``other_first`` are those on which the legs bring another note first, ``alone_first`` the shares of these. Where hybrid
    search is one leg alone on nearly all of them, the other has no say: its weight is 0, or what it brings is thrown away.
    """

    queries: int
    alone: Mapping[Strategy, float]
    other_first: int
    alone_first: Mapping[Strategy, float]

    @property
    def suspect_leg(self) -> Strategy | None:
        """The leg that the other one decides without, if only where both bring the same note first."""
        deciding = (leg for leg, share in self.alone.items() if share >= MAX_ALONE_AT_ALL)
        return next((other for leg in deciding for other in LEGS if other != leg), None)

    @property
    def is_clear(self) -> bool:
        """True when there are enough queries to tell that a leg is silent, or no leg is suspect."""
        return self.suspect_leg is None or self.other_first >= MIN_OTHER_FIRST

    @property
    def silent_leg(self) -> Strategy | None:
        """The leg that the other one decides without, though it would have brought another note first."""
        suspect = self.suspect_leg
        if suspect is None or not self.is_clear:
            return None
        return suspect if max(self.alone_first[leg] for leg in LEGS if leg != suspect) >= MAX_ALONE else None


def participation(runs: Mapping[Strategy, EvaluationRun]) -> LegParticipation | None:
    """Measure how often the first ten notes of hybrid search are one leg's own, in its order; linked notes are no leg's.

    Only queries undisturbed in all three runs count on which the legs differ; None with fewer than ten of them, or where a
    run is missing.
    """
    differing = _differing(runs)
    if len(differing) < MIN_COMMON_QUERIES:
        return None
    other_first = [(hybrid, legs) for hybrid, legs in differing if legs[0][:1] != legs[1][:1]]
    return LegParticipation(
        queries=len(differing),
        alone=_shares(differing),
        other_first=len(other_first),
        alone_first=_shares(other_first),
    )


def why_participation_is_unknown(runs: Mapping[Strategy, EvaluationRun]) -> str:
    """Reason for an unknown participation: the missing run, or too few queries on which the legs differ."""
    missing = [name for name in (*LEGS, "hybrid") if name not in runs]
    if missing:
        return f"not measured: {', '.join(missing)}"
    return f"the legs differ on {len(_differing(runs))} queries, {MIN_COMMON_QUERIES} are needed"


def _differing(runs: Mapping[Strategy, EvaluationRun]) -> list[_Answer]:
    """Rankings of hybrid search and its legs where the legs differ; empty where a run is missing."""
    if not all(name in runs for name in (*LEGS, "hybrid")):
        return []
    linked = {result.query_id: result.linked_note_ids for result in runs["hybrid"].queries}
    rankings = {name: _rankings(runs[name], linked) for name in (*LEGS, "hybrid")}
    common = set.intersection(*(set(found) for found in rankings.values()))
    triples = [(rankings["hybrid"][query], (rankings[LEGS[0]][query], rankings[LEGS[1]][query])) for query in common]
    return [(hybrid, legs) for hybrid, legs in triples if _differ(*legs)]


def _rankings(run: EvaluationRun, without: Mapping[UUID, Collection[NoteId]]) -> dict[UUID, _Ranking]:
    return {
        result.query_id: tuple(note for note in result.ranked_note_ids if note not in without.get(result.query_id, ()))[
            :FIRST
        ]
        for result in run.queries
        if not result.is_disturbed
    }


def _differ(first: _Ranking, second: _Ranking) -> bool:
    """True when neither is a prefix of the other; an empty ranking differs from any other."""
    shorter = min(len(first), len(second))
    return first[:shorter] != second[:shorter] if shorter else first != second


def _shares(answers: Sequence[_Answer]) -> dict[Strategy, float]:
    return {
        leg: sum(_is_alone(legs[place], legs[1 - place], hybrid) for hybrid, legs in answers) / max(1, len(answers))
        for place, leg in enumerate(LEGS)
    }


def _is_alone(leg: _Ranking, other: _Ranking, hybrid: _Ranking) -> bool:
    """True when hybrid search begins with the leg's list and continues with nothing that the other leg found."""
    return bool(leg) and hybrid[: len(leg)] == leg and not set(hybrid[len(leg) :]) & set(other)
