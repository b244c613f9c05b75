"""Text without accents and capitals, and the way back to the original's code points."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from rag_core.model.note import Span

_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Folded:
    """``text`` in lower case without accents; ``origins[i]`` is where its character i stood in the original."""

    text: str
    origins: tuple[int, ...]

    def span(self, start: int, end: int) -> Span:
        """The original's code points behind ``text[start:end]``, accents that follow the last one included."""
        return self.origins[start], self.origins[end]


def fold(text: str) -> Folded:
    """Fold a text character by character: "¿Quién?" gives "¿quien?", "ß" gives "ss"; '' gives ''."""
    pieces = [(piece, index) for index, character in enumerate(text) for piece in _folded(character)]
    return Folded(text="".join(piece for piece, _ in pieces), origins=(*(index for _, index in pieces), len(text)))


def fold_words(text: str, *, kept: frozenset[str] = frozenset()) -> str:
    """Lower case without accents, words in ``kept`` with theirs, single spaces: what phrases are looked for in."""
    lowered = " ".join(unicodedata.normalize("NFC", text).lower().split())
    return _WORD.sub(lambda match: match[0] if match[0] in kept else _plain(match[0]), lowered)


@lru_cache(maxsize=8192)
def _plain(word: str) -> str:
    return fold(word).text


def _folded(character: str) -> Iterator[str]:
    for piece in unicodedata.normalize("NFD", character.lower()):
        if piece == "ß":
            yield from "ss"
        elif not unicodedata.combining(piece):
            yield piece
