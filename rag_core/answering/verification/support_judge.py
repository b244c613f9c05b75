"""A chat model that is asked whether sources say what is cited from them."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict

from rag_core.chat import ChatModel, Message
from rag_core.chat.replies import parse_reply
from rag_core.errors import ChatError
from rag_core.language.languages import language_of
from rag_core.model.note import Language
from rag_core.resilience.cancellation import Cancellation

PROMPT_VERSION = "1"
"""To be raised with any change of what is asked."""
_TOKENS_A_VERDICT = 24


class _Verdict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    id: int
    supported: bool


class _Verdicts(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    verdicts: list[_Verdict]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatSupportJudge:
    """A chat model at temperature 0; one call for all citations of an answer, each source told once.

    ``cancellation`` is of the one answer that it judges.
    """

    chat: ChatModel
    cancellation: Cancellation | None = None

    @property
    def name(self) -> str:
        """The chat model and the version of the prompt."""
        return f"chat:{self.chat.name}@{PROMPT_VERSION}"

    def supported(self, claims: Sequence[tuple[str, str]], *, language: Language, timeout_seconds: float) -> list[bool]:
        """The verdicts in the order of the claims, each a claim and the text it cites; no claim asks nobody.

        Raises:
            ChatError: no answer in time, or one that is not a verdict on each claim, which is neither guessed nor repaired.
            ChatCancelledError: it was cancelled.
        """
        if not claims:
            return []
        answer = self.chat.complete(
            [
                Message(role="system", content=language_of(language).instructions.support),
                Message(role="user", content=_asked(claims)),
            ],
            timeout_seconds=timeout_seconds,
            schema=verdict_schema(len(claims)),
            max_tokens=_TOKENS_A_VERDICT * (len(claims) + 1),
            cancellation=self.cancellation,
        )
        return _parse_verdicts(answer, len(claims), self.chat.name)


def _asked(claims: Sequence[tuple[str, str]]) -> str:
    """Claims and sources as JSON, which no text can break out of."""
    ids = {text: number for number, text in enumerate(dict.fromkeys(source for _, source in claims), 1)}
    given = {
        "sources": [{"id": number, "text": text} for text, number in ids.items()],
        "claims": [
            {"id": number, "source": ids[source], "text": claim} for number, (claim, source) in enumerate(claims, 1)
        ],
    }
    return json.dumps(given, ensure_ascii=False)


def _parse_verdicts(answer: str, claims: int, model: str) -> list[bool]:
    expected = f"one verdict for each of {claims} citations"
    given = parse_reply(answer, _Verdicts, model=model, expected=expected).verdicts
    by_id = {verdict.id: verdict.supported for verdict in given}
    if len(given) != claims or sorted(by_id) != list(range(1, claims + 1)):
        raise ChatError(f"{model} gave {len(given)} verdicts that are not {expected}; none is used. Try another model.")
    return [by_id[number] for number in range(1, claims + 1)]


def verdict_schema(claims: int) -> Mapping[str, Any]:
    """The JSON schema of a reply with one verdict a claim."""
    verdict = {
        "type": "object",
        "properties": {
            "id": {"type": "integer", "minimum": 1, "maximum": claims},
            "supported": {"type": "boolean"},
        },
        "required": ["id", "supported"],
        "additionalProperties": False,
    }
    return {
        "type": "object",
        "properties": {"verdicts": {"type": "array", "items": verdict, "minItems": claims, "maxItems": claims}},
        "required": ["verdicts"],
        "additionalProperties": False,
    }
