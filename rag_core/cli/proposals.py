"""Golden queries that the program proposes, and a person's word on them."""

import textwrap
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rag_core.cli.app import JsonOption, TenantOption, command, golden_app, print_json, progress, say
from rag_core.cli.golden import SetOption
from rag_core.cli.messages import amount, label, localised, tr

if TYPE_CHECKING:
    from uuid import UUID

    from rag_core.evaluation.golden.proposals.propose import Proposed
    from rag_core.model.golden import GoldenQuery
    from rag_core.model.note import TenantId
    from rag_core.storage.database import Database
    from rag_core.storage.proposals import Proposal, ProposalPlace

_SHOWN_ID = 8
_SHOWN_ANSWER = 200
NOTHING_WAITS = "no proposals wait; brain golden propose makes some"
ByOption = Annotated[str | None, typer.Option("--by", help="Who decides; default: the name you are logged in with.")]
ProposalsArgument = Annotated[
    list[str], typer.Argument(metavar="ID...", help="Proposals, by the first characters of their ids.")
]


@golden_app.command("propose")
def propose(
    count: Annotated[int, typer.Option("--count", min=1, max=500, help="How many to think of at most.")] = 20,
    set_name: SetOption = "default",
    is_template_wanted: Annotated[
        bool, typer.Option("--templates", help="By template, even where there is a chat model.")
    ] = False,
    tenant: TenantOption = None,
    is_json: JsonOption = False,
) -> None:
    """Think of queries that your notes answer, most where the set is thin; nothing is added until you accept it.

    Without a chat model (BRAIN_CHAT_MODEL) questions are made by template: who did what, when, how many, why, what something
    is, lists, differences, two facts of a note. Then `brain golden review`.

    Example: brain golden propose --count 30
    """
    from rag_core.evaluation.golden.proposals.propose import propose_golden_queries
    from rag_core.runtime.engine import open_engine
    from rag_core.settings import read_settings

    with (
        command(is_json=is_json),
        open_engine(read_settings()) as engine,
        progress(tr("reading notes"), None) as advance,
    ):
        owner = engine.writing_tenant(tenant)
        proposed = propose_golden_queries(
            engine.database,
            owner,
            set_name=set_name,
            count=count,
            zone=engine.settings.zone,
            chat=None if is_template_wanted else engine.chat,
            on_progress=lambda *_: advance(1),
        )
        if not proposed.notes_read:
            _require_notes(engine.database, owner)
        _tell_proposed(proposed, set_name=set_name, is_json=is_json)


def _tell_proposed(proposed: "Proposed", *, set_name: str, is_json: bool) -> None:
    """Print the proposals and the next step, or the reason for having none."""
    if not proposed.proposals:
        say(_why_nothing(proposed.notes_read))
    if is_json:
        shown = [_to_json(one) for one in proposed.proposals]
        counts = {"notes_read": proposed.notes_read, "model_failures": proposed.model_failures}
        print_json({"proposed": shown, **counts})
        return
    if not proposed.proposals:
        return
    _show(
        list(proposed.proposals),
        title=tr(
            "{proposals} for the set {set_name}",
            proposals=amount(len(proposed.proposals), "proposal"),
            set_name=set_name,
        ),
    )
    if proposed.model_failures:
        unusable = amount(proposed.model_failures, "question")
        say(
            tr(
                "{unusable} of the chat model could not be used; a template's question is used instead",
                unusable=unusable,
            )
        )
    say(tr("decide with brain golden review, or brain golden accept ID and brain golden reject ID"))


@golden_app.command("proposals")
def show_proposals(
    set_name: Annotated[str | None, typer.Option("--set", help="Only those for this golden set.")] = None,
    is_all_wanted: Annotated[bool, typer.Option("--all", help="Decided ones too.")] = False,
    tenant: TenantOption = None,
    is_json: JsonOption = False,
) -> None:
    """List the proposals that wait for your word."""
    from rag_core.runtime.engine import open_engine
    from rag_core.runtime.homes import read_settings_to_read

    with command(is_json=is_json), open_engine(read_settings_to_read()) as engine:
        owner = engine.writing_tenant(tenant)
        found = _listed(engine.database, owner, set_name=set_name, is_open=not is_all_wanted)
        if not found:
            _require_notes(engine.database, owner)
        if is_json:
            print_json({"proposals": [_to_json(one) for one in found]})
        elif found:
            _show(found, title=tr("{found} proposals", found=len(found)))
        else:
            say(tr(NOTHING_WAITS))


@golden_app.command("accept")
def accept(
    proposals: ProposalsArgument,
    query: Annotated[
        str | None, typer.Option("--query", help="The question in better words; for one proposal.")
    ] = None,
    answer: Annotated[
        str | None, typer.Option("--answer", help="The answer in better words; for one proposal.")
    ] = None,
    by: ByOption = None,
    tenant: TenantOption = None,
    is_json: JsonOption = False,
) -> None:
    """Add proposals to their golden set, with the place of the answer and your name: all of them, or none.

    Example: brain golden accept 3f2a --answer "Siete semanas"
    """
    from rag_core.errors import InvalidInputError
    from rag_core.evaluation.golden.proposals.decide import accept_proposal, accept_proposals
    from rag_core.runtime.engine import open_engine
    from rag_core.settings import read_settings

    with command(is_json=is_json), open_engine(read_settings()) as engine:
        if len(proposals) > 1 and (query or answer):
            raise InvalidInputError("--query and --answer are for one proposal; name only one")
        owner, decided_by = engine.writing_tenant(tenant), person(by)
        named = _named(engine.database, owner, proposals)
        if len(named) == 1:
            worded = accept_proposal(
                engine.database, owner, named[0], by=decided_by, query=query, expected_answer=answer
            )
            accepted = [worded]
        else:
            accepted = accept_proposals(engine.database, owner, named, by=decided_by)
        if is_json:
            print_json({"accepted": [_accepted_json(one) for one in accepted]})
        else:
            print(tr("accepted {accepted}", accepted=len(accepted)))


@golden_app.command("reject")
def reject(
    proposals: ProposalsArgument, by: ByOption = None, tenant: TenantOption = None, is_json: JsonOption = False
) -> None:
    """Reject proposals; they are not proposed again."""
    from rag_core.evaluation.golden.proposals.decide import reject_proposals
    from rag_core.runtime.engine import open_engine
    from rag_core.settings import read_settings

    with command(is_json=is_json), open_engine(read_settings()) as engine:
        owner = engine.writing_tenant(tenant)
        rejected = reject_proposals(engine.database, owner, _named(engine.database, owner, proposals), by=person(by))
        if is_json:
            print_json({"rejected": rejected})
        else:
            print(tr("rejected {rejected}", rejected=rejected))


@golden_app.command("review")
def review(
    set_name: Annotated[str | None, typer.Option("--set", help="Only those for this golden set.")] = None,
    by: ByOption = None,
    tenant: TenantOption = None,
) -> None:
    """Go through the proposals one by one: y accepts, n rejects, e edits question and answer first, s skips, q ends.

    What you have decided is kept, however you end it.
    """
    from rag_core.runtime.engine import open_engine
    from rag_core.settings import read_settings

    with command(is_json=False), open_engine(read_settings()) as engine:
        owner = engine.writing_tenant(tenant)
        waiting = _listed(engine.database, owner, set_name=set_name, is_open=True)
        if not waiting:
            _require_notes(engine.database, owner)
            say(tr(NOTHING_WAITS))
            return
        counts = {"accepted": 0, "rejected": 0, "skipped": 0}
        for number, proposal in enumerate(waiting, 1):
            print(
                tr(
                    "\n{number}/{waiting}  {category}, difficulty {difficulty}, {method}",
                    number=number,
                    waiting=len(waiting),
                    category=proposal.category,
                    difficulty=proposal.difficulty,
                    method=proposal.method,
                )
            )
            print(f"  {proposal.query}\n  → {proposal.expected_answer}")
            for place in proposal.places:
                print(f"  {place.note_name}: «{place.quote}»")
            word = typer.prompt(tr("  accept? [y/n/e/s/q]"), default="s", show_default=False).strip().lower()[:1]
            if word == "q":
                break
            counts[_decide(engine.database, owner, proposal, word, person(by))] += 1
        print("  ".join(f"{label(name)} {count}" for name, count in counts.items()))


def _decide(database: "Database", owner: "TenantId", proposal: "Proposal", word: str, by: str) -> str:
    """Do what was said of a proposal; one that cannot be accepted is said and left."""
    from rag_core.errors import RagError
    from rag_core.evaluation.golden.proposals.decide import accept_proposal, reject_proposals

    try:
        if word in {"y", "e"}:
            query, answer = _edited(proposal) if word == "e" else (None, None)
            accept_proposal(database, owner, proposal.id, by=by, query=query, expected_answer=answer)
            return "accepted"
        if word == "n":
            reject_proposals(database, owner, [proposal.id], by=by)
            return "rejected"
    except RagError as error:
        say(f"  {localised(str(error))}")
    return "skipped"


def _edited(proposal: "Proposal") -> tuple[str, str]:
    query = typer.prompt(tr("  question"), default=proposal.query)
    return query, typer.prompt(tr("  answer"), default=proposal.expected_answer)


def _listed(database: "Database", owner: "TenantId", *, set_name: str | None, is_open: bool) -> list["Proposal"]:
    from rag_core.storage.proposals import list_proposals

    with database.transaction(owner) as connection:
        return list_proposals(connection, owner, set_name=set_name, state="open" if is_open else None)


def _named(database: "Database", owner: "TenantId", names: list[str]) -> list["UUID"]:
    from rag_core.evaluation.golden.proposals.decide import find_proposal

    known = _listed(database, owner, set_name=None, is_open=False)
    if not known:
        _require_notes(database, owner)
    return [find_proposal(known, name).id for name in dict.fromkeys(names)]


def _require_notes(database: "Database", owner: "TenantId") -> None:
    """Require notes to propose from: these commands change golden sets, so they never turn to the demo by themselves.

    Raises:
        InvalidInputError: the tenant has no note; where the demo is loaded, how to name it.
    """
    from rag_core.errors import InvalidInputError
    from rag_core.runtime.engine import DEMO_TENANT
    from rag_core.storage.notes import has_notes

    with database.transaction(owner) as connection:
        if has_notes(connection, owner):
            return
    with database.transaction(DEMO_TENANT) as connection:
        is_demo_there = owner != DEMO_TENANT and has_notes(connection, DEMO_TENANT)
    remedy = "; for the demo's add --tenant demo" if is_demo_there else ""
    raise InvalidInputError(
        f"{owner} has no notes to propose questions from; import some, or name whose with --tenant{remedy}"
    )


def _why_nothing(notes_read: int) -> str:
    if not notes_read:
        return tr("no note is long enough to ask anything of; write or import longer ones")
    return tr(
        "nothing new to propose: what the notes answer is proposed already, or no template fits; import more notes"
    )


def person(by: str | None) -> str:
    """The name given, else the one of whoever is logged in."""
    import getpass

    if by:
        return by
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # a user without a name, as in some containers
        return "brain"


def _show(proposals: list["Proposal"], *, title: str) -> None:
    """Three lines a proposal: questions and answers are too long for a table."""
    print(title)
    for one in proposals:
        state = (
            ""
            if one.state == "open"
            else tr("  {state} by {decided_by}", state=label(one.state), decided_by=one.decided_by)
        )
        print(f"\n{str(one.id)[:_SHOWN_ID]}  {one.query}  ({one.category}){state}")
        print(f"          → {textwrap.shorten(one.expected_answer, _SHOWN_ANSWER, placeholder='…')}")
        print(f"          {', '.join(place.note_name for place in one.places)}")


def _place_json(place: "ProposalPlace") -> dict[str, Any]:
    return {"note": place.note_name, "span": list(place.span), "quote": place.quote}


def _to_json(one: "Proposal") -> dict[str, Any]:
    return {
        "id": str(one.id),
        "set": one.set_name,
        "query": one.query,
        "answer": one.expected_answer,
        **_place_json(one.place),
        "further": [_place_json(place) for place in one.further],
        "category": one.category,
        "difficulty": one.difficulty,
        "method": one.method,
        "state": one.state,
        "decided_by": one.decided_by,
    }


def _accepted_json(one: "GoldenQuery") -> dict[str, Any]:
    return {"id": str(one.id), "query": one.query, "answer": one.expected_answer, "category": one.category}
