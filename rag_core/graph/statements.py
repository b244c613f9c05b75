"""The value every extractor gives: one causal statement, and where its words stand."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from rag_core.model.note import Language, Span

CausalKind = Literal["CAUSES", "TRIGGERS", "LEADS_TO"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CausalStatement:
    """Statement in a text that the cause led to the effect.

    All spans are code points of the text. ``evidence`` is the sentence that says it, or two where the second one points
    back ("Eso provocó …"); ``confidence`` is in (0, 1].
    """

    cause: Span
    effect: Span
    kind: CausalKind
    evidence: Span
    confidence: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Extraction:
    """The statements of one text, and the fingerprint of what read them."""

    statements: tuple[CausalStatement, ...]
    fingerprint: str


class CausalExtractor(Protocol):
    """Reads causal statements; its ``fingerprint`` changes whenever it would read differently."""

    @property
    def fingerprint(self) -> str:
        """Name and version."""
        ...

    def extract(self, text: str, *, language: Language, sentences: Sequence[Span]) -> Extraction:
        """The statements of a text; one that had to be read by simpler means carries those means' fingerprint."""
        ...
