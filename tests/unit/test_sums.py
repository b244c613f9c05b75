"""Sums of amounts in tables and lists: what is asked, which rows, and when it is not plain."""

from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal

import pytest
from builders import make_source
from unit.sums import FUEL, OLD, TYRES, YEAR, table

from rag_core.answering.sources.context import as_context
from rag_core.answering.totals.asking import asks_total
from rag_core.answering.totals.total import total_of
from rag_core.language.amounts import amount_of, amounts_in, money


def total(text, question="¿Cuánto gasté?", asked=None, title="Coche", language="es", is_whole=True):
    source = make_source(
        text, title=title, language=language, is_whole=is_whole, created_at=datetime(2024, 6, 1, tzinfo=UTC)
    )
    found = total_of(question, replace(as_context([source]), asked_time=asked), language)
    return None if found is None or found.value is None else (found.value, len(found.rows))


@pytest.mark.parametrize(
    ("language", "question", "expected"),
    [
        ("es", "¿Cuánto gasté en el coche en 2024?", True),
        ("es", "¿Cuánto nos ha costado la reforma?", True),
        ("es", "¿Cuánto dinero llevo pagado al dentista?", True),
        ("es", "¿A cuánto asciende el gasto total?", True),
        ("es", "¿Cuánto he facturado a Ferrer?", True),
        ("es", "¿Cuánto tardé en llegar?", False),
        ("es", "¿Cuánto pesa el perro?", False),
        ("es", "¿En qué gasté el dinero?", False),
        ("de", "Wie viel habe ich für das Auto ausgegeben?", True),
        ("de", "Wie viel hat die Küche gekostet?", True),
        ("de", "Wie viel wiegt der Hund?", False),
        ("en", "How much did I spend on the car?", True),
        ("en", "How much has the kitchen cost so far?", True),
        ("en", "How much does the dog weigh?", False),
    ],
)
def test_a_question_for_a_sum_of_money_is_known(language, question, expected) -> None:
    assert asks_total(question, language) is expected


@pytest.mark.parametrize(
    ("cell", "value", "currency"),
    [
        ("1.234,50 €", "1234.50", "€"),
        ("$1,234.56", "1234.56", "$"),
        ("12,5", "12.5", None),
        ("1.234", "1234", None),
        ("-3,00 EUR", "-3", "€"),
        ("-£22.00", "-22", "£"),
        ("**50 euros**", "50", "€"),
    ],
)
def test_an_amount_is_read_as_it_is_written(cell, value, currency) -> None:
    amount = amount_of(cell)

    assert amount is not None
    assert (amount.value, amount.currency) == (Decimal(value), currency)


@pytest.mark.parametrize("cell", ["", "2024-01-03", "3 de mayo", "12 %", "10 o 12", "v1.2.3", "12:30", "A-45", "1.2.3"])
def test_what_is_no_amount_is_none(cell) -> None:
    assert amount_of(cell) is None


def test_money_is_written_as_the_language_does() -> None:
    assert [money(Decimal("1234.5"), "€", language) for language in ("es", "de", "en")] == [
        "1.234,50 €",
        "1.234,50 €",
        "1,234.50 €",
    ]
    assert money(Decimal(3), None, "es") == "3,00"


def test_all_rows_count_where_no_time_is_asked() -> None:
    assert total(table(FUEL, TYRES, OLD)) == (Decimal("335.20"), 3)


def test_rows_of_another_time_do_not_count() -> None:
    assert total(table(FUEL, TYRES, OLD), asked=YEAR) == (Decimal("285.20"), 2)


def test_months_are_of_the_year_that_stands_over_them() -> None:
    months = table(("Enero", "45 €"), ("Febrero", "55 €"), headers=("Mes", "Importe"))

    assert total(f"# Gastos 2024\n\n{months}", asked=YEAR) == (Decimal(100), 2)
    assert total(f"# Gastos 2023\n\n{months}", asked=YEAR) is None
    assert total(f"# Gastos\n\n{months}", asked=YEAR) is None


def test_rows_without_time_are_of_that_of_their_heading() -> None:
    rows = table(("Gasolina", "45 €"), ("Ruedas", "55 €"), headers=("Concepto", "Importe"))

    assert total(f"# Gastos de 2024\n\n{rows}", asked=YEAR) == (Decimal(100), 2)
    assert total(f"# Gastos\n\n{rows}", asked=YEAR) is None


def test_only_rows_with_what_is_asked_for_count_unless_it_stands_over_them() -> None:
    rows = table(FUEL, TYRES, OLD)

    assert total(rows, "¿Cuánto gasté en gasolina?") == (Decimal("95.20"), 2)
    assert total(rows, "¿Cuánto gasté en gasolina del coche?") == (Decimal("95.20"), 2)
    assert total(rows, "¿Cuánto gasté en el barco?") is None


def test_words_between_those_that_ask_say_what_is_asked_for() -> None:
    rows = table(("Reifen", "45 €"), ("Öl", "55 €"), ("Reifen", "5 €"), headers=("Posten", "Betrag"))

    assert total(rows, "Wie viel habe ich für Reifen ausgegeben?", title="Auto", language="de") == (Decimal(50), 2)
    assert total(rows, "Wie viel habe ich für Möbel ausgegeben?", title="Auto", language="de") is None


def test_a_year_that_was_not_understood_is_no_reason_to_add_up_every_year() -> None:
    assert total(table(FUEL, TYRES, OLD), "Gasto total coche 2024") is None


@pytest.mark.parametrize("name", ["Total", "**Total**", "_TOTAL:_"])
def test_a_row_that_sums_up_the_others_is_no_row(name) -> None:
    assert total(table(FUEL, TYRES, (name, "", "**285,20 €**"))) == (Decimal("285.20"), 2)


@pytest.mark.parametrize("header", ["Euros", "€", "Importe (EUR)"])
def test_a_header_that_names_a_currency_is_of_the_amounts(header) -> None:
    rows = table(("Gasolina", "30", "45"), ("Aceite", "2", "55,50"), headers=("Concepto", "Litros", header))

    found = total_of("¿Cuánto gasté?", as_context([make_source(rows, is_whole=True)]), "es")

    assert found is not None
    assert [claim for claim, _ in found.claims("es")] == ["En total, 100,50 €: 45 (Gasolina, 30) + 55,50 (Aceite, 2)"]


def test_each_of_several_months_counts_and_none_between_them() -> None:
    rows = table(("2024-01-05", "Luz", "45 €"), ("2024-02-05", "Luz", "55 €"), ("2024-03-05", "Luz", "5 €"))

    assert total(rows, "¿Cuánto pagué de luz en enero y marzo de 2024?") == (Decimal(50), 2)


def test_one_row_that_is_asked_for_is_told() -> None:
    found = total_of("¿Cuánto costó la gasolina?", as_context([make_source(table(FUEL, TYRES), is_whole=True)]), "es")

    assert found is not None
    assert [claim for claim, _ in found.claims("es")] == ["45,20 € (2024-01-03, Gasolina)"]


@pytest.mark.parametrize(
    "text",
    [
        table(FUEL, TYRES, ("Total", "", "300,00 €")),
        table(FUEL, TYRES, ("2024-02-28", "Todo", "285,20 €")),
        table(FUEL, ("Subtotal", "", "45,20 €"), TYRES, ("Total", "", "285,20 €")),
        table(FUEL, ("2024-02-27", "Ruedas", "240 $")),
        table(FUEL, ("2024-02-27", "Ruedas", "unos 240 €")),
        table(("Gasolina", "45 €", "9 €"), ("Ruedas", "55 €", "11 €"), headers=("Concepto", "Coste", "Total")),
        table(("Gasolina", "45"), ("Ruedas", "55"), headers=("Concepto", "Litros")),
        table(("Todo el año", "", "285,20 €"), FUEL, TYRES),
        table(FUEL, ("2024-02-27", "~~Ruedas~~", "240 €")),
        table(("Gasolina", "4", "45 €"), ("Ruedas", "2", "55 €"), headers=("Concepto", "Cantidad", "Precio")),
        table(("Enero", "450"), ("Febrero", "550"), headers=("Mes", "Km total")),
        "- Gasolina: 45 €\n- Ruedas: 1 200 €\n",
        "- Gasolina: 45 €\n- Descuento: - 20 €\n",
        "- Gasolina: 45 €\n- Ruedas: 100 – 200 €\n",
        "- Taller: 300 €\n  - Aceite: 100 €\n  - Frenos: 200 €\n",
        "- [x] Gasolina: 45 €\n- [ ] Ruedas: 55 €\n",
        "- Gasolina: 45 €\n- Ruedas: 55 € o 60 €\n",
        "- Gasolina: 45\n- Ruedas: 55\n",
        table(FUEL),
        f"{table(FUEL, TYRES)}\n\n{table(OLD, TYRES)}",
    ],
    ids=[
        "wrong total",
        "a total that does not say so",
        "subtotals",
        "currencies",
        "no amount",
        "two columns",
        "no money",
        "a total before its parts",
        "struck out",
        "prices of one",
        "a total of no money",
        "thousands apart",
        "a sign apart",
        "a range",
        "parts within",
        "not done",
        "two amounts",
        "no currency",
        "one row",
        "two tables",
    ],
)
def test_what_is_not_plain_is_not_added_up(text) -> None:
    assert total(text) is None


@pytest.mark.parametrize(
    ("language", "label"),
    [
        *(
            ("es", label)
            for label in ("Nómina", "Venta coche viejo", "Abono ruedas", "Presupuesto pintura", "Taller (anulado)")
        ),
        *(
            ("es", label)
            for label in ("devolución del seguro", "ITV, pendiente", "Multa sin pagar", "Alquiler cobrado")
        ),
        *(
            ("de", label)
            for label in ("Monatsgehalt", "Autoverkauf", "Gutschrift Reifen", "Angebot Maler", "Werkstatt (storniert)")
        ),
        *(
            ("en", label)
            for label in (
                "Salary",
                "Sale of the old car",
                "Refund",
                "Quote for painting",
                "Garage (cancelled)",
                "unpaid fine",
            )
        ),
    ],
)
def test_spending_is_not_added_up_with_income_or_what_was_not_paid(language, label) -> None:
    question, header = {
        "es": ("¿Cuánto gasté?", "Importe"),
        "de": ("Wie viel habe ich ausgegeben?", "Betrag"),
        "en": ("How much did I spend?", "Amount"),
    }[language]

    def asked(*labels):
        rows = table(*((one, "50 €") for one in labels), headers=("·", header))
        return total(rows, question, title=None, language=language)

    assert asked("Reifen", "Aceite", "Motor") == (Decimal(150), 3)
    assert asked("Reifen", "Aceite", label) is None


def test_other_rows_than_those_of_income_are_added_up() -> None:
    rows = table(("Luz", "45 €"), ("Nómina", "2.000 €"), ("Luz", "5 €"), headers=("Concepto", "Importe"))

    assert total(rows, "¿Cuánto pagué de luz?", title="Casa") == (Decimal(50), 2)
    assert total(rows, "¿Cuánto gasté?", title="Casa") is None


def test_income_is_added_up_where_it_is_asked_for_and_not_mixed() -> None:
    mixed = table(("Nómina", "2.000 €"), ("Clases", "300 €"), headers=("Concepto", "Importe"))
    plain = table(("Nómina", "2.000 €"), ("Venta sofá", "300 €"), headers=("Concepto", "Importe"))

    assert total(plain, "¿Cuánto ingresé?", title="Casa") == (Decimal(2300), 2)
    assert total(mixed, "¿Cuánto ingresé?", title="Ingresos") == (Decimal(2300), 2)
    assert total(mixed, "¿Cuánto ingresé?", title="Casa") is None
    assert total(mixed, "¿Cuánto gasté?", title="Ingresos") is None


@pytest.mark.parametrize(
    ("cells", "is_plain"), [(("sí", "no"), False), (("x", ""), False), (("sí", "sí"), True), (("✓", "✓"), True)]
)
def test_no_sum_is_stated_where_a_column_calls_a_row_unpaid(cells, is_plain) -> None:
    rows = table(("Luz", "45 €", cells[0]), ("Agua", "55 €", cells[1]), headers=("Concepto", "Importe", "Pagado"))

    assert total(rows) == ((Decimal(100), 2) if is_plain else None)


def test_a_term_over_all_rows_and_in_some_tells_none() -> None:
    rows = table(("Luz", "45 €"), ("Agua", "55 €"), ("Luz", "5 €"), headers=("Concepto", "Importe"))

    assert total(rows, "¿Cuánto pagué de luz?", title="Luz y agua") is None
    assert total(rows, "¿Cuánto pagué de luz?", title="Casa") == (Decimal(50), 2)


def test_prose_before_a_list_does_not_stand_over_it() -> None:
    text = "El coche va bien. Gastos de casa:\n- Luz: 45 €\n- Agua: 55 €\n"

    assert total(text, "¿Cuánto gasté en el coche?", title="Notas") is None
    assert total(text, "¿Cuánto gasté en casa?", title="Notas") == (Decimal(100), 2)


def test_a_row_without_time_beside_others_with_one_leaves_it_open() -> None:
    assert total(table(FUEL, TYRES, ("sin fecha", "Seguro", "300 €")), asked=YEAR) is None


def test_a_table_that_is_not_whole_is_not_added_up() -> None:
    assert total(table(FUEL, TYRES), is_whole=False) is None


def test_the_words_of_a_table_tell_its_column_of_money() -> None:
    rows = table(("Gasolina", "30", "45"), ("Aceite", "2", "55"), headers=("Concepto", "Litros", "Importe"))

    assert total(rows) == (Decimal(100), 2)


def test_numbers_beside_letters_and_signs_are_no_amounts() -> None:
    assert [amount.value for amount in amounts_in("El 3/5 pagué 12 € y A4, 7% y 1:1")] == [Decimal(12)]


@pytest.mark.parametrize(
    ("language", "first", "second", "expected"),
    [
        ("es", "1,459 €", "120 €", None),
        ("es", "1,459 €", "12,50 €", None),
        ("es", "1,459 €", "12.50 €", "1471.50"),
        ("es", "1,459 €", "1,000.00 €", "2459"),
        ("es", "1,459 €", "2,000,000 €", "2001459"),
        ("es", "1,459 €", "2.000 €", None),
        ("es", "1.459 €", "120 €", "1579"),
        ("es", "1.459 €", "12,50 €", "1471.50"),
        ("es", "1.459 €", "12.50 €", None),
        ("es", "1.459 €", "0.250 €", None),
        ("es", "1.234,567 €", "120 €", None),
        ("es", "0,459 €", "120 €", "120.459"),
        ("de", "1,459 €", "120 €", None),
        ("en", "1,459 €", "120 €", "1579"),
        ("en", "1.459 €", "120 €", None),
    ],
)
@pytest.mark.parametrize("is_list", [False, True])
def test_three_digits_behind_a_mark_are_added_up_only_where_it_is_plain_which_it_is(
    language, first, second, expected, is_list
) -> None:
    asked = "How much did I spend?" if language == "en" else "Wie viel habe ich ausgegeben?"
    header = {"es": "Importe", "de": "Betrag", "en": "Amount"}[language]
    text = (
        f"- Grifo: {first}\n- Ruedas: {second}\n"
        if is_list
        else table(("Grifo", first), ("Ruedas", second), headers=("Cosa", header))
    )

    found = total(text, "¿Cuánto gasté?" if language == "es" else asked, title=None, language=language)

    assert found == (None if expected is None else (Decimal(expected), 2))


@pytest.mark.parametrize(
    ("second", "question", "expected"),
    [
        ("2023", "¿Cuánto gasté en el coche en total?", None),
        ("2023", "¿Cuánto gasté en ruedas?", (Decimal(240), 1)),
        ("Previsto", "¿Cuánto gasté en el coche en total?", (Decimal("285.20"), 2)),
    ],
)
def test_rows_of_one_table_alone_are_added_up(second, question, expected):
    text = f"## 2024\n\n{table(FUEL, TYRES)}\n## {second}\n\n{table(OLD)}"
    assert total(text, question, title="Gastos del coche") == expected
