"""``/healthz`` and ``/readyz``: whether the process answers, and whether it can work."""

from fastapi import APIRouter

from rag_core.api.access import ProcessEngineOf
from rag_core.api.errors import explained
from rag_core.api.schemas import Health, Readiness, failures
from rag_core.errors import DatabaseSetupError
from rag_core.storage.readiness import check_ready

NOT_MIGRATED = "La base de datos no está al día con este programa; para el servicio y arráncalo de nuevo"

router = APIRouter(tags=["health"])
_TIMEOUT_MS = 1000


@router.get("/healthz", response_model=Health)
async def health() -> dict[str, str]:
    """The process answers, whatever the database and the other requests do."""
    return {"status": "ok"}


@router.get("/readyz", response_model=Readiness, responses=failures(503))
def readiness(engine: ProcessEngineOf) -> dict[str, str]:
    """The database can be reached and is migrated to what this program knows; whether requests need a key."""
    with explained(DatabaseSetupError, NOT_MIGRATED):
        check_ready(engine.database, timeout_ms=_TIMEOUT_MS)
    return {"status": "ok", "access": engine.settings.access}
