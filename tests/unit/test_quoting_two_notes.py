"""Answers that need two notes, which share a name that the question does not say."""

import pytest
from quoting_texts import reading, source, texts

from rag_core.answering.quoting.second_note import told_names
from rag_core.answering.quoting.selection import quote
from rag_core.query.routing import is_described

TRAM = source("Cada uno contó su primer trabajo. Hortensia Valls condujo un tranvía.", number=1)
OTHER = source("Vino el fontanero. Condujo despacio.", number=2)
HARP = source("Anoche hubo concierto. Tocó el arpa Hortensia Valls.", number=3)
ASKED = "¿Qué instrumento toca la que condujo un tranvía?"


def test_behind_what_is_near_the_best_passage_on_the_bearer_of_its_name_is_quoted() -> None:
    found = quote(ASKED, reading(TRAM, OTHER, HARP), language="es")

    assert [passage[0].source.number for passage in found.passages] == [1, 2, 3]
    assert texts(found)[-1] == "Tocó el arpa Hortensia Valls."


def test_a_question_that_describes_nobody_is_answered_by_one_note() -> None:
    found = quote("¿Quién condujo un tranvía?", reading(TRAM, OTHER, HARP), language="es")

    assert 3 not in {passage[0].source.number for passage in found.passages}


def test_a_name_that_the_question_says_leads_nowhere() -> None:
    (passage,) = quote("¿Qué es lo que condujo?", reading(TRAM), language="es").passages

    assert told_names(passage, "¿Qué condujo ella?") == {"Hortensia Valls", "Valls"}
    assert told_names(passage, "¿Qué condujo Hortensia Valls?") == frozenset()


@pytest.mark.parametrize(
    ("question", "language"),
    [
        (ASKED, "es"),
        ("¿Qué toca la mujer que condujo un tranvía?", "es"),
        ("What does the one who drove the tram play?", "en"),
        ("Welches Instrument spielt die, die eine Straßenbahn fuhr?", "de"),
    ],
)
def test_a_relative_clause_describes(question: str, language: str) -> None:
    assert is_described(question, language=language)


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("¿Cuánto costó la caldera?", "es"),
        ("¿Qué es lo que más me gustó?", "es"),
        ("How much was the boiler?", "en"),
        ("Was kostete die Heizung?", "de"),
    ],
)
def test_other_questions_describe_nothing(question: str, language: str) -> None:
    assert not is_described(question, language=language)
