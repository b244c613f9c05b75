"""``brain backup``: the whole database, as it is at one moment, into one file."""

import time
from dataclasses import dataclass
from pathlib import Path

from rag_core.backup.archive import FORMAT, AppliedMigration, ArchiveWriter, Manifest, TableEntry, new_archive
from rag_core.backup.progress import Advance, BackupProgress
from rag_core.storage import backup as stored
from rag_core.storage.database import Connection, Database


@dataclass(frozen=True, slots=True, kw_only=True)
class BackupReport:
    """A backup that was written."""

    path: Path
    bytes: int
    manifest: Manifest
    seconds: float


def back_up(
    database: Database, path: Path, *, is_overwriting: bool = False, on_progress: Advance = lambda _share: None
) -> BackupReport:
    """Write every table to ``path``, all as of the same moment, while others read and write.

    ``on_progress`` is told the share of the work done since it was last called; all shares add up to 1.

    Raises:
        ConflictError, InvalidInputError: see ``new_archive``.
        DatabaseUnavailableError, DatabaseSetupError: the connection broke; a table is not Brain Sync's.
    """
    begun = time.monotonic()
    with new_archive(path, is_overwriting=is_overwriting) as archive, stored.snapshot(database) as connection:
        manifest = _write(connection, archive, on_progress)
        archive.finish(manifest)
    return BackupReport(
        path=path, bytes=path.stat().st_size, manifest=manifest, seconds=round(time.monotonic() - begun, 3)
    )


def _write(connection: Connection, archive: ArchiveWriter, on_progress: Advance) -> Manifest:
    tables = stored.list_tables(connection)
    progress = BackupProgress(on_progress, total_bytes=sum(table.bytes for table in tables))
    entries = [_write_table(connection, archive, table, progress) for table in tables]
    progress.finish()
    source = stored.describe_source(connection)
    return Manifest(
        format=FORMAT,
        created_at=source.taken_at.isoformat(),
        server_version=source.server_version,
        pgvector_version=source.pgvector_version,
        migrations=tuple(AppliedMigration(version=v, name=n, checksum=c) for v, n, c in source.migrations),
        tables=tuple(entries),
        sequences=stored.read_sequences(connection),
    )


def _write_table(
    connection: Connection, archive: ArchiveWriter, table: stored.StoredTable, progress: BackupProgress
) -> TableEntry:
    with archive.table(table.name) as writer:

        def write(block: memoryview) -> None:
            writer.write(block)
            progress.add(len(block))

        rows = stored.copy_out(connection, table.name, table.columns, write)
    return TableEntry(
        name=table.name,
        columns=table.columns,
        rows=rows,
        bytes=writer.bytes,
        sha256=writer.sha256,
        computed_sha256=stored.hash_rows(connection, table.name, table.computed) if table.computed else "",
    )
