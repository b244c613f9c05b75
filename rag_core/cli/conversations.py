"""List of the conversations, so that one can be continued."""

import textwrap
from typing import TYPE_CHECKING, Annotated

import typer

from rag_core.cli.app import JsonOption, TenantOption, app, command, print_json, say, table
from rag_core.cli.messages import headings, tr

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo

    from rag_core.model.conversation import Session
    from rag_core.model.note import TenantId
    from rag_core.settings import Settings
    from rag_core.storage.database import Database

SHOWN_CHARACTERS = 100


@app.command("conversations")
def list_conversations(
    limit: Annotated[int, typer.Option(min=1, max=200, help="So many at most.")] = 50,
    tenant: TenantOption = None,
    is_json: JsonOption = False,
) -> None:
    """List your conversations with their dates, the one spoken in last first.

    Without keys they are the command line's and the page's, see `brain ask --help`. With --json it prints what GET /api/sessions
    answers, with those in which nothing was asked; earlier ones of the command line alone are among them.

    Example: brain conversations --limit 10
    """
    from rag_core.runtime.engine import open_engine
    from rag_core.runtime.homes import read_settings_to_read
    from rag_core.wire.answers import session_to_wire

    with command(is_json=is_json), open_engine(read_settings_to_read()) as engine:
        found = _found(engine.database, engine.settings, engine.named_tenant(tenant), limit, only_spoken=not is_json)
        if is_json:
            print_json({"sessions": [session_to_wire(session) for session in found]})
        else:
            _show(found, engine.settings.zone)


def _found(
    database: "Database", settings: "Settings", owner: "TenantId", limit: int, *, only_spoken: bool
) -> "list[Session]":
    """The latest of everybody that the command line is."""
    from rag_core.conversation.sessions import list_sessions
    from rag_core.terminal.asking import askers_here

    found = [
        session
        for asker in askers_here(settings)
        for session in list_sessions(
            database, owner, settings=settings, user_hash=asker, limit=limit, only_spoken=only_spoken
        )
    ]
    return sorted(found, key=lambda session: session.last_at, reverse=True)[:limit]


def _show(found: "list[Session]", zone: "ZoneInfo") -> None:
    if not found:
        say(tr('No conversations yet. `brain ask "…" --session new` begins one.'))
        return
    rows = [
        [
            str(session.id),
            f"{session.last_at.astimezone(zone):%Y-%m-%d %H:%M}",
            str(session.questions),
            textwrap.shorten(session.title, SHOWN_CHARACTERS, placeholder="…"),
        ]
        for session in found
    ]
    table(tr("Conversations"), headings("id", "last spoken in", "questions", "first question"), rows, whole=(0,))
