import pytest

from rag_core.language.detection import detect_language
from rag_core.language.languages import language_of


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("¿Quién ganó la Super Bowl?", "es"),
        ("Ayer cené con mi hermana en casa de los tíos.", "es"),
        ("Who won the Super Bowl?", "en"),
        ("Yesterday I had dinner with my sister at their house.", "en"),
        ("Wer hat gestern das Spiel gewonnen?", "de"),
        ("Gestern habe ich mit meiner Schwester zu Abend gegessen.", "de"),
        ("EL PERRO DE LA VECINA", "es"),
        ("(¡que no!)", "es"),
    ],
)
def test_a_text_has_the_language_of_its_function_words(text: str, language: str) -> None:
    assert detect_language(text) == language


@pytest.mark.parametrize("text", ["", "   ", "12.05.2024", "Pamplona 10.30", "😀", "Kubernetes Helm"])
def test_without_a_function_word_there_is_no_language(text: str) -> None:
    assert detect_language(text) is None


def test_words_that_two_languages_share_decide_nothing() -> None:
    assert {"no", "me"} <= language_of("es").stop_words.function_words & language_of("en").stop_words.function_words

    assert detect_language("no me") is None


def test_a_part_of_a_word_is_no_evidence() -> None:
    # "der" in "poder", "und" in "mundo", "the" in "tether".
    assert {"der", "und"} <= language_of("de").stop_words.function_words
    assert "the" in language_of("en").stop_words.function_words

    assert detect_language("poder mundo tether") is None


def test_only_the_first_two_thousand_characters_count() -> None:
    spanish = "el perro come "  # 14 characters, of which the first 143 repetitions count

    assert detect_language(spanish * 143 + "the dog and the cat " * 1_000) == "es"


def test_a_note_with_foreign_names_keeps_its_language() -> None:
    text = "Vimos «The Lord of the Rings» en casa de Max, y luego cenamos con los del trabajo."

    assert detect_language(text) == "es"
