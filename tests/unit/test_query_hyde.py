from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import pytest

from rag_core.chat import Message
from rag_core.configuration.schema import QueryTransformation
from rag_core.errors import ChatError
from rag_core.model.retrieval import Intent, TransformedQuery
from rag_core.query.hyde import generate_hypothetical_answer, wants_hyde
from rag_core.resilience.cancellation import Cancellation


@dataclass
class ScriptedChat:
    """Answers with one text and keeps what it was asked."""

    answer: str
    name: str = "scripted"
    asked: list[Message] = field(default_factory=list)
    timeouts: list[float] = field(default_factory=list)
    cancellations: list[Cancellation | None] = field(default_factory=list)

    def complete(
        self,
        messages: Sequence[Message],
        *,
        timeout_seconds: float,
        schema: Mapping[str, Any] | None = None,
        max_tokens: int | None = None,
        cancellation: Cancellation | None = None,
    ) -> str:
        self.asked += messages
        self.timeouts.append(timeout_seconds)
        self.cancellations.append(cancellation)
        return self.answer


def transformed(intent: Intent) -> TransformedQuery:
    now = datetime(2025, 4, 16, tzinfo=UTC)
    return TransformedQuery(original_query="x", intent=intent, sub_queries=("x",), timestamp=now)


def test_the_model_is_asked_in_spanish_as_the_requirements_word_it() -> None:
    chat = ScriptedChat("Hoy dormí mal.")

    generate_hypothetical_answer("¿Cómo {duermo}?", chat=chat, language="es", timeout_seconds=2)

    assert chat.asked == [
        Message(role="system", content="Eres un asistente que genera respuestas hipotéticas para mejorar la búsqueda."),
        Message(
            role="user",
            content="Genera una respuesta hipotética detallada a esta pregunta, como si estuvieras respondiendo desde una "
            "nota personal de diario:\n\nPregunta: ¿Cómo {duermo}?\n\nRespuesta hipotética:",
        ),
    ]
    assert chat.timeouts == [2]


@pytest.mark.parametrize(("language", "label"), [("de", "Frage: Reis?"), ("en", "Question: Reis?")])
def test_other_languages_are_asked_in_their_own_words(language, label) -> None:
    chat = ScriptedChat("x")

    generate_hypothetical_answer("Reis?", chat=chat, language=language, timeout_seconds=2)

    assert label in chat.asked[1].content


def test_the_model_hears_when_nobody_waits_any_more() -> None:
    chat, cancellation = ScriptedChat("x"), Cancellation()

    generate_hypothetical_answer("x", chat=chat, language="es", timeout_seconds=2, cancellation=cancellation)

    assert chat.cancellations == [cancellation]


def test_the_answer_is_trimmed() -> None:
    answer = generate_hypothetical_answer("x", chat=ScriptedChat("\n Dormí mal. \n"), language="es", timeout_seconds=2)

    assert answer == "Dormí mal."


def test_a_long_answer_is_cut_at_a_word() -> None:
    chat = ScriptedChat("palabra " * 400)  # 8 characters each: 250 words would be 2,000 with the last space

    answer = generate_hypothetical_answer("x", chat=chat, language="es", timeout_seconds=2)

    assert answer == ("palabra " * 250).strip()


def test_a_word_that_ends_at_the_limit_stays_whole() -> None:
    chat = ScriptedChat("a" * 1_999 + " b c")

    assert generate_hypothetical_answer("x", chat=chat, language="es", timeout_seconds=2) == "a" * 1_999


def test_a_single_endless_word_is_cut_too() -> None:
    answer = generate_hypothetical_answer("x", chat=ScriptedChat("a" * 3_000), language="es", timeout_seconds=2)

    assert answer == "a" * 2_000


def test_an_empty_answer_is_an_error() -> None:
    with pytest.raises(ChatError, match="scripted answered nothing"):
        generate_hypothetical_answer("x", chat=ScriptedChat(" \n"), language="es", timeout_seconds=2)


@pytest.mark.parametrize("intent", ["causal", "temporal", "comparative", "factual"])
def test_only_an_abstract_query_gets_a_made_up_answer(intent: Intent) -> None:
    assert wants_hyde(transformed("abstract"), QueryTransformation())
    assert not wants_hyde(transformed(intent), QueryTransformation())


@pytest.mark.parametrize("config", [QueryTransformation(enabled=False), QueryTransformation(enable_hyde=False)])
def test_either_flag_switches_it_off(config: QueryTransformation) -> None:
    assert not wants_hyde(transformed("abstract"), config)
