"""The questions by meaning: enough of every pair of languages, each about notes that exist and in words that these lack."""

from collections import Counter
from typing import Any

import pytest
from benchmarks.meaning import NOTES, QUESTIONS, TEXTS

from rag_core.language.content_words import content_of

LEAST = {"es": 22, "en": 14, "de": 10}
LEAST_ACROSS = 20


def test_there_are_enough_questions_of_every_language_and_across() -> None:
    pairs = Counter((question["language"], question["note_language"]) for question in QUESTIONS)

    assert all(pairs[language, language] >= count for language, count in LEAST.items())
    assert sum(count for (asked, noted), count in pairs.items() if asked != noted) >= LEAST_ACROSS


def test_ids_and_questions_come_once() -> None:
    assert len({note["id"] for note in NOTES}) == len(NOTES)
    assert len({question["id"] for question in QUESTIONS}) == len({question["query"] for question in QUESTIONS})


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question["id"])
def test_a_question_shares_no_content_word_with_its_notes(question: dict[str, Any]) -> None:
    languages = {question["language"], question["note_language"]}

    for key in question["relevant_ids"]:
        note = TEXTS[key]
        text = f"{note['title']}\n{note['text']}"
        assert note["language"] == question["note_language"]
        assert not any(content_of(question["query"], each) & content_of(text, each) for each in languages)
