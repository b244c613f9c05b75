"""Answers as other programs read them: one answer in each contract's words."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from uuid import UUID

import pytest
from builders import make_citation, make_source
from hypothesis import given
from hypothesis import strategies as st

from rag_core.answering.events import SentenceReady
from rag_core.answering.rendering import CitationStyle
from rag_core.conversation.records import kept_answer
from rag_core.model.answer import Answer, CheckedCitation, Source
from rag_core.model.conversation import Turn
from rag_core.model.note import ChunkId
from rag_core.model.retrieval import Retrieval
from rag_core.wire.answers import (
    SNIPPET_CHARACTERS,
    chat_body,
    german_body,
    milliseconds_to_wire,
    query_body,
    sentence_text,
    shown_sources,
    snippet_of,
    strategy_of,
    turn_to_wire,
)

FIRST, SECOND = "Nadar ayuda [1, 3]. ", "Leer también [3]."


def source(number: int, *, title: str | None = "Diario", page: int | None = None, text: str = "Nadar ayuda.") -> Source:
    return make_source(
        text,
        number,
        chunk_id=ChunkId(UUID(int=100 + number)),
        title=title,
        created_at=datetime(2025, 3, 3, 9, tzinfo=timezone(timedelta(hours=1))),
        chunk_index=7,
        page=page,
    )


def citation(number: int, mark: str, *, at: int, support: float = 1.0) -> CheckedCitation:
    text = FIRST + SECOND
    start = text.index(mark, at)
    claim = (0, len(FIRST) - 1) if at < len(FIRST) else (len(FIRST), len(text))
    return make_citation(
        number=number,
        mark=(start, start + len(mark)),
        claim=claim,
        evidence=(0, 12),
        quote="Nadar ayuda.",
        support=support,
        is_supported=support > 0.5,
    )


ANSWER = Answer(
    query_id=UUID(int=9),
    session_id=None,
    question="¿Qué ayuda?",
    standalone=None,
    language="es",
    text=FIRST + SECOND,
    citations=(
        citation(1, "[1, 3]", at=0),
        citation(3, "[1, 3]", at=0),
        citation(3, "[3]", at=len(FIRST), support=0.2),
    ),
    uncited=(),
    removed_citations=0,
    sources=(source(1), source(2), source(3, title="Libros", page=4)),
    confidence="medium",
    refusal=None,
    groundedness=0.5,
    disclaimer=None,
    warnings=("Aviso",),
    answerer="extractive@4",
    retrieval=Retrieval(query="q", strategy="hybrid+rerank", hits=(), latency_ms=1, stages={}, candidates=40),
    fallback=None,
    prompt_tokens=10,
    answer_tokens=5,
    stages={"retrieval": 12.5, "total": 20.0},
)


def test_auroranotes_lists_cited_sources_alone_and_keeps_their_numbers() -> None:
    body = chat_body(ANSWER, policy="warn")

    assert body["answer"] == "Nadar ayuda [N1][N3]. Leer también [N3]."
    assert [one["cid"] for one in body["citations"]] == ["N1", "N3"]
    assert body["citations"][1]["chunkId"] == f"{UUID(int=3)}_007"
    assert body["meta"]["retrieval"] == {
        "k": 3,
        "strategy": "hybrid_reranked",
        "candidateCount": 40,
        "rerankCount": 0,
        "timeMs": 12.5,
    }


def test_of_several_places_where_a_source_is_cited_the_weakest_counts() -> None:
    cited = chat_body(ANSWER, policy="warn")["citations"][1]

    assert cited["verification"] == {"supported": False, "support": 0.2, "verifiedBy": "lexical"}
    assert [place["supported"] for place in cited["spans"]] == [True, False]


@pytest.mark.parametrize("body", [chat_body, query_body, german_body])
def test_every_place_of_a_citation_is_its_mark_in_the_answer_as_it_is_shown(body) -> None:
    told = body(ANSWER, policy="warn")
    places = [(one, place["answer"]) for one in told["citations"] for place in one["spans"]]

    marks = {told["answer"][place["start"] : place["end"]] for _, place in places}
    assert len(places) == 3
    assert marks in (
        {"[N1]", "[N3]"},
        {"[1]", "[3]"},
        {"[Quelle: Diario, Abschnitt 8]", "[Quelle: Diario]", "[Quelle: Libros, Seite 4]"},
        {"[Quelle: Diario, Abschnitt 8]", "[Quelle: Libros, Seite 4]"},
    )


def test_hybrid_counts_tokens_and_sources() -> None:
    metadata = query_body(ANSWER, policy="warn")["metadata"]

    assert (metadata["totalTokens"], metadata["citationCount"], metadata["latencyMs"]) == (15, 2, 20.0)


def test_rag_v2_names_a_page_that_is_known() -> None:
    body = german_body(ANSWER, policy="warn")

    assert body["citations"][1]["mark"] == "[Quelle: Libros, Seite 4]"


def test_rag_v2_lists_all_that_was_read_and_what_is_cited_first() -> None:
    sources = german_body(ANSWER, policy="warn")["sources"]

    assert [(one["number"], one["cited"]) for one in sources] == [(1, True), (3, True), (2, False)]


@pytest.mark.parametrize(("style", "body"), [("notes", chat_body), ("numbered", query_body), ("german", german_body)])
def test_sentences_that_come_one_by_one_are_the_whole_answer(style: CitationStyle, body) -> None:
    first = SentenceReady(text=FIRST, start=0, citations=ANSWER.citations[:2])
    second = SentenceReady(text=SECOND, start=len(FIRST), citations=ANSWER.citations[2:])

    said = "".join(sentence_text(sentence, ANSWER.sources, style) for sentence in (first, second))

    assert said == body(ANSWER, policy="warn")["answer"]


@given(text=st.text(max_size=600))
def test_a_snippet_is_one_line_of_bounded_length(text: str) -> None:
    snippet = snippet_of(source(1, text=text))

    assert len(snippet) <= SNIPPET_CHARACTERS
    assert len(snippet.splitlines()) <= 1


def test_a_snippet_is_what_is_cited() -> None:
    assert snippet_of(source(1, text="Otra cosa."), ANSWER.citations[:1]) == "Nadar ayuda."


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, "hybrid_reranked"),
        ({"fallback": "keyword_recency"}, "keyword_recency"),
        ({"fallback": "recent_notes", "retrieval": None}, "recent_notes"),
        ({"retrieval": None}, "none"),
    ],
)
def test_how_sources_were_found_has_a_name(changes, expected: str) -> None:
    assert strategy_of(replace(ANSWER, **changes)) == expected


def test_auroranotes_times_have_milliseconds_always() -> None:
    assert milliseconds_to_wire(datetime(2025, 3, 3, 8, tzinfo=UTC)) == "2025-03-03T08:00:00.000Z"


EMAIL, IBAN = "ana@firma.example", "DE89 3704 0044 0532 0130 00"
PERSONAL = replace(
    ANSWER,
    citations=(
        replace(ANSWER.citations[0], quote=""),
        *(replace(citation, quote=f"Nadar ayuda, dice {EMAIL}.") for citation in ANSWER.citations[1:]),
    ),
    sources=(
        source(1, title=f"Correo de {EMAIL}", text=f"Su cuenta es {IBAN}."),
        replace(source(2, title=None), external_id=EMAIL),
        replace(source(3, title=None), external_id=EMAIL),
    ),
)
TURN = Turn(
    query_id=ANSWER.query_id,
    position=1,
    asked_at=datetime(2025, 3, 3, tzinfo=UTC),
    question="¿Qué ayuda?",
    standalone=None,
    answer=kept_answer(PERSONAL),
)


@pytest.mark.parametrize(
    "told",
    [
        lambda policy: chat_body(PERSONAL, policy=policy),
        lambda policy: query_body(PERSONAL, policy=policy),
        lambda policy: german_body(PERSONAL, policy=policy),
        lambda policy: turn_to_wire(TURN, policy=policy),
    ],
    ids=["chat", "query", "german", "turn"],
)
def test_what_an_answer_hides_does_not_stand_beside_it(told) -> None:
    hidden, shown = json.dumps(told("redact"), ensure_ascii=False), json.dumps(told("warn"), ensure_ascii=False)

    assert EMAIL in shown
    assert EMAIL not in hidden
    assert IBAN not in hidden
    assert "‹correo oculto›" in hidden


def test_a_title_is_hidden_in_the_marks_of_a_sentence_that_comes_alone() -> None:
    sources = shown_sources(PERSONAL.sources, policy="redact", language="de")

    said = sentence_text(SentenceReady(text=FIRST, start=0, citations=PERSONAL.citations[:2]), sources, "german")

    assert "[Quelle: Correo de ‹E-Mail-Adresse verborgen›]" in said


def test_what_is_cut_from_a_snippet_is_hidden_before_it_is_cut() -> None:
    long = source(1, text="x " * 112 + IBAN)  # the cut goes through it

    (shown,) = shown_sources([long], policy="redact", language="es")

    assert "DE89" in snippet_of(long)
    assert "DE89" not in snippet_of(shown)
