"""Statistics of an experiment's records, and the number of further records it needs. No I/O."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rag_core.experiments.agreement import overlap_at, rank_biased_overlap
from rag_core.experiments.interleaving import credit
from rag_core.model.experiment import ExperimentQuery
from rag_core.model.statistics import mean, percentile

SIGNIFICANCE = 0.05
POWER = 0.8
OVERLAP_DEPTH = 10
AGREEMENT_HALF_WIDTH = 0.02
"""Half width of the interval of the mean overlap that is wanted."""
LEAST_PREFERENCE = 0.05
LEAST_RATE_DIFFERENCE = 0.05
"""Least difference of interest before any was observed: 55 to 45 in a preference, five points in a rate."""
LEAST_DECIDED = 10
"""Least number of decisive queries for an estimate of how many more are required: one click would say 40, and the next 207."""
_MAX_NEEDED = 10_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Latency:
    """Milliseconds of answers that were looked for, not kept ones; None without any."""

    queries: int
    p50_ms: float | None
    p95_ms: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class InterleavingFigures:
    """Preference of readers between the sides, query by query.

    ``preference`` is the candidate's share of the queries that one side won; ``p_value`` is of a two-sided binomial test against one
    half. ``more_queries`` is how many live queries would have to come for a preference as great as the one seen, or of 55 to 45
    when there is none yet, to be told from chance with 80 % power; None when fewer than ten were decided yet, 0 when it is told.
    """

    queries: int
    wins: int
    losses: int
    ties: int
    undecided: int
    failed_candidates: int
    preference: float | None
    interval: tuple[float, float] | None
    p_value: float | None
    more_queries: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmFigures:
    """One side of a split: what it answered, and what readers made of it."""

    queries: int
    opened: int
    judged: int
    helpful: int
    degraded: int
    failed: int
    latency: Latency

    @property
    def open_rate(self) -> float | None:
        """Queries with a note opened / queries; None without any."""
        return self.opened / self.queries if self.queries else None

    @property
    def helpful_rate(self) -> float | None:
        """Queries found helpful / queries that somebody judged; None without any."""
        return self.helpful / self.judged if self.judged else None


@dataclass(frozen=True, slots=True, kw_only=True)
class RateTest:
    """The candidate's rate - the control's, with a two-sided p by Fisher's exact test; None where a side has none.

    ``more_queries`` are the live queries still to come, of both arms, to tell a difference as great as the one seen, or of five
    points when there is none, from chance with 80 % power; None while an arm has fewer than ten trials.
    """

    difference: float | None
    p_value: float | None
    more_queries: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitFigures:
    """Both arms of a split, and whether their rates differ."""

    control: ArmFigures
    candidate: ArmFigures
    helpful: RateTest
    opened: RateTest


@dataclass(frozen=True, slots=True, kw_only=True)
class ShadowFigures:
    """Agreement of both sides' rankings, on the queries that both answered.

    ``rank_biased_overlap`` (p = 0.9), ``overlap_at_10`` and ``same_top`` are means. The two latencies do not compare: the candidate
    always comes second, when the machine has just done the same search, and beside the next live query. ``dropped`` candidates
    were not asked because others were at work, ``failed_candidates`` did not answer.
    """

    queries: int
    compared: int
    dropped: int
    failed_candidates: int
    degraded: int
    rank_biased_overlap: float | None
    overlap_at_10: float | None
    same_top: float | None
    control_latency: Latency
    candidate_latency: Latency
    more_queries: int | None


def interleaving_figures(queries: Sequence[ExperimentQuery]) -> InterleavingFigures:
    """Wins, losses and ties of the candidate over interleaved lists; a query that nobody took anything from decides nothing.

    A query is won by the side whose notes were opened, or found helpful, more; a note found unhelpful counts for nobody.

    Source: Chapelle et al., Large-Scale Validation and Analysis of Interleaved Search Evaluation, TOIS 30(1), 2012.
    """
    whole = [query for query in queries if query.teams is not None]
    taken = [credit(query.served_notes, query.teams or (), query.liked) for query in whole]
    wins = sum(counts["candidate"] > counts["control"] for counts in taken)
    losses = sum(counts["candidate"] < counts["control"] for counts in taken)
    ties = sum(counts["candidate"] == counts["control"] > 0 for counts in taken)
    decided = wins + losses
    p_value, interval = _binomial(wins, decided)
    return InterleavingFigures(
        queries=len(queries),
        wins=wins,
        losses=losses,
        ties=ties,
        undecided=len(whole) - decided - ties,
        failed_candidates=len(queries) - len(whole),
        preference=wins / decided if decided else None,
        interval=interval,
        p_value=p_value,
        more_queries=_more_interleaved(len(queries), wins, decided, p_value),
    )


def _binomial(wins: int, decided: int) -> tuple[float | None, tuple[float, float] | None]:
    if not decided:
        return None, None
    from scipy import stats  # type: ignore[import-untyped]  # 1 s, needed only here

    tested = stats.binomtest(wins, decided)
    interval = tested.proportion_ci(method="wilson")
    return float(tested.pvalue), (float(interval.low), float(interval.high))


def _more_interleaved(queries: int, wins: int, decided: int, p_value: float | None) -> int | None:
    if not decided or p_value is None:
        return None
    if p_value < SIGNIFICANCE:
        return 0
    if decided < LEAST_DECIDED:
        return None
    preference = max(abs(wins / decided - 0.5), LEAST_PREFERENCE)
    return _scaled(queries_for_preference(0.5 + preference) - decided, queries / decided)


def queries_for_preference(share: float) -> int:
    """Decided queries for a preference of ``share`` against one half to be told from chance, at 0.05 with 80 % power.

    m = ((z_{0.975}/2 + z_{0.8}·√(share·(1 - share))) / (share - 1/2))², and n = m/4 · (1 + √(1 + 2/(m·|share - 1/2|)))² with the
    continuity correction that the exact test asks for.

    Raises:
        ValueError: ``share`` is one half or outside [0, 1].
    Source: Fleiss, Levin & Paik, Statistical Methods for Rates and Proportions, 3rd edition, 2003, section 2.4.
    """
    if not 0 <= share <= 1 or share == 0.5:
        raise ValueError(f"share is {share}; expected within [0, 1] and not one half")
    alpha, beta = _quantiles()
    difference = abs(share - 0.5)
    plain = ((alpha / 2 + beta * math.sqrt(share * (1 - share))) / difference) ** 2
    return _corrected(plain, 2 / difference)


def split_figures(queries: Sequence[ExperimentQuery]) -> SplitFigures:
    """Both arms by what was drawn: where the candidate failed and the control answered, the candidate's arm has the query."""
    control = _arm([query for query in queries if query.arm == "control"], lambda query: query.control_ms)
    candidate = _arm([query for query in queries if query.arm == "candidate"], lambda query: query.candidate_ms)
    return SplitFigures(
        control=control,
        candidate=candidate,
        helpful=_rate_test((control.helpful, control.judged), (candidate.helpful, candidate.judged), live=len(queries)),
        opened=_rate_test((control.opened, control.queries), (candidate.opened, candidate.queries), live=len(queries)),
    )


def _arm(queries: Sequence[ExperimentQuery], latency: Callable[[ExperimentQuery], float | None]) -> ArmFigures:
    verdicts = [query.is_helpful for query in queries]
    return ArmFigures(
        queries=len(queries),
        opened=sum(bool(query.opened) for query in queries),
        judged=sum(verdict is not None for verdict in verdicts),
        helpful=sum(verdict is True for verdict in verdicts),
        degraded=sum(query.is_degraded for query in queries),
        failed=sum(query.arm == "candidate" and query.candidate_notes is None for query in queries),
        latency=_latency([latency(query) for query in queries]),
    )


def _latency(measured: Sequence[float | None]) -> Latency:
    known = [value for value in measured if value is not None]
    return Latency(queries=len(known), p50_ms=percentile(known, 0.5), p95_ms=percentile(known, 0.95))


def _rate_test(control: tuple[int, int], candidate: tuple[int, int], *, live: int) -> RateTest:
    """``control`` and ``candidate`` are successes and trials."""
    if not control[1] or not candidate[1]:
        return RateTest(difference=None, p_value=None, more_queries=None)
    from scipy import stats

    table = [[successes, trials - successes] for successes, trials in (control, candidate)]
    p_value = float(stats.fisher_exact(table).pvalue)
    before, after = control[0] / control[1], candidate[0] / candidate[1]
    return RateTest(
        difference=after - before,
        p_value=p_value,
        more_queries=0 if p_value < SIGNIFICANCE else _more_split(before, after, control[1], candidate[1], live),
    )


def _more_split(before: float, after: float, control: int, candidate: int, live: int) -> int | None:
    """The smaller arm has to grow to what is needed; a trial of it costs so many live queries. None while it is too small."""
    if min(control, candidate) < LEAST_DECIDED:
        return None
    wanted = after if abs(after - before) >= LEAST_RATE_DIFFERENCE else before + LEAST_RATE_DIFFERENCE
    if wanted > 1:
        wanted = before - LEAST_RATE_DIFFERENCE
    smaller = min(control, candidate)
    return _scaled(queries_for_rates(before, wanted) - smaller, live / smaller)


def queries_for_rates(one: float, other: float) -> int:
    """Trials of each arm for two rates to be told apart, at 0.05 two-sided with 80 % power.

    m = (z_{0.975}·√(2p̄(1 - p̄)) + z_{0.8}·√(p₁(1 - p₁) + p₂(1 - p₂)))² / (p₁ - p₂)², with p̄ their mean, and
    n = m/4 · (1 + √(1 + 4/(m·|p₁ - p₂|)))² with the continuity correction that the exact test asks for.

    Raises:
        ValueError: the rates are equal, or outside [0, 1].
    Source: Fleiss, Levin & Paik, Statistical Methods for Rates and Proportions, 3rd edition, 2003, section 4.2.
    """
    if one == other or not all(0 <= rate <= 1 for rate in (one, other)):
        raise ValueError(f"the rates are {one} and {other}; expected different ones within [0, 1]")
    alpha, beta = _quantiles()
    middle = (one + other) / 2
    spread = alpha * math.sqrt(2 * middle * (1 - middle)) + beta * math.sqrt(one * (1 - one) + other * (1 - other))
    return _corrected((spread / (one - other)) ** 2, 4 / abs(one - other))


def _corrected(plain: float, steps: float) -> int:
    return math.ceil(plain / 4 * (1 + math.sqrt(1 + steps / plain)) ** 2)


def shadow_figures(queries: Sequence[ExperimentQuery]) -> ShadowFigures:
    """Agreement of both sides' rankings; whether the candidate is better nobody was asked."""
    both = [
        (query.control_notes, query.candidate_notes)
        for query in queries
        if query.control_notes is not None and query.candidate_notes is not None
    ]
    missing = [query for query in queries if query.candidate_notes is None]
    overlaps = [rank_biased_overlap(*pair) for pair in both]
    answered = [query for query in queries if query.candidate_notes is not None]
    return ShadowFigures(
        queries=len(queries),
        compared=len(both),
        dropped=sum(query.candidate_ms is None for query in missing),
        failed_candidates=sum(query.candidate_ms is not None for query in missing),
        degraded=sum(query.is_degraded for query in queries),
        rank_biased_overlap=mean(overlaps),
        overlap_at_10=mean(overlap_at(*pair, OVERLAP_DEPTH) for pair in both),
        same_top=mean(float(one[:1] == other[:1]) for one, other in both),
        control_latency=_latency([query.control_ms for query in queries]),
        candidate_latency=_latency([query.candidate_ms for query in answered]),
        more_queries=_more_shadow(overlaps, live=len(queries)),
    )


def _more_shadow(overlaps: Sequence[float], *, live: int) -> int | None:
    """Live queries to come until the mean overlap is known to ± 0.02, of 95 %."""
    if len(overlaps) < LEAST_DECIDED:
        return None
    center = math.fsum(overlaps) / len(overlaps)
    variance = math.fsum((value - center) ** 2 for value in overlaps) / (len(overlaps) - 1)
    needed = math.ceil(_quantiles()[0] ** 2 * variance / AGREEMENT_HALF_WIDTH**2)
    return _scaled(needed - len(overlaps), live / len(overlaps))


def _scaled(missing: int, live_for_one: float) -> int:
    return min(_MAX_NEEDED, max(1 if missing > 0 else 0, math.ceil(max(0, missing) * live_for_one)))


def _quantiles() -> tuple[float, float]:
    from statistics import NormalDist

    normal = NormalDist()
    return normal.inv_cdf(1 - SIGNIFICANCE / 2), normal.inv_cdf(POWER)
