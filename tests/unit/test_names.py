import pytest

from rag_core.graph.names import MAX_NAME_CHARACTERS, names_in


@pytest.mark.parametrize(
    ("language", "text", "names"),
    [
        ("es", "Ayer vino Marisol Beltrán a la Isla de Pascua.", {"Marisol Beltrán": 1, "Isla de Pascua": 1}),
        ("es", "La Universidad de la Laguna llamó a Ana. Ana no estaba.", {"Universidad de la Laguna": 1, "Ana": 2}),
        ("es", "Compré pan. Luego dormí.", {}),
        ("en", "The Beatles met Brian Epstein's mother.", {"Beatles": 1, "Brian Epstein": 1}),
        ("de", "Der Vertrag mit Frau Müller liegt vor.", {"Vertrag": 1, "Frau Müller": 1}),
        ("es", "Ayer Marisol vino.", {"Ayer Marisol": 1, "Marisol": 1}),
        ("es", "Dijo: «Salida de la Peña Cimera».", {"Salida de la Peña Cimera": 1, "Peña Cimera": 1}),
        ("de", "Gestern Frau Müllers Hund.", {"Gestern Frau Müllers Hund": 1, "Frau Müllers Hund": 1}),
        ("es", "", {}),
    ],
)
def test_names_are_runs_of_words_with_a_capital(language, text, names) -> None:
    assert dict(names_in(text, language=language)) == names


@pytest.mark.parametrize("before", ["", "Fin. ", "¿", "Fin\n- ", "Nota:\n\n## "])
def test_a_word_that_only_begins_sentences_is_no_name(before: str) -> None:
    assert "Riega" not in names_in(f"{before}Riega el huerto.", language="es")


def test_lines_part_names() -> None:
    assert names_in("con Ana\nBelén y Rosa", language="es").keys() == {"Ana", "Rosa"}


def test_a_run_without_end_is_no_name() -> None:
    assert names_in("dijo " + "Ana " * MAX_NAME_CHARACTERS, language="es") == {}
