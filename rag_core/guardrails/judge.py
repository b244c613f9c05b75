"""A chat model's opinion on whether a question would command it; asked only where the settings say so."""

import json
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from rag_core.chat import ChatModel, Message
from rag_core.errors import ChatError
from rag_core.language.guardrails import JUDGE_INSTRUCTIONS

_MOST_TOKENS = 48


class _Opinion(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    score: float = Field(ge=0, le=1, allow_inf_nan=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatQuestionJudge:
    """A chat model that scores a question from 0 to 1; what is not the JSON asked for is a failure, and never guessed at."""

    chat: ChatModel
    timeout_seconds: float = 5.0

    def score(self, question: str) -> float:
        """How likely the question tries to command the model.

        Raises:
            ChatError: the model failed, had no time, or answered in another form.
        """
        answer = self.chat.complete(
            [
                Message(role="system", content=JUDGE_INSTRUCTIONS),
                Message(role="user", content=json.dumps({"question": question}, ensure_ascii=False)),
            ],
            timeout_seconds=self.timeout_seconds,
            schema=_Opinion.model_json_schema(),
            max_tokens=_MOST_TOKENS,
        )
        try:
            return _Opinion.model_validate_json(answer).score
        except ValidationError as error:
            raise ChatError('the model gave no {"score": 0.1} with a number from 0 to 1') from error
