"""Markdown of a note as HTML: what is marked stays marked, links between notes lead to them, nothing is loaded from elsewhere."""

import re
from collections.abc import Collection, Mapping, MutableMapping, Sequence
from functools import cache
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markupsafe import Markup, escape

from rag_core.api.pages.highlights import marked
from rag_core.api.pages.markdown_parts import CLOSING, EDGES, OPENING, extend, heading_address, link_address
from rag_core.api.pages.texts import tr
from rag_core.model.note import Span
from rag_core.storage.documents import ResolvedLink

_PREFIX = re.compile(r"[ \t]*(?:>[ \t]?)*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?|#{1,6}[ \t]+|\|[ \t]*)?")
_STRUCTURE = re.compile(r"[ \t>]*+(?:[|:=\- \t]*+|[`~]{3,}.*)$")
"""Lines that give form alone: rulers of tables and headings, fences."""
_TEXT = re.compile(r"\[([^\[\]\n]*)\]\(|\[\[[^\[\]\n|]*\|([^\[\]\n]*)\]\]")
_ADDRESS = re.compile(r"https?://|mailto:|/notas/|#", re.IGNORECASE)
_SIZE = re.compile(r"\d{1,5}(?:x\d{1,5})?")
"""Width and height that an embedded picture is given in place of a text."""
_HEADING_SHIFT = 1
"""The page has a heading of the first level."""


def rendered_note(
    text: str,
    spans: Sequence[Span],
    words: Collection[str],
    *,
    links: Sequence[ResolvedLink],
    anchor: str,
    title: str | None = None,
) -> Markup:
    """Render a note's Markdown, without a first heading that is its title.

    Spans are in ``<mark>``, the first with the anchor as its id, words of these beginnings in ``<b>``. HTML in the text is shown as
    text; links lead to notes, to http, https and mail addresses alone; images are their descriptions.
    """
    edits = [*_link_edits(text, links), *(edit for span in spans for edit in edges_of(text, span))]
    heading = text.partition("\n")[0]
    if title and heading.strip("# ") == title and not any(start < len(heading) for start, _ in spans):
        edits = [(0, len(heading), ""), *(edit for edit in edits if edit[0] > len(heading))]
    source = edited(EDGES.sub(" ", text), edits)
    state = {"is_marked": False, "anchor": anchor, "words": words}
    return Markup(_reader().render(source, state))  # noqa: S704  the reader escapes, as HTML is off


def _link_edits(text: str, links: Sequence[ResolvedLink]) -> list[tuple[int, int, str]]:
    edits = []
    for link in links:
        is_embedded = text[link.start - 1 : link.start] == "!" and text[link.start - 2 : link.start - 1] != "\\"
        address = f"/notas/{link.note_id}{heading_address(link.heading)}"
        title = re.sub(r"[\[\]\n]", " ", _shown_title(text, link))
        start = link.start - is_embedded
        edits.append((start, link.end, f"[{title}]({address})" if link.note_id else title))
    return edits


def _shown_title(text: str, link: ResolvedLink) -> str:
    found = _TEXT.search(text, link.start, link.end)
    written = (found and (found[1] or found[2])) or ""
    return link.target.rpartition("/")[2].removesuffix(".md") if not written or _SIZE.fullmatch(written) else written


def edges_of(text: str, span: Span) -> list[tuple[int, int, str]]:
    """Both edges of a span in each of its lines, behind what begins a block and before what ends a row."""
    edits = []
    start, stop = span
    while start < stop:
        end = text.find("\n", start, stop)
        end = stop if end < 0 else end
        is_whole = start == 0 or text[start - 1] == "\n"
        prefix = _PREFIX.match(text, start, end) if is_whole else None
        first = prefix.end() if prefix else start
        if is_whole and _STRUCTURE.match(text, start, end):
            first = end
        last = first + len(text[first:end].rstrip(" \t").removesuffix("|").rstrip(" \t"))
        if first < last:
            edits += [(first, first, OPENING), (last, last, CLOSING)]
        start = end + 1
    return edits


def line_prefix(text: str, start: int) -> int:
    """Number of characters that begin a block in the line that starts there."""
    prefix = _PREFIX.match(text, start)
    return prefix.end() - start if prefix else 0


def edited(text: str, edits: Sequence[tuple[int, int, str]]) -> str:
    """The text with stretches replaced; an edge within a replaced stretch stands before it."""
    parts: list[str] = []
    at = 0
    for start, end, written in sorted(edits):
        parts += [text[at:start], written]
        at = max(at, end)
    return "".join([*parts, text[at:]])


@cache
def _reader() -> MarkdownIt:
    reader = MarkdownIt("commonmark", {"html": False, "breaks": True}, renderer_cls=_Renderer).enable(
        ["table", "strikethrough"]
    )
    reader.disable(["code", "html_block", "html_inline", "entity"])
    reader.validateLink = _is_allowed  # type: ignore[method-assign]
    extend(reader)
    return reader


def _is_allowed(url: str) -> bool:
    return _ADDRESS.match(EDGES.sub("", url)) is not None


class _Renderer(RendererHTML):
    """Writes texts with their marks; the marks' state lasts over all blocks of a note."""

    def text(self, tokens: Sequence[Token], at: int, _options: Any, env: Mapping[str, Any]) -> str:
        return _with_marks(tokens[at].content, env)

    def code_inline(self, tokens: Sequence[Token], at: int, _options: Any, env: Mapping[str, Any]) -> str:
        return f"<code>{_with_marks(tokens[at].content, env)}</code>"

    def fence(self, tokens: Sequence[Token], at: int, _options: Any, env: Mapping[str, Any]) -> str:
        return f"<pre><code>{_with_marks(tokens[at].content, env)}</code></pre>\n"

    def image(self, tokens: Sequence[Token], at: int, _options: Any, env: Mapping[str, Any]) -> str:
        return _with_marks(tokens[at].content, env)

    def task_box(self, tokens: Sequence[Token], at: int, _options: Any, _env: Mapping[str, Any]) -> str:
        is_done = tokens[at].meta["is_done"]
        state, name = (' checked="checked"', tr("hecho")) if is_done else ("", tr("por hacer"))
        return f'<input type="checkbox" disabled="disabled"{state} aria-label="{escape(name)}" /> '

    def heading_open(self, tokens: Sequence[Token], at: int, options: Any, env: MutableMapping[str, Any]) -> str:
        tokens[at].tag = _lowered(tokens[at].tag)
        return self.renderToken(tokens, at, options, env).rstrip()

    def heading_close(self, tokens: Sequence[Token], at: int, _options: Any, _env: Mapping[str, Any]) -> str:
        return f"</{_lowered(tokens[at].tag)}>\n"

    def link_open(self, tokens: Sequence[Token], at: int, options: Any, env: MutableMapping[str, Any]) -> str:
        token = tokens[at]
        address = link_address(
            EDGES.sub("", str(token.attrs["href"]).replace("%EE%80%80", "").replace("%EE%80%81", ""))
        )
        token.attrs = {"href": address} if address.startswith(("/", "#")) else {"href": address, "rel": "noreferrer"}
        return self.renderToken(tokens, at, options, env)


def _lowered(tag: str) -> str:
    return f"h{min(int(tag[1]) + _HEADING_SHIFT, 6)}"


def _with_marks(text: str, env: Any) -> str:
    """A text escaped, with what lies between edges in marks; whether it begins within one is known from before."""
    pieces: list[Markup] = []
    place = 0
    for edge in [*EDGES.finditer(text), None]:
        end = edge.start() if edge else len(text)
        pieces.append(_piece(text[place:end], env))
        if edge:
            env["is_marked"] = edge[0] == OPENING
            place = edge.end()
    return str(Markup("").join(pieces))


def _piece(text: str, env: Any) -> Markup:
    spans = [(0, len(text))] if env["is_marked"] else []
    anchor = env["anchor"] if spans and text else None
    if anchor:
        env["anchor"] = None
    return marked(text, spans, env["words"], anchor=anchor)
