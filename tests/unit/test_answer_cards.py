"""Answers as the page shows them: nothing is lost, nothing is markup, and doubt is told."""

import re
from datetime import UTC, datetime
from html import unescape
from uuid import UUID
from zoneinfo import ZoneInfo

import pytest
from builders import make_citation
from hypothesis import given
from hypothesis import strategies as st

from rag_core.api.pages.answer_cards import TurnCard, turn_card
from rag_core.api.pages.cited_spans import read_span, written_span
from rag_core.model.answer import CheckedCitation, Confidence, RefusalReason, VerifiedBy
from rag_core.model.conversation import CitedSource, KeptAnswer, Turn
from rag_core.model.note import ChunkId, NoteId, Span

SESSION, QUERY, NOTE = (UUID(int=number) for number in (1, 2, 3))
WORDS = st.text(alphabet=st.characters(codec="utf-8", exclude_characters="[]\r"), max_size=12) | st.sampled_from(
    ["<b>", "&amp;", '"><script>', "</span>", "🍅 e\u0301", "{}", "{0}"]
)


def source(number: int = 1, title: str | None = "Caldera") -> CitedSource:
    return CitedSource(
        number=number,
        note_id=NoteId(NOTE),
        chunk_id=ChunkId(NOTE),
        external_id="n1",
        title=title,
        created_at=datetime(2025, 3, 3, tzinfo=UTC),
        language="es",
        chunk_index=0,
        score=0.5,
        page=None,
    )


def citation(
    mark: Span,
    *,
    number: int = 1,
    is_supported: bool = True,
    verified_by: VerifiedBy = "lexical",
    quote: str = "Así fue.",
) -> CheckedCitation:
    return make_citation(
        number=number,
        mark=mark,
        claim=(0, mark[0]),
        evidence=(3, 3 + len(quote)) if quote else None,
        quote=quote,
        support=1.0 if is_supported else 0.0,
        is_supported=is_supported,
        verified_by=verified_by,
    )


def card(
    text: str = "Fue así [1].",
    *citations: CheckedCitation,
    uncited: tuple[Span, ...] = (),
    confidence: Confidence = "high",
    refusal: RefusalReason | None = None,
    answerer: str = "extractive@4",
) -> TurnCard:
    answer = KeptAnswer(
        text=text,
        language="es",
        citations=citations,
        uncited=uncited,
        removed_citations=0,
        sources=tuple(source(number) for number in sorted({one.number for one in citations})),
        confidence=confidence,
        refusal=refusal,
        groundedness=None,
        disclaimer=None,
        warnings=(),
        answerer=answerer,
        fallback=None,
    )
    turn = Turn(query_id=QUERY, position=0, asked_at=datetime.now(UTC), question="¿?", standalone=None, answer=answer)
    return turn_card(turn, session_id=SESSION, zone=ZoneInfo("Europe/Madrid"), policy="warn")


def read(markup: str) -> str:
    """Text that a reader sees who opens no quotation."""
    without_tips = re.sub(r'<span class="tip".*?</span></span>', "", markup, flags=re.DOTALL)
    return unescape(
        re.sub(r"<[^<>]*>", "", without_tips.replace('<span class="doubt" aria-hidden="true">?</span>', ""))
    )


@given(st.lists(st.tuples(WORDS, st.booleans(), st.booleans()), min_size=1, max_size=6))
def test_the_text_is_whole_and_only_our_own_tags_are_markup(parts: list[tuple[str, bool, bool]]) -> None:
    text, citations, uncited = "", list[CheckedCitation](), list[Span]()
    for words, is_cited, is_supported in parts:
        start = len(text)
        text += words
        if is_cited:
            citations.append(citation((len(text), len(text) + 3), is_supported=is_supported, quote=words))
            text += "[1]"
        if words and not is_supported:
            uncited.append((start, len(text)))

    markup = str(card(text, *citations, uncited=tuple(uncited)).text)

    assert read(markup) == text
    assert set(re.findall(r"<(/?\w+)", markup)) <= {"span", "/span", "a", "/a"}
    assert markup.count("<a ") == len(citations)


@given(st.text(min_size=1), st.data())
def test_a_span_that_is_written_is_read_again_in_the_same_note_alone(content: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(content) - 1))
    end = data.draw(st.integers(start + 1, len(content)))
    written = written_span((start, end), content[start:end])

    assert read_span(written, content) == (start, end)
    assert read_span(written, content[: end - 1]) is None


@pytest.mark.parametrize(
    ("is_supported", "verified_by", "told"),
    [
        (True, "lexical", "comprobada por palabras"),
        (True, "judge", "comprobada por un modelo"),
        (False, "lexical", "no comprobada: la nota no parece decirlo"),
        (False, "judge", "no comprobada: la nota no parece decirlo"),
    ],
)
def test_a_source_says_what_found_that_it_holds(is_supported: bool, verified_by: VerifiedBy, told: str) -> None:
    shown = card("Fue así [1].", citation((8, 11), is_supported=is_supported, verified_by=verified_by))

    assert [quote.check for quote in shown.sources[0].quotes] == [told]
    assert shown.has_doubtful is not is_supported


def test_a_citation_without_evidence_opens_the_note_without_a_place() -> None:
    shown = card("Fue así [1].", citation((8, 11), is_supported=False, quote=""))

    assert shown.sources[0].address == f"/notas/{NOTE}?sesion={SESSION}"


def test_the_same_words_cited_twice_are_listed_once() -> None:
    shown = card("Fue [1]. Así [1].", citation((4, 7)), citation((13, 16)))

    assert len(shown.sources[0].quotes) == 1


@pytest.mark.parametrize(
    ("confidence", "told"),
    [("high", "las notas tratan de la pregunta"), ("medium", "puede que no respondan"), ("low", "de lejos")],
)
def test_without_a_fault_the_reason_is_what_was_found(confidence: Confidence, told: str) -> None:
    assert told in card("Fue así [1].", citation((8, 11)), confidence=confidence).reason


def test_faults_are_counted() -> None:
    doubtful = [citation((place, place + 3), is_supported=False) for place in (4, 13)]

    reason = card("Fue [1]. Así [1]. Ya.", *doubtful, uncited=((18, 21),), confidence="low").reason

    assert reason == "2 citas no están comprobadas y una frase no cita ninguna nota"


@pytest.mark.parametrize(
    ("refusal", "answerer", "told"),
    [
        (None, "extractive@4", "ningún modelo de lenguaje"),
        (None, "generated:ollama:qwen3:8b@2", "modelo de lenguaje ollama:qwen3:8b a partir"),
        ("model_refused", "generated:llama@2", "modelo de lenguaje llama a partir"),
        ("no_sentence_fits", "extractive@4", None),
        ("insufficient_evidence", "generated:llama@2", None),
        ("no_notes", "extractive@4", None),
    ],
)
def test_whoever_wrote_it_is_named_and_nobody_where_nobody_did(
    refusal: RefusalReason | None, answerer: str, told: str | None
) -> None:
    written_by = card("No.", refusal=refusal, answerer=answerer).written_by

    assert written_by is None if told is None else told in (written_by or "")


def test_where_no_model_was_asked_none_is_said_to_have_found_nothing() -> None:
    reason = card("No.", refusal="no_sentence_fits", confidence="insufficient").reason

    assert reason == "ninguna frase de tus notas se parece lo bastante a la pregunta"


def test_a_quotation_is_shown_without_marks_of_markdown() -> None:
    shown = card("Fue así [1].", citation((8, 11), quote="- **Fue** en [[Cádiz]]"))

    assert [quote.text for quote in shown.sources[0].quotes] == ["Fue en Cádiz"]


def test_places_of_one_source_are_one_mark_and_a_quotation_each() -> None:
    rows = [citation((8, 11), quote=quote) for quote in ("Luz: 20 €", "Luz: 30 euros")]

    shown = card("Fue así [1].", *rows)

    assert shown.text.count("[1]") == 1
    assert [quote.text for quote in shown.sources[0].quotes] == ["Luz: 20 €", "Luz: 30 euros"]
