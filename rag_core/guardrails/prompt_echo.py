"""Whether a model tells what it was told: long stretches of its instructions in what it says. Pure.

Compared are the letters alone, without case, accents, look-alikes, digits, signs and blanks, so that neither another layout nor
"u s e  o n l y" hides them. Translated or encoded instructions are not recognised.
"""

import unicodedata
from collections.abc import Iterable

from rag_core.language.lookalikes import LOOKALIKES

LEAST_LETTERS = 40
"""So many letters in a row of the instructions are no coincidence: about eight words."""


class PromptEcho:
    """Listens to an answer sentence by sentence for the instructions, given in parts that stand for themselves."""

    def __init__(self, instructions: Iterable[str] = ()) -> None:
        self._stretches = frozenset(
            letters[at : at + LEAST_LETTERS]
            for letters in map(letters_of, instructions)
            for at in range(len(letters) - LEAST_LETTERS + 1)
        )
        self._before = ""

    def hears(self, sentence: str) -> bool:
        """Whether a stretch of the instructions ends in this sentence, which follows those before."""
        if not self._stretches:
            return False
        letters = self._before + letters_of(sentence)
        self._before = letters[-LEAST_LETTERS + 1 :]
        return any(
            letters[at : at + LEAST_LETTERS] in self._stretches for at in range(len(letters) - LEAST_LETTERS + 1)
        )


def letters_of(text: str) -> str:
    """The letters of a text in their plainest form."""
    folded = unicodedata.normalize("NFKD", text.casefold())
    return "".join(LOOKALIKES.get(character, character) for character in folded if character.isalpha())
