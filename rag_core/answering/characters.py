"""The characters of a text from outside: character references ("&lt;", "&#60;") decoded, invisible characters dropped. Pure."""

import html
import re
import unicodedata

from rag_core.chat.replies import legible

REFERENCE = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z]\w{0,31});")
INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0"
    "\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
_JOINER, _AS_EMOJI = "\u200d", "\ufe0f"
_SKIN_TONES = "\U0001f3fb\U0001f3fc\U0001f3fd\U0001f3fe\U0001f3ff"


def decoded(text: str) -> str:
    """The text with every reference as its character, and one that begins with a decoded "&" ("&amp;lt;") as well. Linear."""
    return "".join(decoded_with_rest(text))


def decoded_with_rest(text: str) -> tuple[str, str]:
    """Decode a text that may go on: the decoded part, and the rest from its last reference, or "&", on."""
    pieces: list[str] = []
    at, ampersand = 0, ""
    while True:
        nested = REFERENCE.match(ampersand + text[at : at + 40]) if ampersand else None
        match = nested or REFERENCE.search(text, at)
        if match is None:
            return "".join(pieces), ampersand + text[at:]
        if nested is None:
            pieces += [ampersand, text[at : match.start()]]
        at = at + len(match[0]) - 1 if nested else match.end()
        character = legible(html.unescape(match[0]))
        ampersand = character if character == "&" else ""
        pieces.append("" if ampersand else character)


def without_references(text: str) -> str:
    """The text with a blank before the end of every reference."""
    return REFERENCE.sub(lambda match: match[0] if html.unescape(match[0]) == match[0] else f"{match[0][:-1]} ;", text)


class Visible:
    """A text, bit by bit, without its invisible characters; of emoji the variation selector and the joiner between two stay."""

    def __init__(self) -> None:
        self._before = ""  # the last character that was kept
        self._joiner = ""  # stays if a symbol follows

    def feed(self, text: str) -> str:
        """The text that is certain with this bit. A joiner that nothing follows is dropped."""
        if not self._joiner and (text.isascii() or not INVISIBLE.search(text)):
            self._before = text[-1:] or self._before
            return text
        return "".join(map(self._kept, text))

    def _kept(self, character: str) -> str:
        if character == _JOINER and _is_emoji(self._before):
            self._joiner = _JOINER
            return ""
        if INVISIBLE.match(character) and not (character == _AS_EMOJI and _is_symbol(self._before + self._joiner)):
            return ""
        joiner = self._joiner if _is_symbol(character) else ""
        self._before, self._joiner = character, ""
        return joiner + character


def _is_emoji(character: str) -> bool:
    return character != "" and (character == _AS_EMOJI or character in _SKIN_TONES or _is_symbol(character))


def _is_symbol(character: str) -> bool:
    return len(character) == 1 and unicodedata.category(character) == "So"
