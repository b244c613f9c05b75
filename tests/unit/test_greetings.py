import pytest

from rag_core.answering.understanding import understand
from rag_core.chat import Message


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("¡Hola!", "es"),
        ("Hola, buenos días", "es"),
        ("Danke schön.", "de"),
        ("thanks", "en"),
        ("hola, ¿qué comí?", None),
    ],
)
def test_a_greeting_is_nothing_but_one(text: str, language: str | None) -> None:
    assert understand.greeting_language(text) == language


def test_a_greeting_is_no_question_that_another_follows() -> None:
    history = (
        Message(role="user", content="¿qué planté en marzo?"),
        Message(role="assistant", content="Ajos."),
        Message(role="user", content="gracias"),
        Message(role="assistant", content="Pregunta lo que quieras."),
    )

    (earlier,) = understand._earlier(history)

    assert (earlier.question, earlier.answer) == ("¿qué planté en marzo?", "Ajos.")
