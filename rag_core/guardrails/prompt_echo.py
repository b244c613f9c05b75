"""Detection of a model's instructions in its output. Pure.

Compared are the letters alone, without case, accents, look-alikes, digits, signs and blanks, so that neither another layout nor
"u s e  o n l y" hides them. Translated or encoded instructions are not recognised.
"""

import unicodedata
from collections.abc import Iterable

from rag_core.language.lookalikes import LOOKALIKES

LEAST_LETTERS = 40
"""Letters in a row that are no coincidence: about eight words."""
MOST_PHRASES = 5
"""Phrases of four words that an answer may share with the instructions by coincidence."""
_PHRASE = 4


class PromptEcho:
    """Listens to an answer sentence by sentence for the instructions, given in parts that stand for themselves.

    Beside long stretches it counts phrases over the whole answer, which words put in between do not hide.
    """

    def __init__(self, instructions: Iterable[str] = ()) -> None:
        instructions = tuple(instructions)
        self._phrases = frozenset(phrase for part in instructions for phrase in _phrases(_words(part)))
        self._heard = set[str]()
        self._words_before: list[str] = []
        self._stretches = frozenset(
            letters[at : at + LEAST_LETTERS]
            for letters in map(letters_of, instructions)
            for at in range(len(letters) - LEAST_LETTERS + 1)
        )
        self._before = ""

    def hears(self, sentence: str) -> bool:
        """Take the next sentence; tell whether a stretch of the instructions, or one phrase too many, ends in it."""
        if not self._stretches:
            return False
        letters = self._before + letters_of(sentence)
        self._before = letters[-LEAST_LETTERS + 1 :]
        words = self._words_before + _words(sentence)
        self._words_before = words[-_PHRASE + 1 :]
        self._heard |= self._phrases.intersection(_phrases(words))
        return len(self._heard) > MOST_PHRASES or any(
            letters[at : at + LEAST_LETTERS] in self._stretches for at in range(len(letters) - LEAST_LETTERS + 1)
        )


def _words(text: str) -> list[str]:
    return [letters for word in text.split() if (letters := letters_of(word))]


def _phrases(words: list[str]) -> list[str]:
    return [" ".join(words[at : at + _PHRASE]) for at in range(len(words) - _PHRASE + 1)]


def letters_of(text: str) -> str:
    """The letters of a text in their plainest form."""
    folded = unicodedata.normalize("NFKD", text.casefold())
    return "".join(LOOKALIKES.get(character, character) for character in folded if character.isalpha())
