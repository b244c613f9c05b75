"""Ask your notes a question from the terminal."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any
from uuid import UUID

import typer

from rag_core.cli.app import JsonOption, TenantOption, app, command, print_json, say
from rag_core.cli.messages import label, localised, tr

if TYPE_CHECKING:
    from rich.console import Console

    from rag_core.answering.events import AnswerEvent, AnswerRequest
    from rag_core.model.answer import Answer
    from rag_core.model.note import TenantId
    from rag_core.runtime.engine import Engine
    from rag_core.settings import Settings
    from rag_core.storage.database import Database

NEW = "new"
COMMAND_LINE = ""
"""Caller of the command line where the API requires keys: the one who may read the database."""


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
    from rag_core.guardrails.policies import redaction_policy
    from rag_core.runtime.engine import open_engine
    from rag_core.runtime.homes import read_settings_to_read
    from rag_core.wire.answers import chat_body

    with command(is_json=is_json), open_engine(read_settings_to_read()) as engine:
        owner = engine.named_tenant(tenant)
        with _conversation(engine.database, engine.settings, owner, session) as (session_id, asker):
            request = _request(engine.settings, question, session_id, asker, top_k)
            if is_json:
                answer = _last(_events(engine, owner, request))
                policy = redaction_policy("command", engine.settings.guardrails_personal_data)
                print_json(chat_body(answer, policy=policy) | ({"sessionId": str(session_id)} if session_id else {}))
            else:
                show_answer(_events(engine, owner, request))
        if session == NEW and not is_json:
            say(
                tr(
                    'conversation {session_id}: go on with `brain ask "…" --session {session_id}`',
                    session_id=session_id,
                )
            )


def _request(
    settings: "Settings", question: str, session_id: UUID | None, asker: str, top_k: int | None
) -> "AnswerRequest":
    from rag_core.answering.events import AnswerRequest
    from rag_core.answering.sources.search_configuration import default_options

    options = default_options(settings, max_sources=top_k)
    return AnswerRequest(question=question, contract="command", user_hash=asker, session_id=session_id, options=options)


@contextmanager
def _conversation(
    database: "Database", settings: "Settings", owner: "TenantId", session: str | None
) -> Iterator[tuple[UUID | None, str]]:
    """The conversation that is asked in, begun where a new one is wanted, and whose it is."""
    from rag_core.conversation.sessions import begun_session

    asker, *before = askers_here(settings)
    if session == NEW:
        with begun_session(database, owner, settings=settings, user_hash=asker) as begun:
            yield begun.id, asker
    elif session is None:
        yield None, asker
    else:
        known = (name for name in before if _is_of(database, settings, owner, UUID(session), name))
        yield UUID(session), next(known, asker)


def _is_of(database: "Database", settings: "Settings", owner: "TenantId", session_id: UUID, asker: str) -> bool:
    from rag_core.conversation.sessions import read_conversation
    from rag_core.errors import NotFoundError

    try:
        read_conversation(database, owner, session_id, settings=settings, user_hash=asker, limit=1)
    except NotFoundError:
        return False
    return True


def askers_here(settings: "Settings") -> tuple[str, ...]:
    """Owners of the command line's conversations; new ones belong to the first.

    In open mode that is the machine's one person, as on the page; what was asked in a terminal with keys, or before the page and the
    terminal were one, is theirs too.
    """
    from rag_core.access.pseudonyms import pseudonyms

    if settings.access != "open":
        return (COMMAND_LINE,)
    return pseudonyms(settings.home, settings.secret).machine, COMMAND_LINE


def _events(engine: "Engine", owner: "TenantId", request: "AnswerRequest") -> Iterator["AnswerEvent"]:
    from rag_core.answering.answer import answer_events

    return answer_events(engine, owner, request)


def _last(events: Iterator["AnswerEvent"]) -> "Answer":
    from rag_core.answering.events import AnswerFinished

    *_, last = events
    assert isinstance(last, AnswerFinished)
    return last.answer


def show_answer(events: Iterator["AnswerEvent"], *, heading: str | None = None) -> None:
    """An answer as it comes, then the notes it cites, how far it is to be trusted, and what its reader should know."""
    from rich.console import Console

    from rag_core.answering.events import AnswerFinished, QuestionUnderstood, SentenceReady

    console, shown = Console(highlight=False, emoji=False, soft_wrap=True), ""
    if heading is not None:
        console.print(f"\n[bold cyan]{_plain(heading)}[/bold cyan]\n")
    for event in events:
        if isinstance(event, QuestionUnderstood) and event.standalone is not None:
            say(tr("Understood: {standalone}\n", standalone=event.standalone))
        if isinstance(event, SentenceReady):
            console.print(_plain(event.text), end="")
            shown += event.text
        if isinstance(event, AnswerFinished):
            _finish(console, event.answer, shown)


def _finish(console: "Console", answer: "Answer", shown: str) -> None:
    """The rest of the answer, or all of it anew where its end made a refusal of what was shown."""
    rest = answer.text.removeprefix(shown)
    console.print(("\n" if shown and rest == answer.text else "") + _plain(rest) + "\n")
    for line in _sources(answer):
        console.print(line)
    for line in _nearest(answer):
        say(line)
    for warning in answer.warnings:
        say(f"({localised(warning)})")
    say(
        tr(
            "confidence: {confidence}, answered by {answerer}, {total:.0f} ms",
            confidence=label(answer.confidence),
            answerer=answer.answerer,
            total=answer.stages["total"],
        )
    )


def _sources(answer: "Answer") -> Iterator[str]:
    """A heading and a quotation for each note that is cited; one that does not hold what it is cited for says so."""
    from rag_core.guardrails.policies import hiding, redaction_policy
    from rag_core.model.zones import in_zone
    from rag_core.settings import read_settings

    settings = read_settings()
    hide = hiding(redaction_policy("command", settings.guardrails_personal_data), answer.language)
    for source in answer.sources:
        uses = [citation for citation in answer.citations if citation.number == source.number]
        if not uses:
            continue
        held = "" if all(use.is_supported for use in uses) else tr("  [yellow]not supported by its text[/yellow]")
        written = in_zone(source.created_at, settings.zone).date()
        title = _plain(hide(source.title or source.external_id))
        yield f"[bold]\\[{source.number}] {title}[/bold]  [dim]{written}  {_plain(source.external_id)}[/dim]{held}"
        quotes = list(dict.fromkeys(" ".join(hide(use.quote).split()) for use in uses if use.quote))
        yield from (f"    «{_plain(quote)}»" for quote in quotes)


def _nearest(answer: "Answer") -> Iterator[str]:
    """Of a refusal: the nearest notes, and the search to go on with; nothing where there are no notes."""
    from shlex import quote

    from rag_core.conversation.records import nearest_sources
    from rag_core.guardrails.policies import hiding, redaction_policy
    from rag_core.model.zones import in_zone
    from rag_core.settings import read_settings

    if answer.refusal in {None, "no_notes"}:
        return
    settings = read_settings()
    hide = hiding(redaction_policy("command", settings.guardrails_personal_data), answer.language)
    nearest = nearest_sources(answer.sources)
    if nearest:
        yield tr("Nearest in your notes:")
    for source in nearest:
        written = in_zone(source.created_at, settings.zone).date()
        yield f"    {hide(source.title or source.external_id)}  {written}  {source.external_id}"
    yield tr("To search for it: brain search {standalone}", standalone=quote(answer.standalone or answer.question))


def _plain(text: Any) -> str:
    from rich.markup import escape

    return escape(str(text))
