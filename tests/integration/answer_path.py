"""Questions asked of a few notes, answered by a scripted model."""

import dataclasses
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from rag_core.answering.answer import answer_events
from rag_core.answering.events import (
    AnswerEvent,
    AnswerFinished,
    AnswerRequest,
)
from rag_core.chat import Message
from rag_core.errors import (
    ChatCancelledError,
    ChatError,
)
from rag_core.model.answer import Answer
from rag_core.model.note import TenantId
from rag_core.resilience.cancellation import Cancellation
from rag_core.runtime.engine import Engine
from rag_core.settings import Settings

ANA = "ana"
NOTES = {
    "caldera": "El martes se rompió la caldera de gas. El técnico Julio Marín cobró 180 euros por la bomba nueva.",
    "cumple": "Celebramos el cumpleaños de Rosa en Valencia con una tarta de limón. Vinieron catorce personas.",
    "huerto": "Planté tomates y calabacines en el huerto. La tierra estaba muy seca después del verano.",
}
BOILER = "¿Cuánto cobró el técnico por la bomba de la caldera?"


@dataclass
class Scripted:
    """A chat model that says its bits one by one; an exception among them is raised, a callable is called."""

    bits: Sequence[str | Exception | Callable[[], None]]
    verdicts: str | None = None
    asked: list[Sequence[Message]] = field(default_factory=list)
    is_closed: bool = False
    name: str = "scripted"

    def complete(self, messages: Sequence[Message], **_options: Any) -> str:
        self.asked.append(messages)
        if self.verdicts is None:
            raise ChatError("it only streams")
        return self.verdicts

    def stream(
        self, messages: Sequence[Message], *, cancellation: Cancellation | None = None, **_options: Any
    ) -> Generator[str]:
        self.asked.append(messages)
        try:
            for bit in self.bits:
                if cancellation is not None and cancellation.is_cancelled:
                    raise ChatCancelledError("cancelled")
                if isinstance(bit, str):
                    yield bit
                elif isinstance(bit, Exception):
                    raise bit
                else:
                    bit()
        finally:
            self.is_closed = True

    def fetch_free_tokens(self, _messages: Sequence[Message], *, answer_tokens: int) -> int:
        return 4000 - answer_tokens


def with_chat(engine: Engine, *bits: str | Exception | Callable[[], None]) -> tuple[Engine, Scripted]:
    chat = Scripted(bits)
    return dataclasses.replace(engine, chat=chat), chat


def with_settings(engine: Engine, **changes: object) -> Engine:
    return dataclasses.replace(engine, settings=Settings(**{**engine.settings.model_dump(), **changes}))


def asking(question: str, **changes: Any) -> AnswerRequest:
    return AnswerRequest(**{"question": question, "contract": "chat", "user_hash": ANA} | changes)


def ask(engine: Engine, tenant: TenantId, question: str, **changes: Any) -> list[AnswerEvent]:
    return list(answer_events(engine, tenant, asking(question, **changes)))


def answered(events: Sequence[AnswerEvent]) -> Answer:
    last = events[-1]
    assert isinstance(last, AnswerFinished)
    return last.answer


def all_kept(engine: Engine) -> list[tuple[str, str | None]]:
    with engine.database.owner() as connection:
        return connection.execute("select outcome, reason from brain.queries order by asked_at").fetchall()


@pytest.fixture
def notes(engine: Engine, make_note: Any, index_notes: Any) -> Engine:
    for name, text in NOTES.items():
        make_note(text, external_id=name, title=name.capitalize())
    index_notes()
    return engine
