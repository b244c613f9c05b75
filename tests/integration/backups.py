"""A database with a row in every table, its backup, and another to restore it in."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from backup_data import EVERY_TABLE
from databases import cloned_database

from rag_core.backup.archive import open_archive
from rag_core.backup.create import back_up
from rag_core.backup.restore import restore
from rag_core.model.note import TenantId
from rag_core.settings import read_settings
from rag_core.storage.database import Database, open_database

TENANT = TenantId("pruebas")


@pytest.fixture
def filled(database: Database, make_note, index_notes, tenant) -> Database:
    """A database with rows in every table."""
    for number in range(12):
        make_note(
            f"Nota {number}: el tren de las {number} llegó tarde; comí «casa» y ñoquis 🍅.",
            metadata={"tags": ["Viaje"]},
        )
    make_note("El paraguas verde se quedó en el museo.", external_id="paraguas", title="Paraguas\tverde")
    make_note("Ein Regenschirm.", owner=TenantId("otra"), language="de")
    index_notes()
    with database.owner() as connection:
        connection.execute("set search_path = brain, public")
        connection.execute(EVERY_TABLE)
    return database


@pytest.fixture
def file(filled: Database, tmp_path: Path) -> Path:
    """A backup of it."""
    path = tmp_path / "brain.zip"
    back_up(filled, path)
    return path


@pytest.fixture
def other(server: str, template: str) -> Iterator[Database]:
    """A new installation."""
    with cloned_database(server, template) as url, open_database(read_settings(database_url=url)) as opened:
        yield opened


def put_back(database: Database, file: Path, **options):
    with open_archive(file) as archive:
        return restore(database, archive, **options)


def add_note(database: Database, tenant: str) -> None:
    with database.owner() as connection:
        connection.execute("insert into brain.tenants values (%s) on conflict do nothing", (tenant,))
        connection.execute(
            "insert into brain.notes (tenant_id, note_id, source, external_id, content, content_hash, language, created_at)"
            " values (%s, gen_random_uuid(), 's', gen_random_uuid()::text, 'Otra cosa', sha256('x'), 'es', now())",
            (tenant,),
        )
