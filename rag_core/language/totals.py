"""Words of questions for a sum of money, and of tables of amounts."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class TotalWords:
    """Words of sums.

    ``asking`` are patterns over folded text of questions for a sum; ``saying_nothing`` is one of their words that say nothing of what
    was paid for. ``columns`` are folded headers of what was paid, ``unit_prices`` those that may be of one piece,
    ``quantities`` headers of how many pieces; ``rows`` are first words of rows that sum up others. ``income``
    and ``doubtful`` are patterns over folded text of what was earned, and of refunds, offers, and what is void or unpaid; ``paid``
    are headers of whether something was paid, and ``unpaid`` cells that say no. ``answer`` has the fields sum and terms.
    """

    asking: tuple[str, ...]
    saying_nothing: str
    columns: frozenset[str]
    unit_prices: frozenset[str]
    quantities: frozenset[str]
    rows: frozenset[str]
    income: str
    doubtful: str
    paid: frozenset[str]
    unpaid: frozenset[str]
    answer: str
