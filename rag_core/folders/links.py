"""Links between the notes of a vault, tags within their text, and the names that links mean them by."""

import posixpath
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePosixPath
from urllib.parse import unquote

from rag_core.model.document import DocumentBlock, NoteLink, NoteName, name_key
from rag_core.model.note import Span
from rag_core.notes.validation import is_storable

_WIKI = re.compile(r"\[\[(?P<target>[^\[\]|#\n]{1,500})(?:#(?P<heading>[^\[\]|\n]{0,500}))?(?:\|[^\[\]\n]{0,500})?\]\]")
_RELATIVE = re.compile(
    r"\[[^\[\]\n]{0,500}\]\((?:<(?P<angled>[^<>\n]{1,500})>|(?P<bare>[^()\s]{1,500}))(?: \"[^\"\n]{0,500}\")?\)"
)
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:|//|/|#", re.IGNORECASE)
_TAG = re.compile(r"(?<![\w#&/\])])(?<!\[\[)(?<!\]\()#(?=[\d/_-]*[^\W\d_])(?P<tag>[\w/-]{1,100})")
_INLINE_CODE = re.compile(r"`[^`\n]+`")
MAX_LINKS = 10_000
MAX_NAMES = 200


def code_spans(text: str, blocks: Iterable[DocumentBlock]) -> list[Span]:
    """Spans of the text that are code, in order: blocks, and passages between backquotes."""
    spans = [(block.start, block.end) for block in blocks if block.kind == "code"]
    return sorted([*spans, *(match.span() for match in _INLINE_CODE.finditer(text))])


def find_links(text: str, path: str, code: Sequence[Span]) -> tuple[NoteLink, ...]:
    """Wiki links and relative links of a note outside of code, in the order of the text, at most ``MAX_LINKS``.

    The target of a relative link is a path from the folder of the import on; one that leads out of it is none.
    """
    found = sorted([*_wiki_links(text), *_relative_links(text, path)], key=lambda link: link.start)
    return tuple(link for link in _outside(found, code))[:MAX_LINKS]


def _wiki_links(text: str) -> Iterator[NoteLink]:
    for match in _WIKI.finditer(text):
        if target := match["target"].strip():
            yield _link("wiki", match.span(), target, match["heading"])


def _relative_links(text: str, path: str) -> Iterator[NoteLink]:
    for match in _RELATIVE.finditer(text):
        address = match["angled"] or match["bare"]
        if _SCHEME.match(address):
            continue
        file, _, heading = address.partition("#")
        target = posixpath.normpath(posixpath.join(posixpath.dirname(path), unquote(file)))
        heading = unquote(heading)
        if not target.startswith("..") and is_storable(target) and is_storable(heading):
            yield _link("relative", match.span(), target, heading)


def _link(kind: str, span: Span, target: str, heading: str | None) -> NoteLink:
    return NoteLink(
        kind="wiki" if kind == "wiki" else "relative",
        start=span[0],
        end=span[1],
        target=target,
        target_key=name_key(target.removeprefix("/")),
        heading=heading.strip() or None if heading else None,
    )


def _outside(links: Iterable[NoteLink], code: Sequence[Span]) -> Iterator[NoteLink]:
    """The links that do not begin within a span; both in order."""
    place = 0
    for link in links:
        while place < len(code) and code[place][1] <= link.start:
            place += 1
        if place == len(code) or link.start < code[place][0]:
            yield link


def find_tags(text: str, code: Sequence[Span]) -> tuple[str, ...]:
    """Tags such as ``#viaje/italia`` outside of code, each once; a number alone is none."""
    pieces, end = [], 0
    for start, stop in code:
        pieces.append(text[end : max(start, end)])
        end = max(end, stop)
    plain = "\n".join([*pieces, text[end:]])
    return tuple(dict.fromkeys(match["tag"].rstrip("/-") for match in _TAG.finditer(plain)))


def names_of(path: str, *, title: str | None, aliases: Iterable[str]) -> tuple[NoteName, ...]:
    """Names that a link may call a note by, each once with its best rank; at most ``MAX_NAMES``."""
    parts = PurePosixPath(path).parts
    ends = ["/".join(parts[place:]) for place in range(1, len(parts))]
    ranked = [
        (path, 0),
        *((end, 1) for end in ends),
        *((alias, 2) for alias in aliases),
        *([(title, 3)] if title else []),
    ]
    best: dict[str, int] = {}
    for name, rank in ranked:
        if key := name_key(name):
            best.setdefault(key, rank)
    return tuple(NoteName(key=key, rank=rank) for key, rank in best.items())[:MAX_NAMES]
