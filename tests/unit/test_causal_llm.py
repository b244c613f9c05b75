"""A chat model as a reader of causal statements: only what stands in the note is taken, and the rules stand in for it."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from rag_core.chat import Message
from rag_core.chunking import sentence_spans
from rag_core.errors import ChatError
from rag_core.graph.llm import ChatExtractor
from rag_core.graph.statements import Extraction

TEXT = "Ayer llovió mucho. La tormenta provocó un apagón. Cenamos a oscuras."
STORM = {
    "cause": "La tormenta",
    "effect": "un apagón",
    "evidence": "La tormenta provocó un apagón.",
    "kind": "CAUSES",
    "confidence": 0.9,
}


class FixedChat:
    """A chat model that always answers the same."""

    name = "fijo"

    def __init__(self, answer: str) -> None:
        self.answer = answer
        self.asked: list[Message] = []

    def complete(
        self,
        messages: Sequence[Message],
        *,
        timeout_seconds: float,
        schema: Mapping[str, Any] | None = None,
        max_tokens: int | None = None,
    ) -> str:
        self.asked = list(messages)
        return self.answer


class SilentChat(FixedChat):
    """A chat model that nobody answers for."""

    def complete(self, messages: Sequence[Message], **_: Any) -> str:
        raise ChatError("no answer")


def read(*relations: object, text: str = TEXT) -> Extraction:
    chat = FixedChat(json.dumps({"relations": relations}))
    return ChatExtractor(chat=chat).extract(text, language="es", sentences=sentence_spans(text, "es"))


def test_a_statement_is_found_where_its_words_stand() -> None:
    extraction = read(STORM)

    (statement,) = extraction.statements
    assert TEXT[slice(*statement.cause)] == "La tormenta"
    assert TEXT[slice(*statement.effect)] == "un apagón"
    assert TEXT[slice(*statement.evidence)] == "La tormenta provocó un apagón."
    assert (statement.kind, statement.confidence) == ("CAUSES", 0.9)
    assert extraction.fingerprint == "chat-1:fijo"


def test_evidence_is_widened_to_whole_sentences() -> None:
    (statement,) = read(STORM | {"evidence": "tormenta provocó"}).statements

    assert TEXT[slice(*statement.evidence)] == "La tormenta provocó un apagón."


@pytest.mark.parametrize(
    "change",
    [
        {"cause": "El viento"},
        {"effect": "Cenamos a oscuras"},
        {"evidence": "La tormenta causó un apagón."},
        {"effect": "la tormenta"},
        {"cause": "La", "effect": "un apagón"},
        {"kind": "WORKS_FOR"},
        {"confidence": 0},
        {"confidence": 1.5},
        {"confidence": "alta"},
        {"cause": ""},
        {"extra": 1},
    ],
)
def test_what_is_not_in_the_note_or_not_as_asked_is_dropped_and_spoils_nothing_else(change: dict[str, Any]) -> None:
    extraction = read(STORM | change, "nada", STORM)

    assert len(extraction.statements) == 1
    assert extraction.fingerprint == "chat-1:fijo"


@pytest.mark.parametrize("answer", ["", "no sé", "[]", '{"relations": 3}', '{"relations": ['])
def test_an_answer_that_cannot_be_read_leaves_the_note_to_the_rules(answer: str) -> None:
    extraction = ChatExtractor(chat=FixedChat(answer)).extract(
        TEXT, language="es", sentences=sentence_spans(TEXT, "es")
    )

    assert [TEXT[slice(*s.cause)] for s in extraction.statements] == ["tormenta"]
    assert extraction.fingerprint == "rules-2"


def test_a_model_that_fails_leaves_the_note_to_the_rules_until_the_next_run() -> None:
    extraction = ChatExtractor(chat=SilentChat("")).extract(TEXT, language="es", sentences=sentence_spans(TEXT, "es"))

    assert len(extraction.statements) == 1
    assert extraction.fingerprint == "rules-2"


def test_a_note_too_long_for_the_model_is_read_by_the_rules_for_good() -> None:
    text = f"{TEXT} {'Nada más que contar por hoy. ' * 500}"
    chat = FixedChat("")

    extraction = ChatExtractor(chat=chat).extract(text, language="es", sentences=sentence_spans(text, "es"))

    assert (len(extraction.statements), extraction.fingerprint, chat.asked) == (1, "chat-1:fijo", [])


def test_the_note_is_handed_over_as_data_apart_from_the_instructions() -> None:
    chat = FixedChat('{"relations": []}')

    ChatExtractor(chat=chat).extract(TEXT, language="es", sentences=sentence_spans(TEXT, "es"))

    assert [message.role for message in chat.asked] == ["system", "user"]
    assert json.loads(chat.asked[1].content) == {"text": TEXT}
    assert TEXT not in chat.asked[0].content
