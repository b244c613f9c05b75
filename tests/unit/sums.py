"""Tables of amounts and the asked year that tests of sums share."""

from datetime import datetime
from zoneinfo import ZoneInfo

from rag_core.model.answer import AskedTime

MADRID = ZoneInfo("Europe/Madrid")
YEAR = AskedTime(
    since=datetime(2024, 1, 1, tzinfo=MADRID),
    until=datetime(2025, 1, 1, tzinfo=MADRID),
    without="¿Cuánto gasté?",
    is_all=False,
)

FUEL = ("2024-01-03", "Gasolina", "45,20 €")
TYRES = ("2024-02-27", "Ruedas", "240 €")
OLD = ("2023-12-30", "Gasolina", "50,00 €")


def table(*rows, headers=("Fecha", "Concepto", "Importe")) -> str:
    lines = [headers, ["---"] * len(headers), *rows]
    return "".join(f"| {' | '.join(row)} |\n" for row in lines)
