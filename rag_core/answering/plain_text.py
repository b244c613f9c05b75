"""Plain text of a chat model's output, bit by bit: without invisible characters, HTML, images and the syntax of links. Pure.

Whatever renders an answer as Markdown or HTML finds nothing in it to load or to follow. The addresses that links named stay as text;
``rag_core.guardrails.links`` finds them, and ``finishing`` takes out those that no cited note holds. In what comes out

- no character is invisible, and there are no character references: those that came ("&#60;", "&amp;lt;") are decoded;
- no "<" stands before a letter, "/", "!" or "?";
- no "[" follows "!", no "(" follows "]", and no line begins with a label and its colon ("[1]: …").

Citations ("[1]", "Llovió![1]") stay. What may yet become one of these is held back, at most ``LONGEST`` characters.
"""

import re
from collections.abc import Iterable, Iterator

from rag_core.answering.characters import Visible, decoded_with_rest, without_references
from rag_core.answering.verification.citations import CLOSING, OPENING, find_marks
from rag_core.guardrails.links import find_links, links_in
from rag_core.guardrails.prompt_echo import PromptEcho
from rag_core.language.elements import ELEMENTS

LONGEST = 1_000
"""Characters of an image, a link or a tag; what is longer is text, which is made harmless sign by sign."""
_LONGEST_REFERENCE = 34
_ENTITY_BEGUN = re.compile(r"&(?:#?\w{0,32})?\Z")
_TRIGGER = re.compile(r"[<!\[\]]")
_TAG = re.compile(r"<(?P<inner>[A-Za-z/!?][^<>]*+)>")
_TAG_BEGUN = re.compile(r"<(?:[A-Za-z/!?][^<>]*+)?\Z")
_ELEMENT = re.compile(r"/?(?P<name>[A-Za-z][\w-]*+)(?=[\s/]|\Z)|[!?]")
_LABEL = r"\[(?P<label>[^\[\]]*+)\]"
_TARGET = r"\((?P<target>(?>(?:[^()]++|\([^()]*+\))*))\)"
_LABEL_BEGUN, _TARGET_BEGUN = r"\[[^\[\]]*+", r"\((?>(?:[^()]++|\([^()]*+\))*)(?:\([^()]*+)?"
_IMAGE = re.compile(rf"!{_LABEL}(?:{_TARGET}|\[[^\[\]]*+\])")
_IMAGE_BEGUN = re.compile(rf"!(?:{_LABEL_BEGUN}(?:\](?:{_TARGET_BEGUN}|{_LABEL_BEGUN})?)?)?\Z")
_LINK = re.compile(_LABEL + _TARGET)
_LINK_BEGUN = re.compile(rf"{_LABEL_BEGUN}(?:\](?:{_TARGET_BEGUN})?)?\Z")
# One word with something of an address, and perhaps a title: "(véase abajo)" is a remark.
_ADDRESS = re.compile(r"\s*<?(?P<address>[^\s<>]*[:/#.?=\\][^\s<>]*)>?(?:\s+[\"'(].*)?\s*", re.DOTALL)
_AUTOLINK = re.compile(r"[A-Za-z][\w+.-]*:\S*|[^\s@]+@\S+")
_DEFINITION = re.compile(
    r"(?:\A|\n)[ \t>*+\-\d.)]*+(?>(?:\[[^\[\]\n\\]*+\][ \t]*+)*)\[(?>(?:\\.|[^\[\]\\])*)\Z", re.DOTALL
)
"""Also behind marks, which are dropped where no source has their number; a label may hold line ends and escaped brackets."""
_BRACKETS = str.maketrans(OPENING + CLOSING, "[" * len(OPENING) + "]" * len(CLOSING))
"""A mark in any of them is shown in square ones, so what stands beside it is read as beside these."""
_BEHIND_LABEL = re.compile(r"(?<=\])(?=:)")
_APART = frozenset({"![", "]("})
_KEPT_BEHIND = frozenset("=- \t\n0123456789")
"""Characters behind a "<" that opens no tag."""


def plain_bits(bits: Iterable[str]) -> Iterator[str]:
    """The bits of a model as plain text; joined they are ``plain_text`` of the bits joined. None is ''."""
    plain = _PlainText()
    for bit in bits:
        if shown := plain.feed(bit):
            yield shown
    if rest := plain.feed("", is_last=True):
        yield rest


def plain_text(text: str) -> str:
    """The plain form of a whole text. Plain text comes back as it is."""
    return "".join(plain_bits([text]))


def is_plain(text: str, *, given: Iterable[str], instructions: str) -> bool:
    """Test whether a model's text is plain, names no address but those of what it was given, and does not tell its instructions."""
    known = frozenset[str]().union(*map(links_in, given))
    return plain_text(text) == text and links_in(text) <= known and not PromptEcho([instructions]).hears(text)


class _PlainText:
    """The state of a text that comes bit by bit: the part held back, and the end of the part given."""

    def __init__(self) -> None:
        self._encoded = ""  # may begin a character reference
        self._visible = Visible()
        self._pending = ""  # visible; may begin markup
        self._shown = "\n"

    def feed(self, bit: str, *, is_last: bool = False) -> str:
        """The text that is certain with this bit."""
        self._pending += self._visible.feed(self._decoded(bit, is_last=is_last)).translate(_BRACKETS)
        pieces: list[str] = []
        at = 0
        while trigger := _TRIGGER.search(self._pending, at):
            self._show(self._pending[at : trigger.start()], pieces)
            at = trigger.start()
            read = self._read(at, is_last=is_last)
            if read is None:
                break
            at, shown = read
            self._show(shown, pieces)
        else:
            self._show(self._pending[at:], pieces)
            at = len(self._pending)
        self._pending = self._pending[at:]
        return "".join(pieces)

    def _decoded(self, bit: str, *, is_last: bool) -> str:
        text, rest = decoded_with_rest(self._encoded + bit)
        begun = None if is_last else _ENTITY_BEGUN.search(rest, max(0, len(rest) - _LONGEST_REFERENCE))
        end = len(rest) if begun is None else begun.start()
        self._encoded = rest[end:]
        return text + rest[:end]

    def _show(self, text: str, pieces: list[str]) -> None:
        for piece in filter(None, _BEHIND_LABEL.split(text)):
            self._show_piece(piece, pieces)

    def _show_piece(self, piece: str, pieces: list[str]) -> None:
        before = self._shown[-_LONGEST_REFERENCE:]
        piece = without_references(before + piece)[len(before) :]
        if self._shown[-1] + piece[0] in _APART or (piece[0] == ":" and self._has_closed_label()):
            pieces.append(" ")
        pieces.append(piece)
        self._shown = (self._shown + piece)[-LONGEST:]

    def _read(self, at: int, *, is_last: bool) -> tuple[int, str] | None:
        """The position after the sign at ``at``, and the text shown for it; None while more must come to decide."""
        sign = self._pending[at]
        begun = {"<": _TAG_BEGUN, "!": _IMAGE_BEGUN, "[": _LINK_BEGUN}.get(sign)
        if sign == "]":
            return at + 1, sign
        found = {"<": _tag, "!": _image, "[": _link}[sign](self._pending, at)
        if found is not None:
            return found
        is_open = not is_last and len(self._pending) - at < LONGEST
        if begun is not None and is_open and begun.match(self._pending, at):
            return None
        return at + 1, self._harmless(sign, at)

    def _harmless(self, sign: str, at: int) -> str:
        following = self._pending[at + 1 : at + 2]
        return "\u2039" if sign == "<" and following and following not in _KEPT_BEHIND else sign

    def _has_closed_label(self) -> bool:
        """Test whether a colon would now define a link."""
        return self._shown[-1] == "]" and _DEFINITION.search(self._shown[:-1]) is not None


def _tag(text: str, at: int) -> tuple[int, str] | None:
    """A tag of HTML, a comment or a declaration is nothing; an address in angle brackets is text, and so is "a<b) y c>d"."""
    tag = _TAG.match(text, at, at + LONGEST)
    if tag is None:
        return None
    if _AUTOLINK.fullmatch(tag["inner"]):
        return tag.end(), plain_text(tag["inner"])
    element = _ELEMENT.match(tag["inner"])
    return (tag.end(), "") if element and (element["name"] or "br").lower() in ELEMENTS else None


def _image(text: str, at: int) -> tuple[int, str] | None:
    """An image is nothing; the mark of a citation behind an exclamation is none."""
    image = _IMAGE.match(text, at, at + LONGEST)
    return None if image is None or _is_mark(image["label"]) else (image.end(), "")


def _link(text: str, at: int) -> tuple[int, str] | None:
    """A link is its label with the address in brackets, which is left out behind a citation and where it is relative."""
    link = _LINK.match(text, at, at + LONGEST)
    target = link and _ADDRESS.fullmatch(link["target"])
    if link is None or target is None:
        return None
    if _is_mark(link["label"]):
        return link.end(), f"[{link['label']}]"
    address = f" ({plain_text(target['address'])})" if find_links(target["address"]) else ""
    return link.end(), plain_text(link["label"]) + address


def _is_mark(label: str) -> bool:
    return any(mark.span == (0, len(label) + 2) for mark, _ in find_marks(f"[{label}]", {}))
