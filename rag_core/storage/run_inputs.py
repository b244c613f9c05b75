"""Inputs of an evaluation run: digests of the indexed notes and of the models' values."""

from rag_core.model.note import TenantId
from rag_core.storage.database import Connection
from rag_core.storage.queries import query


def fetch_run_inputs(connection: Connection, tenant: TenantId) -> dict[str, str]:
    """A digest of the notes as they are indexed, and one of the models' own values."""
    row = connection.execute(query("fetch_run_inputs"), {"tenant": tenant}).fetchone()
    assert row is not None
    return {"notes": row[0], "modelValues": row[1]}


def count_indexed_notes(connection: Connection, tenant: TenantId) -> dict[str, int]:
    """Count the notes that each pipeline's fingerprint indexed; '' counts those that are not indexed yet."""
    return dict(connection.execute(query("count_indexed_notes"), {"tenant": tenant}).fetchall())
