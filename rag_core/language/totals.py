"""Words of questions for a sum of money, and of tables of amounts."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class TotalWords:
    """Words of sums.

    ``asking`` are patterns over folded text of questions for a sum; ``saying_nothing`` is one of their words that say nothing of
    what was paid for. ``columns`` are folded headers of what was paid, ``unit_prices`` those that may be of one piece,
    ``quantities`` headers of how many pieces; ``rows`` are first words of rows that sum up others. ``income``, ``refunds`` and
    ``doubtful`` are patterns over folded text of what was earned, what was paid back, and of offers and what is void or unpaid;
    ``paid`` are headers of whether something was paid, and ``settled`` cells that say yes. ``running`` are words of headers of
    amounts that hold those before them or are of thousands; ``vague`` is a pattern of words beside an amount that is of one piece,
    or about so much. ``answer`` has the fields sum and terms.
    """

    asking: tuple[str, ...]
    saying_nothing: str
    columns: frozenset[str]
    unit_prices: frozenset[str]
    quantities: frozenset[str]
    rows: frozenset[str]
    income: str
    refunds: str
    doubtful: str
    paid: frozenset[str]
    settled: frozenset[str]
    running: frozenset[str]
    vague: str
    answer: str
