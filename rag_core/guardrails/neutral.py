"""A note's text as a model may read it, without what would command it. Pure."""

from collections.abc import Iterator

from rag_core.guardrails import BLOCK_SCORE
from rag_core.language.guardrails import INNER_QUOTES
from rag_core.language.languages import language_of
from rag_core.model.injection import InjectionScan
from rag_core.model.note import Language


def neutralised(text: str, scan: InjectionScan, *, language: Language) -> str:
    """The text with every sentence of the scan quoted as such, and those that are surely orders to a model left out.

    The scan is of this very text. For what is shown to people and what claims are held to there is the note itself; nothing of
    it is changed. A text with no such sentence comes back as it is.
    """
    parts, at = [], 0
    for start, end, words in _replacements(text, scan, language):
        parts += [text[at:start], words]
        at = end
    return "".join([*parts, text[at:]])


def neutralised_position(at: int, text: str, scan: InjectionScan, *, language: Language) -> int:
    """Map a position to the neutralised text; inside a replaced sentence, to its start."""
    shift = 0
    for start, end, words in _replacements(text, scan, language):
        if end <= at:
            shift += len(words) - (end - start)
        elif start < at:
            at = start
    return at + shift


def _replacements(text: str, scan: InjectionScan, language: Language) -> Iterator[tuple[int, int, str]]:
    messages = language_of(language).messages
    for (start, end), score in zip(scan.spans, scan.scores, strict=True):
        words = messages.withheld_instruction if score >= BLOCK_SCORE else messages.quoted_instruction
        yield start, end, words.format(text=text[start:end].translate(INNER_QUOTES))
