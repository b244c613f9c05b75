"""A person's word on a proposal: accepted it becomes a golden query, rejected it is never proposed again."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from uuid import UUID, uuid4

from rag_core.errors import ConflictError, InvalidInputError, NotFoundError
from rag_core.evaluation.golden.origins import PROPOSED_TAG
from rag_core.evaluation.golden.query import parse_answer, parse_query
from rag_core.model.golden import CATEGORIES, GoldenQuery, GoldenSpan, Relevance, query_hash
from rag_core.model.note import NoteId, TenantId
from rag_core.notes.validation import checked_name
from rag_core.storage.database import Connection, Database
from rag_core.storage.evaluations import fetch_contents
from rag_core.storage.golden import (
    find_golden_queries,
    grow_golden_set,
    hold_notes,
    open_golden_set,
    write_golden_queries,
)
from rag_core.storage.proposals import Proposal, ProposalPlace, decide_proposals, list_proposals, lock_proposals

GRADE = 2
"""The note answers; whether another one answers better is not known."""
LEAST_ID_CHARACTERS = 4


def accept_proposal(
    database: Database,
    tenant: TenantId,
    proposal_id: UUID,
    *,
    by: str,
    query: str | None = None,
    expected_answer: str | None = None,
) -> GoldenQuery:
    """Add a proposal to its set, in other words if they are given; the set is made if it is missing.

    Raises:
        NotFoundError: there is no such proposal.
        ConflictError: it is decided already, or the set has the query.
        InvalidInputError: the words cannot be taken, or what was quoted is no longer in the note.
    """
    name = checked_name(by, "by")
    question = None if query is None else parse_query(query)
    answer = None if expected_answer is None else parse_answer(expected_answer)
    with database.transaction(tenant) as connection:
        accepted, golden = _accept(connection, tenant, proposal_id, by=name, query=question, answer=answer)
        grow_golden_set(connection, tenant, golden)
    return accepted


def accept_proposals(database: Database, tenant: TenantId, proposals: Sequence[UUID], *, by: str) -> list[GoldenQuery]:
    """Add proposals to their sets as they stand: all, or when one cannot be added none. Each set's version grows by one.

    Raises:
        NotFoundError, ConflictError, InvalidInputError: as for one.
    """
    name = checked_name(by, "by")
    with database.transaction(tenant) as connection:
        done = [_accept(connection, tenant, proposal_id, by=name, query=None, answer=None) for proposal_id in proposals]
        for golden in {golden for _, golden in done}:
            grow_golden_set(connection, tenant, golden)
    return [accepted for accepted, _ in done]


def _accept(
    connection: Connection, tenant: TenantId, proposal_id: UUID, *, by: str, query: str | None, answer: str | None
) -> tuple[GoldenQuery, UUID]:
    """The query as it was added, and the set, whose version is still to grow."""
    proposal = _open_proposal(connection, tenant, proposal_id)
    notes = {place.note_id for place in proposal.places}
    hold_notes(connection, tenant, notes)
    contents = fetch_contents(connection, tenant, notes)
    accepted = _golden_query(
        proposal,
        relevance=_relevance(proposal.places, contents),
        by=by,
        query=proposal.query if query is None else query,
        answer=proposal.expected_answer if answer is None else answer,
    )
    golden = _add(connection, tenant, proposal.set_name, accepted)
    decide_proposals(connection, tenant, [proposal.id], state="accepted", by=by)
    return accepted, golden


def reject_proposals(database: Database, tenant: TenantId, proposals: Sequence[UUID], *, by: str) -> int:
    """Reject open proposals; how many.

    Raises:
        NotFoundError: one of them does not exist.
        ConflictError: one of them is decided already; then none is rejected.
    """
    name = checked_name(by, "by")
    with database.transaction(tenant) as connection:
        for proposal_id in proposals:
            _open_proposal(connection, tenant, proposal_id)
        return len(decide_proposals(connection, tenant, proposals, state="rejected", by=name))


def find_proposal(proposals: Sequence[Proposal], name: str) -> Proposal:
    """The proposal whose id begins so.

    Raises:
        NotFoundError: none, or several.
    """
    found = [one for one in proposals if len(name) >= LEAST_ID_CHARACTERS and str(one.id).startswith(name.lower())]
    if len(found) == 1:
        return found[0]
    problem = f"{len(found)} proposals begin with" if found else "no proposal begins with"
    raise NotFoundError(
        f"{problem} {name!r}; brain golden proposals lists them, and {LEAST_ID_CHARACTERS} characters or more of an id name one"
    )


def _open_proposal(connection: Connection, tenant: TenantId, proposal_id: UUID) -> Proposal:
    is_open = proposal_id in lock_proposals(connection, tenant, [proposal_id])
    proposal = next((one for one in list_proposals(connection, tenant) if one.id == proposal_id), None)
    if proposal is None:
        raise NotFoundError(f"no proposal {proposal_id}; brain golden proposals lists them")
    if not is_open:
        raise ConflictError(f"the proposal {proposal_id} is {proposal.state} already; decide on another one")
    return proposal


def _relevance(places: Sequence[ProposalPlace], contents: Mapping[NoteId, str]) -> tuple[Relevance, ...]:
    """Every note that a proposal rests on, with its places there."""
    spans = defaultdict[NoteId, set[GoldenSpan]](set)
    for place in places:
        spans[place.note_id].add(_found_again(place, contents[place.note_id]))
    return tuple(
        Relevance(note_id=note_id, grade=GRADE, spans=tuple(sorted(spans[note_id], key=lambda span: span.start)))
        for note_id in sorted(spans)
    )


def _found_again(place: ProposalPlace, content: str) -> GoldenSpan:
    """The quote's place nearest to where it stood: the note may have been edited since."""
    starts, at = [], content.find(place.quote)
    while at >= 0:
        starts.append(at)
        at = content.find(place.quote, at + 1)
    if not starts:
        raise InvalidInputError(
            f"the note {place.note_name} no longer says {place.quote[:60]!r}; reject the proposal and let others be made"
        )
    start = min(starts, key=lambda found: abs(found - place.span[0]))
    return GoldenSpan(start=start, end=start + len(place.quote), quote=place.quote)


def _golden_query(
    proposal: Proposal, *, relevance: tuple[Relevance, ...], by: str, query: str, answer: str
) -> GoldenQuery:
    now = datetime.now(UTC)
    return GoldenQuery(
        id=uuid4(),
        external_id=None,
        query=query,
        relevance=relevance,
        expected_answer=answer,
        category=proposal.category,
        difficulty=proposal.difficulty,
        tags=(PROPOSED_TAG,),
        created_at=now,
        updated_at=now,
        created_by=proposal.method,
        verified_by=by,
        verified_at=now,
    )


def _add(connection: Connection, tenant: TenantId, set_name: str, accepted: GoldenQuery) -> UUID:
    golden = open_golden_set(connection, tenant, set_name)
    same = find_golden_queries(connection, tenant, golden.id, [query_hash(accepted.query)])
    if same:
        raise ConflictError(f"the golden set {set_name!r} has this query already; reject the proposal")
    if accepted.category not in CATEGORIES[golden.vocabulary]:
        raise InvalidInputError(
            f"the golden set {set_name!r} has other categories than {accepted.category!r} since the proposal was made; "
            "reject it and let others be made"
        )
    write_golden_queries(connection, tenant, golden.id, [replace(accepted, vocabulary=golden.vocabulary)])
    return golden.id
