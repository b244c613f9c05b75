"""Sums over rows of several notes, and over rows whose month a title or a label names."""

from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal

import pytest
from builders import make_source
from unit.sums import FUEL, MADRID, YEAR, table

from rag_core.answering.sources.context import as_context
from rag_core.answering.totals.total import total_of
from rag_core.model.answer import AskedTime


def several(*notes, question="¿Cuánto gasté en el coche en 2024?", language="es", has_lost_rows=False):
    """The value and the rows of a sum over notes, each a title and its text."""
    sources = [
        make_source(text, number, title=title, language=language, is_whole=True)
        for number, (title, text) in enumerate(notes, 1)
    ]
    found = total_of(
        question, replace(as_context(sources), asked_time=YEAR_OF_CAR, has_lost_rows=has_lost_rows), language
    )
    return None if found is None else (found.value, [source.number for source in found.sources], found.is_of_several)


YEAR_OF_CAR = replace(YEAR, without="¿Cuánto gasté en el coche?")
MARCH = ("Coche, marzo de 2024", table(("2024-03-03", "Gasolina", "45,20 €"), ("2024-03-27", "Ruedas", "240 €")))
APRIL = ("Coche, abril de 2024", table(("2024-04-03", "Gasolina", "30 €"), ("2024-04-09", "Peaje", "9 €")))


def test_rows_of_several_notes_of_one_kind_are_added_up() -> None:
    assert several(MARCH, APRIL) == (Decimal("324.20"), [1, 2], True)
    assert several(MARCH, ("Perro", table(FUEL)), APRIL) == (Decimal("324.20"), [1, 3], True)
    assert several(MARCH) == (Decimal("285.20"), [1], False)


def test_rows_without_a_day_of_several_months_are_added_up_though_they_are_alike() -> None:
    rent = table(("Gasolina", "45 €"), headers=("Concepto", "Importe"))

    assert several(("Coche, marzo de 2024", rent), ("Coche, abril de 2024", rent)) == (Decimal(90), [1, 2], True)
    assert several(("Coche 2024", rent), ("Coche 2024", rent)) is None


@pytest.mark.parametrize(
    "other",
    [
        ("Coche, abril de 2024", APRIL[1].replace("€", "$")),
        ("Coche de empresa, abril de 2024", APRIL[1]),
        ("Coche, abril de 2024", APRIL[1].replace("Concepto", "Previsto")),
        ("Coche, abril de 2024", MARCH[1]),
        ("Coche, abril de 2024", table(("2024-04-03", "Todo lo de marzo", "285,20 €"), ("2024-04-09", "Peaje", "9 €"))),
        ("Coche, abril de 2024", table(("2024-04-03", "Abono", "30 €"), ("2024-04-09", "Peaje", "9 €"))),
    ],
    ids=["currency", "another car", "other headers", "copied rows", "a sum of the others", "a refund"],
)
def test_rows_of_several_notes_that_differ_are_not_added_up(other) -> None:
    assert several(MARCH, other) is None


def test_marks_of_thousands_are_plain_in_all_notes_or_in_none() -> None:
    first = ("Coche, marzo de 2024", table(("2024-03-03", "Seguro", "1.459 €")))
    second = ("Coche, abril de 2024", table(("2024-04-03", "Taller", "12.50 €")))

    assert several(first, ("Coche, abril de 2024", table(("2024-04-03", "Taller", "12,50 €"))))[0] == Decimal("1471.50")
    assert several(first, second) is None


def test_nothing_is_added_up_where_rows_of_other_notes_may_be_missing() -> None:
    months = [
        (f"Coche, {month} de 2024", table((f"2024-0{number}-03", "Gasolina", f"{number},50 €")))
        for number, month in enumerate(("enero", "febrero", "marzo", "abril", "mayo"), 1)
    ]

    assert several(*months[:4]) == (Decimal(12), [1, 2, 3, 4], True)
    assert several(*months) is None
    assert several(*months[:2], has_lost_rows=True) is None


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
