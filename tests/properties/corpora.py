"""Notes stored and indexed as the program does it, under tenants of their own.

Import with ``from properties.corpora import ...``. Indexing takes 40 ms however few notes there are, so properties that
only read share a library of notes which Hypothesis drew (the ``library`` of this folder's conftest).
"""

import dataclasses
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from random import getrandbits
from typing import Any, TypeVar
from uuid import uuid4
from zoneinfo import ZoneInfo

from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from properties.strategies import WORDS, decomposed, sentences, spanish_text

from rag_core.configuration.schema import Chunking
from rag_core.indexing.pipeline import Pipeline
from rag_core.indexing.publishing import publish_staged
from rag_core.indexing.staging import embed_staged, stage_notes
from rag_core.model.note import NewNote, NoteId, TenantId, note_id_for
from rag_core.notes.validation import parse_note
from rag_core.runtime.engine import Engine
from rag_core.storage.batches import register_batches, stale_batches
from rag_core.storage.notes import ensure_tenant, store_notes

Value = TypeVar("Value")

CORPORA = 12
NOTES = 12
SEED = 0 if settings.default.derandomize else getrandbits(32)
"""Seed of properties that hold of the same searches: with it they draw the same ones, others in every run."""
TITLES = st.none() | st.sampled_from(("Diario", "¿Y ahora qué?", decomposed("Reunión del miércoles"), "Lista 🛒", "  "))
CHUNKS = """
select c.note_id, c.chunk_id, c.chunk_index, c.start_char, c.end_char, c.content, c.token_count, c.context,
    c.chunking_method
from chunks c where c.tenant_id = %s order by c.note_id, c.chunk_index
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredChunk:
    """A row of chunks."""

    note_id: NoteId
    chunk_id: object
    index: int
    start: int
    end: int
    content: str
    tokens: int
    context: str | None
    method: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Corpus:
    """A tenant's notes as stored, how they were cut, and the live chunks of those that are indexed."""

    tenant: TenantId
    sizes: Chunking
    notes: dict[NoteId, NewNote]
    chunks: dict[NoteId, list[StoredChunk]]
    sentence_starts: dict[NoteId, list[int] | None]

    def _repr_pretty_(self, printer: Any, _cycle: bool) -> None:
        """Short where Hypothesis shows it: the query and the note that matter are enough."""
        printer.text(f"Corpus({self.tenant!r}, {len(self.notes)} notes)")

    @property
    def indexed(self) -> list[tuple[NewNote, list[StoredChunk]]]:
        """The notes that are indexed, with their chunks."""
        return [(self.notes[note], self.chunks[note]) for note, starts in self.sentence_starts.items() if starts]


def _storable(text: str) -> str:
    return unicodedata.normalize("NFC", text.replace("\0", "")).removeprefix("\ufeff")


def note_texts(*, max_blocks: int = 3) -> st.SearchStrategy[str]:
    """Texts that a note may have: something to read, nothing PostgreSQL cannot store."""
    texts = spanish_text(min_blocks=1, max_blocks=max_blocks)
    return texts.map(lambda text: text.replace("\0", "")).filter(lambda text: bool(_storable(text).strip()))


def note_lists(*, max_size: int = 3) -> st.SearchStrategy[list[NewNote]]:
    """A few notes with distinct ids, with and without titles."""
    return st.lists(st.tuples(TITLES, note_texts()), min_size=1, max_size=max_size).map(_numbered)


def _numbered(drafts: Sequence[tuple[str | None, str]]) -> list[NewNote]:
    return [parsed(text, f"n{number}", title=title) for number, (title, text) in enumerate(drafts, 1)]


@st.composite
def small_sizes(draw: st.DrawFn) -> Chunking:
    """Chunks so small that a short text makes several; no overlap, a little, or as much as may be."""
    most = draw(st.integers(8, 40))
    overlap = draw(st.sampled_from((0, most // 4, most // 2, most - 1)))
    return Chunking(max_chunk_size=most, overlap_size=overlap, min_chunk_size=draw(st.integers(0, most)))


@st.composite
def queries_about(draw: st.DrawFn, notes: Sequence[NewNote]) -> str:
    """Some words of one of the notes, words no note need have, or a sentence that may ask for a cause or a time."""
    words = draw(st.sampled_from(notes)).content.split()
    start = draw(st.integers(0, len(words) - 1))
    quoted = " ".join(words[start : start + draw(st.integers(1, 6))])
    other = draw(st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join) | sentences())
    asked = draw(
        st.sampled_from(("{0}", "{0} {1}", "¿{0}?", "{1}", "¿por qué {0}?", "¿qué causó {0}? ¿y también {1}?"))
    )
    query = asked.format(quoted, other).replace("\0", "")[:1000]
    return query if query.strip() else "nada"


def drawn(strategy: st.SearchStrategy[Value], count: int) -> list[Value]:
    """So many values of the strategy, the same ones every time."""
    taken: list[Value] = []

    @settings(max_examples=count, database=None, derandomize=True, phases=(Phase.generate,))
    @given(strategy)
    def take(value: Value) -> None:
        taken.append(value)

    take()
    return taken[:count]


def build_library(engine: Engine) -> list[Corpus]:
    """Tenants with a dozen notes each, cut into chunks of other sizes each; every fourth note is not indexed yet."""
    drafts = iter(drawn(st.tuples(TITLES, note_texts()), CORPORA * NOTES))
    return [_corpus(engine, _numbered(list(islice(drafts, NOTES))), sizes) for sizes in drawn(small_sizes(), CORPORA)]


def _corpus(engine: Engine, notes: Sequence[NewNote], sizes: Chunking) -> Corpus:
    tenant, late = new_tenant(), len(notes) // 4
    known = stored(engine, tenant, notes[late:])
    indexed(engine, tenant, sizes=sizes)
    known |= stored(engine, tenant, notes[:late])
    return Corpus(
        tenant=tenant,
        sizes=sizes,
        notes=known,
        chunks=chunks_by_note(engine, tenant),
        sentence_starts=dict(fetched(engine, tenant, "select note_id, sentence_starts from notes")),
    )


def parsed(text: str, external_id: str, *, title: str | None = None, created_at: str | None = None) -> NewNote:
    """A note as an import or the API would take it."""
    return parse_note(
        external_id=external_id,
        source="notas",
        title=title,
        text=text,
        created_at=created_at,
        language="es",
        metadata=None,
        zone=ZoneInfo("Europe/Madrid"),
        max_characters=1_000_000,
    )


def new_tenant() -> TenantId:
    """A name nobody has."""
    return TenantId(f"t{uuid4().hex}")


def stored(engine: Engine, tenant: TenantId, notes: Iterable[NewNote]) -> dict[NoteId, NewNote]:
    """Store the notes; they are found by full text, not yet chunked."""
    given = list(notes)
    with engine.database.transaction(tenant, has_copy=True) as connection:
        ensure_tenant(connection, tenant)
        store_notes(connection, tenant, given)
    return {note_id_for(tenant, note.source, note.external_id): note for note in given}


def indexed(engine: Engine, tenant: TenantId, *, sizes: Chunking | None = None) -> None:
    """Run every stage over what is stale, with chunks of these sizes or the default ones."""
    pipeline = pipeline_of(engine, sizes)
    keys = _stage(engine, tenant, pipeline)
    embed_staged(engine.database, tenant, keys, pipeline)
    publish_staged(engine.database, tenant, keys, pipeline)


def staged(engine: Engine, tenant: TenantId) -> None:
    """Stop before anything is embedded or published, as a run that was killed."""
    _stage(engine, tenant, engine.pipeline)


def _stage(engine: Engine, tenant: TenantId, pipeline: Pipeline) -> list[str]:
    register_batches(engine.database, tenant)
    keys = stale_batches(engine.database, tenant, fingerprint=pipeline.fingerprint)
    stage_notes(engine.database, tenant, keys, pipeline)
    return keys


def pipeline_of(engine: Engine, sizes: Chunking | None) -> Pipeline:
    """The engine's pipeline with chunks of these sizes."""
    return dataclasses.replace(engine.pipeline, chunking=sizes or engine.pipeline.chunking)


def fetched(engine: Engine, tenant: TenantId, statement: str, *parameters: object) -> list[tuple[Any, ...]]:
    """Rows as the tenant sees them."""
    with engine.database.transaction(tenant) as connection:
        return connection.execute(statement, parameters).fetchall()


def chunks_by_note(engine: Engine, tenant: TenantId) -> dict[NoteId, list[StoredChunk]]:
    """The live chunks of each note, by their index."""
    found: dict[NoteId, list[StoredChunk]] = {}
    for note_id, chunk_id, index, start, end, content, tokens, context, method in fetched(
        engine, tenant, CHUNKS, tenant
    ):
        chunk = StoredChunk(
            note_id=note_id,
            chunk_id=chunk_id,
            index=index,
            start=start,
            end=end,
            content=content,
            tokens=tokens,
            context=context,
            method=method,
        )
        found.setdefault(note_id, []).append(chunk)
    return found
