"""Sources and periods as the tests of quoted answers write them."""

from dataclasses import replace
from datetime import UTC, datetime

from builders import make_source

from rag_core.answering.quoting.selection import Quotation
from rag_core.model.answer import AskedTime, PromptContext, Source

MARCH = datetime(2025, 3, 1, tzinfo=UTC)
APRIL = datetime(2025, 4, 1, tzinfo=UTC)


def source(text: str, *, number: int = 1, title: str | None = None, month: int = 3, day: int = 4) -> Source:
    return make_source(text, number, title=title, created_at=datetime(2025, month, day, 12, tzinfo=UTC))


def reading(*sources: Source) -> PromptContext:
    return PromptContext(sources=sources, text="[…]")


def in_march(*sources: Source, without: str, is_all: bool = False) -> PromptContext:
    asked = AskedTime(since=MARCH, until=APRIL, without=without, is_all=is_all)
    return replace(reading(*sources), asked_time=asked)


def texts(quotation: Quotation) -> list[str]:
    return [sentence.text for sentence in quotation.sentences]
