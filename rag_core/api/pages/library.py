"""``/notas``: every note and document, newest first, with the numbers of those that a further condition leaves."""

from calendar import monthrange
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Depends, Response

from rag_core.api.access import Context, RequestContext
from rag_core.api.pages.cards import RecentNote, recent_note, tags_of
from rag_core.api.pages.note_actions import may_write
from rag_core.api.pages.search import read_shelf
from rag_core.api.pages.search_address import DOCUMENT_TYPES, PageSearch, in_words, page_search
from rag_core.api.pages.texts import grouped, tr
from rag_core.api.pages.timeline import Timeline, timeline
from rag_core.api.pages.web import render
from rag_core.api.searching import read_filters
from rag_core.errors import DeadlineExceededError, InvalidInputError
from rag_core.model.note import Note
from rag_core.model.retrieval import Filters
from rag_core.storage.library import LibraryCounts, fetch_library_counts, notes_by_date
from rag_core.telemetry.logs import log_degraded

PAGE = "/notas"
PAGE_NOTES = 50
MAX_CHOICES = 15

router = APIRouter(include_in_schema=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class LibraryChoice:
    """A further condition, the address with it, and the number of notes that it leaves."""

    label: str
    address: str
    count: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LibraryNote:
    """A note of the list."""

    card: RecentNote
    source: str
    tags: list[str]


@router.get(PAGE)
def show_library(context: Context, search: Annotated[PageSearch, Depends(page_search)], *, antes: str = "") -> Response:
    """The notes that the conditions of the address leave; ``antes`` is the last note of the page before."""
    asked = replace(search, page=PAGE, query=None)
    shelf = read_shelf(context)
    try:
        filters = read_filters(context, asked.filters)
    except InvalidInputError as error:
        return render("library.html", shelf=shelf, asked=asked, problem=in_words(str(error)), is_first=True)
    with context.transaction() as connection:
        notes = notes_by_date(connection, context.tenant, filters, limit=PAGE_NOTES + 1, before=_cursor_in(antes))
    counts = _counted(context, filters)
    shown = notes[:PAGE_NOTES]
    return render(
        "library.html",
        shelf=shelf,
        asked=asked,
        problem=None,
        is_first=not antes,
        count=counts.notes if counts else None,
        notes=[_listed(note, context) for note in shown],
        older=f"{asked.address()}&antes={_cursor_of(shown[-1])}" if len(notes) > PAGE_NOTES else None,
        groups=[(title, choices) for title, choices in _groups(asked, counts) if len(choices) > 1] if counts else [],
        timeline=_timeline(asked, counts) if counts else None,
        may_write=may_write(context),
    )


def _counted(context: RequestContext, filters: Filters) -> LibraryCounts | None:
    """The numbers of notes; None where counting them would take half of a request's time."""
    timeout_ms = context.timeout_ms // 2
    try:
        with context.database.transaction(context.tenant, timeout_ms=timeout_ms) as connection:
            return fetch_library_counts(connection, context.tenant, filters, zone=context.zone)
    except DeadlineExceededError as error:
        log_degraded("library counts", error, tenant=context.tenant)
        return None


def _listed(note: Note, context: RequestContext) -> LibraryNote:
    return LibraryNote(card=recent_note(note, zone=context.zone), source=note.source, tags=tags_of(note))


def _groups(asked: PageSearch, counts: LibraryCounts) -> Iterable[tuple[str, list[LibraryChoice]]]:
    kinds = [(DOCUMENT_TYPES[kind], asked.address(types=(kind,)), count) for kind, count in counts.kinds]
    sources = [(source, asked.address(sources=(source,)), count) for source, count in counts.sources]
    tags = [(tag, asked.address(tags=(tag,)), count) for tag, count in counts.tags]
    years = [(str(year), asked.address(**_days(year)), count) for year, count in counts.years]
    yield tr("Clase"), _choices(kinds)
    yield tr("Año"), _choices(years)
    yield tr("Fuente"), _choices(sources)
    yield tr("Etiquetas"), _choices(tags)


def _choices(found: list[tuple[str, str, int]]) -> list[LibraryChoice]:
    return [
        LibraryChoice(label=label, address=address, count=grouped(count))
        for label, address, count in found[:MAX_CHOICES]
    ]


def _timeline(asked: PageSearch, counts: LibraryCounts) -> Timeline | None:
    """The newest year that has notes; None without one."""
    if not counts.months:
        return None
    (year, _), _ = counts.months[-1]
    months = {month: count for (of, month), count in counts.months if of == year}
    return timeline(year, months, address=lambda month: asked.address(**_days(year, month)))


def _days(year: int, month: int | None = None) -> dict[str, str]:
    """The first and the last day of a month, or of a year."""
    first, last = (1, 12) if month is None else (month, month)
    return {
        "since": f"{year:04}-{first:02}-01",
        "until": f"{year:04}-{last:02}-{monthrange(year, last)[1]:02}",
    }


def _cursor_of(note: Note) -> str:
    return f"{note.created_at.isoformat().replace('+00:00', 'Z')}~{note.id}"


def _cursor_in(text: str) -> tuple[datetime, UUID] | None:
    """Moment and id of a note; None where the text is no cursor."""
    moment, _, note_id = text.partition("~")
    try:
        found = datetime.fromisoformat(moment), UUID(note_id)
    except ValueError:
        return None
    return found if found[0].tzinfo else None
