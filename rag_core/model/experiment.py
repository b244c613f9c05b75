"""The values of an experiment: what is compared, one live query of it, and a reader's word on what came back. No I/O."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from rag_core.model.note import NoteId

Mode = Literal["split", "shadow", "interleave"]
"""``split``: a share of queries is answered by the candidate; ``shadow``: it answers beside, unseen; ``interleave``: one list
of both."""
Side = Literal["control", "candidate"]
Arm = Literal["control", "candidate", "interleaved"]
FeedbackKind = Literal["open", "helpful", "unhelpful"]
State = Literal["running", "stopped"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Experiment:
    """A comparison on live queries; both sides are whole configurations as they are on the wire.

    ``share`` is that of the queries that take part; in a split all do, and it is the candidate's. A re-ranker is the version of
    fitted weights, None the shipped ones.
    """

    id: UUID
    name: str
    mode: Mode
    share: float
    control: Mapping[str, Any]
    candidate: Mapping[str, Any]
    control_reranker: str | None = None
    candidate_reranker: str | None = None
    candidate_configuration_id: UUID | None = None
    state: State = "running"
    started_at: datetime
    stopped_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderReaction:
    """Reaction of a reader to a note; without a note, to the whole answer."""

    note_id: NoteId | None
    kind: FeedbackKind


@dataclass(frozen=True, slots=True, kw_only=True)
class ExperimentQuery:
    """A live query by what both sides brought back: unique notes, best first, None where a side did not answer.

    ``arm`` is what was drawn for it, also when the candidate failed and the control answered in its place. ``teams`` says, beside
    ``served_notes``, which side put a note into an interleaved list. Milliseconds are None for answers that were kept from before.
    """

    id: UUID
    experiment_id: UUID
    arm: Arm
    asked_at: datetime
    control_notes: tuple[NoteId, ...] | None = None
    candidate_notes: tuple[NoteId, ...] | None = None
    served_notes: tuple[NoteId, ...]
    teams: tuple[Side, ...] | None = None
    control_ms: float | None = None
    candidate_ms: float | None = None
    is_degraded: bool = False
    feedback: tuple[ReaderReaction, ...] = ()

    @property
    def opened(self) -> frozenset[NoteId]:
        """The notes that were opened."""
        return self._notes("open")

    @property
    def liked(self) -> frozenset[NoteId]:
        """The notes that were opened or found helpful, without those found unhelpful."""
        return (self._notes("open") | self._notes("helpful")) - self._notes("unhelpful")

    @property
    def is_helpful(self) -> bool | None:
        """The word on the whole answer, else the majority of those on its notes; None without any, or when they balance."""
        whole = {given.kind for given in self.feedback if given.note_id is None}
        if whole:
            return "helpful" in whole
        balance = len(self._notes("helpful")) - len(self._notes("unhelpful"))
        return None if balance == 0 else balance > 0

    def _notes(self, kind: FeedbackKind) -> frozenset[NoteId]:
        return frozenset(given.note_id for given in self.feedback if given.kind == kind and given.note_id is not None)
