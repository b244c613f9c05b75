"""Marks that are taken out of a quotation, and those that stay as they stand in the note."""

import pytest
from growth import MOST_GROWTH, growth
from hypothesis import given
from hypothesis import strategies as st

from rag_core.answering.quoting.markup import MOST_NESTED, without_markup


@pytest.mark.parametrize(
    "text",
    [
        "Escribe a ana_maria_lopez@ejemplo.es.",
        "Puse 3*4 baldosas, y luego 5*6.",
        "La clave de la carpeta es CASA_MARTINA, no CASA_DE_MARTINA.",
        "Un hotel de 4* y otro de 3*.",
        "Salen 2 * 3 * 4 cajas.",
        "Precio: 40 euros *sin IVA.",
        "Borré *.tmp y *.log.",
        "El archivo __init__.py y la carpeta /srv/_ana_/fotos.",
        "Dijo *_* y se fue.",
        "La tecla ` no va.",
        "Elige a|b o a || b.",
        "Los campos son 3|_x y_|3.",
        "Los campos son 3*`x y`*3.",
        "-5 grados por la mañana.",
        "- 10 grados por la mañana.",
        "> 30 grados a la sombra.",
        "+ 3 puntos para Lucas.",
        "3. Juni war der Umzug nach Kiel.",
        "24. Dez. war es still.",
    ],
)
def test_what_belongs_to_the_words_stays(text: str) -> None:
    assert without_markup(text) == text


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        ("- [x] **Importante:** llamar a *Rosa* (_hoy_).", "Importante: llamar a Rosa (hoy)."),
        ("## 2) Compras", "Compras"),
        ("- 2) Compras", "Compras"),
        ("3. Juntar las cajas", "Juntar las cajas"),
        ("3. Maiskolben kaufen", "Maiskolben kaufen"),
        ("- 3. Juni: Umzug", "3. Juni: Umzug"),
        ("> ***Nunca*** más.", "Nunca más."),
        ("**Todo *muy* claro.**", "Todo muy claro."),
        ("Ejecuta `pip install a_b` y `make *todo*` **`ya`**.", "Ejecuta pip install a_b y make *todo* ya."),
        ("*Escribe a ana_maria@ejemplo.es*", "Escribe a ana_maria@ejemplo.es"),
        ("| Lunes | 3 horas |", " Lunes   3 horas "),
    ],
)
def test_marks_of_lists_headings_emphasis_code_and_tables_are_taken_out(text: str, bare: str) -> None:
    assert without_markup(text) == bare


def test_marks_within_marks_are_taken_out_up_to_a_depth() -> None:
    def marked(depth: int) -> str:
        before, after = "*a _b " * (depth // 2), " b_ a*" * (depth // 2)
        return f"{before}c{after}"

    assert without_markup(marked(MOST_NESTED)) == "a b a b c b a b a"
    assert "_b" in without_markup(marked(10 * MOST_NESTED))


def test_thousands_of_marks_within_marks_cost_no_more_than_so_many_passes() -> None:
    def taken_out(opened: str) -> str:
        return without_markup(f"{opened}c{' b_ a*' * (len(opened) // 6)}")

    assert growth(taken_out, "*a _b ", characters=12_000) < MOST_GROWTH


WORDS = st.text(alphabet="ab3ñ*_`|", min_size=1, max_size=8).filter(
    lambda word: word[0].isalnum() and word[-1].isalnum()
)


@given(st.lists(WORDS, min_size=1, max_size=8))
def test_words_with_such_characters_inside_are_never_changed(words: list[str]) -> None:
    text = " ".join(words)

    assert without_markup(text) == text


@given(st.text(alphabet="ab .,*_`|-#>\n", max_size=60))
def test_nothing_but_marks_is_ever_taken_out(text: str) -> None:
    def written(shown: str) -> str:
        return "".join(character for character in shown if character.isalnum() or character in ".,")

    assert written(without_markup(text)) == written(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ver [[Lucía Ferrer]] hoy", "Ver Lucía Ferrer hoy"),
        ("Ver [[Huerto#Siembra|el calendario]]", "Ver el calendario"),
        ("![[foto.png]] Cocina", " Cocina"),
        ("Ver [el mapa](mapa.md).", "Ver el mapa."),
        ("| a | b |\n| --- | --- |\n| 1 | 2 |", " a   b \n 1   2 "),
        ("a [1] b", "a [1] b"),
    ],
)
def test_links_and_rulers_of_tables_are_taken_out(text: str, expected: str) -> None:
    assert without_markup(text) == expected
