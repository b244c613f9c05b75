"""Tables among what RAG V2 found: rows with their header."""

import uuid
from collections.abc import Sequence
from typing import Any

from rag_core.chunking.structure import structure_of
from rag_core.guardrails.policies import Hiding
from rag_core.model.chunk import TablePart
from rag_core.model.retrieval import Hit

MAX_TABLES = 10


def tables_to_wire(hits: Sequence[Hit], hide: Hiding) -> list[dict[str, Any]]:
    """The hits that are parts of tables, best first, each as a table of its own."""
    return [_table(hit, hit.table, hide) for hit in hits if hit.table is not None]


def _table(hit: Hit, table: TablePart, hide: Hiding) -> dict[str, Any]:
    rows = rows_of(hit.content, table)
    return {
        "id": str(hit.chunk_id),
        "documentId": str(hit.note_id),
        "documentTitle": hide(hit.title or hit.external_id),
        "tableId": str(uuid.uuid5(hit.note_id, f"table {table.start}")),
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
    found = structure_of(content).tables
    if found and found[-1].headers == table.headers:
        return [content[start:end].rstrip("\n") for start, end in found[-1].rows]
    return [line for line in content.split("\n") if "|" in line]


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"
