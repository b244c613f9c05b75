"""Pages of the original beside a note's text: the one that a passage is on, with a box around it, and those before and after."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from urllib.parse import urlencode

from rag_core.api.access import RequestContext
from rag_core.api.pages.texts import grouped, tr
from rag_core.model.document import PagePlace, PageUnit, place_of
from rag_core.model.note import Note, NoteId, Span
from rag_core.parsing.page_pictures import has_page_pictures
from rag_core.retrieval.hit_pages import page_of_hit
from rag_core.storage.cited_pages import fetch_file_of_note, fetch_placed_blocks

SHOWN_WIDTH = 900
"""Pixels of the picture beside the text, which screens with fine dots show at half that width."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OriginalPage:
    """A page of the original: addresses of its picture, small and as large as it gets, and of the note with another page."""

    title: str
    description: str
    picture: str
    large: str
    previous: str | None
    following: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PassagePlace:
    """The page that a passage is on, where it is known, and the page to show, where the original has any to show.

    ``file`` is the name of the file to save, where the note was made of one.
    """

    page: int | None
    unit: PageUnit | None
    original: OriginalPage | None
    file: str | None


def passage_place(
    context: RequestContext,
    note: Note,
    span: Span | None,
    *,
    query: str,
    wanted: str,
    parameters: Sequence[tuple[str, str]],
) -> PassagePlace:
    """The place of a passage of a note; shown is the page that is wanted, else the passage's, else the first.

    Of several pages the passage's is the one that says most of the ``query``. ``parameters`` are those of the note's address, for
    the links to other pages.
    """
    with context.transaction() as connection:
        file = fetch_file_of_note(connection, context.tenant, note.id)
        blocks = fetch_placed_blocks(connection, context.tenant, note.id, span) if file and span else []
    place = PagePlace()
    if span:
        page = page_of_hit(blocks, note.content[slice(*span)], span, query=query, language=note.language)
        place = place_of(blocks, span, page=page)
    count = file.pages or 0 if file and file.is_current and has_page_pictures(file.format) else 0
    number = _number(wanted, count) or min(place.page or 1, count)
    return PassagePlace(
        page=place.page,
        unit=file.page_unit if file else None,
        original=_original(note.id, place, number, count, parameters) if number else None,
        file=PurePosixPath(file.path).name if file and file.is_current else None,
    )


def _number(written: str, count: int) -> int | None:
    return int(written) if written.isdecimal() and len(written) < 7 and 1 <= int(written) <= count else None


def _original(
    note: NoteId, place: PagePlace, number: int, count: int, parameters: Sequence[tuple[str, str]]
) -> OriginalPage:
    box = place.box if place.page == number else None
    marked = {} if box is None else {"box": ",".join(f"{edge:.2f}" for edge in box)}
    address = f"/api/v2/documents/{note}/pages/{number}"

    def turned_to(other: int) -> str | None:
        kept = [(name, value) for name, value in parameters if name != "pagina"]
        return f"/notas/{note}?{urlencode([*kept, ('pagina', other)])}#original" if 1 <= other <= count else None

    told = tr("Página {page} de {pages} del original", page=grouped(number), pages=grouped(count))
    return OriginalPage(
        title=told,
        description=told if box is None else tr("{page}, con el pasaje recuadrado", page=told),
        picture=f"{address}?{urlencode({'width': SHOWN_WIDTH, **marked})}",
        large=f"{address}?{urlencode(marked)}" if marked else address,
        previous=turned_to(number - 1),
        following=turned_to(number + 1),
    )
