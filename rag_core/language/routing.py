"""How a question shows where its answer stands: in steps, in relations, in many documents, in a table.

Matched against ``folding.fold_words``: lower case, no accents. Here: words and phrases only; ``rag_core.query.routing`` says what
follows from them.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from rag_core.model.note import Language


@dataclass(frozen=True, slots=True, kw_only=True)
class RoutingWording:
    """The phrases of one language, as regular expressions over whole words.

    ``procedural`` asks how something is done, ``relational`` who or what belongs to whom, ``aggregative`` for many things as one,
    ``table`` for figures that stand in rows, ``hops`` join two facts in one question.
    """

    procedural: tuple[str, ...]
    relational: tuple[str, ...]
    aggregative: tuple[str, ...]
    table: tuple[str, ...]
    hops: tuple[str, ...]


ROUTING_WORDINGS: Mapping[Language, RoutingWording] = {
    "de": RoutingWording(
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
    ),
    "es": RoutingWording(
        procedural=(
            r"como (?:se|puedo|puede|podemos|debo|debe|hay que|hago|hacer|solicit\w+|cre\w+|instal\w+|configur\w+|cancel\w+|pid\w+)",
            r"pasos|paso a paso|instrucciones|procedimiento|que (?:hay que|tengo que|debo) hacer",
        ),
        relational=(
            r"quien (?:dirige|dirigia|lleva|lidera|trabaja|trabajaba|coordina|gestiona)",
            r"quien es (?:el|la) (?:responsable|jef[ea]|encargad[oa])",
            r"responsables?|encargad[oa]s?|relacion(?:es)?|relacionad[oa]s?|vinculos?|conexion(?:es)?|pertenecen?",
            r"trabaja(?:n|ba|ban)? (?:para|con|en)|depende(?:n)? de|participa(?:n|ron|ba|ban)?",
        ),
        aggregative=(
            r"cuant[oa]s|cuantas veces|en total|numero de|tod[oa]s (?:l[oa]s|mis)|suma|promedio|media de",
            r"lista(?:me|do)?|enumera(?:me)?|resumen|resume(?:me)?|vision general|que \w+ hay",
        ),
        table=(
            r"tablas?|columnas?|filas?|celdas?|trimestres?|facturacion|ventas de|presupuestos?|balances?|estadisticas?|tarifas?",
            r"por (?:mes|ano|trimestre|unidad|persona)|(?:importe|coste|precio) (?:de|del)|porcentajes?",
        ),
        hops=(
            r"cuy[oa]s?|despues de que|tanto .* como",
            r"y (?:quien|que|cuando|donde|por que|cual|como)",
            r"(?:el|la|los|las|del) que",
        ),
    ),
    "en": RoutingWording(
        procedural=(
            r"how (?:do|can|should|must|to|does one)|steps?|step by step|instructions|procedure|what do i have to do",
        ),
        relational=(
            r"who (?:leads|led|manages|managed|runs|ran|works|worked|reports|owns|is responsible|is in charge)",
            r"responsible|in charge|relationships?|related|connections?|connected|belongs? to|reports? to|involved",
            r"works? (?:for|with|at)|worked (?:for|with|at)",
        ),
        aggregative=(
            r"how many|how often|in total|number of|all (?:the|my|of)|sum of|average|overall",
            r"list|enumerate|overview|summar(?:y|ise|ize)|what \w+ are there",
        ),
        table=(
            r"tables?|columns?|rows?|cells?|quarters?|quarterly|revenues?|turnover|budgets?|balance sheet|statistics|price list",
            r"per (?:month|year|quarter|unit|person)|(?:amount|cost|price) of|percent(?:age)?",
        ),
        hops=(
            r"whose|after which|both .* and",
            r"and (?:who|what|when|where|why|which|how)",
            r"(?:the|a|an) \w+ (?:who|that|which)",
        ),
    ),
}
