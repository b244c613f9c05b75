import pytest
from unit.citing import source

from rag_core.answering.verification.citations import citations_by_sentence, parse_citations, without_citations
from rag_core.chunking import sentence_spans


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("Llovió [1].", (1,)),
        ("Llovió [1, 2].", (1, 2)),
        ("Llovió [1; 2].", (1, 2)),
        ("Llovió [1 y 2].", (1, 2)),
        ("Llovió [1, 2 und 4].", (1, 2, 4)),
        ("Llovió [N1].", (1,)),
        ("Llovió [n01].", (1,)),
        ("Llovió [N01, N2].", (1, 2)),
        ("Llovió [2-4].", (2, 3, 4)),
        ("Llovió [2\u2013N4].", (2, 3, 4)),
        ("Llovió [3, 3].", (3,)),
        ("Llovió [^1].", (1,)),
        ("Llovió [#1].", (1,)),
        ("Llovió [[1]].", (1,)),
        ("Llovió 【1】.", (1,)),
        ("Llovió 【1†source】.", (1,)),
        ("Llovió \uff3b\uff11\uff3d.", (1,)),
        ("Llovió [\u200b1\u202e].", (1,)),
        ("Llovió [Source 1].", (1,)),
        ("Llovió [Fuente 2].", (2,)),
        ("Llovió [Fuentes 1 y 3].", (1, 3)),
        ("Llovió [Nota 1].", (1,)),
        ("Llovió [Quelle 3].", (3,)),
        ("Llovió [Quelle: 3].", (3,)),
        ("Llovió [9999].", (9999,)),
        ("Llovió [N2019].", (2019,)),
        ("Llovió [0].", (0,)),
        ("Llovió [1](véase abajo).", (1,)),
        ("Llovió [1 e 2].", (1, 2)),
        ("Llovió [1, 2, y 3].", (1, 2, 3)),
        ("Llovió [\uff11, 02].", (1, 2)),
        ("Llovió [\u0661].", (1,)),
    ],
)
def test_marks_are_read_in_every_form(text: str, numbers: tuple[int, ...]) -> None:
    (citation,) = parse_citations(text)

    assert citation.numbers == numbers
    assert text[slice(*citation.span)][0] in "[【\uff3b"


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            "en [2019] llovió",
            "[1](https://ejemplo.es)",
            "[1](nota.md)",
            "[uno]",
            "1, 2",
            "[]",
            "[1 2]",
            "(1)",
            "[x]",
        ),
        *("[1e9]", "[1E9]", "[N1e9]", "[1, e9]", "[1\u200be9]", "[\uff11e9]", "[1e-3]", "[1y2]"),
        *("[+1]", "[-1]", "[1_0]", "[0x1]", "[1.0]", "[1\u00b2]", "[\u2460]", "[\u2163]", "[1 000]", "[1'000]"),
        *("[1.5]", "[1,\n2]", "[Nota: esto importa]", "[Quelle: Titel]", "[ ]", "[Enero 2]", "[" + "1," * 200 + "1]"),
    ],
)
def test_what_only_looks_like_a_mark_is_none(text: str) -> None:
    assert parse_citations(text) == ()


def test_adjacent_marks_are_citations_of_their_own() -> None:
    assert [citation.numbers for citation in parse_citations("Llovió [1][3].")] == [(1,), (3,)]


def test_a_range_too_long_to_be_meant_gives_its_ends_only() -> None:
    assert parse_citations("Llovió [1-900].")[0].numbers == (1, 900)


@pytest.mark.parametrize(
    ("mark", "numbers"),
    [
        ("[Quelle: Contrato]", (1,)),
        ("[Fuente: contrato]", (1,)),
        ("[Quelle: Contrato, Seite 7]", (1,)),
        ("[Quelle: Acta, marzo (borrador), Seite 5]", (2,)),
        ("[Source: 2]", (2,)),
        ("[Quelle: Otro papel]", ()),
    ],
)
def test_a_mark_by_title_is_read_against_the_sources(mark: str, numbers: tuple[int, ...]) -> None:
    sources = [source(1, "Uno.", title="Contrato"), source(2, "Dos.", title="Acta, marzo [borrador]", page=5)]

    (citation,) = parse_citations(f"Llovió {mark}.", sources)

    assert citation.numbers == numbers


def test_marks_are_blanked_in_place() -> None:
    assert without_citations("Llovió [1]. Fin") == "Llovió    . Fin"


def test_a_link_is_not_blanked() -> None:
    assert without_citations("Ver [1](https://ejemplo.es)") == "Ver [1](https://ejemplo.es)"


def test_a_mark_after_the_full_stop_belongs_to_the_sentence_before() -> None:
    text = "Llovió. [1] Luego salió el sol [2, N3]. ¿Y qué? Fin."

    assert citations_by_sentence(text, sentence_spans(text, "es")) == [(1,), (2, 3), (), ()]


def test_a_mark_before_everything_belongs_to_the_first_sentence() -> None:
    text = "[1] Llovió. Luego no."

    assert citations_by_sentence(text, sentence_spans(text, "es")) == [(1,), ()]
