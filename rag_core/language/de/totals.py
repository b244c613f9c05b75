"""German: sums of money."""

from rag_core.language.totals import TotalWords

TOTALS = TotalWords(
    asking=(
        r"wie ?viel (?:geld )?(?:\w+ ){0,12}?(?:ausgegeben|bezahlt|gezahlt|gekostet|kostete|kosteten|verdient|eingenommen)",
        r"wie ?viel (?:kostete|kosteten|zahlte|zahlten|bezahlte|verdiente)\w*",
        r"(?:gesamtkosten|gesamtausgaben|gesamtbetrag|gesamtsumme|summe der (?:kosten|ausgaben|betrage|rechnungen))",
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
    refunds=r"\w*(?:erstatt\w*|ruckzahl\w*|gutschrift\w*)",
    doubtful=r"\w*(?:storn\w*|annullier\w*|angebot\w*|vergleich\w*|option(?:en)?|kandidat\w*|tarife?|^rabatt\w*|saldo|limit|enthalten\w*|voranschl\w*|budget\w*|geplant\w*|"
    r"geschatzt\w*|offen(?:e[nrs]?)?|unbezahlt\w*|ausstehend\w*|nicht (?:be|ge)zahlt)",
    paid=frozenset(["bezahlt", "gezahlt", "beglichen"]),
    settled=frozenset(["ja", "j", "x", "ok", "erledigt"]),
    running=frozenset(["kumuliert", "kumulierte", "saldo", "stand", "tausend", "tsd"]),
    vague=r"etwa|ca|circa|rund|fast|knapp|uber|unter|bis|zwischen|oder|je|pro|a|im",
    answer="Insgesamt {sum}: {terms}",
)
