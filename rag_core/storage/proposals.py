"""Queries that the program proposes for golden sets, and what a person made of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from rag_core.model.golden import Category, query_hash
from rag_core.model.golden_proposal import Place, ProposalCandidate, ProposalNote
from rag_core.model.note import NoteId, TenantId
from rag_core.storage.database import Connection
from rag_core.storage.queries import query
from rag_core.storage.rows import fetch_all, fetch_column

ProposalState = Literal["open", "accepted", "rejected"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposalPlace(Place):
    """A place with its note's name, ``source:id``."""

    note_name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A proposed query as stored, with the places where its answer stands: one, or one in each of several notes."""

    id: UUID
    set_name: str
    query: str
    place: ProposalPlace
    further: tuple[ProposalPlace, ...]
    expected_answer: str
    category: Category
    difficulty: int
    method: str
    state: ProposalState
    created_at: datetime
    decided_at: datetime | None
    decided_by: str | None
    query_hash: bytes

    @property
    def places(self) -> tuple[ProposalPlace, ...]:
        """All places of its answer."""
        return self.place, *self.further


def fetch_notes_to_propose_from(
    connection: Connection, tenant: TenantId, *, least_characters: int, limit: int
) -> list[ProposalNote]:
    """At most ``limit`` notes that are long enough, those without golden query or proposal first; times as stored."""
    parameters = {"tenant": tenant, "least_characters": least_characters, "limit": limit}
    return fetch_all(connection, ProposalNote, "fetch_notes_to_propose_from", parameters)


def list_proposals(
    connection: Connection, tenant: TenantId, *, set_name: str | None = None, state: ProposalState | None = None
) -> list[Proposal]:
    """The proposals of a set or of all, in one state or in any, in the order they were made."""
    parameters = {"tenant": tenant, "set": set_name, "state": state}
    return [_proposal(row) for row in connection.execute(query("list_proposals"), parameters).fetchall()]


def insert_proposal(
    connection: Connection,
    tenant: TenantId,
    candidate: ProposalCandidate,
    *,
    set_name: str,
    category: Category,
    difficulty: int,
) -> UUID | None:
    """Keep a candidate; None when the set was proposed the same query before."""
    row = connection.execute(
        query("insert_proposal"),
        {
            "tenant": tenant,
            "set": set_name,
            "query": candidate.query,
            "query_hash": query_hash(candidate.query),
            "note": candidate.note_id,
            "start": candidate.span[0],
            "end": candidate.span[1],
            "quote": candidate.quote,
            "expected_answer": candidate.expected_answer,
            "category": category,
            "difficulty": difficulty,
            "method": candidate.method,
        },
    ).fetchone()
    if row is None:
        return None
    proposal_id: UUID = row[0]
    for place in candidate.further:
        connection.execute(
            query("insert_proposal_place"),
            {
                "tenant": tenant,
                "proposal": proposal_id,
                "note": place.note_id,
                "start": place.span[0],
                "end": place.span[1],
                "quote": place.quote,
            },
        )
    return proposal_id


def lock_proposals(connection: Connection, tenant: TenantId, proposals: Sequence[UUID]) -> frozenset[UUID]:
    """The open ones among them, locked until the transaction ends."""
    rows = connection.execute(query("lock_proposals"), {"tenant": tenant, "proposals": list(proposals)}).fetchall()
    return frozenset(row[0] for row in rows)


def decide_proposals(
    connection: Connection, tenant: TenantId, proposals: Sequence[UUID], *, state: ProposalState, by: str
) -> list[UUID]:
    """Write down what became of them; those that were still open."""
    parameters = {"tenant": tenant, "proposals": list(proposals), "state": state, "by": by}
    return fetch_column(connection, "decide_proposals", parameters)


def _proposal(row: tuple[Any, ...]) -> Proposal:
    proposal_id, set_name, text, note_id, start, end, quote, answer, category, difficulty, method, *rest = row
    state, created_at, decided_at, decided_by, digest, note_name, further = rest
    return Proposal(
        id=proposal_id,
        set_name=set_name,
        query=text,
        place=ProposalPlace(note_id=note_id, note_name=note_name, span=(start, end), quote=quote),
        further=tuple(
            ProposalPlace(note_id=NoteId(UUID(other)), note_name=name, span=(first, last), quote=words)
            for other, name, first, last, words in further or ()
        ),
        expected_answer=answer,
        category=category,
        difficulty=difficulty,
        method=method,
        state=state,
        created_at=created_at,
        decided_at=decided_at,
        decided_by=decided_by,
        query_hash=digest,
    )
