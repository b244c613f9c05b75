"""An answer to a golden query as metrics of answers see it."""

from collections import Counter
from dataclasses import dataclass, field

from rag_core.model.answer import GeneratedAnswer
from rag_core.model.golden import GoldenQuery


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """Scores in [0, 1], higher is better; None where there was nothing to judge or the judge failed.

    ``failures`` names the scores that the judge was asked for and did not give in a form that can be read.
    """

    groundedness: float | None = None
    answer_relevance: float | None = None
    key_facts_covered: float | None = None
    failures: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimCitation:
    """A citation of a claim: whether a source has its number, and whether that source covers the claim."""

    is_existing: bool
    is_covering: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedClaim:
    """A sentence that states something; it is covered when the sources together cover it."""

    is_covered: bool
    citations: tuple[ClaimCitation, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerReading:
    """An answer beside its golden query, its sources and its judgement, which is empty without a judge.

    A refusal has no claims, no tokens and no checked citations. Tokens are stemmed and, unless the expected answer has no others,
    without function words. ``supported_citations`` are the verdicts of the answer path's own check, a citation each.
    """

    query: GoldenQuery
    answer: GeneratedAnswer
    judgement: Judgement = Judgement()
    claims: tuple[StatedClaim, ...] = ()
    supported_citations: tuple[bool, ...] = ()
    said_key_facts: tuple[str, ...] = ()
    said_forbidden: tuple[str, ...] = ()
    tokens: Counter[str] = field(default_factory=Counter)
    expected_tokens: Counter[str] = field(default_factory=Counter)
