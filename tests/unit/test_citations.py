import pytest

from rag_core.answering.citations import citations_by_sentence, parse_citations, without_citations
from rag_core.chunking import sentence_spans


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("Llovió [1].", (1,)),
        ("Llovió [1, 2].", (1, 2)),
        ("Llovió [1; 2].", (1, 2)),
        ("Llovió [N1].", (1,)),
        ("Llovió [N01, N2].", (1, 2)),
        ("Llovió [2-4].", (2, 3, 4)),
        ("Llovió [3, 3].", (3,)),
    ],
)
def test_marks_are_read_in_every_form(text: str, numbers: tuple[int, ...]) -> None:
    (citation,) = parse_citations(text)

    assert citation.numbers == numbers
    assert text[slice(*citation.span)].startswith("[")


@pytest.mark.parametrize("text", ["", "en [2019] llovió", "[1](https://ejemplo.es)", "[uno]", "1, 2", "[]", "[1 2]"])
def test_what_only_looks_like_a_mark_is_none(text: str) -> None:
    assert parse_citations(text) == ()


def test_adjacent_marks_are_citations_of_their_own() -> None:
    assert [citation.numbers for citation in parse_citations("Llovió [1][3].")] == [(1,), (3,)]


def test_a_range_too_long_to_be_meant_gives_its_ends_only() -> None:
    assert parse_citations("Llovió [1-900].")[0].numbers == (1, 900)


def test_marks_are_blanked_in_place() -> None:
    assert without_citations("Llovió [1]. Fin") == "Llovió    . Fin"


def test_a_mark_after_the_full_stop_belongs_to_the_sentence_before() -> None:
    text = "Llovió. [1] Luego salió el sol [2, N3]. ¿Y qué? Fin."

    assert citations_by_sentence(text, sentence_spans(text, "es")) == [(1,), (2, 3), (), ()]


def test_a_mark_before_everything_belongs_to_the_first_sentence() -> None:
    text = "[1] Llovió. Luego no."

    assert citations_by_sentence(text, sentence_spans(text, "es")) == [(1,), ()]
