"""Questions for a sum: rows of a table or list added up, or quoted where it is not plain which."""

from datetime import UTC, datetime, timedelta

import pytest
from filling import index_stale

from rag_core.answering.answer import answer_events
from rag_core.answering.events import AnswerFinished, AnswerOptions, AnswerRequest
from rag_core.language.languages import language_of

TABLE = (
    "| Fecha | Concepto | Importe |\n|---|---|---|\n| 2023-12-30 | Gasolina | 50,00 € |\n| 2024-01-03 | Gasolina | 45,20 € |\n"
    "| 2024-02-27 | Ruedas | 240,00 € |\n| 2024-11-09 | Gasolina | 1.038,05 € |\n"
)
CAR = f"# Gastos del coche\n\n{TABLE}"


@pytest.fixture
def ask(engine, tenant):
    def ask(question, language="es", **options):
        index_stale(engine, tenant)
        request = AnswerRequest(
            question=question,
            language=language,
            contract="brain_sync",
            user_hash="u",
            options=AnswerOptions(**options),
        )
        *_, last = answer_events(engine, tenant, request)
        assert isinstance(last, AnswerFinished)
        return last.answer

    return ask


def test_the_rows_of_the_asked_time_are_added_up_and_cited(ask, make_note) -> None:
    make_note(CAR, title="Coche")
    make_note("El coche pasó la revisión sin problemas y el mecánico dijo que las ruedas aguantan.", title="Taller")

    answer = ask("¿Cuánto gasté en el coche en 2024?")

    assert answer.text == (
        "En total, 1.323,25 €: 45,20 € (2024-01-03, Gasolina) + 240,00 € (2024-02-27, Ruedas)"
        " + 1.038,05 € (2024-11-09, Gasolina) [1]."
    )
    assert (answer.refusal, answer.confidence, answer.groundedness) == (None, "medium", 1.0)
    assert [citation.is_supported for citation in answer.citations] == [True]


def test_each_stretch_of_rows_is_cited_without_the_rows_between(ask, make_note) -> None:
    make_note(CAR, title="Coche")

    answer = ask("¿Cuánto gasté en gasolina?")

    assert answer.text.startswith("En total, 1.133,25 €")
    assert [(one.number, one.quote, one.is_supported) for one in answer.citations] == [
        (1, "| 2023-12-30 | Gasolina | 50,00 € |\n| 2024-01-03 | Gasolina | 45,20 € |", True),
        (1, "| 2024-11-09 | Gasolina | 1.038,05 € |", True),
    ]
    assert answer.groundedness == 1.0


def test_one_row_is_cited_alone(ask, make_note) -> None:
    make_note(CAR, title="Coche")

    answer = ask("¿Cuánto costaron las ruedas?")

    assert answer.text == "240,00 € (2024-02-27, Ruedas) [1]."
    assert [one.quote for one in answer.citations] == ["| 2024-02-27 | Ruedas | 240,00 € |"]


def test_a_list_is_added_up_too_and_only_the_lines_that_are_asked_for(ask, make_note) -> None:
    make_note(
        "# Obra del baño\n\nPagado hasta hoy:\n\n- Azulejos: 320,50 €\n- Fontanero, primera visita: 90 €\n"
        "- Fontanero, segunda visita: 110,00 €\n\nFalta la mampara.",
        title="Reforma",
    )

    answer = ask("¿Cuánto pagué al fontanero en la obra del baño?")

    assert (
        answer.text
        == "En total, 200,00 €: 90 € (Fontanero, primera visita) + 110,00 € (Fontanero, segunda visita) [1]."
    )


def test_it_is_said_in_the_language_of_the_answer(ask, make_note) -> None:
    make_note(CAR.replace("coche", "Auto").replace("Gastos del", "Kosten").replace("Importe", "Betrag"), language="de")

    answer = ask("Wie viel habe ich im Jahr 2024 für das Auto ausgegeben?", language="de")

    assert answer.text.startswith("Insgesamt 1.323,25 €: 45,20 €")


def test_rows_of_several_notes_are_told_one_by_one_and_not_added_up(ask, make_note) -> None:
    head = "| Fecha | Concepto | Importe |\n|---|---|---|\n"
    rows = [
        "| 2024-03-03 | Gasolina | 45,20 € |",
        "| 2024-03-27 | Ruedas | 240,00 € |",
        "| 2024-04-03 | Gasolina | 30,00 € |",
    ]
    make_note(f"# Gastos del coche\n\n{head}{rows[0]}\n{rows[1]}\n", title="Coche, marzo de 2024")
    make_note(f"# Gastos del coche\n\n{head}{rows[2]}\n", title="Coche, abril de 2024")
    make_note("El coche pasó la revisión sin problemas.", title="Taller")

    answer = ask("¿Cuánto gasté en el coche en 2024?")

    assert set(answer.text.replace("]. ", "].\n").splitlines()) == {
        "45,20 € (2024-03-03, Gasolina) [1].",
        "240,00 € (2024-03-27, Ruedas) [1].",
        "30,00 € (2024-04-03, Gasolina) [2].",
    } or set(answer.text.replace("]. ", "].\n").splitlines()) == {
        "45,20 € (2024-03-03, Gasolina) [2].",
        "240,00 € (2024-03-27, Ruedas) [2].",
        "30,00 € (2024-04-03, Gasolina) [1].",
    }
    assert {one.quote for one in answer.citations} == set(rows)
    assert all(one.is_supported for one in answer.citations)
    assert (answer.confidence, answer.groundedness) == ("low", 1.0)
    assert answer.warnings == (language_of("es").messages.quoting_warnings["not_added_up"],)


def test_a_table_that_is_too_long_to_be_read_whole_is_not_added_up(ask, make_note) -> None:
    rows = "".join(
        f"| 2024-01-{day % 28 + 1:02} | Gasolina en la estación de servicio número {day} | 10,00 € |\n"
        for day in range(300)
    )
    make_note(f"# Gastos del coche\n\n| Fecha | Concepto | Importe |\n|---|---|---|\n{rows}", title="Coche")

    assert "En total" not in ask("¿Cuánto gasté en el coche en 2024?").text


def test_a_month_that_a_title_or_a_label_names_is_asked_for_without_its_year(ask, make_note) -> None:
    written = datetime.now(UTC).replace(day=1) - timedelta(days=1)
    month = language_of("es").times.month_names[written.month - 1]
    other = language_of("es").times.month_names[written.month - 2]
    things = "| Concepto | Importe |\n|---|---|\n| Supermercado | 54,10 € |\n| Luz | 40,00 € |\n"
    make_note(things, title=f"Gastos de {month}", created_at=written.date().isoformat())
    make_note(things.replace("4", "7"), title=f"Gastos de {other}", created_at=written.date().isoformat())

    answer = ask(f"¿Cuánto gasté en {month}?")

    assert answer.text == "En total, 94,10 €: 54,10 € (Supermercado) + 40,00 € (Luz) [1]."
    assert answer.confidence == "medium"


def test_where_it_is_open_which_rows_answer_they_are_quoted_with_a_warning(ask, make_note) -> None:
    make_note(CAR.replace("240,00 €", "unos 240 €"), title="Coche")

    answer = ask("¿Cuánto gasté en el coche en 2024?")

    assert "En total" not in answer.text
    assert answer.confidence == "low"
    assert language_of("es").messages.quoting_warnings["not_added_up"] in answer.warnings


def test_rows_of_an_undated_note_answer_beside_notes_of_the_asked_time(ask, make_note) -> None:
    written = datetime.now(UTC).replace(day=1) - timedelta(days=1)
    month, day = language_of("es").times.month_names[written.month - 1], written.date().isoformat()
    make_note(
        "- Supermercado: 54,10 €\n- Luz: 40,00 €\n",
        title=f"Gastos de {month} de {written.year}",
        created_at="2021-01-01",
    )
    for number in range(3):
        make_note(f"Semana tranquila, la número {number}.", title="Diario", created_at=day)

    assert ask(f"¿Cuánto gasté en {month} de {written.year}?").text.startswith("En total, 94,10 €")
