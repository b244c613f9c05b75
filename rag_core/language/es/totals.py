"""Spanish: sums of money."""

from rag_core.language.totals import TotalWords

TOTALS = TotalWords(
    asking=(
        (
            r"cuanto (?:dinero )?(?:me |nos |se |le |les |he |hemos |ha |han |llevo |llevamos )*"
            r"(?:gast|pag|cost|desembols|ingres|cobr|factur|invert|invirt)(?!ar(?:e|a|as|emos|an)\b)\w*"
        ),
        r"(?:gasto|coste|importe|ingreso|pago)s? total(?:es)?",
        r"(?:cuanto es |cual es |dime )?(?:el total|la suma) de(?: los| las)? (?:gasto|pago|ingreso|importe|factura|coste)s?",
    ),
    saying_nothing=r"(?:cuanto|dinero|llev(?:o|amos)|he|hemos|ha|han|gast|pag|cost|cuest|desembols|ingres|cobr|factur|invert|invirt|importe|"
    r"total|suma|dime|asciende)\w*",
    columns=frozenset(
        [
            "importe",
            "importes",
            "coste",
            "costes",
            "precio",
            "gasto",
            "gastos",
            "total",
            "pagado",
            "cobrado",
            "ingreso",
            "ingresos",
        ]
    ),
    unit_prices=frozenset(["precio", "precios"]),
    quantities=frozenset(["cantidad", "cantidades", "unidades", "uds", "ud"]),
    rows=frozenset(["total", "totales", "subtotal", "suma"]),
    income=r"(?:ingres\w*|(?<!de )cobr\w*|factur(?:ad\w+|e)|nominas?|sueldos?|salarios?|honorarios?|ganancias?|gan(?:e|amos|ado)|"
    r"ventas?|vend(?:i|e|imos|id[oa]s?|ieron)|dividendos?|becas?|subvencion\w*)",
    refunds=r"(?:abonos?|devol\w+|devuel\w+|reembols\w*|reintegr\w*)",
    doubtful=r"(?:presupuest\w*|comparativ\w*|opcion(?:es)?|candidat\w*|tarifas?|^descuentos?|saldo|limite|incluid[oa]s?|ofertas?|estimad\w*|previst[oa]s?|anulad[oa]s?|"
    r"cancelad[oa]s?|pendientes?|impagad[oa]s?|(?:sin|no|por) pag(?:ar|ad[oa]s?))",
    paid=frozenset(["pagado", "pagada", "pagados", "pagadas", "abonado", "abonada", "cobrado", "cobrada"]),
    settled=frozenset(["si", "s", "x", "ok", "hecho"]),
    running=frozenset(["acumulado", "acumulada", "acumulados", "saldo", "balance", "miles"]),
    vague=r"unos|unas|casi|aprox\w*|sobre|menos de|mas de|entre|hasta|alrededor de|o|u|a|al|ni|por|cada",
    answer="En total, {sum}: {terms}",
)
