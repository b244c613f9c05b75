"""Text recognition of clean pages: characters that are wrong in Spanish notes of the demo, drawn as pictures."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from pdfs import wrapped
from scans import drawn, edit_distance, saved

from rag_core.parsing import SourceFile
from rag_core.parsing.recognition import can_recognise
from rag_core.parsing.working import DocumentParser

from .corpus import EXAMPLES
from .progress import step

PAGES, CHARACTERS = 10, 1_500
MOST_WRONG = 0.01
"""Bound of the share of wrong characters."""


def measure_recognition(parser: DocumentParser) -> dict[str, Any]:
    """Pages, characters, and the share of them that are wrong; nothing where recognition is not installed."""
    if not can_recognise():
        return {}
    characters = wrong = 0
    for number, text in enumerate(_texts(), 1):
        with step(f"page {number}"):
            picture = SourceFile(name="page.png", data=saved(drawn(wrapped(text, 420, 11))))
            found = " ".join(parser.parse(picture).text.split())
        characters, wrong = characters + len(text), wrong + edit_distance(found, text)
    return {"pages": PAGES, "characters": characters, "wrong_share": wrong / characters}


def missed_recognition(figures: Mapping[str, Any]) -> Iterator[str]:
    """A line where more characters are wrong than may be."""
    if figures.get("wrong_share", 0) > MOST_WRONG:
        yield f"text recognition: {figures['wrong_share']:.2%} of the characters are wrong; {MOST_WRONG:.0%} is the bound"


def _texts() -> list[str]:
    lines = (EXAMPLES / "notes.jsonl").read_text(encoding="utf-8").splitlines()
    notes = (" ".join(str(json.loads(line)["text"]).split())[:CHARACTERS].strip() for line in lines)
    return [text for text in notes if len(text) > CHARACTERS / 2][:PAGES]
