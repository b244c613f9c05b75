"""German: phrases that route a question."""

from rag_core.language.routing import RoutingWording

ROUTING = RoutingWording(
    procedural=(
        r"wie (?:kann|konnen|muss|mussen|soll|sollen|darf) (?:ich|man|wir)|wie (?:geht|funktioniert|lauft)",
        r"wie (?:beantrag|erstell|installier|richt|meld|storn|reich|bearbeit|kundig|andr|ander|bestell)\w*",
        r"anleitung(?:en)?|schritte?|schritt fur schritt|vorgehen|vorgehensweise|ablauf|was muss (?:ich|man) tun",
    ),
    relational=(
        r"wer (?:leitet|leitete|fuhrt|arbeitet|arbeitete|berichtet|betreut|verantwortet|besitzt|gehort)",
        r"zustandig(?:e[nrsm]?)?|verantwortlich(?:e[nrsm]?)?|ansprechpartner(?:in)?|vorgesetzte[nrsm]?|beteiligt(?:e[nrsm]?)?",
        r"beziehung(?:en)?|verbindung(?:en)?|zusammenhang|zusammenhange|hang(?:t|en) .*zusammen|gehor(?:t|en) zu[mr]?",
        r"arbeite(?:t|n|te|ten) (?:fur|mit|bei|an)|berichte(?:t|n) an",
    ),
    aggregative=(
        r"wie ?viele|wie oft|anzahl|insgesamt|gesamt\w*|samtliche[nrsm]?|alle|summe|durchschnitt(?:lich\w*)?",
        r"(?:liste|zahle) .*auf|auflist\w+|uberblick|ubersicht|zusammenfass\w+|fasse? .*zusammen|welche \w+ gibt es",
    ),
    table=(
        r"tabellen?|spalten?|zeilen?|zelle|umsatz\w*|quartal\w*|kennzahl\w*|preislisten?|budgets?|bilanz(?:en)?|statistik(?:en)?",
        r"pro (?:monat|jahr|quartal|stuck|person)|(?:hohe|betrag|kosten) (?:der|des|von|fur|im|in)|prozent(?:satz|uale\w*)?",
    ),
    hops=(
        r"deren|dessen|nachdem|sowohl .* als auch",
        r"und (?:wer|was|wann|wo|warum|wieso|welche\w*|wie)",
        r"(?:der|die|das|den|dem),? (?:der|die|das|den|dem|welche\w*)",
    ),
    between="zwischen",
    links="und",
)
