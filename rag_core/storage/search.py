"""The searches: both legs, and the texts of what they found."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, LiteralString

import numpy as np
from numpy.typing import NDArray
from pgvector import Vector
from psycopg import sql

from rag_core.model.chunk import TablePart
from rag_core.model.document import PageUnit, PlacedBlock
from rag_core.model.embedding import EmbeddingKind, EmbeddingModel, SearchedVectors
from rag_core.model.note import WRITTEN_DAYS, ChunkId, ChunkKind, Language, NoteId, Span, TenantId
from rag_core.model.retrieval import NO_FILTERS, Filters
from rag_core.storage.bm25 import Numbers, Scores, add_up, best
from rag_core.storage.database import Connection, Database
from rag_core.storage.posting_lists import fetch_lists, fetch_terms
from rag_core.storage.queries import query
from rag_core.storage.vector_index import EXACT_SCAN_CHUNKS, is_halved, vector_kind, with_dimensions

Ranking = list[tuple[ChunkId, float]]
SCORE_DIGITS = 12
"""Decimals of a BM25 score: the last bits of a sum differ by the order of its terms, and must not decide between equal chunks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FulltextRanking:
    """Chunks by BM25, best first, and the best score over the highest that the query allows, in [0, 1]; 0 where nothing was found."""

    ranking: Ranking
    coverage: float


MOST_FAMILIES = 32
MOST_POSTINGS = 15_000
"""Entries of posting lists read from end to end; what is in longer ones is looked up for the best chunks only."""
MOST_LONGER = 100
"""German lexemes that begin as one of the query does. Whoever sees a part of the notes gets all, of which those that stand in no
seen note count for nothing: an unseen one takes no place."""
LED_PER_RESULT = 10
EF_SEARCH = 200
"""Recall@40 0.967 among 95,433 vectors of e5 (100: 0.920), 1.3 ms more: ``tests.benchmarks.vector_index``."""
HALVED_EF_SEARCH = 400
"""An index of half precision is walked with: recall@40 0.98 instead of 0.97 for hashed vectors, 5 ms more."""
CANDIDATES_PER_RESULT = 2
"""Taken for each result where a part of what counts finds them: an index of half precision, or the contextual vector alone."""
MAX_EF_SEARCH = 1_000
_ALL = 10**9
_MORE = 8
"""Growth of the number of scored chunks that are looked up while too few pass the filters."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkBounds:
    """Span of a chunk in its note, the starts of the sentences around it, and the bounds of the section or table it is in.

    ``note_length`` is None where there are more sentences than those. A note that is not chunked has no sentence starts. A bound is
    None where it is the note's, whose last chunk ends at ``last_end``. ``section`` is where the one that the chunk begins in does.
    """

    chunk_id: ChunkId
    note_id: NoteId
    chunk_index: int
    span: Span
    is_whole_note: bool
    sentence_starts: Sequence[int]
    note_length: int | None
    content_hash: bytes
    chunking_method: str
    last_end: int
    section: int | None = None
    low: int | None = None
    high: int | None = None
    table: TablePart | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowText:
    """The text of a window with the facts of its note."""

    external_id: str
    source: str
    title: str | None
    created_at: datetime
    language: Language
    text: str
    is_dated: bool = True
    blocks: tuple[PlacedBlock, ...] = ()
    """Blocks of a document with pages that hold the text; spans are of the note."""
    page_unit: PageUnit | None = None


def search_fulltext(
    database: Database,
    tenant: TenantId,
    text: str,
    *,
    limit: int,
    timeout_ms: int,
    filters: Filters = NO_FILTERS,
    exact_scan_chunks: int = EXACT_SCAN_CHUNKS,
) -> FulltextRanking:
    """Chunks by BM25, best first; scores are positive and unbounded. A query of stop words finds none.

    Filters leave the order and the scores as they are: N, document frequencies and average lengths stay those of all the tenant's
    chunks, or, where the database sees a part of the notes, of these.
    """
    sees_all = database.departments is None
    conditions = filter_conditions(filters)
    bounds = {"tenant": tenant, **filter_parameters(filters, few=exact_scan_chunks)}
    with database.transaction(tenant, timeout_ms=timeout_ms) as connection:
        terms = fetch_terms(connection, tenant, text, sees_all=sees_all)
        found = fetch_lists(connection, tenant, terms, sees_all=sees_all, few=exact_scan_chunks)
        numbers, scores = add_up(found.families)
        if not filters.is_empty:
            statement = sql.SQL(query("fetch_allowed")).format(allowed=_allowed(conditions))
            ((allowed,),) = connection.execute(statement, bounds).fetchall()
            if allowed is not None:
                is_allowed = np.isin(numbers, np.frombuffer(allowed, dtype=">i4"))
                numbers, scores = numbers[is_allowed], scores[is_allowed]
        passing = sql.SQL("" if filters.is_empty else query("passing")).format(filters=conditions)
        statement = sql.SQL(query("fetch_ranked")).format(passing=passing)
        rows = _ranked(connection, statement, bounds, numbers, scores, limit=limit)
    return FulltextRanking(
        ranking=[(chunk, score) for chunk, score, _ in rows],
        coverage=round(rows[0][1] / found.highest[rows[0][2]], SCORE_DIGITS) if rows else 0.0,
    )


def _ranked(
    connection: Connection,
    statement: sql.Composed,
    parameters: Mapping[str, Any],
    numbers: Numbers,
    scores: Scores,
    *,
    limit: int,
) -> list[tuple[ChunkId, float, Language]]:
    """The best chunks that may be given out: of more and more of the scored ones, until there are enough."""
    rows: list[tuple[ChunkId, float, Language]] = []
    tried = 0
    while len(rows) < limit and tried < len(scores):
        at = best(scores, limit if not tried else _MORE * tried)
        rounded = np.round(scores[at], SCORE_DIGITS).tolist()
        asked = {**parameters, "limit": limit, "numbers": numbers[at].tolist(), "scores": rounded}
        rows, tried = connection.execute(statement, asked).fetchall(), len(at)
    return rows


def sees_every_note(database: Database, filters: Filters) -> bool:
    """Tell whether neither the filters nor the caller's rights leave out a note of the tenant."""
    return filters.is_empty and database.departments is None


def _allowed(conditions: sql.Composed) -> sql.Composed:
    return sql.SQL(query("allowed")).format(filters=conditions)


_FILTERS = {
    "since": "filter_since",
    "until": "filter_until",
    "kinds": "filter_kinds",
    "sources": "filter_sources",
    "languages": "filter_languages",
    "tags": "filter_tags",
    "topics": "filter_topics",
    "document_types": "filter_document_types",
    "document_ids": "filter_document_ids",
    "tables_only": "filter_tables_only",
}


def filter_conditions(filters: Filters) -> sql.Composed:
    """Build the conditions on a note n and a chunk c: only those that are asked for, so that the planner finds the index."""
    asked = [sql.SQL(query(name)) for field, name in _FILTERS.items() if getattr(filters, field)]
    return sql.SQL(" and ").join(asked or [sql.SQL("true")])


def filter_parameters(filters: Filters, *, few: int = EXACT_SCAN_CHUNKS) -> dict[str, Any]:
    """The values of those conditions; ``few`` is how many chunks are looked at one by one."""
    asked = {field: getattr(filters, field) for field in _FILTERS}
    return {"few": few} | {
        field: list(value) if isinstance(value, tuple) else value for field, value in asked.items() if value
    }


def search_semantic(
    database: Database,
    tenant: TenantId,
    vector: NDArray[np.float32],
    *,
    model: EmbeddingModel,
    searched: SearchedVectors,
    limit: int,
    timeout_ms: int,
    filters: Filters = NO_FILTERS,
    language: Language | None = None,
    language_gap: float = 0.0,
    exact_scan_chunks: int = EXACT_SCAN_CHUNKS,
) -> Ranking:
    """Chunks by cosine similarity in [-1, 1], best first: exact while tenant or filters have few, by HNSW otherwise.

    To the similarity of a chunk in another language than the query's ``language`` the ``language_gap`` is added, where the tenant
    writes in several.

    Complete: of k chunks with a vector it gives min(k, limit). When the walk through the index gives up too early, all are
    compared.
    """
    gap = 0.0 if language is None else language_gap
    statement = _semantic(filters, model, searched, is_whole=sees_every_note(database, filters), gap=gap)
    is_found_by_part = is_halved(model) or searched == "sentences"
    candidates = limit * CANDIDATES_PER_RESULT if is_found_by_part else limit
    parameters = {"tenant": tenant, "vector": Vector(vector), "limit": limit, "candidates": candidates}
    parameters |= {"language": language} if gap else {}
    with database.transaction(tenant, timeout_ms=timeout_ms, local=_walk_settings(model, candidates)) as connection:
        for few in (exact_scan_chunks, _ALL) if _found_kind(searched) == vector_kind(model) else (_ALL,):
            bounds = filter_parameters(filters, few=few)
            rows = connection.execute(statement, parameters | bounds).fetchall()
            if len(rows) == limit or (rows and rows[0][2]):
                break
    return [(chunk, score) for chunk, score, _ in rows]


def _walk_settings(model: EmbeddingModel, candidates: int) -> dict[str, str | int]:
    least = HALVED_EF_SEARCH if is_halved(model) else EF_SEARCH
    return {"hnsw.ef_search": min(max(least, candidates), MAX_EF_SEARCH), "hnsw.iterative_scan": "strict_order"}


def _found_kind(searched: SearchedVectors) -> EmbeddingKind:
    """Kind of vector that candidates are found by."""
    return "contextual" if searched == "sentences" else searched


def _semantic(
    filters: Filters, model: EmbeddingModel, searched: SearchedVectors, *, is_whole: bool, gap: float
) -> sql.Composed:
    """Registry values enter as literals: a partial index whose predicate is a parameter is not used."""
    conditions = filter_conditions(filters)
    literals = {
        "dimensions": sql.Literal(model.dimensions),
        "model": sql.Literal(model.id),
        "kinds": sql.Literal(["standard", "contextual"] if searched == "sentences" else [searched]),
    }
    has_sentences, kind = model.searched_vectors == "sentences", _found_kind(searched)
    distances = {
        name: sql.SQL(query("distance_nearest" if is_parted else "distance_whole")).format(**literals)
        for name, is_parted in {"found": has_sentences and kind == "standard", "whole": has_sentences}.items()
    }
    return sql.SQL(query("search_semantic" if is_whole else "search_semantic_within")).format(
        **literals,
        kind=sql.Literal(kind),
        distance=distances["found"],
        nearness=with_dimensions("nearness_halved" if is_halved(model) else "nearness_whole", model),
        in_order=sql.SQL(query("nearest_in_order")).format(
            **literals, distance=distances["whole"], nearer=_nearer("n", gap)
        ),
        mixed=sql.SQL(query("mixed") if gap else ""),
        nearer=_nearer("e", gap),
        allowed=_allowed(conditions),
        filters=conditions,
    )


def _nearer(chunk: LiteralString, gap: float) -> sql.Composable:
    if not gap:
        return sql.SQL("")
    return sql.SQL(query("nearer")).format(gap=sql.Literal(gap), chunk=sql.SQL(chunk + ".chunk_id"))


def fetch_spans(
    database: Database, tenant: TenantId, chunks: Sequence[ChunkId], *, before: int, after: int, timeout_ms: int
) -> dict[ChunkId, ChunkBounds]:
    """Fetch the spans of chunks and of the sentences around them; chunks deleted meanwhile are absent."""
    with database.transaction(tenant, timeout_ms=timeout_ms) as connection:
        rows = connection.execute(
            query("fetch_spans"), {"tenant": tenant, "chunks": list(chunks), "before": before, "after": after}
        ).fetchall()
    return {row[0]: _chunk_span(row) for row in rows}


def _chunk_span(row: tuple[Any, ...]) -> ChunkBounds:
    chunk_id, note_id, index, start, end, method, starts, length, content_hash, low, high, last_end, section, *table = (
        row
    )
    return ChunkBounds(
        chunk_id=chunk_id,
        note_id=note_id,
        chunk_index=index,
        span=(start, end),
        is_whole_note=method == "whole_note",
        sentence_starts=starts or (),
        note_length=length,
        content_hash=content_hash,
        chunking_method=method,
        low=low,
        high=high,
        last_end=last_end,
        section=section,
        table=_table_part(*table),
    )


def _table_part(kind: ChunkKind, start: int, headers: Sequence[str], caption: str | None) -> TablePart | None:
    return None if kind == "text" else TablePart(kind=kind, start=start, headers=tuple(headers), caption=caption)


def fetch_windows(
    database: Database, tenant: TenantId, windows: Sequence[tuple[NoteId, bytes, Span]], *, timeout_ms: int
) -> dict[int, WindowText]:
    """The texts of windows by their position; windows of notes deleted meanwhile are absent."""
    with database.transaction(tenant, timeout_ms=timeout_ms) as connection:
        rows = connection.execute(
            query("fetch_windows"),
            {
                "tenant": tenant,
                "positions": list(range(len(windows))),
                "notes": [note for note, _, _ in windows],
                "hashes": [digest for _, digest, _ in windows],
                "starts": [span[0] for _, _, span in windows],
                "ends": [span[1] for _, _, span in windows],
            },
        ).fetchall()
    return {row[0]: _window_text(row) for row in rows}


def _window_text(row: tuple[Any, ...]) -> WindowText:
    _, external_id, source, title, created_at, dated_by, language, text, blocks, page_unit = row
    return WindowText(
        external_id=external_id,
        source=source,
        title=title,
        created_at=created_at,
        language=language,
        text=text,
        is_dated=dated_by in WRITTEN_DAYS,
        blocks=tuple(map(_placed_block, blocks or ())),
        page_unit=page_unit,
    )


def _placed_block(block: Sequence[Any]) -> PlacedBlock:
    index, start, end, page, box = block
    return PlacedBlock(index=index, start=start, end=end, page=page, box=None if box is None else (*box,))
