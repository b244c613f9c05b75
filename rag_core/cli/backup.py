"""Backups: everything in one file, and back."""

from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rag_core.cli.app import JsonOption, app, command, print_json, progress, say
from rag_core.cli.messages import amount, tr

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rag_core.backup.archive import Manifest
    from rag_core.backup.restore import RestoreReport
    from rag_core.settings import Settings
    from rag_core.storage.database import Database


@app.command("backup")
def backup(
    file: Annotated[Path, typer.Argument(help="The file to write, for example brain-2025-11-20.zip.")],
    is_overwriting: Annotated[bool, typer.Option("--force", help="Overwrite the file if it is there.")] = False,
    is_json: JsonOption = False,
) -> None:
    """Write everything the database holds, all tenants, to one file, while the system goes on.

    Embedded server or DATABASE_URL: what one wrote, the other restores. Dagster's history of runs is not part of it.

    Example: brain backup /mnt/backups/brain.zip --force
    """
    from rag_core.backup.create import back_up
    from rag_core.settings import read_settings
    from rag_core.storage.database import open_database

    with (
        command(is_json=is_json),
        open_database(_existing(read_settings())) as database,
        progress(tr("backing up"), 1.0) as advance,
    ):
        report = back_up(database, file, is_overwriting=is_overwriting, on_progress=advance)
        if is_json:
            print_json({"file": str(file), "bytes": report.bytes, **_described(report.manifest, report.seconds)})
        else:
            print(
                tr(
                    "wrote {file}: {manifest}, {bytes:,.1f} MB",
                    file=file,
                    manifest=_summary(report.manifest),
                    bytes=report.bytes / 1000000.0,
                )
            )


def _existing(settings: "Settings") -> "Settings":
    """Return the settings if their home has a database, so that a nightly backup of a wrong folder fails at once.

    Raises:
        NotFoundError: the home that they name has no database.
    """
    from rag_core.errors import NotFoundError
    from rag_core.storage.embedded import EmbeddedHome

    if settings.database_url is None and not EmbeddedHome(root=settings.home).data.exists():
        raise NotFoundError(
            f"there are no notes at {settings.home}; go to the folder whose .brain is to be backed up, or set BRAIN_HOME"
        )
    return settings


@app.command("restore")
def restore(
    file: Annotated[Path, typer.Argument(help="A file that `brain backup` wrote.")],
    is_replacing: Annotated[
        bool, typer.Option("--replace", help="Put it in the place of everything there is, all tenants.")
    ] = False,
    is_json: JsonOption = False,
) -> None:
    """Put a backup into an empty installation, or with --replace in the place of what is there: all of it or nothing.

    Stop `brain up` first. An installation is empty as long as nobody has put anything into it; alerts and the figures of the
    service, which come by themselves, do not count and give way to the backup's.

    Example: brain restore /mnt/backups/brain.zip --replace
    """
    from rag_core.backup.archive import open_archive
    from rag_core.backup.restore import restore as put_back
    from rag_core.settings import read_settings
    from rag_core.storage.database import open_database

    with command(is_json=is_json), open_archive(file) as archive:
        settings = read_settings()
        with (
            _while_nothing_is_up(settings),
            open_database(settings) as database,
            progress(tr("restoring"), 1.0) as advance,
        ):
            report = put_back(
                database,
                archive,
                is_replacing=is_replacing,
                on_progress=advance,
                on_commit=lambda: say(
                    tr("The backup {file} is in place; vacuum and vector indexes are left.", file=file)
                ),
            )
            lost = _lost_conversations(database, settings)
        if is_json:
            found = _described(report.manifest, report.seconds)
            found |= {"migrated_to": report.schema_version, "indexes": report.indexes}
            found |= {"fulltext_rebuilt": report.is_fulltext_rebuilt, "lost_conversations": lost}
            found |= {"continued": report.is_continued}
            print_json({"file": str(file), **found})
        else:
            _show_restored(file, report)
            if lost:
                say(_remedy(lost, settings))


def _show_restored(file: Path, report: "RestoreReport") -> None:
    if report.is_continued:
        say(
            tr(
                "An earlier restore of this file had put it in place and was stopped afterwards; what was changed since then "
                "was kept, and the rest is done now. To put it in place anew, give --replace."
            )
        )
    print(
        tr(
            "restored {file}: {manifest}, as of {created_at}",
            file=file,
            manifest=_summary(report.manifest),
            created_at=report.manifest.created_at[:16].replace("T", " "),
        )
    )
    if report.schema_version != report.manifest.schema_version:
        say(
            tr(
                "The schema was brought from version {schema_version} to {newest}.",
                schema_version=report.manifest.schema_version,
                newest=report.schema_version,
            )
        )
    if report.is_fulltext_rebuilt:
        say(tr("This server takes words apart otherwise than the one backed up; the full-text index was made anew."))


def _lost_conversations(database: "Database", settings: "Settings") -> int:
    from rag_core.access.pseudonyms import has_secret, pseudonyms
    from rag_core.backup.owners import count_lost_conversations

    is_known = has_secret(settings.home, settings.secret)  # none is made here: the old one is to take its place
    return count_lost_conversations(database, pseudonyms(settings.home, settings.secret) if is_known else None)


def _remedy(lost: int, settings: "Settings") -> str:
    """Describe the way for users to get their conversations back."""
    theirs = tr("Without an owner here: {conversations}.", conversations=amount(lost, "conversation"))
    if settings.secret is not None:
        return tr(
            "{theirs} BRAIN_SECRET differs from the one of the backup's home; set the same.",
            theirs=theirs,
        )
    return tr(
        "{theirs} A backup does not hold the secret from which owners' names are made. Before `brain up`, copy the file `secret` of "
        "the home that was backed up to {home}, or set BRAIN_SECRET as it was there.",
        theirs=theirs,
        home=settings.home / "secret",
    )


@contextmanager
def _while_nothing_is_up(settings: "Settings") -> "Iterator[None]":
    """Keep `brain up` of this home from running meanwhile; a server of one's own has no home to ask."""
    from rag_core.errors import ConfigurationError, ConflictError
    from rag_core.operation.running_parts import only_one

    with ExitStack() as stack:
        if settings.database_url is None:
            try:
                stack.enter_context(only_one(settings.home))
            except ConfigurationError as error:
                raise ConflictError(
                    f"`brain up` runs in {settings.home}; stop it with Ctrl-C, restore, and start it again. Nothing was changed"
                ) from error
        yield


def _described(manifest: "Manifest", seconds: float) -> dict[str, Any]:
    return {
        "created_at": manifest.created_at,
        "schema_version": manifest.schema_version,
        "server_version": manifest.server_version,
        "pgvector_version": manifest.pgvector_version,
        "tables": {table.name: table.rows for table in manifest.tables},
        "seconds": seconds,
    }


def _summary(manifest: "Manifest") -> str:
    rows = {table.name: table.rows for table in manifest.tables}
    return tr(
        "{notes}, {rows} in {tables}",
        notes=amount(rows["notes"], "note"),
        rows=amount(sum(rows.values()), "row"),
        tables=amount(len(rows), "table"),
    )
