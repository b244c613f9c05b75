"""German: sums of money."""

from rag_core.language.totals import TotalWords

TOTALS = TotalWords(
    asking=(
        r"wie ?viel (?:geld )?(?:\w+ ){0,12}?(?:ausgegeben|bezahlt|gezahlt|gekostet|kostete|kosteten|verdient|eingenommen)",
        r"wie ?viel (?:kostete|kosteten|zahlte|zahlten|bezahlte|verdiente)\w*",
        r"(?:gesamtkosten|gesamtausgaben|gesamtbetrag|gesamtsumme|summe der (?:kosten|ausgaben|betrage|rechnungen))",
        r"insgesamt",
    ),
    saying_nothing=r"wieviel|wie|viel|geld|(?:ausgegeben|ausgaben?|(?:be)?zahl|kost|gekost|verdien|eingenommen|gesamt|insgesamt|summe|"
    r"betrag|rechnungen)\w*",
    columns=frozenset(
        ["betrag", "betrage", "kosten", "preis", "summe", "gesamt", "ausgaben", "ausgabe", "einnahmen", "bezahlt"]
    ),
    unit_prices=frozenset(["preis"]),
    quantities=frozenset(["anzahl", "menge", "stuck", "stuckzahl"]),
    rows=frozenset(["summe", "gesamt", "total", "zwischensumme", "gesamtsumme", "insgesamt"]),
    income=r"\w*(?:einnahm\w*|eingenommen|einkommen|einkunfte|verdien\w*|gehalt(?:s\w*|er)?|lohn(?:e|es|s\w*)?|verkauf\w*|erlos\w*|"
    r"umsatz\w*|honorar\w*|dividende\w*)",
    doubtful=r"\w*(?:erstatt\w*|ruckzahl\w*|gutschrift\w*|storn\w*|annullier\w*|angebot\w*|voranschl\w*|budget\w*|geplant\w*|"
    r"geschatzt\w*|offen(?:e[nrs]?)?|unbezahlt\w*|ausstehend\w*|nicht (?:be|ge)zahlt)",
    paid=frozenset(["bezahlt", "gezahlt", "beglichen"]),
    unpaid=frozenset(["nein", "n", "offen", "ausstehend"]),
    answer="Insgesamt {sum}: {terms}",
)
