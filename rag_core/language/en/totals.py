"""English: sums of money."""

from rag_core.language.totals import TotalWords

TOTALS = TotalWords(
    asking=(
        r"how much (?:money )?(?:\w+ ){0,6}?(?:spend|spent|pay|paid|cost|costs|earn|earned)",
        r"(?:total (?:cost|amount|spending|expenses?|income)|sum of (?:the )?(?:costs?|expenses?|amounts?|invoices?|payments?))",
        r"in total",
    ),
    saying_nothing=r"how|much|money|(?:spend|spent|pay|paid|cost|earn|total|sum|amount|expense|spending|far)\w*",
    columns=frozenset(
        ["amount", "amounts", "cost", "costs", "price", "total", "spent", "paid", "expense", "expenses", "income"]
    ),
    unit_prices=frozenset(["price"]),
    quantities=frozenset(["quantity", "qty", "units", "pieces"]),
    rows=frozenset(["total", "totals", "subtotal", "sum"]),
    answer="In total, {sum}: {terms}",
)
