"""Properties of citations whatever a model writes, and however it is cut on the way."""

import re

import pytest
from growth import MOST_GROWTH, growth
from hypothesis import given, settings
from hypothesis import strategies as st
from unit.citing import FIELD, VET, source

from rag_core.answering.rendering import render
from rag_core.answering.verification.check import check_citations, check_sentence, joined, read_sources
from rag_core.answering.verification.citations import find_marks, parse_citations, without_citations
from rag_core.answering.verification.claims import answer_sentences, cut_sentences
from rag_core.model.answer import CheckedText, Source

SOURCES = [source(1, VET, title="Trufa [urgente], 2025", page=3), source(2, FIELD, title="Trufa [urgente], 2025")]
MARKS = (
    *("[1]", "[2]", "[9]", "[N1]", "[n 07]", "[1, 9]", "[2-4]", "【9】", "\uff3b1\uff3d", "[^3]", "[Quelle: X]", "[Fuente 9]", "[999]"),
    *("[Quelle: Trufa (urgente), 2025]", "[0]", "[N12345]"),
    *("[9†source]", "[1](http://a.b)", "[9](a.b)", "[[9]", "[9]9]", "[9][1](a.b)"),
)  # fmt: skip
PIECES = (
    *("[", "]", "[9", "9]", "1", "9", ",", ", ", " y ", "-", "N", "(", ")", "(http://a.b)", "](", "【", "】", "†source", "#", "|"),
    *("\u200b", "\u202e", "\u2066", "\u00ad", "\ufeff", "\n"),
    *("\n\n", "- ", "* ", ". ", ".", "! ", "? ", "…", " ", "  ", "\t", "\u2028"),
    *("Llovió", "en Sueca", "Nora", "según ", "véase ", "**", "«", "»", "[2019]", "[1234567]", "[]", "[x]", "142", "Sr. ", "٣", "no "),
)  # fmt: skip
hostile = st.lists(st.sampled_from(MARKS + PIECES), max_size=30).map("".join)
anything = st.one_of(hostile, st.text(max_size=80), st.text(alphabet="[]()19N, .\n", max_size=60))
cuts = st.lists(st.integers(1, 40), max_size=10)
prose = st.lists(
    st.sampled_from(("Llovió", "mucho", "en Sueca", "¿y qué?", "fin.", "[1]", "[2].", "(1)", "[2019]", "\n\n", "142 €")), max_size=20
).map(" ".join)  # fmt: skip


def read_from(text: str, sources: list[Source]) -> list[tuple[tuple[int, int], int]]:
    return [(mark.span, number) for mark in parse_citations(text, sources) for number in mark.numbers]


def told(checked: CheckedText) -> list[tuple[tuple[int, int], int]]:
    return [(citation.mark, citation.number) for citation in checked.citations]


def in_bits(text: str, sizes: list[int]) -> list[str]:
    bits, at = [], 0
    for size in sizes:
        bits.append(text[at : at + size])
        at += size
    return [*bits, text[at:]]


@given(anything)
@settings(max_examples=100)
def test_every_mark_that_is_shown_names_a_source_and_every_citation_has_its_mark(text: str) -> None:
    checked = check_citations(text, SOURCES, language="es")

    assert told(checked) == read_from(checked.text, SOURCES)
    assert all(citation.number in (1, 2) for citation in checked.citations)
    assert not any(is_link for _, is_link in find_marks(checked.text, {}))


@given(anything)
def test_without_sources_no_mark_is_left(text: str) -> None:
    assert list(find_marks(check_citations(text, [], language="de").text, {})) == []


@given(anything)
def test_what_was_checked_is_not_changed_by_checking_it_again(text: str) -> None:
    checked = check_citations(text, SOURCES, language="es")

    assert check_citations(checked.text, SOURCES, language="es").text == checked.text


@given(prose)
def test_where_every_mark_holds_not_a_character_is_changed(text: str) -> None:
    assert check_citations(text, SOURCES, language="es").text == text


@given(
    st.lists(
        st.sampled_from(("Llovió", "mucho", "en Sueca", "Nora", "(ayer)", "[9]", "[1]", "[8, 9]", ",", "y")),
        max_size=20,
    )
)
def test_taking_marks_out_leaves_every_word_in_its_order(words: list[str]) -> None:
    text = " ".join(words)

    checked = check_citations(text, SOURCES, language="es")

    said = re.findall(r"[^\W\d]{2,}", without_citations(text))
    assert re.findall(r"[^\W\d]{2,}", checked.text) == said


@given(anything, st.sampled_from(("numbered", "notes", "german")))
def test_what_is_rendered_reads_as_the_same_numbers(text: str, style) -> None:
    checked = check_citations(text, SOURCES, language="es")

    rendered = render(checked, SOURCES, style)

    assert [number for _, number in read_from(rendered.text, SOURCES)] == [number for _, number in told(checked)]
    assert all(rendered.text[slice(*one.mark)] == rendered.marks[one.number] for one in rendered.citations)


@given(st.lists(st.text(max_size=40), min_size=1, max_size=6))
def test_whatever_notes_are_called_each_is_found_by_its_mark(titles: list[str]) -> None:
    sources = [source(number, VET, title=title) for number, title in enumerate(titles, 1)]
    checked = check_citations("".join(f"Nora lloraba [{one.number}]. " for one in sources), sources, language="es")

    rendered = render(checked, sources, "german")

    assert [number for _, number in read_from(rendered.text, sources)] == [one.number for one in sources]


@given(anything, cuts)
def test_sentences_of_a_stream_are_its_text(text: str, sizes: list[int]) -> None:
    assert "".join(cut_sentences(in_bits(text, sizes), "es")) == text


@given(anything, cuts)
def test_what_a_stream_showed_stays_as_it_was(text: str, sizes: list[int]) -> None:
    read, bits = read_sources(SOURCES), in_bits(text, sizes)
    parts = [check_sentence(sentence, read, language="es") for sentence in cut_sentences(bits, "es")]
    whole = joined(parts)

    for end in range(len(parts) + 1):
        assert whole.text.startswith(joined(parts[:end]).text)
        assert told(whole)[: len(told(joined(parts[:end])))] == told(joined(parts[:end]))
    assert told(whole) == read_from(whole.text, SOURCES)


@given(anything)
def test_sentences_tile_an_answer_and_part_no_mark(text: str) -> None:
    spans = answer_sentences(text, "es")

    assert "".join(text[start:end] for start, end in spans) == text
    starts = {start for start, _ in spans}
    assert not any(
        first < start < end for start in starts for first, end in (mark.span for mark in parse_citations(text))
    )


@given(anything)
def test_spans_are_of_what_they_say(text: str) -> None:
    checked = check_citations(text, SOURCES, language="es")

    for citation in checked.citations:
        original = SOURCES[citation.number - 1].original
        assert 0 <= citation.support <= 1
        assert 0 <= citation.claim[0] <= citation.claim[1] <= len(checked.text)
        assert citation.quote == (original[slice(*citation.evidence)] if citation.evidence else "")
        assert citation.evidence or not citation.is_supported
    assert all(checked.text[slice(*span)].strip() for span in checked.uncited)


@pytest.mark.parametrize(
    "piece",
    [
        *(
            "[",
            "[1]",
            "[9]",
            "[1,",
            "[ ",
            "[9]9]",
            "[Quelle: ",
            "[1](",
            "Llovió [1]. ",
            "[1] a ",
            "según [9], ",
            "([9])",
            "**[9]** ",
        ),
        *("[9]\n", ". ", "no "),
    ],
)
def test_time_is_linear_in_the_text(piece: str) -> None:
    assert growth(lambda text: check_citations(text, SOURCES, language="es"), piece, characters=20_000) < MOST_GROWTH
