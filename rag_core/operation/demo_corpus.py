"""The demo corpus: notes of an invented person and a golden set over them, loaded as tenant ``demo``."""

from importlib.resources import files
from pathlib import Path

from rag_core.evaluation.golden.importing import import_golden
from rag_core.model.golden import DEFAULT_SET
from rag_core.notes.importing import ImportReport, import_lines
from rag_core.runtime.engine import DEMO_TENANT
from rag_core.settings import Settings
from rag_core.storage.batches import list_tenants
from rag_core.storage.database import Database
from rag_core.storage.golden import fetch_golden_set

SOURCE = "demo"
ANSWERABLE = (
    "¿Cuánto costó la caldera nueva?",
    "¿Por qué se paró el ascensor?",
    "¿Qué hice el 8 de agosto de 2025?",
)
"""An amount, a cause and a day: questions that sentences of these notes answer, so that quoting is enough."""
SEARCHABLE = (
    "¿Desde que voy a nadar tengo menos migrañas?",
    "¿Por qué el Sr. Ferrer faltó a la boda de su sobrina?",
    "¿Qué pasó con los sensores en marzo de 2024?",
    "la mudanza de mi madre",
)
"""Queries that the search page suggests."""


def demo_file(name: str) -> Path:
    """A file of the corpus: in a checkout under examples/, in an installed wheel inside the package."""
    packaged = Path(str(files("rag_core"))) / "examples" / name
    return packaged if packaged.is_file() else Path(__file__).parents[2] / "examples" / name


def is_demo_wanted(database: Database) -> bool:
    """True when this database has no notes but the demo's, and the demo's are not all there."""
    others = [tenant for tenant in list_tenants(database) if tenant != DEMO_TENANT]
    if others:
        return False
    with database.transaction(DEMO_TENANT) as connection:
        return fetch_golden_set(connection, DEMO_TENANT, DEFAULT_SET) is None


def load_demo(database: Database, settings: Settings, *, golden: Path | None = None) -> ImportReport:
    """Import the corpus; the golden set comes last, so that what was interrupted is taken up again. Nothing is embedded."""
    with demo_file("notes.jsonl").open("rb") as lines:
        report = import_lines(
            database,
            DEMO_TENANT,
            lines,
            source=SOURCE,
            language=None,
            zone=settings.zone,
            max_characters=settings.max_note_characters,
        )
    with (golden or demo_file("golden.jsonl")).open("rb") as lines:
        import_golden(database, DEMO_TENANT, lines, set_name=DEFAULT_SET)
    return report
