"""HTML into blocks: of web pages, of mails and of the chapters of books.

libxml2 reads it, not an HTML5 tree builder, whose time and memory grow with the square of unclosed elements.
"""

import re
from collections.abc import Sequence
from typing import Any

from rag_core.errors import DocumentRefusedError
from rag_core.parsing.building import DocumentBuilder, storable
from rag_core.parsing.decoding import decode
from rag_core.parsing.flow import Flow, FlowPiece, TableCell, TableDraft
from rag_core.parsing.inline import BOLD, CODE, ITALIC, QUOTED, STRUCK, InlineText, Style, link_style

_CHARSET = re.compile(rb"""(?:charset|encoding)\s*=\s*["']?([a-z\d_.:-]+)""", re.IGNORECASE)
_CHARSET_BYTES = 2_048
_OPTIONAL_ENDS = re.compile(r"</(?:body|html)\s*>", re.IGNORECASE)
_SKIPPED = re.compile(
    "script|style|nav|template|noscript|head|title|svg|iframe|object|canvas|audio|video|button|select|textarea"
)
_BLOCK = re.compile(
    "address|article|aside|blockquote|body|caption|center|dd|details|dialog|div|dl|dt|fieldset|figcaption|figure|footer|form"
    "|h[1-6]|header|hr|legend|li|main|menu|ol|p|pre|section|summary|table|tbody|td|tfoot|th|thead|tr|ul"
)
_STYLES: dict[str, Style] = (
    dict.fromkeys(("b", "strong"), BOLD)
    | dict.fromkeys(("i", "em", "cite", "dfn", "var"), ITALIC)
    | dict.fromkeys(("s", "del", "strike"), STRUCK)
    | dict.fromkeys(("code", "kbd", "samp", "tt"), CODE)
    | {"q": QUOTED}
)
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_LISTS = frozenset(("ul", "ol", "dl", "menu"))
_ITEMS = frozenset(("li", "dt", "dd"))
_HIDING = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_LANGUAGE = re.compile(r"\blang(?:uage)?-([\w+#-]+)")
_RAISED_NUMBER = re.compile(r"\s*[-+−]?\d")  # noqa: RUF001  the minus sign is meant
_FORMULA = "application/x-tex"
_MAX_COLUMNS = 1_000
_MAX_ROWS = 65_534


def decode_markup(data: bytes) -> str:
    """Text of an HTML or XHTML file, which may say its encoding itself.

    Raises:
        DocumentRefusedError: the file is no text.
    """
    declared = _CHARSET.search(data, 0, _CHARSET_BYTES)
    return decode(data, declared=declared.group(1).decode("ascii") if declared else None)


def parse_markup(text: str) -> Any:
    """Root element (lxml) of an HTML or XHTML document; None for one without elements and text.

    Raises:
        DocumentRefusedError: elements are nested too deeply.
    """
    from lxml import etree  # type: ignore[import-untyped]  # heavy

    parser = etree.HTMLParser(encoding="utf-8", no_network=True, huge_tree=True, remove_comments=True, remove_pis=True)
    root = etree.fromstring(_OPTIONAL_ENDS.sub("", storable(text)).encode(), parser)
    if any(error.type_name == "ERR_RESOURCE_LIMIT" for error in parser.error_log):
        raise DocumentRefusedError("the file nests its elements too deeply; simplify it")
    return root


def add_markup(builder: DocumentBuilder, root: Any, *, page: int | None = None) -> None:
    """Add the blocks of a document that ``parse_markup`` gave."""
    if root is not None:
        for piece in _Walk().pieces(root):
            piece.write(builder, page)


class _Walk:
    """One pass over the elements, without recursion; a cell's blocks are collected apart until its table ends."""

    def __init__(self) -> None:
        self._flows = [Flow(None)]
        self._inline = InlineText()
        self._heading = 0
        self._code: list[str] | None = None
        self._language = ""
        self._is_raised = False

    def pieces(self, root: Any) -> Sequence[FlowPiece]:
        """The blocks of a document."""
        from lxml import etree

        walk = etree.iterwalk(root, events=("start", "end"))
        skipped = None
        for event, element in walk:
            if event == "start" and (_is_hidden(element) or self._takes_formula(element)):
                walk.skip_subtree()
                skipped = element
            elif event == "start":
                self._start(element)
                self._add_text(element.text)
            else:
                if element is not skipped:
                    self._end(element)
                self._add_text(element.tail)
        self._flush()
        return self._flows[0].take()

    @property
    def _flow(self) -> Flow:
        return self._flows[-1]

    def _start(self, element: Any) -> None:
        tag = element.tag
        if _BLOCK.fullmatch(tag):
            self._part()
            self._start_block(tag, element)
        elif tag == "br":
            self._add_line_break()
        elif tag == "img":
            self._inline.add_image(element.get("alt") or "")
        elif tag == "sup":
            self._is_raised = True
        elif tag == "a" or tag in _STYLES:
            style = _style(element)
            self._inline.open(None if self._heading and style == BOLD else style)
        if self._code is not None and (named := _LANGUAGE.search(element.get("class") or "")):
            self._language = named.group(1)

    def _start_block(self, tag: str, element: Any) -> None:
        if tag in _HEADINGS:
            self._flush()
            self._heading = _HEADINGS[tag]
        elif tag == "pre" and self._code is None:
            self._code, self._language = [], ""
        elif tag in _LISTS:
            self._flow.begin_list(is_ordered=tag == "ol", number=_number(element, "start", 10**6))
        elif tag in _ITEMS:
            self._flow.begin_item(is_description=tag == "dd")
        elif tag == "table":
            self._flow.tables.append(TableDraft(is_layout=element.get("role") in {"presentation", "none"}))
        elif tag == "tr" and self._flow.tables:
            self._flow.tables[-1].add_row()
        elif tag in {"td", "th", "caption"} and self._flow.tables:
            self._flows.append(Flow(element))

    def _end(self, element: Any) -> None:
        tag = element.tag
        if _BLOCK.fullmatch(tag):
            self._end_block(tag, element)
        elif tag == "a" or tag in _STYLES:
            self._inline.close()
        elif tag == "sup":
            self._is_raised = False

    def _end_block(self, tag: str, element: Any) -> None:
        if tag in _HEADINGS:
            self._flush()
        elif tag == "pre":
            self._end_code()
        self._part()
        if tag in _LISTS:
            self._flow.end_list()
        elif tag in _ITEMS:
            self._flow.end_item()
        elif tag == "table":
            for piece in self._flow.tables.pop().pieces():
                self._flow.add(piece)
        elif self._flow.owner is element:
            self._end_cell(tag, element)

    def _end_cell(self, tag: str, element: Any) -> None:
        pieces = self._flows.pop().take()
        table = self._flow.tables[-1]
        if tag == "caption":
            table.caption = " ".join(piece.line for piece in pieces)
        else:
            table.add_cell(
                TableCell(
                    pieces=pieces,
                    columns=_number(element, "colspan", _MAX_COLUMNS),
                    rows=_number(element, "rowspan", _MAX_ROWS),
                    is_header=tag == "th" or next(element.iterancestors("thead", "table")).tag == "thead",
                )
            )

    def _end_code(self) -> None:
        lines, self._code = self._code, None
        if text := "".join(lines or ()):
            self._flow.add(FlowPiece(kind="code", text=text, language=self._language))

    def _part(self) -> None:
        """Part blocks; within a heading and within code they are no blocks."""
        if self._heading:
            self._inline.add(" ")
        elif self._code is None:
            self._flush()

    def _flush(self) -> None:
        """End the paragraph or the heading that the text so far belongs to."""
        level, self._heading = self._heading, 0
        image = None if level else self._inline.take_image()
        text = self._inline.take()
        if image:
            self._flow.add(FlowPiece(kind="image", text=image))
        elif text and level:
            self._flow.add(FlowPiece(kind="heading", text=text, level=level))
        elif text:
            self._flow.add_text(text)

    def _takes_formula(self, element: Any) -> bool:
        """Take the TeX that a formula carries instead of its marks one by one."""
        if element.tag != "math":
            return False
        notes = element.iter("annotation")
        formula = next((note.text for note in notes if note.get("encoding") == _FORMULA), element.get("alttext"))
        if formula:
            self._inline.add(f"${formula.strip()}$")
        return bool(formula)

    def _add_line_break(self) -> None:
        if self._code is not None:
            self._code.append("\n")
        else:
            self._inline.add_line_break()

    def _add_text(self, text: str | None) -> None:
        if not text:
            return
        if self._code is not None:
            self._code.append(text)
        else:
            mark = "^" if self._is_raised and _RAISED_NUMBER.match(text) else ""  # 10⁶ is not 106
            self._inline.add(mark + text)
        self._is_raised = False


def _is_hidden(element: Any) -> bool:
    return (
        _SKIPPED.fullmatch(element.tag) is not None
        or element.get("hidden") is not None
        or element.get("aria-hidden") == "true"
        or bool(_HIDING.search(element.get("style") or ""))
    )


def _style(element: Any) -> Style | None:
    return link_style(element.get("href") or "") if element.tag == "a" else _STYLES[element.tag]


def _number(element: Any, attribute: str, limit: int) -> int:
    """A number from 1 up to a limit that an attribute gives; 1 where it gives none."""
    text = (element.get(attribute) or "").strip()
    return min(max(int(text), 1), limit) if text.isascii() and text.isdigit() and len(text) < 10 else 1
