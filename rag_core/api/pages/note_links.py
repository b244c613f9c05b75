"""Notes that a note links to, and those that link to it."""

from collections.abc import Iterable
from dataclasses import dataclass
from uuid import UUID

from rag_core.api.access import RequestContext
from rag_core.api.pages.cards import title_of
from rag_core.model.note import NoteId
from rag_core.storage.documents import LinkedNote, ResolvedLink, fetch_backlinks, fetch_links, has_blocks


@dataclass(frozen=True, slots=True, kw_only=True)
class PageLink:
    """A link as the page shows it; without ``address`` it means no note."""

    title: str
    address: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteLinks:
    """Links of a note in the order of its text, each note once, and the notes that link to it."""

    to: list[PageLink]
    back: list[PageLink]
    resolved: list[ResolvedLink]
    is_markdown: bool
    """True for a note that was read from a file, whose text is Markdown."""


def linked_notes(context: RequestContext, note: NoteId) -> NoteLinks:
    """The notes at both ends of a note's links."""
    with context.transaction() as connection:
        links = fetch_links(connection, context.tenant, note)
        back = fetch_backlinks(connection, context.tenant, note)
        is_markdown = has_blocks(connection, context.tenant, note)
    return NoteLinks(
        to=_distinct(links, note),
        back=[_page_link(one.note_id, one) for one in back],
        resolved=links,
        is_markdown=is_markdown,
    )


def _distinct(links: Iterable[ResolvedLink], note: NoteId) -> list[PageLink]:
    found: dict[object, PageLink] = {}
    for link in links:
        if link.note_id is None:
            found.setdefault(link.target, PageLink(title=link.target, address=None))
        elif link.note_id != note:
            found.setdefault(link.note_id, _page_link(link.note_id, link))
    return list(found.values())


def _page_link(note_id: UUID, note: LinkedNote | ResolvedLink) -> PageLink:
    return PageLink(title=title_of(note.title or note.external_id), address=f"/notas/{note_id}")
