"""Names in a text: runs of words with a capital. Pure."""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from itertools import dropwhile

from rag_core.language.languages import language_of
from rag_core.model.note import Language

MAX_NAME_CHARACTERS = 80
_CAPITALISED = r"(?<!\w)[^\W\d_a-zß-öø-ÿ]\w*(?:[-'\u2019]\w+)*"
_LINK = r"(?:of|the|de|del|la|las|los|el|du|da|di|van|von|der|den)"
_RUN = re.compile(rf"{_CAPITALISED}(?:[ \t]+{_CAPITALISED})*")
_LINKED_RUN = re.compile(rf"{_CAPITALISED}(?:[ \t]+(?:{_LINK}[ \t]+(?:{_LINK}[ \t]+)?)?{_CAPITALISED})*")
_SENTENCE_START = re.compile(r"(?:^|[.!?:\n])[^\w\n]*\Z")
_POSSESSIVE = re.compile(r"['\u2019]s\Z")
_LOOK_BEHIND = 8
"""Characters before a word that tell whether a sentence begins with it."""


def names_in(text: str, *, language: Language) -> Counter[str]:
    """The names in a text, each with how often it stands there.

    A name is a run of words with a capital ("Isla de Pascua"), without function words at its start. A single word that begins a
    sentence counts if it also stands within one; of several the first may not belong to the name ("Ayer Marisol", "San Juan"), so
    they are read with it and without. Where every noun has a capital, nouns are names too. '' has none.
    """
    found, at_start = Counter[str](), Counter[str]()
    for name, is_doubtful in _runs(text, language):
        (at_start if is_doubtful else found)[name] += 1
    for name, count in at_start.items():
        if name in found:
            found[name] += count
    return found


def _runs(text: str, language: Language) -> Iterator[tuple[str, bool]]:
    words_of = language_of(language)
    pattern, function_words = (
        _RUN if words_of.traits.has_capitalised_nouns else _LINKED_RUN,
        words_of.stop_words.function_words,
    )
    for match in pattern.finditer(text):
        words = match[0].split() if match[0][0].isupper() else []
        begins = _SENTENCE_START.search(text[max(0, match.start() - _LOOK_BEHIND) : match.start()]) is not None
        readings = [_without_first(words, function_words)]
        if begins and readings[0] == words:
            readings.append(_without_first(words[1:], function_words))
        for reading in readings:
            name = _POSSESSIVE.sub("", " ".join(reading))
            if name and len(name) <= MAX_NAME_CHARACTERS:
                yield name, begins and len(words) == 1


def _without_first(words: Sequence[str], function_words: Collection[str]) -> list[str]:
    return list(dropwhile(lambda word: word.lower() in function_words, words))
