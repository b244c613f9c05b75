"""Golden sets that tests import, list and change."""

import json
from uuid import UUID

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from rag_core.model.note import TenantId
from rag_core.storage.database import Database
from rag_core.storage.golden import fetch_golden_set
from rag_core.storage.notes import delete_notes

SPANISH = st.text(
    alphabet=st.sampled_from("abcdeijlmnñorstuvzáéíóúüÁÉÑ¿?¡!,.«»— \n\t0123456789e\u0301n\u0303🍅\\\"'|%"),
    min_size=1,
    max_size=60,
).filter(lambda text: text.strip() != "")
COMPLETE = {
    "query": "¿Quién cultiva tomates?",
    "expected_answer": "El señor Ferrer",
    "category": "factual",
    "difficulty": 2,
}
shared_database = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


def as_lines(*items: object) -> list[bytes]:
    return [item if isinstance(item, bytes) else json.dumps(item, ensure_ascii=False).encode() for item in items]


def version(database: Database, tenant: TenantId, set_name: str = "default") -> int:
    with database.transaction(tenant) as connection:
        golden = fetch_golden_set(connection, tenant, set_name)
    assert golden is not None
    return golden.version


def remove_notes(database: Database, tenant: TenantId, *notes: UUID) -> None:
    with database.transaction(tenant) as connection:
        delete_notes(connection, tenant, notes)
