"""Words that tell the type of a document, in a language."""

from collections.abc import Mapping
from dataclasses import dataclass

from rag_core.model.enrichment import DocumentType


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentTypeWords:
    """Words by the type they speak for, in lower case and any form: they are compared by their stems.

    Two words joined by "_" count where they stand side by side. Types without words of their own are told by their form alone.
    """

    words: Mapping[DocumentType, frozenset[str]]
    first_person: frozenset[str]
    """Words of somebody who tells of his own day."""
    second_person: frozenset[str]
    """Words of somebody who writes to one or more others."""
    obligations: frozenset[str]
    """Words that demand, allow or forbid."""
