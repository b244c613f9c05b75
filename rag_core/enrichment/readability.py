"""Reading ease of a text: a formula for each language, on a scale from 0, very hard, to 100, very easy."""

import re
from functools import cache

from rag_core.enrichment.reading import ReadText
from rag_core.language.languages import language_of
from rag_core.model.note import Language

LEAST_WORDS = 30
"""A formula of averages says nothing of fewer words."""


def reading_ease(read: ReadText, *, sentences: int) -> float | None:
    """Ease = base - a · words/sentence - b · syllables/word, kept within 0 and 100; None below ``LEAST_WORDS`` words.

    Flesch's for English (206.835, 1.015, 84.6), Fernández Huerta's for Spanish (206.84, 1.02, 60), Amstad's for German
    (180, 1, 58.5). Syllables are counted as groups of vowels.

    Source: Flesch, Journal of Applied Psychology, 1948; Fernández Huerta, Consigna, 1959; Amstad, 1978.
    """
    words = len(read.words)
    if words < LEAST_WORDS or not sentences:
        return None
    ease = language_of(read.language).traits.reading_ease
    syllables = words + sum(max(count - 1, 0) for count in map(_counter(read.language), read.words))
    value = ease.base - ease.words_a_sentence * words / sentences - ease.syllables_a_word * syllables / words
    return round(min(max(value, 0.0), 100.0), 1)


@cache
def _counter(language: Language) -> "_Counter":
    return _Counter(language_of(language).traits.reading_ease.syllable)


class _Counter:
    """Counter of the syllables of a word, which remembers the words it met: texts repeat theirs."""

    def __init__(self, syllable: str) -> None:
        self._syllable = re.compile(syllable)
        self._known: dict[str, int] = {}

    def __call__(self, word: str) -> int:
        count = self._known.get(word)
        if count is None:
            count = len(self._syllable.findall(word))
            if len(self._known) < 50_000:
                self._known[word] = count
        return count
