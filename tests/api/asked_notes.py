"""Notes that questions are asked about, served to tests that change none of them."""

import dataclasses
import json
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from databases import cloned_database
from fastapi.testclient import TestClient

from rag_core.api.app import create_app
from rag_core.chat import ChatModel, Message
from rag_core.errors import ChatError
from rag_core.runtime.engine import open_engine
from rag_core.settings import read_settings

NOTES: tuple[dict[str, Any], ...] = (
    {
        "externalId": "caldera",
        "title": "Caldera",
        "content": "El martes se rompió la caldera de gas. El técnico Julio Marín cobró 180 euros por la bomba nueva.",
        "createdAt": "2025-03-03T09:00:00+01:00",
        "metadata": {"tags": ["casa"]},
    },
    {
        "externalId": "marzo",
        "title": "Gastos",
        "content": "En marzo gasté 300 euros en libros. En abril gasté 120 euros en libros.",
        "metadata": {"tags": ["dinero"]},
    },
    {
        "externalId": "garden",
        "title": "Garden",
        "content": "I planted tomatoes in the garden in May. The soil was very dry.",
        "language": "en",
    },
    {
        "externalId": "apollo",
        "title": "Projekt [Apollo], Plan",
        "content": "Das Projekt Apollo leitet Frau Weber seit Januar. Das Budget beträgt 40.000 Euro.",
        "language": "de",
    },
    {
        "externalId": "tabelle",
        "title": "Umsätze",
        "content": "Umsatz je Quartal:\n\n| Quartal | Umsatz |\n| --- | --- |\n| Q1 | 100 |\n| Q2 | 120 |\n",
        "language": "de",
    },
)
BADGE_NUMBERS = ("weber@firma.example", "DE89 3704 0044 0532 0130 00", "030 901820")
BADGE: dict[str, Any] = {
    "externalId": "ausweis",
    "title": f"Ausweis {BADGE_NUMBERS[0]}",
    "content": f"Frau Weber ist unter {BADGE_NUMBERS[2]} zu erreichen, ihr Konto ist {BADGE_NUMBERS[1]}.",
    "language": "de",
}
"""A note with personal data in its title and its text."""
BOILER = "¿Cuánto cobró el técnico por la bomba de la caldera?"
NOWHERE = "¿Qué número de zapato calza el embajador de Mongolia?"


@dataclass
class Scripted:
    """A chat model that streams its bits; an exception among them is raised."""

    bits: Sequence[str | Exception]
    asked: list[Sequence[Message]] = field(default_factory=list)
    name: str = "scripted"

    def complete(self, messages: Sequence[Message], **_options: Any) -> str:
        """Nothing but answers can be had of it."""
        raise ChatError("it only streams")

    def stream(self, messages: Sequence[Message], **_options: Any) -> Generator[str, None, None]:
        """The bits, in their order."""
        self.asked.append(messages)
        for bit in self.bits:
            if isinstance(bit, Exception):
                raise bit
            yield bit

    def fetch_free_tokens(self, _messages: Sequence[Message], *, answer_tokens: int) -> int:
        """A context of 4,000 tokens."""
        return 4000 - answer_tokens


@contextmanager
def served_notes(
    server: str, template: str, *, chat: ChatModel | None = None, notes: Sequence[dict[str, Any]] = NOTES, **given: Any
) -> Iterator[TestClient]:
    """A client of the API over these notes, in a database of their own."""
    with cloned_database(server, template) as database_url:
        settings = read_settings(database_url=database_url, tenant=None, request_timeout_ms=10_000, **given)
        with open_engine(settings) as engine:
            app = create_app(dataclasses.replace(engine, chat=chat))
            with TestClient(app, base_url="http://127.0.0.1", raise_server_exceptions=False) as client:
                for note in notes:
                    assert client.post("/api/notes", json=note).status_code == 201
                yield client


def events_in(text: str) -> list[dict[str, Any]]:
    """The events of a stream that has ended."""
    return [json.loads(line.removeprefix("data: ")) for line in text.split("\n") if line.startswith("data: ")]
