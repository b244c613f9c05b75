"""Answers checked against their sources, claim by claim."""

from unit.citing import FIELD, VET, source

from rag_core.answering.verification.check import check_citations, judged
from rag_core.errors import ChatError
from rag_core.model.answer import CheckedText

SOURCES = [source(1, VET, title="Trufa", start_char=40), source(2, FIELD, title="La casa de Sueca")]


def checked(text: str, sources=SOURCES, language="es", judge: "Judge | None" = None) -> CheckedText:
    by_words = check_citations(text, sources, language=language)
    return by_words if judge is None else judged(by_words, sources, judge=judge, language=language)


class Judge:
    """Says what was planted, or fails."""

    name = "juez"

    def __init__(self, *said: bool) -> None:
        self.said = list(said)
        self.asked: list[tuple[str, str]] = []

    def supported(self, claims, *, language, timeout_seconds) -> list[bool]:
        self.asked = list(claims)
        if not self.said:
            raise ChatError("no verdict; expected one")
        return self.said
