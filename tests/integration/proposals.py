"""Golden queries that the program proposes from a diary of three notes."""

from zoneinfo import ZoneInfo

import pytest

from rag_core.evaluation.golden.proposals.propose import propose_golden_queries
from rag_core.model.note import TenantId
from rag_core.storage.proposals import list_proposals

MADRID = ZoneInfo("Europe/Madrid")
DIARY = {
    "trufa": "Noche larga con Julio y con Nora en casa. Julio llegó tarde a la estación del Norte. Nada más por hoy.",
    "rosa": "Reunión con Rosa y con Lucas en la oficina. Rosa leyó una carta de Batiste. Salimos muy tarde porque Lucas "
    "no encontraba los planos.",
    "roscon": "El roscón de este año con Nora y con Julio. Nora jugó tres partidos en un día. Amasar veinte minutos.",
}


@pytest.fixture
def diary(make_note) -> None:
    """Three notes that something can be asked of."""
    for number, (name, text) in enumerate(DIARY.items(), 1):
        make_note(text, external_id=name, created_at=f"2025-0{number}-04")


@pytest.fixture
def propose(database, tenant, diary):
    """Think of queries for the default set."""

    def run(count: int = 20, *, chat=None, owner: TenantId = tenant, set_name: str = "default"):
        return propose_golden_queries(database, owner, set_name=set_name, count=count, zone=MADRID, chat=chat)

    return run


def waiting(database, tenant):
    with database.transaction(tenant) as connection:
        return list_proposals(connection, tenant, state="open")
