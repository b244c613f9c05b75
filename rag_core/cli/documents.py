"""Uploaded documents: their list, and the archive."""

from typing import TYPE_CHECKING, Annotated
from uuid import UUID

import typer

from rag_core.cli.app import JsonOption, TenantOption, app, command, own_tenant, print_json, say, table
from rag_core.cli.messages import headings, label, localised, tr

if TYPE_CHECKING:
    from rag_core.uploads.states import DocumentState

document_app = typer.Typer(no_args_is_help=True, help="Uploaded documents: how far each is, and the archive.")
app.add_typer(document_app, name="document")

LISTED = 1_000
DocumentArgument = Annotated[UUID, typer.Argument(help="Id of the document, as `brain document list` shows it.")]


@document_app.command("list")
def list_uploaded(tenant: TenantOption = None, is_json: JsonOption = False) -> None:
    """Show the newest uploads, at most 1,000, with their states.

    Example: brain document list
    """
    from rag_core.runtime.homes import read_settings_to_read
    from rag_core.storage.database import open_database
    from rag_core.uploads.states import list_documents

    with command(is_json=is_json):
        settings = read_settings_to_read()
        owner = own_tenant(settings, tenant)
        with open_database(settings) as database, database.transaction(owner) as connection:
            found = list_documents(connection, owner, limit=LISTED)
        if is_json:
            print_json([_told(state) for state in found])
        elif found:
            rows = [[str(one.document_id), one.upload.path, _state(one), localised(one.error or "")] for one in found]
            table(tr("Documents"), headings("id", "name", "state", "problem"), rows, whole=(0,))
        else:
            say(tr("No documents were uploaded."))


def _state(found: "DocumentState") -> str:
    return tr("has failed") if found.status == "failed" else label(found.status)


def _told(state: "DocumentState") -> dict[str, str | None]:
    document = {"documentId": str(state.document_id), "name": state.upload.path}
    return {**document, "status": state.status, "error": state.error}


@document_app.command("archive")
def archive_one(document: DocumentArgument, tenant: TenantOption = None, is_json: JsonOption = False) -> None:
    """Archive an upload: nothing finds it from now on, golden queries lose it, its original is kept.

    Example: brain document archive 6f1c8a52-0c1d-5f0e-9a43-0f5f3f6f2f10
    """
    from rag_core.model.note import NoteId
    from rag_core.settings import read_settings
    from rag_core.storage.database import open_database
    from rag_core.uploads.archiving import archive

    with command(is_json=is_json):
        settings = read_settings()
        with open_database(settings) as database:
            archive(database, own_tenant(settings, tenant), NoteId(document))
        if is_json:
            print_json({"documentId": str(document), "status": "archived"})
        else:
            say(tr("archived; `brain document restore {document}` brings it back", document=document))


@document_app.command("restore")
def restore_one(document: DocumentArgument, tenant: TenantOption = None, is_json: JsonOption = False) -> None:
    """Bring an archived upload back: `brain up` or `brain serve` parses its original.

    Example: brain document restore 6f1c8a52-0c1d-5f0e-9a43-0f5f3f6f2f10
    """
    from rag_core.model.note import NoteId
    from rag_core.settings import read_settings
    from rag_core.storage.database import open_database
    from rag_core.uploads.archiving import restore

    with command(is_json=is_json):
        settings = read_settings()
        with open_database(settings) as database:
            taken = restore(database, own_tenant(settings, tenant), NoteId(document))
        if is_json:
            print_json({"documentId": str(document), "jobId": str(taken.job_id), "status": "queued"})
        else:
            say(tr("{name} is queued; it is found again once `brain up` or `brain serve` parsed it", name=taken.path))
