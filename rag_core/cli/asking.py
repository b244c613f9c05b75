"""Ask your notes a question from the terminal."""

from collections.abc import Iterable, Mapping
from contextlib import closing
from typing import TYPE_CHECKING, Annotated, Any
from uuid import UUID

import typer

from rag_core.cli.answering import answer_events_of
from rag_core.cli.app import JsonOption, TenantOption, app, command, facts_of, print_json, say
from rag_core.cli.messages import label, localised, tr
from rag_core.terminal.requests import NEW, TerminalQuestion

if TYPE_CHECKING:
    from rich.console import Console

    from rag_core.terminal.requests import Event


def _session(value: str | None) -> str | None:
    try:
        return value if value in {None, NEW} else str(UUID(value))
    except ValueError as error:
        raise typer.BadParameter(f"{value!r} is no id of a conversation; `new` begins one and says its id") from error


@app.command("ask")
def ask(
    question: Annotated[str, typer.Argument(help="What you want to know, in Spanish, German or English.")],
    session: Annotated[
        str | None,
        typer.Option(callback=_session, metavar="ID", help="Go on with a conversation; `new` begins one."),
    ] = None,
    top_k: Annotated[
        int | None, typer.Option("--top-k", min=1, max=12, help="Passages to answer from at most; default 8.")
    ] = None,
    tenant: TenantOption = None,
    is_json: JsonOption = False,
) -> None:
    """Answer a question from your notes; every statement cites the note that says it.

    - `brain ask "¿Cuánto costó la caldera nueva?"`

    In a conversation a question may lean on the one before. `new` begins one, whose id is said at the end:

    - `brain ask "¿Cuánto gasté en la farmacia en marzo?" --session new`

    - `brain ask "¿Y en abril?" --session 0e9be1f0-5d0c-4c63-9a39-1f0bd8ef5d0a`

    `brain conversations` lists them. Without keys they are those of the page /preguntar too: who sits at this machine is one person.
    With BRAIN_ACCESS=keys each key has its own, and the command line has its own as well.

    With --json it prints what POST /chat answers. Without a chat model (BRAIN_CHAT_MODEL) the best sentences of the notes are
    quoted. Where the notes hold no answer it says so, with confidence `insufficient` and exit status 0.
    """
    asked = TerminalQuestion(question=question, session=session, top_k=top_k, tenant=tenant, is_json=is_json)
    with command(is_json=is_json), closing(answer_events_of(asked)) as events:
        if is_json:
            (answer,) = events
            print_json(answer["document"])
            return
        finished = show_answer(events)
        if session == NEW:
            say(
                tr(
                    'conversation {session_id}: go on with `brain ask "…" --session {session_id}`',
                    session_id=finished["sessionId"],
                )
            )


def show_answer(events: Iterable["Event"], *, heading: str | None = None) -> "Event":
    """Print an answer as it comes, then the notes it cites, its confidence, and its warnings; return the last event."""
    from rich.console import Console

    console, shown = Console(highlight=False, emoji=False, soft_wrap=True), ""
    if heading is not None:
        console.print(f"\n[bold cyan]{_plain(heading)}[/bold cyan]\n")
    for event in events:
        if event["kind"] == "understood":
            say(tr("Understood: {standalone}\n", standalone=event["standalone"]))
        if event["kind"] == "sentence":
            console.print(_plain(event["text"]), end="")
            shown += event["text"]
    _finish(console, event, shown)
    return event


def _finish(console: "Console", answer: "Event", shown: str) -> None:
    """Print the rest of the answer, or all of it anew where its end made a refusal of what was shown."""
    rest = answer["text"].removeprefix(shown)
    console.print(("\n" if shown and rest == answer["text"] else "") + _plain(rest) + "\n")
    for source in answer["sources"]:
        _print_source(console, source)
    _say_nearest(answer)
    for warning in answer["warnings"]:
        say(f"({localised(warning)})")
    say(
        tr(
            "confidence: {confidence}, answered by {answerer}, {total:.0f} ms",
            confidence=label(answer["confidence"]),
            answerer=answer["answerer"],
            total=answer["totalMs"],
        )
    )


def _print_source(console: "Console", source: Mapping[str, Any]) -> None:
    """Print a cited note with its quotations; one that does not hold what it is cited for says so."""
    held = "" if source["isSupported"] else tr("  [yellow]not supported by its text[/yellow]")
    facts = f"[dim]{_plain(facts_of(source))}[/dim]"
    console.print(f"[bold]\\[{source['number']}] {_plain(source['title'])}[/bold]  {facts}{held}")
    for quote in source["quotes"]:
        console.print(f"    «{_plain(quote)}»")


def _say_nearest(answer: "Event") -> None:
    """Print the nearest notes of a refusal, and the search to go on with; nothing where there are no notes."""
    from shlex import quote

    if answer["nearest"]:
        say(tr("Nearest in your notes:"))
    for note in answer["nearest"]:
        say(f"    {note['title']}  {facts_of(note)}")
    if answer["searchFor"] is not None:
        say(tr("To search for it: brain search {standalone}", standalone=quote(answer["searchFor"])))


def _plain(text: Any) -> str:
    from rich.markup import escape

    return escape(str(text))
