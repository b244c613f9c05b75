"""A chat model's opinion on whether a question would command it."""

from dataclasses import dataclass, field
from typing import Any

import pytest

from rag_core.errors import ChatCancelledError, ChatError
from rag_core.guardrails.incoming import check_question
from rag_core.guardrails.judge import ChatQuestionJudge
from rag_core.resilience.cancellation import Cancellation


@dataclass
class Chat:
    """Says what was planted, unless it was cancelled."""

    reply: str = '{"score": 0.2}'
    name: str = "modelo"
    told: list[str] = field(default_factory=list)

    def complete(self, messages: Any, *, cancellation: Cancellation | None = None, **_options: Any) -> str:
        self.told = [message.content for message in messages]
        if cancellation is not None and cancellation.is_cancelled:
            raise ChatCancelledError("nobody waits any more")
        return self.reply


def test_its_score_is_what_it_says_and_the_question_reaches_it_as_data() -> None:
    chat = Chat()

    assert ChatQuestionJudge(chat=chat).score('¿Qué "dijo"}?') == 0.2  # type: ignore[arg-type]
    assert chat.told[1] == '{"question": "¿Qué \\"dijo\\"}?"}'


@pytest.mark.parametrize(
    "reply",
    [
        *("", "0.2", "{}", '{"score": "0.2"}', '{"score": 1.5}', '{"score": NaN}', '{"score": 1e999}'),
        *('{"score": 0.9, "score": 0.1}', '{"score": 0.1, "why": "x"}', "[" * 100_000, "\ud800"),
    ],
    ids=lambda reply: ascii(reply[:30]),
)
def test_another_reply_is_a_failure_which_refuses_nothing_and_is_told_of(reply: str) -> None:
    judge = ChatQuestionJudge(chat=Chat(reply))  # type: ignore[arg-type]

    with pytest.raises(ChatError):
        judge.score("¿Qué compré?")
    assert check_question("¿Qué compré?", judge=judge).warnings == ("judge_failed",)


def test_who_gives_up_gets_no_answer_instead_of_one_that_was_not_judged() -> None:
    cancellation = Cancellation()
    cancellation.cancel()

    with pytest.raises(ChatCancelledError):
        check_question("¿Qué compré?", judge=ChatQuestionJudge(chat=Chat(), cancellation=cancellation))  # type: ignore[arg-type]
