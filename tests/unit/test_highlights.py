import html
import re

from hypothesis import example, given
from hypothesis import strategies as st

from rag_core.api.pages.highlights import excerpt, marked

SPANISH = st.text(alphabet="abcñáéíóú ABC¿?¡!.,\n<>&\"'🍅🚂 ", max_size=200)
SPANS = st.lists(st.tuples(st.integers(-5, 210), st.integers(-5, 210)), max_size=5)


def plain(markup: str) -> str:
    return html.unescape(re.sub(r"</?(mark|b)( id=\"[a-z]+\")?>", "", markup))


def test_the_match_is_marked_and_the_words_of_the_query_stand_out() -> None:
    text = "Antes. Tuve un conflicto. Después."

    found = marked(text, [(7, 25)], {"confl"})

    assert found == "Antes. <mark>Tuve un <b>conflicto</b>.</mark> Después."


def test_words_stand_out_without_regard_to_accents_and_endings() -> None:
    assert marked("Las MIGRAÑAS", [], {"migra"}) == "Las <b>MIGRAÑAS</b>"


def test_markup_in_a_note_is_text() -> None:
    text = "<script>alert('x')</script>"

    found = marked(text, [(0, len(text))], {"alert"})

    assert found == "<mark>&lt;script&gt;<b>alert</b>(&#39;x&#39;)&lt;/script&gt;</mark>"


def test_overlapping_spans_are_one_mark_and_only_the_first_has_the_anchor() -> None:
    found = marked("0123456789", [(6, 9), (1, 3), (2, 4)], (), anchor="pasaje")

    assert found == '0<mark id="pasaje">123</mark>45<mark>678</mark>9'


def test_a_span_at_the_very_beginning_has_the_anchor() -> None:
    assert marked("012", [(0, 1)], (), anchor="pasaje") == '<mark id="pasaje">0</mark>12'


@given(SPANISH, SPANS)
def test_marking_changes_no_character(text: str, spans: list[tuple[int, int]]) -> None:
    assert plain(marked(text, spans, {"abc"})) == text


def test_a_short_passage_is_shown_whole() -> None:
    assert excerpt("Un pasaje corto.", (3, 9), {"pasaj"}) == (0, 16)


def test_a_long_passage_is_shown_where_most_words_of_the_query_are() -> None:
    text = "Un sombrero cualquiera. " * 40 + "El sombrero verde de la abuela. " + "Nada más que decir. " * 40

    start, stop = excerpt(text, (0, len(text)), {"sombr", "verde", "abuel"}, size=200)

    assert "sombrero verde de la abuela" in text[start:stop]
    assert stop - start <= 200
    assert text[:start].endswith(". ")


def test_without_words_of_the_query_the_match_is_shown_from_its_beginning() -> None:
    text = "x" * 50 + " " + "palabra " * 100

    start, _ = excerpt(text, (51, 851), (), size=200)

    assert start == 51


@given(SPANISH, st.integers(0, 200), st.integers(0, 200), st.integers(10, 50))
def test_an_excerpt_lies_within_the_passage(text: str, one: int, other: int, size: int) -> None:
    first, last = sorted((min(one, len(text)), min(other, len(text))))

    start, stop = excerpt(text, (first, last), {"abc"}, size=size)

    assert 0 <= start <= stop <= len(text)
    assert text == "" or stop > start or first == len(text)


LONG = "x" * 40 + " "


@given(st.lists(st.sampled_from(["once", "doce", "tres", "x" * 40]), max_size=60).map(" ".join), st.integers(150, 400))
@example(f"{LONG * 4}once {LONG * 2}", 150)
@example(f"{LONG * 4}once doce tres {LONG * 2}", 150)
def test_an_excerpt_begins_where_most_different_words_stand_together(text: str, size: int) -> None:
    start, stop = excerpt(text, (0, len(text)), {"once", "doce", "tres"}, size=size)
    reach = size - 140
    places = [found.span() for found in re.finditer(r"once|doce|tres", text)]
    most = max(
        (
            len({text[a:b] for a, b in places if first <= a and (a == first or b <= first + reach)})
            for first, _ in places
        ),
        default=0,
    )

    assert len(set(re.findall(r"once|doce|tres", text[start:stop]))) >= min(most, 3)


def test_an_excerpt_of_a_long_text_of_nothing_but_the_querys_words_is_found() -> None:
    """With one look at every word for each of them this would take half an hour."""
    assert excerpt("hola " * 200_000, (0, 1_000_000), {"hola"})[0] == 0
