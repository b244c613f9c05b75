"""Rows of sources that hold a sum as an answer states it."""

import pytest
from builders import make_source
from unit.sums import FUEL, OLD, TYRES, table

from rag_core.answering.totals.held import evidence_of_total


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
