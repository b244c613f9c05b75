"""Rows and items that are quoted for a question for a sum: those that name what it is of, in themselves or over them."""

import pytest
from builders import make_source

from rag_core.answering.confidence import judge_evidence
from rag_core.answering.quoting.selection import quote
from rag_core.answering.sources.context import as_context
from rag_core.model.chunk import TablePart

ROWS = "| 2025-03-02 | Supermercado | 54,10 |\n| 2025-03-09 | Luz | 40,00 |\n"
TABLE = f"| Fecha | Concepto | Importe |\n|---|---|---|\n{ROWS}"


def quoted(text, question, *, title="Gastos 2025", language="es", spoken="es", **changes):
    """What is quoted where every part of the text is as near to the question in meaning."""
    near = (((0, len(text)), 0.9),)
    context = as_context([make_source(text, title=title, language=spoken, likeness=near, **changes)])
    return [sentence.text for sentence in quote(question, context, language=language).sentences]


@pytest.mark.parametrize(
    "text",
    [
        TABLE,
        ROWS,
        f"# Gastos 2025\n\n{TABLE}",
        f"# Piscina\n\nCerrada.\n\n# Gastos 2025\n\n{TABLE}",
        "Gastos de 2025:\n\n- Luz: 40 €\n- Agua: 30 €\n",
        "# Casa\n\n- Piscina: abre a las diez\n\n# Gastos\n\n- Luz: 40 €\n- Agua: 30 €\n",
        "- Jardín\n  - Césped: 12 €\n- Luz: 40 €\n",
    ],
    ids=["table", "part of a table", "heading", "another section", "list", "another list", "items within an item"],
)
def test_rows_that_name_nothing_that_is_asked_for_are_not_quoted(text) -> None:
    said = quoted(text, "¿Cuánto gasté en la piscina en 2025?")

    assert not any(amount in " ".join(said) for amount in ("54,10", "40", "30 €", "12 €"))


def test_nothing_quoted_is_no_evidence() -> None:
    context = as_context([make_source(TABLE, title="Gastos 2025", likeness=(((0, len(TABLE)), 0.99),), is_whole=True)])

    evidence, other = (
        judge_evidence(
            question,
            None,
            context,
            language="es",
            reranker=None,
            fallback=None,
            least_score=0.2,
            least_rerank_score=0.0,
        )
        for question in ("¿Cuánto gasté en la piscina en 2025?", "¿Cuánto gasté en luz en 2025?")
    )

    assert (evidence.confidence, other.confidence) == ("insufficient", "medium")


@pytest.mark.parametrize("question", ["¿Cuánto gasté en luz?", "¿Cuánto pagué de luz en 2025?"])
def test_of_a_table_only_the_rows_that_name_it_are_quoted(question) -> None:
    assert quoted(f"# Gastos\n\n{TABLE}", question) == ["| 2025-03-09 | Luz | 40,00 |"]


def test_what_opens_a_list_is_quoted_with_an_item_that_is_asked_for() -> None:
    text = "Gastos de casa:\n\n- Luz: 40 €\n- Agua: 30 €\n"

    assert quoted(text, "¿Cuánto gasté en luz?") == ["Gastos de casa:", "- Luz: 40 €"]


@pytest.mark.parametrize(
    "question",
    [
        "¿Cuánto gasté en total en 2025?",
        "¿Cuánto gasté en 2025?",
        "¿Cuánto he gastado este año?",
        "¿Cuánto gasté entre marzo de 2024 y abril de 2025?",
        "¿Qué compré en la piscina?",
    ],
)
def test_a_question_for_everything_or_for_no_sum_reads_every_row(question) -> None:
    assert any("Supermercado" in sentence for sentence in quoted(TABLE, question))


@pytest.mark.parametrize(
    ("text", "changes"),
    [
        (TABLE, {"title": "Piscina"}),
        (f"# Piscina\n\n## Gastos\n\n{TABLE}", {}),
        (f"Lo de la piscina\n\n{TABLE}", {}),
        (TABLE.replace("Concepto", "Piscina"), {}),
        (ROWS, {"table": TablePart(kind="table_segment", start=0, headers=("Fecha", "Piscina", "Importe"))}),
        (ROWS, {"table": TablePart(kind="table_segment", start=0, headers=("a", "b", "c"), caption="Piscinas")}),
        ("- Piscina\n  - Supermercado: 12 €\n  - Luz: 40 €\n", {}),
        ("Supermercado: pagué 54 € con tarjeta.", {}),
        (TABLE, {"spoken": "en"}),
    ],
    ids=["title", "headings", "line before", "header", "part", "caption", "item", "prose", "another language"],
)
def test_rows_are_quoted_where_it_stands_over_them_and_prose_as_ever(text, changes) -> None:
    assert any("Supermercado" in sentence for sentence in quoted(text, "¿Cuánto gasté en la piscina?", **changes))


@pytest.mark.parametrize(
    ("language", "row", "asked", "other"),
    [
        ("de", "| Strom | 40 € |", "Wie viel habe ich für Strom ausgegeben?", "Wie viel hat das Schwimmbad gekostet?"),
        ("en", "| Power | 40 € |", "How much did I spend on power?", "How much has the swimming pool cost so far?"),
    ],
)
def test_it_holds_in_every_language(language, row, asked, other) -> None:
    text = f"| A | B |\n|---|---|\n{row}\n"

    assert quoted(text, asked, language=language, spoken=language) == [row]
    assert quoted(text, other, language=language, spoken=language) == []
