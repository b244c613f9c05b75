"""Thinking of queries for a golden set: notes read, candidates made and chosen, what is new kept."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from uuid import UUID
from zoneinfo import ZoneInfo

from rag_core.chat import ChatModel
from rag_core.errors import ChatError
from rag_core.evaluation.golden.proposals.generation import generate_candidate
from rag_core.evaluation.golden.proposals.selection import select_candidates
from rag_core.evaluation.golden.proposals.templates import candidates_of
from rag_core.model.golden import Category, GoldenQuery, Vocabulary, query_hash
from rag_core.model.golden_proposal import CATEGORY_OF, DIFFICULTY_OF, ProposalCandidate, ProposalNote
from rag_core.model.note import TenantId
from rag_core.model.zones import in_zone
from rag_core.notes.validation import checked_name
from rag_core.storage.database import Connection, Database
from rag_core.storage.golden import fetch_golden_queries, fetch_golden_set
from rag_core.storage.proposals import Proposal, fetch_notes_to_propose_from, insert_proposal, list_proposals

MAX_NOTES = 500
"""Greatest number of notes read, which takes some seconds (165 notes of 1,300 characters: 1.5 s)."""
LEAST_CHARACTERS = 80
MODEL_SECONDS = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposed:
    """Proposals kept, the number of notes read, and how many of a model's questions were unusable and replaced by a template's."""

    proposals: tuple[Proposal, ...]
    notes_read: int
    model_failures: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ground:
    """Data that a choice starts from."""

    notes: dict[UUID, ProposalNote]
    vocabulary: Vocabulary
    queries: Sequence[GoldenQuery]
    earlier: Sequence[Proposal]


def propose_golden_queries(
    database: Database,
    tenant: TenantId,
    *,
    set_name: str,
    count: int,
    zone: ZoneInfo,
    chat: ChatModel | None = None,
    on_progress: Callable[[int, int], None] = lambda _done, _total: None,
) -> Proposed:
    """Keep at most ``count`` new proposals for a set, which needs not exist yet; they are no golden queries.

    What was proposed before is not proposed again, even if it was rejected. With a chat model each question on one note is its
    own; where it cannot be used the template's is kept, and counted.

    Raises:
        InvalidInputError: the set's name cannot be one.
    """
    name = checked_name(set_name, "set")
    with database.transaction(tenant) as connection:
        ground = _read_ground(connection, tenant, name, zone)
    chosen = _choose(ground, count)
    kept, failures = [], 0
    for done, template in enumerate(chosen, 1):
        candidate = template
        if chat is not None and not template.further:  # a passage shows the model one note
            candidate = _written(template, ground, chat)
            failures += candidate is template
        with database.transaction(tenant) as connection:
            kept.append(_keep(connection, tenant, candidate, name, ground.vocabulary))
        on_progress(done, len(chosen))
    with database.transaction(tenant) as connection:
        stored = [one for one in list_proposals(connection, tenant, set_name=name) if one.id in kept]
    return Proposed(proposals=tuple(stored), notes_read=len(ground.notes), model_failures=failures)


def _read_ground(connection: Connection, tenant: TenantId, name: str, zone: ZoneInfo) -> _Ground:
    golden = fetch_golden_set(connection, tenant, name)
    notes = fetch_notes_to_propose_from(connection, tenant, least_characters=LEAST_CHARACTERS, limit=MAX_NOTES)
    return _Ground(
        notes={note.note_id: replace(note, created_at=in_zone(note.created_at, zone)) for note in notes},
        vocabulary="brain_sync" if golden is None else golden.vocabulary,
        queries=fetch_golden_queries(connection, tenant, set_name=name),
        earlier=list_proposals(connection, tenant, set_name=name),
    )


def _choose(ground: _Ground, count: int) -> list[ProposalCandidate]:
    open_ones = [one for one in ground.earlier if one.state == "open"]
    coverage: Counter[Category] = Counter(query.category for query in ground.queries)
    coverage.update(one.category for one in open_ones)
    used = [note for query in ground.queries for note in query.relevant_note_ids]
    return select_candidates(
        candidates_of(list(ground.notes.values())),
        count,
        vocabulary=ground.vocabulary,
        coverage=coverage,
        used_notes=[*used, *(place.note_id for one in ground.earlier for place in one.places)],
        known={query_hash(query.query) for query in ground.queries} | {one.query_hash for one in ground.earlier},
    )


def _written(template: ProposalCandidate, ground: _Ground, chat: ChatModel) -> ProposalCandidate:
    note = ground.notes[template.note_id]
    category = CATEGORY_OF[ground.vocabulary][template.kind]
    known = {one.query_hash for one in ground.earlier} | {query_hash(one.query) for one in ground.queries}
    try:
        written = generate_candidate(note, template, category, chat=chat, timeout_seconds=MODEL_SECONDS)
    except ChatError:
        return template
    return template if query_hash(written.query) in known else written


def _keep(
    connection: Connection, tenant: TenantId, candidate: ProposalCandidate, name: str, vocabulary: Vocabulary
) -> UUID | None:
    return insert_proposal(
        connection,
        tenant,
        candidate,
        set_name=name,
        category=CATEGORY_OF[vocabulary][candidate.kind],
        difficulty=DIFFICULTY_OF[candidate.kind],
    )
