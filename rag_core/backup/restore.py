"""``brain restore``: a backup in the place of what is there, whole or not at all."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rag_core.backup.archive import Archive, ArchiveError, Manifest, TableEntry
from rag_core.backup.progress import Advance, BackupProgress
from rag_core.errors import ConflictError
from rag_core.storage import backup as stored
from rag_core.storage.database import Connection, Database
from rag_core.storage.migrate import Migration, apply_migration, read_migrations
from rag_core.storage.models import list_models
from rag_core.storage.vector_index import ensure_vector_index, vacuum


@dataclass(frozen=True, slots=True, kw_only=True)
class RestoreReport:
    """A backup that is in place.

    ``schema_version`` is that of the schema now, ``indexes`` counts vector indexes made. ``is_fulltext_rebuilt``: this server
    takes words apart otherwise than the one backed up, so the full-text index was made anew. ``is_continued``: an earlier restore
    of the same file had put it in place and was killed afterwards; this one did what was left.
    """

    manifest: Manifest
    schema_version: int
    indexes: int
    is_fulltext_rebuilt: bool
    is_continued: bool
    seconds: float


def restore(
    database: Database,
    archive: Archive,
    *,
    is_replacing: bool = False,
    on_progress: Advance = lambda _share: None,
    on_commit: Callable[[], None] = lambda: None,
) -> RestoreReport:
    """Put a backup in the place of all there is, in one transaction; a schema of an earlier version is brought up to date.

    The file is read through once before anything is touched. Keys, references and checks hold when it is done, and every
    table was read back and compared with what was written. ``on_progress`` is told the share of the work done since it was
    last called; ``on_commit`` is called when the backup is in place and only vacuum and vector indexes are left. Where an earlier
    restore of this file got as far as that, it is not put in place again unless ``is_replacing``.

    Raises:
        ArchiveError: the file is damaged, or of a schema this program does not know.
        ConflictError: the installation is not empty and may not be replaced.
        BusyError, DatabaseUnavailableError, DatabaseSetupError, QueryFailedError: see ``rag_core.storage.backup``; nothing was
            changed.
    """
    begun = time.monotonic()
    due = _due_migrations(archive)
    progress = BackupProgress(on_progress, total_bytes=3 * archive.manifest.total_bytes)
    is_continued = not is_replacing and _is_in_place(database, archive)
    is_rebuilt = False if is_continued else _put_in_place(database, archive, due, progress, is_replacing=is_replacing)
    progress.finish()
    on_commit()
    vacuum(database)
    indexes = _make_indexes(database)
    with database.owner() as connection:
        stored.mark_restore(connection, None)
    return RestoreReport(
        manifest=archive.manifest,
        schema_version=due[-1].version if due else archive.manifest.schema_version,
        indexes=indexes,
        is_fulltext_rebuilt=is_rebuilt,
        is_continued=is_continued,
        seconds=round(time.monotonic() - begun, 3),
    )


def _is_in_place(database: Database, archive: Archive) -> bool:
    """Tell whether the last restore put this backup in place, and ended before the remaining steps."""
    with database.owner() as connection:
        return stored.find_unfinished_restore(connection) == archive.manifest.fingerprint


def _put_in_place(
    database: Database, archive: Archive, due: Sequence[Migration], progress: BackupProgress, *, is_replacing: bool
) -> bool:
    """Replace everything in one transaction; whether the full-text index was made anew."""
    with database.owner() as connection:
        _check_replaceable(connection, is_replacing=is_replacing)
    _verify(archive, progress)
    with stored.replacement(database) as connection:
        _check_replaceable(connection, is_replacing=is_replacing)
        is_rebuilt = _replace(connection, archive, due, progress)
        stored.mark_restore(connection, archive.manifest.fingerprint)
    return is_rebuilt


def _check_replaceable(connection: Connection, *, is_replacing: bool) -> None:
    if not is_replacing and not stored.is_empty(connection):
        raise ConflictError(
            "this installation holds notes or other data already; restore into an empty one, or give --replace to put the "
            "backup in the place of everything it holds"
        )


def _due_migrations(archive: Archive) -> list[Migration]:
    """The migrations that the backed-up schema lacks.

    Raises:
        ArchiveError: it was made by others than this program's.
    """
    known = read_migrations()
    found = {migration.version: migration.checksum for migration in archive.manifest.migrations}
    latest = known[-1].version
    if max(found) > latest:
        raise ArchiveError(
            f"{archive.path} has a schema of version {max(found):04d}, this program knows up to {latest:04d}; use the newer "
            "Brain Sync that wrote it, or a later one"
        )
    for migration in known:
        if migration.version <= max(found) and found.get(migration.version) != migration.checksum:
            raise ArchiveError(
                f"{archive.path} was written by a Brain Sync whose migration {migration.version:04d} is another one than this "
                f"program's; restore it with the one that wrote it (schema version {max(found):04d})"
            )
    return known[len(found) :]


def _verify(archive: Archive, progress: BackupProgress) -> None:
    for table in archive.manifest.tables:
        for _ in progress.counted(archive.blocks(table)):
            pass


def _replace(connection: Connection, archive: Archive, due: Sequence[Migration], progress: BackupProgress) -> bool:
    manifest, given_out = archive.manifest, stored.read_sequences(connection)
    stored.rebuild_schema(connection, read_migrations()[: len(manifest.migrations)])
    _check_tables(connection, archive)
    with stored.bulk_load(connection):
        for table in manifest.tables:
            _load(connection, archive, table, progress)
        if is_otherwise := _computes_otherwise(connection, archive):
            stored.empty_fulltext_index(connection)
    stored.advance_sequences(connection, manifest.sequences)
    for migration in due:
        apply_migration(connection, migration)
    if is_otherwise:
        stored.rebuild_fulltext_index(connection)
    stored.advance_sequences(connection, given_out)
    return is_otherwise


def _computes_otherwise(connection: Connection, archive: Archive) -> bool:
    """Tell whether a generated column differs: lexemes of chunks do, with another locale or other dictionaries."""
    written = {table.name: table.computed_sha256 for table in archive.manifest.tables}
    return any(
        stored.hash_rows(connection, table.name, table.computed) != written[table.name]
        for table in stored.list_tables(connection)
        if table.computed
    )


def _check_tables(connection: Connection, archive: Archive) -> None:
    """The backup must hold exactly the tables and columns that its migrations make."""
    made = {table.name: set(table.columns) for table in stored.list_tables(connection)}
    held = {table.name: set(table.columns) for table in archive.manifest.tables}
    if made != held:
        odd = sorted(name for name in made.keys() | held.keys() if made.get(name) != held.get(name))
        raise ArchiveError(
            f"{archive.path} does not hold what its schema version {archive.manifest.schema_version:04d} has: "
            f"{', '.join(odd)} differ; use another backup. Nothing was changed"
        )


def _load(connection: Connection, archive: Archive, table: TableEntry, progress: BackupProgress) -> None:
    """Load one table, and read it back.

    Raises:
        ArchiveError: what arrived is not what was written.
    """
    rows = stored.copy_in(connection, table.name, table.columns, progress.counted(archive.blocks(table)))
    digest = stored.hash_rows(connection, table.name, table.columns)
    progress.add(table.bytes)
    if (rows, digest) != (table.rows, table.sha256):
        raise ArchiveError(
            f"table {table.name} has {rows} rows with SHA-256 {digest[:12]}… after loading, {table.rows} rows with "
            f"{table.sha256[:12]}… were written; use another backup. Nothing was changed"
        )


def _make_indexes(database: Database) -> int:
    """Make the vector indexes of the models that are not retired; how many there were enough vectors for."""
    with database.owner() as connection:
        models = [entry.model for entry in list_models(connection) if entry.model.state != "retired"]
    return sum(ensure_vector_index(database, model) for model in models)
