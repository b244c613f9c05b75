"""English: sums of money."""

from rag_core.language.totals import TotalWords

TOTALS = TotalWords(
    asking=(
        r"how much (?:money )?(?:\w+ ){0,6}?(?:spend|spent|pay|paid|cost|costs|earn|earned|invoiced?)",
        r"(?:total (?:cost|amount|spending|expenses?|income)|sum of (?:the )?(?:costs?|expenses?|amounts?|invoices?|payments?))",
    ),
    saying_nothing=r"how|much|money|(?:spend|spent|pay|paid|cost|earn|invoice|total|sum|amount|expense|spending|far)\w*",
    columns=frozenset(
        ["amount", "amounts", "cost", "costs", "price", "total", "spent", "paid", "expense", "expenses", "income"]
    ),
    unit_prices=frozenset(["price"]),
    quantities=frozenset(["quantity", "qty", "units", "pieces"]),
    rows=frozenset(["total", "totals", "subtotal", "sum"]),
    income=r"(?:incomes?|earn\w*|invoiced|salar(?:y|ies)|wages?|pay(?:slip|check|cheque|roll)s?|sales?|sold|revenues?|proceeds|dividends?|"
    r"received)",
    refunds=r"(?:refund\w*|reimburs\w*|rebates?|credit notes?|returned)",
    doubtful=r"(?:quotes?|comparisons?|options?|candidates?|rates|^discounts?|balance|limit|included|quotations?|estimat\w*|offers?|budget\w*|planned|"
    r"void\w*|cancell?ed|unpaid|pending|outstanding|not (?:yet )?paid|to (?:be paid|pay))",
    paid=frozenset(["paid", "settled"]),
    settled=frozenset(["yes", "y", "x", "ok", "done"]),
    running=frozenset(["cumulative", "running", "balance", "thousands"]),
    vague=r"about|around|approx\w*|almost|nearly|under|over|up to|between|or|to|a|an|per|each|every",
    answer="In total, {sum}: {terms}",
)
