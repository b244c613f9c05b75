"""Names of persons, organisations and other things as notes write them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from rag_core.model.note import Span

EntityKind = Literal["PERSON", "ORG", "PROJECT", "PRODUCT", "REGULATION", "DATE", "MONEY", "LOCATION", "DOCUMENT"]
ENTITY_KINDS: tuple[EntityKind, ...] = get_args(EntityKind)
NAMES_FINGERPRINT = "names-5"
"""Version of the rules that read names; notes read by another are read again."""
NamingMethod = Literal["parser", "cue", "list", "corpus", "context", "kinship"]
"""Evidence of a name: its own form, a word beside it, a list of known names, other places of the notes, its place in the sentence, or
a word of kinship that the note explains."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedMention:
    """A stretch of a note that names something: ``name`` is what it names, ("Birgit" for "mi jefa", "Joan Bosch" for an address)."""

    span: Span
    kind: EntityKind
    name: str
    confidence: float
    method: NamingMethod


EdgeKind = Literal[
    "WORKS_FOR", "MANAGES", "REPORTS_TO", "CREATED", "USES", "PART_OF", "APPROVED_BY", "COLLABORATES_WITH"
]
TRIPLES: Mapping[EdgeKind, frozenset[tuple[EntityKind, EntityKind]]] = {
    "WORKS_FOR": frozenset({("PERSON", "ORG")}),
    "MANAGES": frozenset({("PERSON", "PROJECT")}),
    "REPORTS_TO": frozenset({("PERSON", "PERSON")}),
    "CREATED": frozenset({("PERSON", "DOCUMENT")}),
    "USES": frozenset({("PROJECT", "PRODUCT")}),
    "PART_OF": frozenset({("PROJECT", "PROJECT"), ("ORG", "ORG")}),
    "APPROVED_BY": frozenset({("DOCUMENT", "PERSON"), ("PROJECT", "PERSON")}),
    "COLLABORATES_WITH": frozenset({("PERSON", "PERSON"), ("PERSON", "ORG"), ("ORG", "ORG")}),
}
"""Types of source and target that each kind of edge may join."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedEdge:
    """A relation that a stretch of a note, its evidence, states between two of its mentions."""

    kind: EdgeKind
    source: NamedMention
    target: NamedMention
    evidence: Span
    confidence: float
