"""A note's text as a model may read it, without what would command it. Pure."""

from rag_core.guardrails import BLOCK_SCORE, InjectionScan
from rag_core.language.guardrails import INNER_QUOTES, QUOTED_INSTRUCTION, WITHHELD_INSTRUCTION
from rag_core.model import Language


def neutralised(text: str, scan: InjectionScan, *, language: Language) -> str:
    """The text with every sentence of the scan quoted as such, and those that are surely orders to a model left out.

    The scan is of this very text. For what is shown to people and what claims are held to there is the note itself; nothing of
    it is changed. A text with no such sentence comes back as it is.
    """
    parts, at = [], 0
    for (start, end), score in zip(scan.spans, scan.scores, strict=True):
        words = WITHHELD_INSTRUCTION if score >= BLOCK_SCORE else QUOTED_INSTRUCTION
        parts += [text[at:start], words[language].format(text=text[start:end].translate(INNER_QUOTES))]
        at = end
    return "".join([*parts, text[at:]])
