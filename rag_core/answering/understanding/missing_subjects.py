"""Detection of questions that leave out their subject: "¿cuánto cobra por hora?". Pure.

A language such as Spanish needs no pronoun, so nothing in such a question points back. What tells is a verb that only people do, and
nobody named; the folder of a language without ``verbs_of_people`` has no such questions.
"""

from collections.abc import Sequence

from rag_core.answering.understanding.noun_phrases import NounPhrase, Word, is_preposition, phrases_of, words_of
from rag_core.language.content_words import content_of
from rag_core.language.follow_ups import FollowUpWords
from rag_core.language.languages import language_of
from rag_core.model.note import Language

_MOST_BEFORE_THE_VERB = 3


def lacks_subject(question: str, language: Language, *, outside: Sequence[tuple[int, int]] = ()) -> bool:
    """Test whether nobody is named who does what the question asks about; ``outside`` are the stretches that say when.

    A question is taken for whole where anything in it might be its subject: "¿cuánto cobra el técnico?".
    """
    known = language_of(language).follow_ups
    words = [word for word in words_of(question) if not _is_time(word, outside)]
    first = words[: _MOST_BEFORE_THE_VERB + 1]
    at = next((i for i, word in enumerate(first) if word.key in known.verbs_of_people), None)
    if at is None:
        return False
    before, behind = words[:at], words[at + 1 :]
    if (before and before[0].key in known.asking_for_somebody) or any(word.key == known.impersonal for word in before):
        return False
    if asked := [word for word in before if content_of(word.text, language)]:
        return not behind and len(asked) == 1 and _is_asked_object(before, words[at], known)
    if not all(_is_before_a_verb(word, language) for word in before) or _asks_for_the_subject(before, behind, language):
        return False
    return not _is_named(question, words[at], behind, language, outside)


def _is_time(word: Word, outside: Sequence[tuple[int, int]]) -> bool:
    """Test whether it says when; a month with a capital letter that stands alone is Julio."""
    return any(
        start <= word.start < end and not (word.is_capitalised and (start, end) == (word.start, word.end))
        for start, end in outside
    )


def _is_before_a_verb(word: Word, language: Language) -> bool:
    """Test whether it asks, or is one of the small words that belong to the verb."""
    known = language_of(language).follow_ups
    return word.key in known.asking_words | known.before_a_verb or is_preposition(word, language)


def _is_asked_object(before: Sequence[Word], verb: Word, known: FollowUpWords) -> bool:
    """Test whether the noun is what the verb does something to: "¿cuántos años cumple?", not "¿qué vecino vive aquí?"."""
    return verb.key in known.doing_something and before[0].key in known.asking_for_a_noun


def _asks_for_the_subject(before: Sequence[Word], behind: Sequence[Word], language: Language) -> bool:
    """Test whether it asks what does something to the noun behind the verb: "¿qué tiene cafeína?"."""
    is_asked = len(before) == 1 and before[0].key in language_of(language).follow_ups.asking_for_something
    return is_asked and bool(behind) and not is_preposition(behind[0], language)


def _is_named(
    question: str, verb: Word, behind: Sequence[Word], language: Language, outside: Sequence[tuple[int, int]]
) -> bool:
    """Test whether something behind the verb may be its subject."""
    known = language_of(language).follow_ups
    if behind and not is_preposition(behind[0], language):
        is_object = (
            verb.key in known.doing_something and not behind[0].is_capitalised and behind[0].key not in known.kin
        )
        if not is_object or not content_of(behind[0].text, language):
            return True
    return _has_another_subject(behind, language) or any(
        _may_be_subject(phrase, verb) for phrase in phrases_of(question, language, outside=outside)
    )


def _may_be_subject(phrase: NounPhrase, verb: Word) -> bool:
    return phrase.start > verb.start and not phrase.preposition and phrase.kind != "bare"


def _has_another_subject(behind: Sequence[Word], language: Language) -> bool:
    """Test whether somebody is named, or something else is done, behind the first word: "¿qué opina de mi libro Carmen?"."""
    known = language_of(language).follow_ups
    return any(
        _says_who_or_what(behind[at], known) and not _is_governed(behind, at, language) for at in range(1, len(behind))
    )


def _says_who_or_what(word: Word, known: FollowUpWords) -> bool:
    is_verb = known.past_verb.fullmatch(word.text) or known.infinitive.fullmatch(word.text)
    return word.is_capitalised or word.key in known.kin | known.somebody or is_verb is not None


def _is_governed(words: Sequence[Word], at: int, language: Language) -> bool:
    """Test whether the word belongs to a preposition, with nothing but articles and the like between: "en San Sebastián"."""
    known = language_of(language)
    passed = known.stop_words.determiners | known.follow_ups.name_openings
    before = next((word for word in reversed(words[:at]) if word.key not in passed), None)
    return before is not None and is_preposition(before, language)
