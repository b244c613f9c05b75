import json
from dataclasses import dataclass, field

import pytest

from rag_core.answering.verification.support_judge import ChatSupportJudge
from rag_core.chat import Message
from rag_core.errors import ChatError
from rag_core.resilience.cancellation import Cancellation


@dataclass
class Chat:
    """Answers what was planted, and remembers what it was told."""

    answer: str
    name: str = "modelo"
    told: list[Message] = field(default_factory=list)
    cancellation: Cancellation | None = None

    def complete(self, messages, *, timeout_seconds, schema=None, max_tokens=None, cancellation=None) -> str:
        self.told, self.cancellation = list(messages), cancellation
        return self.answer

    def stream(self, messages, *, timeout_seconds, max_tokens=None, temperature=0.0, cancellation=None):
        yield self.answer


def verdicts(*said: bool) -> str:
    return json.dumps({"verdicts": [{"id": number, "supported": one} for number, one in enumerate(said, 1)]})


CLAIMS = [("Llovió.", "Llovió en Sueca."), ("Nevó.", 'No "nevó"}.'), ("Mojó.", "Llovió en Sueca.")]


def supported(answer: str, claims=CLAIMS) -> list[bool]:
    return ChatSupportJudge(chat=Chat(answer)).supported(claims, language="es", timeout_seconds=1)


def test_all_claims_are_asked_at_once_with_each_source_told_once() -> None:
    chat = Chat(verdicts(True, False, True))

    said = ChatSupportJudge(chat=chat).supported(CLAIMS, language="es", timeout_seconds=1)

    assert said == [True, False, True]
    assert json.loads(chat.told[1].content) == {
        "sources": [{"id": 1, "text": "Llovió en Sueca."}, {"id": 2, "text": 'No "nevó"}.'}],
        "claims": [
            {"id": 1, "source": 1, "text": "Llovió."},
            {"id": 2, "source": 2, "text": "Nevó."},
            {"id": 3, "source": 1, "text": "Mojó."},
        ],
    }


def test_verdicts_count_by_their_ids() -> None:
    answer = {"verdicts": [{"id": 2, "supported": False}, {"id": 3, "supported": True}, {"id": 1, "supported": True}]}

    assert supported(json.dumps(answer)) == [True, False, True]


@pytest.mark.parametrize(
    "answer",
    [
        *("", "sí", "{}", verdicts(True, True), verdicts(True, True, True, True)),
        '{"verdicts": [{"id": 1, "supported": "yes"}, {"id": 2, "supported": true}, {"id": 3, "supported": true}]}',
        '{"verdicts": [{"id": 1, "supported": true}, {"id": 1, "supported": true}, {"id": 3, "supported": true}]}',
        '{"verdicts": [{"id": 1e999, "supported": true}]}',
        *("[" * 100_000, '{"verdicts": ' * 100_000, "\ud800"),
    ],
)
def test_what_is_not_one_verdict_a_claim_is_an_error_that_tells_nothing_of_the_notes(answer: str) -> None:
    with pytest.raises(ChatError) as raised:
        supported(answer)

    assert "Sueca" not in str(raised.value)


def test_without_claims_nobody_is_asked() -> None:
    chat = Chat("")

    assert ChatSupportJudge(chat=chat).supported([], language="es", timeout_seconds=1) == []
    assert chat.told == []


def test_a_question_that_nobody_waits_for_any_more_ends_its_call() -> None:
    chat, cancellation = Chat(verdicts(True, True, True)), Cancellation()

    ChatSupportJudge(chat=chat, cancellation=cancellation).supported(CLAIMS, language="es", timeout_seconds=1)

    assert chat.cancellation is cancellation


def test_the_name_tells_model_and_prompt() -> None:
    assert ChatSupportJudge(chat=Chat("")).name == "chat:modelo@1"
