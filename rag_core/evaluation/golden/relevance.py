"""From notes as somebody names them to relevance as it is stored: they exist, cannot be deleted meanwhile, and hold the quotes."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from uuid import UUID

from rag_core.errors import AmbiguousNoteError, InvalidGoldenError, NotFoundError
from rag_core.evaluation.golden.query import GivenRelevance, GivenSpan
from rag_core.evaluation.golden.spans import find_span, is_covered, place_spans
from rag_core.model.golden import GoldenQuery, GoldenSpan, Relevance
from rag_core.model.note import NoteId, TenantId
from rag_core.storage.database import Connection
from rag_core.storage.golden import ChunkPlace, fetch_chunk_places, fetch_note_contents, fetch_note_sizes, hold_notes
from rag_core.storage.notes import find_notes

MAX_READ_OCTETS = 8_000_000
"""Greatest size of the notes' text read, and held, at a time, unless one query's notes are more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundNotes:
    """The notes and chunks that were named, looked up together; ``held`` cannot be deleted until the transaction ends."""

    names: Mapping[str, NoteId | AmbiguousNoteError]
    chunks: Mapping[UUID, ChunkPlace]
    held: frozenset[NoteId]


def look_up_notes(
    connection: Connection, tenant: TenantId, given: Iterable[GivenRelevance], chunk_ids: Iterable[UUID]
) -> FoundNotes:
    """Find and hold all that is named; what is not there is absent."""
    notes = [one.note for one in given]
    names = find_notes(connection, tenant, (note for note in notes if isinstance(note, str)))
    chunks = fetch_chunk_places(connection, tenant, chunk_ids)
    wanted = {note for note in notes if isinstance(note, UUID)}
    wanted |= {note for note in names.values() if isinstance(note, UUID)}
    wanted |= {chunk.note_id for chunk in chunks.values()}
    return FoundNotes(names=names, chunks=chunks, held=hold_notes(connection, tenant, wanted))


def resolve_relevance(
    connection: Connection,
    tenant: TenantId,
    given: Sequence[GivenRelevance],
    chunk_ids: Sequence[UUID],
    *,
    found: FoundNotes,
    old: GoldenQuery | None = None,
) -> tuple[Relevance, ...]:
    """Read the notes of one query and apply ``place_relevance`` to it.

    Raises:
        InvalidInputError, NotFoundError: as there.
    """
    contents = fetch_note_contents(connection, tenant, notes_to_read(given, chunk_ids, found=found))
    return place_relevance(given, chunk_ids, found=found, contents=contents, old=old)


def notes_to_read(
    given: Sequence[GivenRelevance], chunk_ids: Sequence[UUID], *, found: FoundNotes
) -> frozenset[NoteId]:
    """The notes whose texts say where the spans stand, of those that are there."""
    named = {found.names.get(one.note) if isinstance(one.note, str) else one.note for one in given if one.spans}
    return found.held & (named | {found.chunks[chunk].note_id for chunk in chunk_ids if chunk in found.chunks})


def contents_of_each(
    connection: Connection,
    tenant: TenantId,
    wanted: Sequence[AbstractSet[NoteId]],
    *,
    max_octets: int = MAX_READ_OCTETS,
) -> Iterator[Mapping[NoteId, str]]:
    """For each set of notes, in order, a mapping that has their texts.

    As many sets in a row are read together as have ``max_octets`` of text, and one at least.
    """
    sizes = fetch_note_sizes(connection, tenant, frozenset().union(*wanted))
    for group in _groups(wanted, sizes, max_octets):
        contents = fetch_note_contents(connection, tenant, frozenset().union(*group))
        yield from (contents for _ in group)


def _groups(
    wanted: Iterable[AbstractSet[NoteId]], sizes: Mapping[NoteId, int], max_octets: int
) -> Iterator[list[AbstractSet[NoteId]]]:
    group: list[AbstractSet[NoteId]] = []
    read: dict[NoteId, int] = {}
    for notes in wanted:
        read |= (more := {note: sizes.get(note, 0) for note in notes})
        if group and sum(read.values()) > max_octets:
            yield group
            group, read = [], more
        group.append(notes)
    if group:
        yield group


def place_relevance(
    given: Sequence[GivenRelevance],
    chunk_ids: Sequence[UUID],
    *,
    found: FoundNotes,
    contents: Mapping[NoteId, str],
    old: GoldenQuery | None = None,
) -> tuple[Relevance, ...]:
    """The relevant notes with grades and spans, ascending; the spans of a note named twice are joined.

    ``contents`` has the texts of ``notes_to_read``. A chunk is relevant by the spans of the query that it covers already, else
    by its own, which outlives it. ``old`` is the query as it is stored: what is not given stays as it is there.

    Raises:
        InvalidInputError: no note at all, a name that is nobody's or several notes', a chunk that is gone, a span that does not
            fit its note.
        NotFoundError: a note named by its id is not there.
    """
    kept = {one.note_id: one for one in old.relevance} if old else {}
    wanted = [replace(one, note=_note_of(one.note, found)) for one in given]
    wanted += [_chunk_spans(chunk_id, found, kept, contents) for chunk_id in chunk_ids]
    described = {one.note for one in wanted if not _is_plain(one)}
    wanted = [one for one in wanted if not (_is_plain(one) and one.note in described)]
    if not wanted:
        raise InvalidGoldenError(
            "relevant_note_ids is empty; a golden query needs at least one note that answers it", problem="no_notes"
        )
    merged: dict[NoteId, Relevance] = {}
    for one in wanted:
        assert isinstance(one.note, UUID)
        note = NoteId(one.note)
        merged[note] = _merged(one, note, merged.get(note), kept.get(note), contents.get(note, ""))
    return tuple(merged[note] for note in sorted(merged))


def _is_plain(given: GivenRelevance) -> bool:
    """True when it names a note and nothing else."""
    return given.grade is None and given.spans is None


def _note_of(note: NoteId | str, found: FoundNotes) -> NoteId:
    if isinstance(note, UUID):
        if note not in found.held:
            raise NotFoundError(f"no note {note}; relevant_note_ids are ids of stored notes")
        return note
    meant = found.names.get(note)
    if isinstance(meant, AmbiguousNoteError):
        raise meant
    if meant is None or meant not in found.held:
        raise InvalidGoldenError(
            f"no note is called {note!r}; import the notes first, then the queries on them",
            problem="unknown_note",
            note=note,
        )
    return meant


def _chunk_spans(
    chunk_id: UUID, found: FoundNotes, kept: Mapping[NoteId, Relevance], contents: Mapping[NoteId, str]
) -> GivenRelevance:
    """The known spans that the chunk covers where they stand now, else the chunk's own place."""
    chunk = found.chunks.get(chunk_id)
    if chunk is None or chunk.note_id not in found.held:
        raise InvalidGoldenError(
            f"no chunk {chunk_id}; chunks change with every indexing, so name the note and quote what answers",
            problem="unknown_chunk",
            chunk=chunk_id,
        )
    known = kept[chunk.note_id].spans if chunk.note_id in kept else ()
    content = contents.get(chunk.note_id, "")
    covered = [span for span in known if (now := find_span(content, span)) and is_covered(now, chunk.start, chunk.end)]
    spans = [GivenSpan(start=span.start, end=span.end, quote=span.quote) for span in covered]
    return GivenRelevance(
        note=chunk.note_id, spans=tuple(spans) or (GivenSpan(start=chunk.start, end=chunk.end, quote=chunk.content),)
    )


def _merged(
    given: GivenRelevance, note: NoteId, earlier: Relevance | None, old: Relevance | None, content: str
) -> Relevance:
    kept = frozenset(old.spans) if old else frozenset[GoldenSpan]()
    known = earlier or old
    grade = given.grade or (known.grade if known else 1)
    spans = tuple(kept) if given.spans is None else place_spans(given.spans, content, note=str(note), kept=kept)
    return Relevance(
        note_id=note,
        grade=max(grade, earlier.grade if earlier else 1),
        spans=tuple(sorted({*spans, *(earlier.spans if earlier else ())})),
    )
