"""Detection of Spanish questions that leave out their subject: "¿cuánto cobra por hora?". Pure.

Spanish needs no pronoun, so nothing in such a question points back. What tells is a verb that only people do, and nobody named.
"""

import re
from collections.abc import Sequence

from rag_core.answering.understanding.noun_phrases import NounPhrase, Word, phrases_of, words_of
from rag_core.language.content_words import content_of
from rag_core.language.languages import language_of
from rag_core.model.note import Language

_WORDS = language_of("es").follow_ups
_MOST_BEFORE_THE_VERB = 3
_ASKING_FOR_SOMEBODY = frozenset({"quién", "quiénes", "quien"})
_ASKING_FOR_SOMETHING = (["qué"], ["que"])
_IMPERSONAL = "se"
_ANOTHER_VERB = re.compile(rf"{_WORDS.past_verb}|{_WORDS.infinitive}")


def lacks_subject(question: str, language: Language, *, outside: Sequence[tuple[int, int]] = ()) -> bool:
    """Test whether nobody is named who does what the question asks about; ``outside`` are the stretches that say when.

    A question is taken for whole where anything in it might be its subject: "¿cuánto cobra el técnico?".
    """
    if language != "es":
        return False
    words = [word for word in words_of(question) if not _is_time(word, outside)]
    at = next(
        (i for i, word in enumerate(words[: _MOST_BEFORE_THE_VERB + 1]) if word.key in _WORDS.verbs_of_people), None
    )
    if at is None:
        return False
    before, behind = words[:at], words[at + 1 :]
    if any(word.key in _ASKING_FOR_SOMEBODY for word in before[:1]) or any(word.key == _IMPERSONAL for word in before):
        return False
    if asked := [word for word in before if content_of(word.text, language)]:
        return not behind and len(asked) == 1 and _is_asked_object(before, words[at])
    if not all(map(_is_before_a_verb, before)) or _asks_for_the_subject(before, behind):
        return False
    return not _is_named(question, words[at], behind, outside)


def _is_time(word: Word, outside: Sequence[tuple[int, int]]) -> bool:
    """Test whether it says when; a month with a capital letter that stands alone is Julio."""
    return any(
        start <= word.start < end and not (word.is_capitalised and (start, end) == (word.start, word.end))
        for start, end in outside
    )


def _is_before_a_verb(word: Word) -> bool:
    """Test whether it asks, or is one of the small words that belong to the verb."""
    return word.key in _WORDS.asking_words | _WORDS.before_a_verb or _is_preposition(word)


def _is_asked_object(before: Sequence[Word], verb: Word) -> bool:
    """Test whether the noun is what the verb does something to: "¿cuántos años cumple?", not "¿qué vecino vive aquí?"."""
    return verb.key in _WORDS.doing_something and before[0].key in _WORDS.asking_for_a_noun


def _asks_for_the_subject(before: Sequence[Word], behind: Sequence[Word]) -> bool:
    """Test whether it asks what does something to the noun behind the verb: "¿qué tiene cafeína?"."""
    return [word.key for word in before] in _ASKING_FOR_SOMETHING and bool(behind) and not _is_preposition(behind[0])


def _is_named(question: str, verb: Word, behind: Sequence[Word], outside: Sequence[tuple[int, int]]) -> bool:
    """Test whether something behind the verb may be its subject."""
    if behind and not _is_preposition(behind[0]):
        is_object = (
            verb.key in _WORDS.doing_something and not behind[0].is_capitalised and behind[0].key not in _WORDS.kin
        )
        if not is_object or not content_of(behind[0].text, "es"):
            return True
    return _has_another_subject(behind) or any(
        _may_be_subject(phrase, verb) for phrase in phrases_of(question, "es", outside=outside)
    )


def _may_be_subject(phrase: NounPhrase, verb: Word) -> bool:
    return phrase.start > verb.start and not phrase.preposition and phrase.kind != "bare"


def _has_another_subject(behind: Sequence[Word]) -> bool:
    """Test whether somebody is named, or something else is done, behind the first word: "¿qué opina de mi libro Carmen?"."""
    return any(_says_who_or_what(behind[at]) and not _is_governed(behind, at) for at in range(1, len(behind)))


def _says_who_or_what(word: Word) -> bool:
    return (
        word.is_capitalised
        or word.key in _WORDS.kin | _WORDS.somebody
        or _ANOTHER_VERB.fullmatch(word.text) is not None
    )


def _is_governed(words: Sequence[Word], at: int) -> bool:
    """Test whether the word belongs to a preposition, with nothing but articles and the like between: "en San Sebastián"."""
    before = next(
        (
            word
            for word in reversed(words[:at])
            if word.key not in language_of("es").stop_words.determiners | _WORDS.name_openings
        ),
        None,
    )
    return before is not None and _is_preposition(before)


def _is_preposition(word: Word) -> bool:
    return (
        word.key in language_of("es").stop_words.prepositions or word.key in language_of("es").stop_words.contractions
    )
