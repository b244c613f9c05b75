"""Tables among what RAG V2 found: rows with their header."""

import uuid
from collections.abc import Mapping, Sequence
from typing import Any

from rag_core.api.access import RequestContext
from rag_core.chunking.structure import structure_of
from rag_core.guardrails.policies import Hiding
from rag_core.model.chunk import TablePart
from rag_core.model.note import ChunkId
from rag_core.model.retrieval import Hit
from rag_core.storage.table_rows import count_rows_before


def find_first_rows(context: RequestContext, hits: Sequence[Hit]) -> dict[ChunkId, int | None]:
    """Number of the first row of each hit that has some rows of a table, from 0 on."""
    parts = [(hit, hit.table) for hit in hits if hit.table is not None and hit.table.kind == "table_segment"]
    if not parts:
        return {}
    places = [(hit.note_id, (table.start, hit.start_char + hit.bounds[0])) for hit, table in parts]
    with context.transaction() as connection:
        counted = count_rows_before(connection, context.tenant, places)
    return {hit.chunk_id: first for (hit, _), first in zip(parts, counted, strict=True)}


def tables_to_wire(hits: Sequence[Hit], hide: Hiding, first_rows: Mapping[ChunkId, int | None]) -> list[dict[str, Any]]:
    """The hits that are parts of tables, best first, each as a table of its own; ``first_rows`` as ``find_first_rows``."""
    return [_table(hit, hit.table, hide, first_rows.get(hit.chunk_id)) for hit in hits if hit.table is not None]


def _table(hit: Hit, table: TablePart, hide: Hiding, first_row: int | None) -> dict[str, Any]:
    rows = rows_of(hit.content, table)
    first = 0 if table.kind == "table" else first_row
    return {
        "id": str(hit.chunk_id),
        "documentId": str(hit.note_id),
        "documentTitle": hide(hit.title or hit.external_id),
        "tableId": str(uuid.uuid5(hit.note_id, f"table {table.start}")),
        "type": "full_table" if table.kind == "table" else table.kind,
        "rowRange": None if first is None else [first, first + len(rows)],
        "content": hide("\n".join([_row(table.headers), _row(["---"] * len(table.headers)), *rows])),
        "headers": [hide(header) for header in table.headers],
        "caption": None if table.caption is None else hide(table.caption),
        "rowCount": len(rows),
        "columnCount": len(table.headers),
        "page": hit.page,
        "score": hit.score,
    }


def rows_of(content: str, table: TablePart) -> list[str]:
    """The lines of a part's rows, without header and what stands before it."""
    if table.kind == "table_summary":
        return []
    found = structure_of(content).tables
    if found and found[-1].headers == table.headers:
        return [content[start:end].rstrip("\n") for start, end in found[-1].rows]
    return [line for line in content.split("\n") if line.strip()]


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"
