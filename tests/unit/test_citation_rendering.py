import pytest
from unit.citing import FIELD, VET, source

from rag_core.answering.characters import REFERENCE
from rag_core.answering.rendering import citation_marks, render, renumbered
from rag_core.answering.verification.check import check_citations
from rag_core.answering.verification.citations import parse_citations

SOURCES = [source(1, VET, title="Trufa", page=5), source(2, FIELD, title="La casa, en Sueca [borrador]")]
ANSWER = "Nora lloraba en la sala [1]. Y la caldera no arrancó [1, 2]. El puente."


@pytest.mark.parametrize(
    ("style", "text"),
    [
        ("numbered", "Nora lloraba en la sala [1]. Y la caldera no arrancó [1][2]. El puente."),
        ("notes", "Nora lloraba en la sala [N1]. Y la caldera no arrancó [N1][N2]. El puente."),
        (
            "german",
            (
                "Nora lloraba en la sala [Quelle: Trufa, Seite 5]. Y la caldera no arrancó [Quelle: Trufa, Seite 5]"
                "[Quelle: La casa, en Sueca (borrador)]. El puente."
            ),
        ),
    ],
)
def test_marks_are_written_as_the_contract_wants_them_one_a_citation(style, text) -> None:
    rendered = render(check_citations(ANSWER, SOURCES, language="es"), SOURCES, style)

    assert rendered.text == text
    assert [text[slice(*one.mark)] for one in rendered.citations] == [rendered.marks[number] for number in (1, 1, 2)]


@pytest.mark.parametrize(
    ("style", "text"),
    [("numbered", "En total, 50,00 €: 20 € + 30 € [1]. Sí."), ("notes", "En total, 50,00 €: 20 € + 30 € [N1]. Sí.")],
)
def test_places_of_one_source_share_its_mark(style, text) -> None:
    sources = [source(1, "- Luz: 20 €\n- Agua: 9 €\n- Luz: 30 €\n")]
    checked = check_citations("En total, 50,00 €: 20 € + 30 € [1]. Sí.", sources, language="es")

    rendered, other = render(checked, sources, style), renumbered(checked, {1: 3})

    assert [one.quote for one in checked.citations] == ["- Luz: 20 €", "- Luz: 30 €"]
    assert rendered.text == text
    assert {text[slice(*one.mark)] for one in rendered.citations} == {rendered.marks[1]}
    assert other.text == checked.text.replace("[1]", "[3]")


def test_claims_and_uncited_sentences_move_with_the_text() -> None:
    rendered = render(check_citations(ANSWER, SOURCES, language="es"), SOURCES, "german")

    first, second, _ = (rendered.text[slice(*one.claim)] for one in rendered.citations)
    assert first == "Nora lloraba en la sala [Quelle: Trufa, Seite 5]."
    assert second.startswith("Y la caldera")
    assert second.endswith("(borrador)].")
    assert [rendered.text[slice(*span)] for span in rendered.uncited] == ["El puente."]


def test_the_evidence_stays_where_it_is_in_the_note() -> None:
    checked = check_citations(ANSWER, SOURCES, language="es")

    rendered = render(checked, SOURCES, "german")

    assert [one.evidence for one in rendered.citations] == [one.evidence for one in checked.citations]


def test_sources_of_one_title_are_told_apart_by_their_section() -> None:
    sources = [source(number, VET, title="Acta", chunk_index=number) for number in (1, 2)]

    assert citation_marks(sources, "german") == {1: "[Quelle: Acta, Abschnitt 2]", 2: "[Quelle: Acta, Abschnitt 3]"}


def test_sources_that_nothing_tells_apart_are_counted() -> None:
    sources = [source(number, VET, title="Acta", page=1) for number in (1, 2)]

    assert list(citation_marks(sources, "german").values()) == [
        "[Quelle: Acta, Seite 1]",
        "[Quelle: Acta, Seite 1 (2)]",
    ]


def test_a_note_without_title_is_called_by_its_day() -> None:
    assert citation_marks([source(1, VET)], "german") == {1: "[Quelle: Dokument vom 01.03.2025]"}


@pytest.mark.parametrize(
    "title",
    ["2", "[N2]", "a]b[c", "x\n[2]\u202e", "1, 2", "Acta]", "(1)", "a" * 500, "\u200b", "Contrato, Seite 9", "N2"],
)
def test_no_title_is_taken_for_another_source(title) -> None:
    sources = [source(1, VET, title=title), source(2, FIELD, title="Otra")]

    rendered = render(check_citations("Nora lloraba en la sala [1].", sources, language="es"), sources, "german")

    assert [mark.numbers for mark in parse_citations(rendered.text, sources)] == [(1,)]


@pytest.mark.parametrize(
    ("title", "label"),
    [
        ("<img src=//evil.example/x>", "‹img src=‹Link entfernt››"),
        ("![x](https://evil.example/p.png)", "!(x)(‹Link entfernt›)"),
        ("A &amp;lt;b&gt; &#5&#56;;", "A ‹b› :"),
        ("Listen <Entwurf> & R&D", "Listen ‹Entwurf› & R&D"),
    ],
)
def test_a_title_is_named_without_markup_and_addresses_and_found_again(title, label) -> None:
    sources = [source(1, VET, title=title)]

    assert citation_marks(sources, "german") == {1: f"[Quelle: {label}]"}
    for written in (title.replace("[", "(").replace("]", ")"), label):
        assert [mark.numbers for mark in parse_citations(f"Sí [Quelle: {written}].", sources)] == [(1,)]


@pytest.mark.parametrize("count", [1, 50, 3000])
def test_references_that_make_up_others_are_read_a_few_times_only(count) -> None:
    title = "&lt" + "&#59" * count + ";"

    mark = citation_marks([source(1, VET, title=title)], "german")[1]

    assert REFERENCE.search(mark) is None
    assert [written.numbers for written in parse_citations(f"Sí {mark}.", [source(1, VET, title=title)])] == [(1,)]


def test_other_numbers_stand_in_the_marks_and_every_span_moves_with_them() -> None:
    sources = [source(number, VET if number == 12 else FIELD) for number in (2, 12)]
    checked = check_citations(
        "Nora lloraba en la sala [12]. La caldera no arrancó [12, 2]. El puente cayó.", sources, language="es"
    )

    changed = renumbered(checked, {12: 1, 2: 2})

    assert changed.text == "Nora lloraba en la sala [1]. La caldera no arrancó [1, 2]. El puente cayó."
    assert [one.number for one in changed.citations] == [1, 1, 2]
    assert [changed.text[slice(*one.mark)] for one in changed.citations] == ["[1]", "[1, 2]", "[1, 2]"]
    assert [changed.text[slice(*one.claim)] for one in changed.citations] == [
        checked.text[slice(*one.claim)].replace("[12]", "[1]").replace("[12, 2]", "[1, 2]") for one in checked.citations
    ]
    assert [changed.text[slice(*span)] for span in changed.uncited] == ["El puente cayó."]
    assert [one.evidence for one in changed.citations] == [one.evidence for one in checked.citations]
