"""Sums of amounts in tables and lists: what is asked, which rows, and when it is not plain."""

from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from zoneinfo import ZoneInfo

import pytest
from builders import make_source

from rag_core.answering.sources.context import as_context
from rag_core.answering.totals.amounts import amount_of, amounts_in, money
from rag_core.answering.totals.asking import asks_total
from rag_core.answering.totals.held import evidence_of_total
from rag_core.answering.totals.total import total_of
from rag_core.model.answer import AskedTime

MADRID = ZoneInfo("Europe/Madrid")
YEAR = AskedTime(
    since=datetime(2024, 1, 1, tzinfo=MADRID),
    until=datetime(2025, 1, 1, tzinfo=MADRID),
    without="¿Cuánto gasté?",
    is_all=False,
)


def table(*rows, headers=("Fecha", "Concepto", "Importe")) -> str:
    lines = [headers, ["---"] * len(headers), *rows]
    return "".join(f"| {' | '.join(row)} |\n" for row in lines)


def total(text, question="¿Cuánto gasté?", asked=None, title="Coche", language="es", is_whole=True):
    source = make_source(
        text, title=title, language=language, is_whole=is_whole, created_at=datetime(2024, 6, 1, tzinfo=UTC)
    )
    found = total_of(question, replace(as_context([source]), asked_time=asked), language)
    return None if found is None else (found.value, len(found.rows))


FUEL = ("2024-01-03", "Gasolina", "45,20 €")
TYRES = ("2024-02-27", "Ruedas", "240 €")
OLD = ("2023-12-30", "Gasolina", "50,00 €")


@pytest.mark.parametrize(
    ("language", "question", "expected"),
    [
        ("es", "¿Cuánto gasté en el coche en 2024?", True),
        ("es", "¿Cuánto nos ha costado la reforma?", True),
        ("es", "¿Cuánto dinero llevo pagado al dentista?", True),
        ("es", "¿A cuánto asciende el gasto total?", True),
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
    assert found.text("es") == "En total, 100,50 €: 45 (Gasolina, 30) + 55,50 (Aceite, 2)"


def test_each_of_several_months_counts_and_none_between_them() -> None:
    rows = table(("2024-01-05", "Luz", "45 €"), ("2024-02-05", "Luz", "55 €"), ("2024-03-05", "Luz", "5 €"))

    assert total(rows, "¿Cuánto pagué de luz en enero y marzo de 2024?") == (Decimal(50), 2)


def test_one_row_that_is_asked_for_is_told() -> None:
    found = total_of("¿Cuánto costó la gasolina?", as_context([make_source(table(FUEL, TYRES), is_whole=True)]), "es")

    assert found is not None
    assert found.text("es") == "45,20 € (2024-01-03, Gasolina)"


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


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        ("En total, 285,20 €: 45,20 € (Gasolina) + 240 € (Ruedas)", True),
        ("In total, 285.20 €: 45.20 € + 240 €", True),
        ("En total, 286,20 €: 45,20 € + 240 €", False),
        ("En total, 295,20 €: 45,20 € + 250 €", False),
        ("En total, 480,00 €: 240 € + 240 €", False),
        ("En total, 285,20 €", False),
        ("En total: 45,20 € + 240 €", False),
    ],
    ids=["right", "other language", "wrong sum", "another term", "a term twice", "no terms", "no sum"],
)
def test_a_sum_holds_where_its_terms_stand_in_the_source_and_add_up(claim, expected) -> None:
    assert bool(evidence_of_total(claim, [make_source(table(FUEL, TYRES))])) is expected


def lines_of(claim, *texts):
    sources = [make_source(text, number) for number, text in enumerate(texts, 1)]
    held = evidence_of_total(claim, sources)
    return {number: [texts[number - 1][slice(*span)] for span in spans] for number, spans in held.items()}


TOLL = ("2024-03-01", "Peaje", "9 €")
TOLL_LINE = "| 2024-03-01 | Peaje | 9 € |"
FUEL_LINE = "| 2024-01-03 | Gasolina | 45,20 € |"
TYRES_LINE = "| 2024-02-27 | Ruedas | 240 € |"


def test_the_evidence_of_a_sum_is_its_rows_alone() -> None:
    text = table(OLD, FUEL, TYRES, ("2024-02-28", "Taller", "800 €"), TOLL)

    assert lines_of("En total, 294,20 €: 45,20 € + 240 € + 9 €", text) == {1: [f"{FUEL_LINE}\n{TYRES_LINE}", TOLL_LINE]}


def test_labels_tell_rows_of_one_amount_apart() -> None:
    text = table(("2023-01-03", "Gasolina", "45,20 €"), ("2024-01-03", "Taller", "45,20 €"), FUEL, TYRES)

    assert lines_of("En total, 285,20 €: 45,20 € (2024-01-03, Gasolina) + 240 € (2024-02-27, Rue)", text) == {
        1: [f"{FUEL_LINE}\n{TYRES_LINE}"]
    }


def test_all_rows_that_may_be_terms_are_shown_where_nothing_tells_them_apart() -> None:
    text = table(FUEL, TYRES, TOLL, ("2024-03-02", "Taller", "45,20 €"), OLD)

    assert lines_of("En total, 90,40 €: 45,20 € + 45,20 €", text) == {
        1: [FUEL_LINE, "| 2024-03-02 | Taller | 45,20 € |"]
    }
    assert lines_of("En total, 54,20 €: 9 € + 45,20 €", text) == {
        1: [f"{TOLL_LINE}\n| 2024-03-02 | Taller | 45,20 € |"]
    }
    (shown,) = lines_of("En total, 285,20 €: 240 € + 45,20 €", table(FUEL, TYRES, TOLL, FUEL, OLD, FUEL))[1]
    assert shown.count("45,20") == 3


def test_a_sum_is_held_by_several_sources_together_where_none_holds_it_alone() -> None:
    claim = "En total, 285,20 €: 45,20 € (Gasolina) + 240 € (Ruedas)"

    assert lines_of(claim, table(FUEL, OLD), table(TYRES, TOLL)) == {1: [FUEL_LINE], 2: [TYRES_LINE]}
    assert lines_of(claim, table(FUEL, TYRES), table(TYRES)) == {1: [f"{FUEL_LINE}\n{TYRES_LINE}"]}
    assert lines_of(claim, table(FUEL, OLD), table(TOLL)) == {}


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
        ("2023", "¿Cuánto gasté en el coche en total?", (Decimal("335.20"), 3)),
        ("2023", "¿Cuánto gasté en gasolina?", (Decimal("95.20"), 2)),
        ("Previsto", "¿Cuánto gasté en el coche en total?", None),
    ],
)
def test_tables_of_years_in_one_passage_are_summed_together(second, question, expected):
    text = f"## 2024\n\n{table(FUEL, TYRES)}\n## {second}\n\n{table(OLD)}"
    assert total(text, question, title="Gastos del coche") == expected


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
