"""A chat model's opinion on whether a question would command it; asked only where the settings say so."""

import json
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, Field

from rag_core.chat import ChatModel, Message
from rag_core.chat.replies import parse_reply
from rag_core.language.guardrails import JUDGE_INSTRUCTIONS
from rag_core.resilience.cancellation import Cancellation

_MOST_TOKENS = 48


class _Opinion(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    score: float = Field(ge=0, le=1, allow_inf_nan=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatQuestionJudge:
    """A chat model that scores a question from 0 to 1; what is not the JSON asked for is a failure, and never guessed at.

    ``cancellation`` is of the one question that it is asked about.
    """

    chat: ChatModel
    timeout_seconds: float = 5.0
    cancellation: Cancellation | None = None

    def score(self, question: str) -> float:
        """Estimate how likely the question tries to command the model.

        Raises:
            ChatError: the model failed, had no time, or answered in another form.
            ChatCancelledError: it was cancelled.
        """
        answer = self.chat.complete(
            [
                Message(role="system", content=JUDGE_INSTRUCTIONS),
                Message(role="user", content=json.dumps({"question": question}, ensure_ascii=False)),
            ],
            timeout_seconds=self.timeout_seconds,
            schema=_Opinion.model_json_schema(),
            max_tokens=_MOST_TOKENS,
            cancellation=self.cancellation,
        )
        expected = '{"score": 0.1} with a number from 0 to 1'
        return parse_reply(answer, _Opinion, model=self.chat.name, expected=expected).score
