"""Dagster's home, ``$BRAIN_HOME/dagster``: its configuration, and the environment in which its processes run.

Imports nothing of Dagster, whose import takes seconds.
"""

import os
from importlib.resources import files
from pathlib import Path

from rag_core.home.private_files import open_private, private_folder
from rag_core.settings import Settings
from rag_core.storage.dagster_database import dagster_database_url
from rag_core.storage.database import Database

CONFIGURATION = "dagster.yaml"
WAIT_FOR_DEFINITIONS = "DAGSTER_BACKFILL_RETRY_DEFINITION_CHANGED_ERROR"
"""Without it a backfill fails for ever when the daemon looks after it while the code server is being started again."""


def prepare_dagster_home(settings: Settings, database: Database) -> dict[str, str]:
    """Make the home and the database; the variables that Dagster's processes need beside the environment.

    Raises:
        DatabaseSetupError, DatabaseUnavailableError: see ``dagster_database_url``.
    """
    home = private_folder(settings.dagster_home)
    write_if_changed(home / CONFIGURATION, shipped_configuration())
    return {
        "DAGSTER_HOME": str(home),
        "BRAIN_DAGSTER_PG_URL": dagster_database_url(settings, database),
        WAIT_FOR_DEFINITIONS: "true",
    }


def shipped_configuration() -> str:
    """The project's dagster.yaml: in a checkout at its top, in an installed wheel inside the package."""
    packaged = files("rag_core") / CONFIGURATION
    if packaged.is_file():
        return packaged.read_text(encoding="utf-8")
    return (Path(__file__).parents[2] / CONFIGURATION).read_text(encoding="utf-8")


def write_if_changed(path: Path, text: str) -> None:
    """Write the file whole or not at all, so that a process that reads it meanwhile never sees half of it."""
    if path.exists() and path.read_text(encoding="utf-8") == text:
        return
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    with open_private(fresh, "w") as file:
        file.write(text)
    fresh.replace(path)
