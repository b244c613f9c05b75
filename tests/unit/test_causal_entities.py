"""Entities of phrases: their subject, equal phrases, and those a question asks for."""

import pytest

from rag_core.graph.entities import MAX_KEY_BYTES, are_same, asked_keys, link, phrase, question_phrase
from rag_core.model.note import Language

EVEN = {"fug": 3.0, "gas": 3.0, "sotan": 3.0, "fall": 3.0, "sensor": 3.0, "lot": 3.0, "parcel": 3.0}


def test_a_phrase_keeps_content_stems_numbers_and_negation_each_once_in_order() -> None:
    assert phrase("No dormí bien por el café, no por el Café de las 7", "es").stems == ("¬", "dorm", "caf", "7")


@pytest.mark.parametrize("text", ["", "por la que de", "no", "¿…?"])
def test_a_phrase_without_content_words_has_no_stems(text: str) -> None:
    assert phrase(text, "es").stems == ()


@pytest.mark.parametrize(
    "text",
    ["/".join(f"pieza{number}" for number in range(25)), " ".join(f"{'語' * 39}{number}" for number in range(9))],
)
def test_a_phrase_too_long_to_be_a_name_has_no_stems(text: str) -> None:
    assert phrase(text, "es").stems == ()


def test_a_phrase_of_many_stems_is_a_name_up_to_the_longest_key() -> None:
    longest = phrase("/".join(f"pieza{number}" for number in range(24)), "es")

    assert len(longest.stems) == 24
    assert len(longest.key.encode()) <= MAX_KEY_BYTES == 1_000


def test_a_long_question_keeps_all_it_asks_about() -> None:
    question = " ".join(f"palabra{number}" for number in range(60))

    assert len(question_phrase(question, "es").stems) == 60


def test_decomposed_accents_give_the_same_phrase() -> None:
    assert phrase("migran\u0303a", "es") == phrase("migraña", "es")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("el despertador no sonó", "No sonó el despertador"),
        ("no haber dormido bien", "No dormí bien"),
        ("la fuga del gas", "la fuga del gas del sótano"),
    ],
)
def test_phrases_of_the_same_content_are_one_entity(one: str, other: str) -> None:
    assert are_same(phrase(one, "es"), phrase(other, "es"), EVEN)
    assert are_same(phrase(other, "es"), phrase(one, "es"), EVEN)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("dormí mal", "no dormí mal"),
        ("la avería de la parcela 14", "la avería de la parcela 15"),
        ("Q1 2026", "Q2 2026"),
        ("el lote de sensores", "el fallo del lote de sensores"),
        ("el gas", "la fuga del gas"),
        ("la fuga del gas", "la fuga del agua"),
    ],
)
def test_phrases_that_differ_in_number_negation_head_or_more_are_two(one: str, other: str) -> None:
    assert not are_same(phrase(one, "es"), phrase(other, "es"), EVEN)


def test_a_longer_phrase_whose_own_words_weigh_more_is_another_entity() -> None:
    small, large = phrase("fuga de gas", "es"), phrase("fuga de gas en Sollana", "es")

    assert not are_same(small, large, {"fug": 1.0, "gas": 1.0, "sollan": 8.0})


def test_phrases_of_two_languages_are_two_entities() -> None:
    assert not are_same(phrase("hotel central", "es"), phrase("hotel central", "en"), {})


def test_a_new_phrase_joins_a_known_entity_and_a_later_one_that_is_the_same() -> None:
    known = phrase("fuga del gas", "es")
    new = [phrase(text, "es") for text in ("fuga del gas del sótano", "el fallo", "los fallos")]

    found = link(new, [known], EVEN)

    assert found == {"es:fug gas sotan": known.key, "es:fall": "es:fall"}


@pytest.mark.parametrize(
    ("language", "question", "expected"),
    [
        ("es", "¿Cuál fue el motivo de la migraña?", ("migrañ",)),
        ("de", "Was war die Ursache des Ausfalls?", ("ausfall",)),
        ("en", "What caused the outage?", ("outag",)),
    ],
)
def test_a_question_is_reduced_to_what_it_asks_about(
    language: Language, question: str, expected: tuple[str, ...]
) -> None:
    assert question_phrase(question, language).stems == expected


def test_a_question_asks_for_the_largest_phrases_it_contains() -> None:
    known = [phrase(text, "es") for text in ("Nora", "Nora perdió el autobús", "el autobús de la excursión a Xàtiva")]
    weights = {"nor": 2.0, "perd": 2.0, "autobus": 3.0, "excursion": 4.0, "xativ": 5.0}

    assert asked_keys(phrase("¿Por qué Nora perdió el autobús?", "es"), known, weights) == ["es:autobus nor perd"]


def test_a_question_that_contains_no_phrase_asks_for_those_it_covers_mostly() -> None:
    known = [phrase(text, "es") for text in ("llegar tarde a la reunión con Lucas", "la reunión anual de accionistas")]
    weights = {"lleg": 2.0, "tard": 2.0, "reunion": 3.0, "luc": 2.0, "anual": 4.0, "accion": 5.0}

    assert asked_keys(phrase("¿Por qué llegué tarde a la reunión?", "es"), known, weights) == [
        "es:lleg luc reunion tard"
    ]


def test_a_phrase_with_another_number_is_not_asked_for() -> None:
    known = [phrase("avería de la parcela 15", "es")]

    assert asked_keys(phrase("¿Por qué la avería de la parcela 14?", "es"), known, {"averi": 3.0, "parcel": 3.0}) == []


def test_a_phrase_that_is_little_of_the_question_is_not_asked_for() -> None:
    known = [phrase("la casa", "es")]
    weights = {"cas": 1.0, "mur": 4.0, "gat": 4.0, "vecin": 4.0}

    assert asked_keys(phrase("¿Por qué murió el gato del vecino de la casa?", "es"), known, weights) == []
