"""Parts of notes beyond CommonMark: task lists, callouts, links to headings. Rules for the reader of ``rendering``."""

import re
from collections.abc import Iterator
from itertools import islice
from urllib.parse import quote, unquote

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

OPENING, CLOSING = "\ue000", "\ue001"
"""Private characters that stand for the edges of what is marked while Markdown is read."""
EDGES = re.compile(f"[{OPENING}{CLOSING}]")
_TASK = re.compile(rf"(?P<edges>{EDGES.pattern}*)\[(?P<state>[ xX])\](?:[ \xa0]|$)")
_CALLOUT = re.compile(rf"(?P<edges>{EDGES.pattern}*)\[!(?P<kind>[\w-]{{1,40}})(?:\|[^\]]{{0,40}})?\][+-]?[ \t]*")
_OWN_HEADING = re.compile(r"\[\[#(?P<heading>[^\[\]|\n]{1,500})(?:\|(?P<shown>[^\[\]\n]{1,500}))?\]\]")
_SEVERE = frozenset({"warning", "caution", "attention", "danger", "error", "bug", "failure", "fail", "missing"})


def extend(reader: MarkdownIt) -> None:
    """Have a reader know task lists, callouts, and links to headings of the same note."""
    reader.core.ruler.push("callouts", _callouts)
    reader.core.ruler.push("tasks", _tasks)
    reader.core.ruler.push("heading_ids", _heading_ids)
    reader.inline.ruler.before("link", "own_heading", _own_heading)


def heading_id(text: str) -> str:
    """Id of a heading with this text, which nothing else on the page has; '' where it has no words."""
    words = re.findall(r"[^\W_]+", text.casefold())
    return f"t-{'-'.join(words)}" if words else ""


def heading_address(heading: str | None) -> str:
    """Fragment of an address that leads to a heading, the innermost of ``A#B``; '' for none, and for blocks (``^id``)."""
    last = (heading or "").rpartition("#")[2].strip()
    name = "" if last.startswith("^") else heading_id(last)
    return f"#{quote(name)}" if name else ""


def _heading_ids(state: StateCore) -> None:
    """Ids of headings by their texts; of equal ones the first has it."""
    taken: set[str] = set()
    for at, token in enumerate(state.tokens):
        if token.type == "heading_open":
            text = "".join(child.content for child in state.tokens[at + 1].children or ())
            name = heading_id(EDGES.sub("", text))
            if name and name not in taken:
                taken.add(name)
                token.attrSet("id", name)


def _tasks(state: StateCore) -> None:
    """Boxes of list items that begin with ``[ ]`` or ``[x]``."""
    for item, paragraph, inline in _runs(state, 3):
        if (item.type, paragraph.type, inline.type) == ("list_item_open", "paragraph_open", "inline"):
            found = _cut(inline, _TASK)
            if found:
                box = Token("task_box", "input", 0, meta={"is_done": found["state"] != " "})
                inline.children = [_text(found["edges"]), box, *(inline.children or ())]
                item.attrSet("class", "task")


def _callouts(state: StateCore) -> None:
    """Quotations that begin with ``[!kind] title``: the title becomes a paragraph of its own."""
    tokens: list[Token] = []
    for at, token in enumerate(state.tokens):
        tokens.append(token)
        is_first = at > 1 and (state.tokens[at - 2].type, state.tokens[at - 1].type) == (
            "blockquote_open",
            "paragraph_open",
        )
        found = _cut(token, _CALLOUT) if is_first and token.type == "inline" else None
        if found:
            _open_callout(tokens, found, state.tokens[at - 2])
    state.tokens = tokens


def _open_callout(tokens: list[Token], found: "re.Match[str]", quotation: Token) -> None:
    """Part the last token, a paragraph's text, into the title and the text."""
    inline = tokens[-1]
    children = inline.children or []
    end = next(
        (place for place, child in enumerate(children) if child.type in {"softbreak", "hardbreak"}), len(children)
    )
    title = [child for child in children[:end] if child.content or child.type != "text"]
    inline.children = [_text(found["edges"]), *(title or [_text(found["kind"].replace("-", " ").capitalize())])]
    tokens[-2].attrSet("class", "callout-title")
    quotation.attrSet("class", "callout")
    if found["kind"].lower() in _SEVERE:
        quotation.attrJoin("class", "severe")
    if rest := children[end + 1 :]:
        tokens += [
            Token("paragraph_close", "p", -1, block=True),
            Token("paragraph_open", "p", 1, block=True),
            Token("inline", "", 0, children=rest),
        ]


def _runs(state: StateCore, length: int) -> Iterator[tuple[Token, ...]]:
    return zip(*(islice(state.tokens, start, None) for start in range(length)), strict=False)


def _cut(inline: Token, beginning: "re.Pattern[str]") -> "re.Match[str] | None":
    """Cut the beginning off a text, where it has it."""
    first = next(iter(inline.children or ()), None)
    found = beginning.match(first.content) if first is not None and first.type == "text" else None
    if first is not None and found:
        first.content = first.content[found.end() :]
    return found


def _text(content: str) -> Token:
    return Token("text", "", 0, content=content)


def _own_heading(state: StateInline, silent: bool) -> bool:
    """``[[#heading]]`` as a link."""
    found = _OWN_HEADING.match(state.src, state.pos, state.posMax)
    if not found:
        return False
    if not silent:
        state.push("link_open", "a", 1).attrs = {"href": f"#{quote(EDGES.sub('', found['heading']))}"}
        state.push("text", "", 0).content = found["shown"] or found["heading"]
        state.push("link_close", "a", -1)
    state.pos = found.end()
    return True


def link_address(written: str) -> str:
    """The address of a link as the page has it: one of a heading of the same note (``#El%20pan``) is that of its id."""
    return heading_address(unquote(written[1:])) or "#" if written.startswith("#") else written
