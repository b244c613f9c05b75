"""Detection of follow-up questions by rules. Pure."""

import re
from collections.abc import Sequence
from datetime import datetime

from rag_core.answering.understanding.noun_phrases import NounPhrase, Word, is_preposition, phrases_of, words_of
from rag_core.language.content_words import content_of
from rag_core.language.languages import language_of
from rag_core.model.note import Language
from rag_core.query.time_expressions import find_times

MOST_NEW_WORDS = 3
"""A fragment with more content words than this is a question of its own."""
MOST_POINTING_WORDS = 6
MOST_CHARACTERS = 300
"""Greatest length of a question that can continue another; a longer one is complete by itself."""


def is_follow_up(question: str, language: Language, *, now: datetime) -> bool:
    """Test whether a question needs the one before it: it is a part of one, says next to nothing by itself, or points back.

    A question that only begins with "and" and is whole otherwise needs nothing.
    """
    if len(question) > MOST_CHARACTERS:
        return False
    new = without_opening(question, language)
    if is_question(new, language):
        return points_back(new, language, now=now) or _says_nothing(new, language, now=now)
    words = len(content_of(_timeless(new, language, now), language))
    is_opened = len(new) < len(question)
    if words == 0 or points_back(new, language, now=now):
        return words <= MOST_POINTING_WORDS
    return words <= MOST_NEW_WORDS and (is_opened or _is_asked_part(question, language))


def without_opening(question: str, language: Language) -> str:
    """The new part: "and in April?" gives "in April?"."""
    opening = language_of(language).follow_ups.opening.match(question)
    return question[opening.end() :] if opening else question


def is_question(text: str, language: Language) -> bool:
    """Test whether it is a question of its own and no part of one: it begins with "who", "with whom", "did" and the like."""
    words = words_of(text)[:2]
    if len(words) > 1 and is_preposition(words[0], language):
        return words[1].key in language_of(language).follow_ups.asking_words
    known = language_of(language).follow_ups
    return bool(words) and (
        words[0].key in known.asking_words | known.verbs_first
        or known.past_verb.match(text.lstrip("¿¡ ")) is not None
        or (
            words[0].key in known.before_a_verb
            and len(words) > 1
            and known.past_verb.fullmatch(words[1].text) is not None
        )
    )


def points_back(question: str, language: Language, *, now: datetime) -> bool:
    """Test whether something in it stands for what was said before, and for nothing in itself."""
    if len(content_of(question, language)) > MOST_POINTING_WORDS:
        return False
    phrases = phrases_of(question, language, outside=_time_spans(question, language, now))
    return any(
        not _is_within_reach(match.start(), question, phrases, language) and not _is_doubled(match, phrases, language)
        for match in language_of(language).follow_ups.pointing.finditer(question)
    ) or any(
        not _is_within_reach(match.start(), question, phrases, language)
        and not any(phrase.end <= match.start() and not phrase.is_asked for phrase in phrases)
        for match in language_of(language).follow_ups.referring.finditer(question)
    )


def _is_within_reach(at: int, question: str, phrases: Sequence[NounPhrase], language: Language) -> bool:
    """Test whether a clause before the word at ``at`` names something: "when did the boiler break and who fixed it?"."""
    clauses = [opening.start() for opening in language_of(language).follow_ups.clause_opening.finditer(question, 0, at)]
    return any(phrase.end <= clauses[-1] for phrase in phrases) if clauses else False


def _is_doubled(match: re.Match[str], phrases: Sequence[NounPhrase], language: Language) -> bool:
    """Test whether the question says whom "le" stands for: "¿qué le dije a Marta?"."""
    words = language_of(language).follow_ups
    return words.dative.match(match[0]) is not None and any(phrase.preposition == words.going_to for phrase in phrases)


def _says_nothing(question: str, language: Language, *, now: datetime) -> bool:
    """Test whether it names nothing and no time: "why?", "how much did I pay?", "¿qué trajo?", "which doctor?"."""
    if _time_spans(question, language, now):
        return False
    words = [word for word in words_of(question) if word.key not in language_of(language).follow_ups.saying_nothing]
    content = [i for i, word in enumerate(words) if content_of(word.text, language)]
    if len(content) != 1:
        return not content
    at = content[0]
    if at == 0 or words[at].key in language_of(language).follow_ups.weather:
        return False
    return _is_alone(words[at], words[at - 1], language)


def _is_alone(word: Word, before: Word, language: Language) -> bool:
    """Test whether the only word that says something is a verb, or what is asked for."""
    if before.key in language_of(language).follow_ups.asking_words | language_of(language).follow_ups.asking_for_a_noun:
        return True
    return not word.is_capitalised and before.key in language_of(language).follow_ups.before_a_verb


def _is_asked_part(question: str, language: Language) -> bool:
    """Test whether it is a part of a question that begins with a preposition: "with Ana?"; without a question mark it is a search."""
    words = words_of(question)
    return bool(words) and is_preposition(words[0], language) and question.rstrip().endswith("?")


def _time_spans(question: str, language: Language, now: datetime) -> list[tuple[int, int]]:
    return [found.span for found in find_times(question, now=now, language=language)]


def _timeless(question: str, language: Language, now: datetime) -> str:
    """The question with its times blanked out."""
    for start, end in _time_spans(question, language, now):
        question = question[:start] + " " * (end - start) + question[end:]
    return question
