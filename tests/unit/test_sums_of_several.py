"""Sums where rows of several notes answer, and over rows whose month a title or a label names."""

from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal

import pytest
from builders import make_source
from unit.sums import FUEL, MADRID, OLD, YEAR, table

from rag_core.answering.sources.context import as_context
from rag_core.answering.totals.total import total_of
from rag_core.model.answer import AskedTime


def total(
    *notes,
    question="¿Cuánto gasté en el coche en 2024?",
    without="¿Cuánto gasté en el coche?",
    is_one_note=False,
):
    """The sum over notes, each a title and its text, or over parts of one; where there is none, the rows and their sources."""
    changes = {"note_id": "n1"} if is_one_note else {}
    sources = [
        make_source(
            text, number, title=title, language="es", is_whole=True, is_dated=False, start_char=1000 * number, **changes
        )
        for number, (title, text) in enumerate(notes, 1)
    ]
    found = total_of(question, replace(as_context(sources), asked_time=replace(YEAR, without=without)), "es")
    if found is not None and found.value is None:
        return [(claim, cited[0].number) for claim, cited in found.claims("es")]
    return None if found is None else found.value


MARCH = ("Coche, marzo de 2024", table(("2024-03-03", "Gasolina", "45,20 €"), ("2024-03-27", "Ruedas", "240 €")))
IN_MARCH_ROWS = [("45,20 € (2024-03-03, Gasolina)", 1), ("240 € (2024-03-27, Ruedas)", 1)]
APRIL = ("Coche, abril de 2024", table(("2024-04-03", "Gasolina", "30 €"), ("2024-04-09", "Peaje", "9 €")))


def test_rows_of_several_notes_are_told_and_not_added_up() -> None:
    assert total(MARCH, APRIL) == [*IN_MARCH_ROWS, ("30 € (2024-04-03, Gasolina)", 2), ("9 € (2024-04-09, Peaje)", 2)]
    assert total(MARCH, APRIL, is_one_note=True) == total(MARCH, APRIL)
    assert total(MARCH, ("Perro", table(FUEL))) == Decimal("285.20")
    assert total(MARCH, ("Coche 2023", table(OLD, OLD))) == Decimal("285.20")


@pytest.mark.parametrize(
    ("other", "rows"),
    [
        (
            table(
                ("2024-04-03", "Gasolina", "30 €", "no"),
                ("2024-04-09", "Peaje", "9 €", "sí"),
                ("2024-04-10", "Peaje", "8 €", "sí"),
                headers=("Fecha", "Concepto", "Importe", "Pagado"),
            ),
            [
                "30 € (2024-04-03, Gasolina, no)",
                "9 € (2024-04-09, Peaje, sí)",
                "8 € (2024-04-10, Peaje, sí)",
            ],
        ),
        (
            "- 2024-04-03 gasolina 30 €\n- [ ] 2024-04-04 seguro 300 €\n- 2024-04-09 peaje 9 €\n",
            ["30 € (2024-04-03 gasolina)", "9 € (2024-04-09 peaje)"],
        ),
        (
            "- 2024-04-03 gasolina 30 €\n  - 2024-04-09 peaje 9 €\n",
            ["30 € (2024-04-03 gasolina)", "9 € (2024-04-09 peaje)"],
        ),
    ],
    ids=["unpaid", "not done", "nested"],
)
def test_rows_that_cannot_be_added_up_are_told(other, rows) -> None:
    assert total(MARCH, ("Coche, abril de 2024", other)) == [*IN_MARCH_ROWS, *((row, 2) for row in rows)]
    assert total(("Coche, abril de 2024", other)) == [(row, 1) for row in rows]
    assert total(MARCH, ("Perro, abril de 2024", other)) == Decimal("285.20")


@pytest.mark.parametrize("place", ["- Total: 42,60 €", "\nTotal: 42,60 €. El tope era 50.\n\nFin."])
def test_a_sum_that_a_note_states_is_told_where_it_cannot_be_computed(place) -> None:
    listed = f"- Ruedas: 8 €\n- Gasolina: 30 €\n- Peaje: no consta\n{place}\n"

    assert total(("Coche 2024", listed)) == [
        ("42,60 € (Total)", 1),
        ("8 € (Ruedas)", 1),
        ("30 € (Gasolina)", 1),
    ]
    assert total(("Coche 2024", listed), without="¿Cuánto gasté en gasolina?") == [("30 € (Gasolina)", 1)]
    assert total(("Coche 2024", listed.replace("- Peaje: no consta\n", ""))) != Decimal(38)


def test_rows_are_not_told_where_it_is_open_whether_others_answer() -> None:
    others = [
        table(("2024-04-03", "Gasolina", "30 €"), (" ", "Peaje", "9 €")),
        table(("2024-04-03", "Peaje", "3 €", "9 €"), headers=("Fecha", "Concepto", "Importe", "Coste")),
        "- 2024-04-03 gasolina: 30 €-40 €\n- 2024-04-09 peaje: 9 €\n",
        "- 2024-04-03 gasolina: unos 30 €\n- 2024-04-09 peaje: 9 €\n",
        "- 2024-04-03 gasolina: 30 € y aceite 5 €\n- 2024-04-09 peaje: 9 €\n",
        "- 2024-04-03 ruedas: 2 x 90 €\n- 2024-04-09 peaje: 9 €\n",
        "- 2024-04-03 garaje: 80 € al mes\n- 2024-04-09 peaje: 9 €\n",
        table(("enero 2024", "40 €"), ("febrero 2024", "85 €"), headers=("Mes", "Gasto acumulado")),
    ]

    assert [total(MARCH, ("Coche", other)) for other in others] == [[]] * len(others)


def test_more_rows_than_one_can_take_in_are_not_told() -> None:
    month = table(*((f"2024-04-{day:02}", "Gasolina", "3 €") for day in range(1, 12)))

    assert len(total(("Coche, abril de 2024", month), ("Coche, mayo de 2024", table(FUEL)))) == 12
    assert total(("Coche, abril de 2024", month), MARCH) == []


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        (
            "## Enero\n\n- Luz: 40 €\n- Agua: 20 €\n\n## Febrero\n\n- Luz: 41 €\n",
            [("40 € (Luz)", 1), ("20 € (Agua)", 1)],
        ),
        ("- Luz: 40 €\n- Agua: 20 €\n\nY otros 70 € de la grúa.\n", [("40 € (Luz)", 1), ("20 € (Agua)", 1)]),
        ("- Luz: -40 €\n- Traspaso: 1.000 €\n", [("-40 € (Luz)", 1), ("1.000 € (Traspaso)", 1)]),
        ("- Luz: 40 €\n- Agua: 20 €\n- Importe total: 60 €\n", Decimal(60)),
        ("Total: 60 €\n\n- Luz: 40 €\n- Agua: 20 €\n", Decimal(60)),
        ("Total: 75 €\n\n- Luz: 40 €\n- Agua: 20 €\n", [("75 € (Total)", 1), ("40 € (Luz)", 1), ("20 € (Agua)", 1)]),
        (table(("Luz", "4"), ("Agua", "2"), headers=("Concepto", "Importe (miles de €)")), []),
        ("2024-03-02 Luz 40 €\n2024-03-09 Agua 20 €\n", Decimal(60)),
        ("- Luz: 40 €\n- Presupuesto caldera: 900 €\n- Agua: 20 €\n", [("40 € (Luz)", 1), ("20 € (Agua)", 1)]),
        (
            "Familia García:\n\n- Luz: 40 €\n- Agua: 20 €\n\nFamilia López:\n\n- Luz: 30 €\n- Gas: 9 €\n",
            [
                ("40 € (Luz)", 1),
                ("20 € (Agua)", 1),
                ("30 € (Luz)", 1),
                ("9 € (Gas)", 1),
            ],
        ),
    ],
    ids=[
        "months",
        "prose",
        "less than nothing",
        "total behind",
        "total above",
        "another total above",
        "thousands",
        "lines",
        "an offer",
        "families",
    ],
)
def test_rows_of_a_note_are_added_up_where_it_has_no_others(text, rows) -> None:
    assert (
        total(("Casa 2024", text), question="¿Cuánto gasté en casa en 2024?", without="¿Cuánto gasté en casa?") == rows
    )


def test_a_sum_that_the_note_states_elsewhere_leaves_it_plain() -> None:
    assert total((MARCH[0], f"En marzo fueron 285,20 € de coche.\n\n{MARCH[1]}")) == Decimal("285.20")


def test_months_are_read_as_iso_8601_writes_them() -> None:
    months = table(("2024-01", "40 €"), ("2024-02", "41 €"), ("2023-12", "9 €"), headers=("Mes", "Importe"))

    assert total(("Coche", months)) == Decimal(81)


def test_the_total_of_a_table_need_not_be_paid() -> None:
    rows = table(
        ("Suelo", "400 €", "sí"), ("Puertas", "300 €", "sí"), ("Total", "700 €", ""), headers=("·", "Importe", "Pagado")
    )

    assert total(("Coche 2024", rows)) == Decimal(700)


@pytest.mark.parametrize(
    ("day", "is_sum"), [(datetime(2024, 5, 2, tzinfo=UTC), False), (datetime(2023, 5, 2, tzinfo=UTC), True)]
)
def test_what_a_dated_note_says_is_of_its_day(day, is_sum) -> None:
    sources = [
        make_source(MARCH[1], 1, title=MARCH[0], is_whole=True),
        make_source("Pagué 300 € por el coche.", 2, title="Diario", created_at=day, is_dated=True),
    ]
    asked = replace(YEAR, without="¿Cuánto gasté en el coche?")

    found = total_of("¿Cuánto gasté en el coche en 2024?", replace(as_context(sources), asked_time=asked), "es")

    assert found is not None
    assert (found.value is not None) is is_sum


@pytest.mark.parametrize(
    ("other", "is_sum"),
    [
        (("Taller", "Pagué 300 € al taller por el coche."), False),
        (("Taller", "Pagué 300 € al taller."), True),
        (("Coche", "Pagué 300 € al taller."), True),
        (("Taller, 2023", "En mayo de 2023 pagué 300 € por el coche."), True),
        (("Coche: devoluciones", "- seguro: 40 €\n- taller: 45 €\n"), False),
    ],
)
def test_what_another_note_says_of_it_leaves_the_sum_open(other, is_sum) -> None:
    assert total(MARCH, other) == (Decimal("285.20") if is_sum else IN_MARCH_ROWS)


def test_rows_of_expenses_are_not_told_of_income() -> None:
    pay = table(("febrero 2024", "1.912 €"), ("marzo 2024", "1.850 €"), headers=("Mes", "Neto (€)"))
    bills = table(("2024-02-03", "Luz", "75 €"), ("2024-02-04", "Agua", "22 €"))

    assert income(("Nóminas", pay), ("Facturas", bills)) == Decimal(3762)
    assert income(("Trabajos", bills), question="¿Cuánto he facturado por la luz en 2024?") == Decimal(75)


def income(*notes, question="¿Cuánto cobré en 2024?"):
    return total(*notes, question=question, without=question.replace(" en 2024", ""))


@pytest.mark.parametrize(
    ("line", "is_sum"),
    [
        ("Devuelto por el taller: 40 €", False),
        ("El taller me devolvió 40 €.", False),
        ("Devuelto por el taller:\n\n- rueda vieja: 30 €\n- tapacubos: 10 €", False),
        ("Presupuestos recibidos:\n\n- Taller Gil: 300 €\n- Taller Sol: 410 €", True),
        ("Peaje de vuelta 12 €, en efectivo.", False),
        ("Devuelto lo del taller.", True),
    ],
)
def test_a_refund_beside_the_table_leaves_the_sum_open(line, is_sum) -> None:
    noted = (MARCH[0], f"{MARCH[1]}\n{line}\n")

    assert total(noted) == (Decimal("285.20") if is_sum else IN_MARCH_ROWS)
    assert total(MARCH, ("Perro", line)) == Decimal("285.20")


def of_month(
    rows, title, question, *, written=datetime(2024, 6, 1, tzinfo=UTC), month=3, year=2024, language="es", **changes
):
    """The value of a sum asked of a month, read as ``year``'s where the question names none."""
    text = table(*rows, headers=("Concepto", {"es": "Importe", "de": "Betrag", "en": "Amount"}[language]))
    source = make_source(text, title=title, created_at=written, language=language, is_whole=True, **changes)
    asked = AskedTime(
        since=datetime(year, month, 1, tzinfo=MADRID),
        until=datetime(year, month + 1, 1, tzinfo=MADRID),
        without={"es": "¿Cuánto gasté?", "de": "Wie viel habe ich ausgegeben?", "en": "How much did I spend?"}[
            language
        ],
        is_all=False,
    )
    found = total_of(question, replace(as_context([source]), asked_time=asked), language)
    return None if found is None else found.value


THINGS = (("Gasolina", "45 €"), ("Ruedas", "55 €"))
BY_MONTH = (("marzo", "80 €"), ("abril", "70 €"))
IN_MARCH = "¿Cuánto gasté en marzo?"
IN_MARCH_2024 = "¿Cuánto gasté en marzo de 2024?"


@pytest.mark.parametrize(
    ("rows", "title", "bare", "of_2024"),
    [
        (THINGS, "Gastos de marzo de 2024", 100, 100),
        (THINGS, "Gastos 2024: marzo", 100, 100),
        (THINGS, "Gastos de marzo", 100, None),
        (THINGS, "Marzo", 100, None),
        (THINGS, "Gastos de abril", None, None),
        (THINGS, "Gastos de marzo de 2023", None, None),
        (THINGS, "Gastos de marzo y abril", None, None),
        (THINGS, "Gastos", None, None),
        (BY_MONTH, "Gastos", 80, None),
        (BY_MONTH, "Gastos 2024", 80, 80),
        ((("Luz, marzo", "80 €"), ("Luz, abril", "70 €")), "Gastos 2024", 80, 80),
        (BY_MONTH, "Gastos 2023", None, None),
        ((*BY_MONTH, ("Ruedas", "55 €")), "Gastos", None, None),
        ((("2023-03-01", "80 €"), ("2023-04-01", "70 €")), "Gastos de marzo", None, None),
    ],
)
def test_a_month_over_rows_or_in_their_labels_is_their_time(rows, title, bare, of_2024) -> None:
    assert of_month(rows, title, IN_MARCH) == bare
    assert of_month(rows, title, IN_MARCH_2024) == of_2024


@pytest.mark.parametrize(
    ("question", "written", "is_dated", "expected"),
    [
        (IN_MARCH, datetime(2023, 3, 31, tzinfo=UTC), True, None),
        (IN_MARCH, datetime(2025, 3, 31, tzinfo=UTC), True, None),
        (IN_MARCH, datetime(2025, 1, 15, tzinfo=UTC), True, None),
        (IN_MARCH, datetime(2024, 3, 31, tzinfo=UTC), True, 100),
        (IN_MARCH, datetime(2021, 1, 1, tzinfo=UTC), False, 100),
        ("¿Cuánto gasté el mes pasado?", datetime(2024, 3, 31, tzinfo=UTC), True, None),
        ("¿Cuánto gasté el mes pasado?", datetime(2021, 1, 1, tzinfo=UTC), False, None),
    ],
)
def test_the_year_of_a_month_is_that_of_its_note_and_none_is_made_up(question, written, is_dated, expected) -> None:
    assert of_month(THINGS, "Gastos de marzo", question, written=written, is_dated=is_dated) == expected


def test_november_in_a_note_of_january_is_of_the_year_before() -> None:
    written = datetime(2024, 1, 4, tzinfo=UTC)

    def of(month, name):
        question = f"¿Cuánto gasté en {name}?"
        return of_month(THINGS, f"Gastos de {name}", question, written=written, month=month, year=2023)

    assert of(11, "noviembre") == Decimal(100)
    assert of(10, "octubre") is None


@pytest.mark.parametrize(
    ("language", "question", "title", "expected"),
    [
        ("de", "Wie viel habe ich im März ausgegeben?", "Ausgaben im März", 100),
        ("de", "Wie viel habe ich im März ausgegeben?", "Ausgaben im April", None),
        ("en", "How much did I spend in March?", "March expenses", 100),
        ("en", "How much did I spend in March?", "Our protest march", None),
    ],
)
def test_months_are_known_in_every_language(language, question, title, expected) -> None:
    assert of_month(THINGS, title, question, language=language) == expected
