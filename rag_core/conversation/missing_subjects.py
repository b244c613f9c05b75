"""Whether a Spanish question leaves out who it is about: "¿cuánto cobra por hora?". Pure.

Spanish needs no pronoun, so nothing in such a question points back. What tells is a verb that only people do, and nobody named.
"""

from collections.abc import Sequence

from rag_core.answering.words import content_of
from rag_core.conversation.noun_phrases import Phrase, Word, phrases_of, words_of
from rag_core.language.follow_ups import (
    ASKING_FOR_A_NOUN,
    ASKING_WORDS,
    BEFORE_A_VERB,
    CONTRACTIONS,
    DOING_SOMETHING,
    KIN,
    PEOPLES_VERBS,
    PREPOSITIONS,
)
from rag_core.model import Language

_MOST_BEFORE_THE_VERB = 3
_ASKING_FOR_SOMEBODY = frozenset({"quién", "quiénes", "quien"})


def lacks_subject(question: str, language: Language, *, outside: Sequence[tuple[int, int]] = ()) -> bool:
    """Whether nobody is named who does what the question asks about; ``outside`` are the stretches that say when.

    A question is taken for whole where anything in it might be its subject: "¿cuánto cobra el técnico?".
    """
    if language != "es":
        return False
    words = [word for word in words_of(question) if not any(start <= word.start < end for start, end in outside)]
    at = next((i for i, word in enumerate(words[: _MOST_BEFORE_THE_VERB + 1]) if word.key in PEOPLES_VERBS), None)
    if at is None:
        return False
    before, behind = words[:at], words[at + 1 :]
    if any(word.key in _ASKING_FOR_SOMEBODY for word in before[:1]):
        return False
    if asked := [word for word in before if content_of(word.text, language)]:
        return not behind and len(asked) == 1 and _is_asked_object(before, words[at])
    return all(map(_is_before_a_verb, before)) and not _is_named(question, words[at], behind, outside)


def _is_before_a_verb(word: Word) -> bool:
    """Whether it asks, or is one of the small words that belong to the verb."""
    return word.key in ASKING_WORDS["es"] | BEFORE_A_VERB["es"] or _is_preposition(word)


def _is_asked_object(before: Sequence[Word], verb: Word) -> bool:
    """Whether the noun is what the verb does something to: "¿cuántos años cumple?", not "¿qué vecino vive aquí?"."""
    return verb.key in DOING_SOMETHING and before[0].key in ASKING_FOR_A_NOUN["es"]


def _is_named(question: str, verb: Word, behind: Sequence[Word], outside: Sequence[tuple[int, int]]) -> bool:
    """Whether something behind the verb may be its subject."""
    if behind and not _is_preposition(behind[0]):
        is_object = verb.key in DOING_SOMETHING and not behind[0].is_capitalised and behind[0].key not in KIN
        if not is_object or not content_of(behind[0].text, "es"):
            return True
    return any(_may_be_subject(phrase, verb) for phrase in phrases_of(question, "es", outside=outside))


def _may_be_subject(phrase: Phrase, verb: Word) -> bool:
    return phrase.start > verb.start and not phrase.preposition and phrase.kind != "bare"


def _is_preposition(word: Word) -> bool:
    return word.key in PREPOSITIONS["es"] or word.key in CONTRACTIONS["es"]
