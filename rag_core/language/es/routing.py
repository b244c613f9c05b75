"""Spanish: phrases that route a question."""

from rag_core.language.routing import RoutingWording

ROUTING = RoutingWording(
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
    between="entre",
    links="y|e",
)
