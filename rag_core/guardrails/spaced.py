"""Personal data written so that patterns miss it: spaced-out characters, odd separators, digits of other scripts. Pure.

"m a r i a @ e j e m p l o . e s" and "4111/1111/1111/1111" are read as they are without their separators.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rag_core.model.note import Span

_BULLETS = "\u00b7\u2022\u2219\u22c5\u2212"
_FULL_WIDTH = range(0xFF01, 0xFF5F)
_INVISIBLE = "\u00ad\u200b-\u200f\u2060-\u2064\ufeff"
_CHARACTER, _GAP = r"(?:[^\W_]|[@.+])", rf"[ \t*|/_{_INVISIBLE}-]{{1,3}}"
_SPELT = re.compile(rf"(?<![^\W_])(?:{_CHARACTER}{_GAP}){{7,60}}{_CHARACTER}(?![^\W_])")
_BETWEEN = rf"[ \t]{{0,2}}[-./_*|{_INVISIBLE}]{{0,2}}[ \t]{{0,2}}"
_GROUPED = re.compile(
    rf"(?<![\w.,/-])(?:\d{{4}}{_BETWEEN}){{3}}\d{{4}}(?:{_BETWEEN}\d{{3}})?(?!\w|[.,]\d)"
    rf"|(?<![A-Za-z0-9])[A-Z]{{2}}\d{{2}}(?:{_BETWEEN}[A-Z0-9]{{4}}){{2,7}}(?:{_BETWEEN}[A-Z0-9]{{1,3}})?(?![A-Za-z0-9])"
)
_AT = r"\s{0,2}(?:@|[(\[{]\s?(?:at|arroba|ät)\s?[)\]}])\s{0,2}"
_DOT = r"(?:\.|\s{1,2}\.\s{0,2}|\s{0,2}[(\[{]\s?(?:dot|punto|punkt)\s?[)\]}]\s{0,2})"
_MAILBOX = r"(?:(?:[\w.+-][ \t]{1,2}){2,30}[\w.+-]|[\w.+-]{1,64})"
_EMAIL = re.compile(
    rf"(?<![\w.+-]){_MAILBOX}{_AT}[\w-]{{1,63}}(?:{_DOT}[\w-]{{2,63}}){{1,5}}", re.ASCII | re.IGNORECASE
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Joined:
    """Characters of a text without what stood between them; ``origins`` tell where each stood."""

    text: str
    origins: Sequence[int]

    def original(self, span: Span) -> Span:
        """Map a span of the joined characters to the text, separators included."""
        return self.origins[span[0]], self.origins[span[1] - 1] + 1


def joined_runs(text: str) -> Iterator[Joined]:
    """Eight and more single characters with separators between them, and groups of digits with odd ones; each run joined."""
    for pattern in (_SPELT, _GROUPED):
        for match in pattern.finditer(text):
            kept = [at for at in range(*match.span()) if text[at].isalnum() or text[at] in "@.+"]
            if pattern is _GROUPED:
                kept = [at for at in kept if text[at] != "."]
            if len(kept) < len(match[0]):
                yield Joined(text="".join(text[at] for at in kept), origins=kept)


def spaced_emails(text: str) -> Iterator[Span]:
    """E-mail addresses with blanks around their signs, or words for these: "maria @ ejemplo . es", "maria (at) ejemplo (dot) es"."""
    return (match.span() for match in _EMAIL.finditer(text))


def in_plain_digits(text: str) -> str:
    """The text with digits of any script, full-width signs, dashes, bullets and blanks in their ASCII forms; offsets hold."""
    return text if text.isascii() else text.translate(_PLAIN)


class _Plain(dict[int, str]):
    def __missing__(self, code: int) -> str:
        plain = _plain_sign(chr(code))
        if plain != chr(code):
            self[code] = plain
        return plain


def _plain_sign(character: str) -> str:
    category = unicodedata.category(character)
    if category == "Nd":
        return str(unicodedata.decimal(character))
    if category == "Pd" or character in _BULLETS:
        return "-"
    if category == "Zs":
        return " "
    return unicodedata.normalize("NFKC", character) if ord(character) in _FULL_WIDTH else character


_PLAIN = _Plain()
