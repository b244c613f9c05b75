"""Migrations: plain numbered SQL, forward only, each in its own transaction, under an advisory lock, with checksums.

Other processes may search meanwhile. A migration that waits for a table has every later search wait behind it, so it waits
shortly, lets them go on, and tries again.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files

import psycopg

from rag_core.errors import DatabaseSetupError
from rag_core.resilience.retries import keep_arguments_out_of_logs

ADVISORY_LOCK = 7_236_018_451_209
MINIMUM_SERVER = 160_000
MINIMUM_PGVECTOR = (0, 8)
APPLICATION_ROLE = "brain_app"
LOCK_SECONDS = 1.0
"""Limit of a migration's wait for a table, at a time: less than a search may take."""
LOCK_ATTEMPTS = 30
"""Attempts to lock a table; with the pauses between them some three minutes."""
_HELD_BY_OTHERS = (psycopg.errors.LockNotAvailable, psycopg.errors.DeadlockDetected)


@dataclass(frozen=True, slots=True, kw_only=True)
class Migration:
    """One file of ``storage/migrations``."""

    version: int
    name: str
    sql: str

    @property
    def checksum(self) -> str:
        """SHA-256 of the text."""
        return hashlib.sha256(self.sql.encode()).hexdigest()


def read_migrations() -> list[Migration]:
    """All migrations in order of their numbers."""
    folder = files("rag_core.storage") / "migrations"
    names = sorted(file.name for file in folder.iterdir() if file.name.endswith(".sql"))
    return [
        Migration(version=int(name[:4]), name=name[5:-4], sql=(folder / name).read_text(encoding="utf-8"))
        for name in names
    ]


def migrate(connection: psycopg.Connection, migrations: Sequence[Migration] | None = None) -> list[int]:
    """Bring the database up to date and return the versions applied; with nothing to do it is one round trip.

    The connection must be in autocommit mode and belong to the owner of the schema.

    Raises:
        DatabaseSetupError: server or pgvector too old, pgvector or a privilege missing, an applied migration was
            changed afterwards, the database is newer than this program, or others did not let go of a table.
    """
    wanted = read_migrations() if migrations is None else list(migrations)
    if _applied(connection) == {m.version: m.checksum for m in wanted}:
        return []
    connection.execute("select pg_advisory_lock(%s)", (ADVISORY_LOCK,))
    try:
        return _migrate_locked(connection, wanted)
    finally:
        connection.execute("select pg_advisory_unlock(%s)", (ADVISORY_LOCK,))


def _migrate_locked(connection: psycopg.Connection, wanted: Sequence[Migration]) -> list[int]:
    _check_server(connection)
    _prepare(connection)
    applied = _applied(connection)
    _check_history(wanted, applied)
    due = [m for m in wanted if m.version not in applied]
    for migration in due:
        _apply_between_others(connection, migration)
    return [m.version for m in due]


def _applied(connection: psycopg.Connection) -> dict[int, str]:
    try:
        rows = connection.execute("select version, checksum from brain.schema_migrations").fetchall()
    except (psycopg.errors.UndefinedTable, psycopg.errors.InvalidSchemaName):
        return {}
    return dict(rows)


def apply_migration(connection: psycopg.Connection, migration: Migration) -> None:
    """Run one migration and write it down, in a transaction or as part of the caller's."""
    with connection.transaction():
        connection.execute("set local search_path = brain, public, extensions")
        connection.execute(migration.sql)
        connection.execute(
            "insert into brain.schema_migrations (version, name, checksum) values (%s, %s, %s)",
            (migration.version, migration.name, migration.checksum),
        )


def _apply_between_others(connection: psycopg.Connection, migration: Migration) -> None:
    """Apply a migration as soon as nobody holds what it needs, for ``LOCK_ATTEMPTS`` times."""
    import stamina  # 0.1 s, needed only where something is to be migrated

    keep_arguments_out_of_logs()
    again = stamina.RetryingCaller(
        attempts=LOCK_ATTEMPTS, timeout=None, wait_initial=LOCK_SECONDS, wait_max=5 * LOCK_SECONDS, wait_jitter=0
    )
    try:
        again(_HELD_BY_OTHERS, _apply_soon, connection, migration)
    except _HELD_BY_OTHERS as error:
        raise DatabaseSetupError(
            f"migration {migration.version:04d}_{migration.name} was not applied: others did not let go of a table that it "
            "changes. Stop the other programs that use this database, and long queries of your own, then try again"
        ) from error


def _apply_soon(connection: psycopg.Connection, migration: Migration) -> None:
    with connection.transaction():
        connection.execute("select set_config('lock_timeout', %s, true)", (f"{LOCK_SECONDS * 1000:.0f}ms",))
        apply_migration(connection, migration)


def _check_history(wanted: Sequence[Migration], applied: dict[int, str]) -> None:
    known = {m.version: m for m in wanted}
    unknown = sorted(set(applied) - set(known))
    if unknown:
        raise DatabaseSetupError(
            f"the database has migration {unknown[-1]:04d}, this program knows up to {max(known):04d}; "
            "use the newer Brain Sync that made it"
        )
    for version, checksum in sorted(applied.items()):
        if checksum != known[version].checksum:
            raise DatabaseSetupError(
                f"migration {version:04d}_{known[version].name} was applied with checksum {checksum[:12]}, the file has "
                f"{known[version].checksum[:12]}; applied migrations must not change: restore the file, add a new one"
            )


def _check_server(connection: psycopg.Connection) -> None:
    number = connection.info.server_version
    if number < MINIMUM_SERVER:
        raise DatabaseSetupError(
            f"the server is PostgreSQL {number // 10_000}, Brain Sync needs 16 or later; upgrade it, or unset "
            "DATABASE_URL to use the embedded server"
        )
    row = connection.execute(
        "select default_version, installed_version from pg_available_extensions where name = 'vector'"
    ).fetchone()
    if row is None:
        raise DatabaseSetupError(
            "the server has no pgvector; install it (package postgresql-NN-pgvector, 0.8 or later), or unset "
            "DATABASE_URL to use the embedded server"
        )
    if _version(row[1] or row[0]) < MINIMUM_PGVECTOR:
        raise DatabaseSetupError(
            f"pgvector is {row[1] or row[0]}, Brain Sync needs 0.8 or later; install it, then run "
            "ALTER EXTENSION vector UPDATE"
        )
    found = connection.execute("select lower('ÁÑ'), current_setting('server_encoding')").fetchone()
    if found != ("áñ", "UTF8"):
        raise DatabaseSetupError(
            "the database cannot lower-case accented letters, so Spanish search would fail; create it with ENCODING "
            "'UTF8' and a UTF-8 locale, such as LC_CTYPE 'C.UTF-8'"
        )


def _version(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split(".")[:2])


def _prepare(connection: psycopg.Connection) -> None:
    """Extension, role, schema and the table of migrations; what the privileges do not allow is said with its remedy."""
    try:
        _ensure_extension(connection)
        _ensure_role(connection)
        connection.execute("create schema if not exists brain")
        connection.execute(
            "create table if not exists brain.schema_migrations (version integer primary key, name text not null,"
            " checksum text not null, applied_at timestamptz not null default now())"
        )
        connection.execute("grant usage on schema brain to brain_app")
    except psycopg.errors.InsufficientPrivilege as error:
        raise DatabaseSetupError(
            f"{error.diag.message_primary}. An administrator runs `psql -v user=… -v database=… "
            "-f deploy/prepare-database.sql` once on this server, which makes the extension and the role; then try again."
        ) from error


def _ensure_extension(connection: psycopg.Connection) -> None:
    if connection.execute("select from pg_extension where extname = 'vector'").fetchone() is None:
        connection.execute("create extension if not exists vector")


def _ensure_role(connection: psycopg.Connection) -> None:
    """The application role, which the connecting user may become; roles belong to the whole server."""
    if connection.execute("select from pg_roles where rolname = 'brain_app'").fetchone() is None:
        try:
            connection.execute("create role brain_app nologin nosuperuser nobypassrls")
        except psycopg.errors.UniqueViolation:  # another database of the server was set up at the same moment
            pass
        except psycopg.errors.DuplicateObject:
            pass
    row = connection.execute("select pg_has_role(current_user, 'brain_app', 'SET')").fetchone()
    if row != (True,):
        connection.execute("grant brain_app to current_user with inherit false, set true")
