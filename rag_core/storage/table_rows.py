"""Places of rows within the tables of notes."""

from collections.abc import Sequence

from rag_core.model.note import NoteId, Span, TenantId
from rag_core.storage.database import Connection
from rag_core.storage.rows import fetch_column


def count_rows_before(
    connection: Connection, tenant: TenantId, places: Sequence[tuple[NoteId, Span]]
) -> list[int | None]:
    """Number of rows of a table from its start, where the span begins, to the span's end; None where the note is gone.

    The header and the line of dashes are no rows; a span that ends within a row leaves that row out.
    """
    parameters = {
        "tenant": tenant,
        "notes": [note for note, _ in places],
        "starts": [start for _, (start, _) in places],
        "ends": [end for _, (_, end) in places],
    }
    return fetch_column(connection, "count_rows_before", parameters)
