"""Relations between entities."""

from dataclasses import dataclass
from typing import Literal
from uuid import UUID

from rag_core.model.note import Language, NoteId

EntityType = Literal["CONCEPT"]
"""Types of entities; a cause or an effect is a concept."""
CausalDirection = Literal["causes", "effects"]
"""Direction of a causal question: to the causes or to the effects."""
RelationKind = Literal[
    "CAUSES",
    "TRIGGERS",
    "LEADS_TO",
    "WORKS_FOR",
    "MANAGES",
    "OWNS",
    "REFERENCES",
    "PART_OF",
    "RELATED_TO",
    "CREATED_BY",
    "APPROVED_BY",
    "REPORTS_TO",
    "COLLABORATES_WITH",
    "PREREQUISITE",
    "COMPARED_TO",
    "USES",
    "IMPLEMENTS",
    "EXAMPLE_OF",
]
"""Kinds of rows in the table ``relations``; of the causal kinds, the first three, the source is the cause."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Relation:
    """A relation between two entities, by their ids, and the text of the note that says so."""

    id: UUID
    source_id: str
    target_id: str
    kind: RelationKind
    confidence: float
    note_id: NoteId
    language: Language
    evidence: str
