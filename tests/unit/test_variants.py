import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_core.language.variants import compound_relatives, lexeme_variants, without_question_words

LANGUAGES = st.sampled_from(["es", "de", "en"])


@pytest.mark.parametrize(
    ("lexeme", "language", "expected"),
    [
        ("sient", "es", {"sent", "sint"}),
        ("duerm", "es", {"dorm", "durm"}),
        ("went", "en", {"go", "gone"}),
        ("-19", "es", {"19"}),
        ("lapic", "es", {"lapiz"}),
        ("found", "en", set()),
    ],
)
def test_a_lexeme_has_the_other_forms_of_its_word(lexeme, language, expected) -> None:
    assert expected <= set(lexeme_variants(lexeme, language))
    assert expected or not lexeme_variants(lexeme, language)


@given(st.text(min_size=1, max_size=30), LANGUAGES)
def test_a_form_is_worth_less_than_the_lexeme_itself_and_is_another(lexeme, language) -> None:
    variants = lexeme_variants(lexeme, language)

    assert lexeme not in variants
    assert all(0 < weight < 1 for weight in variants.values())


def test_a_longer_word_must_add_a_word_not_an_ending() -> None:
    assert set(compound_relatives("urlaub", ["urlauber", "urlaubsregel", "urlaubs"])) == {"urlaubsregel"}


def test_beginnings_of_a_compound_leave_a_word_behind_them() -> None:
    assert set(compound_relatives("urlaubsreg", [])) == {"urlau", "urlaub"}


@pytest.mark.parametrize(
    ("query", "left"),
    [
        ("¿Cuándo llega?", "¿  llega?"),
        ("¿Cuál?", "¿Cuál?"),
        ("Wer ist da", "  ist da"),
        ("cuando llega", "cuando llega"),
    ],
)
def test_question_words_are_left_out_where_other_words_are_left(query, left) -> None:
    assert without_question_words(query) == left
