"""Further questions made whole: "¿y en abril?" after "¿qué gasté en marzo?" is searched as "¿qué gasté en abril?"."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from pydantic import BaseModel

from rag_core.answering.plain_text import is_plain
from rag_core.answering.understanding.going_on import is_follow_up
from rag_core.answering.understanding.joining import by_rules
from rag_core.chat import ChatModel, Message
from rag_core.chat.replies import parse_reply
from rag_core.errors import ChatCancelledError, ChatError
from rag_core.language.follow_ups import REWRITE_INSTRUCTIONS
from rag_core.model.note import Language
from rag_core.notes.validation import is_storable
from rag_core.resilience.cancellation import Cancellation
from rag_core.telemetry.logs import log_degraded

MAX_CHARACTERS = 2_000
TOLD_CHARACTERS = 500
"""Maximum length of an earlier answer in a chat model's prompt."""
_MAX_TOKENS = 200
_SCHEMA = {"type": "object", "properties": {"question": {"type": "string"}}, "required": ["question"]}


class _Reworded(BaseModel):
    question: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Earlier:
    """A question before, as it was asked or as it was searched, and what was answered."""

    question: str
    answer: str = ""


def standalone_question(
    question: str,
    earlier: Sequence[Earlier],
    *,
    language: Language,
    now: datetime,
    chat: ChatModel | None = None,
    timeout_seconds: float = 0,
    is_allowed: Callable[[str], bool] = lambda _text: True,
    cancellation: Cancellation | None = None,
) -> str | None:
    """The question as it can be understood without the ones before; None where it can be as it is.

    ``earlier`` are the turns before it, the oldest first. Rules say whether it goes on from them; a chat model, if there is one,
    then words it, and where it fails the rules do. What is not ``is_allowed`` is not said: a model's words then leave it to the
    rules, and theirs to the question as it is.

    Raises:
        ChatCancelledError: it was cancelled while the model worded it.
    """
    if not earlier or not is_follow_up(question, language, now=now):
        return None
    if chat is not None:
        try:
            reworded = _reworded(question, earlier, chat, timeout_seconds, cancellation)
        except ChatCancelledError:
            raise
        except ChatError as error:
            log_degraded("follow-up", error)
        else:
            if is_allowed(reworded):
                return _different(reworded, question)
    ruled = by_rules(question, [turn.question for turn in earlier], language=language, now=now)
    return _different(ruled, question) if is_allowed(ruled) else None


def _reworded(
    question: str,
    earlier: Sequence[Earlier],
    chat: ChatModel,
    timeout_seconds: float,
    cancellation: Cancellation | None,
) -> str:
    told = [{"question": turn.question, "answer": turn.answer[:TOLD_CHARACTERS]} for turn in earlier]
    asked = json.dumps({"earlier": told, "question": question}, ensure_ascii=False)
    messages = [Message(role="system", content=REWRITE_INSTRUCTIONS), Message(role="user", content=asked)]
    reply = chat.complete(
        messages, timeout_seconds=timeout_seconds, schema=_SCHEMA, max_tokens=_MAX_TOKENS, cancellation=cancellation
    )
    reworded = _parse(reply, chat.name)
    given = [question, *(turn.question for turn in earlier)]
    if not is_plain(reworded, given=given, instructions=REWRITE_INSTRUCTIONS):
        raise ChatError(
            f"{chat.name} put links, markup or its instructions into a question; it is put together by rules"
        )
    return reworded


def _parse(reply: str, model: str) -> str:
    text = parse_reply(reply, _Reworded, model=model, expected='{"question": "…"} for a further question').question
    if not text.strip() or not is_storable(text):
        raise ChatError(f"{model} gave no text for a further question; it is put together by rules")
    return " ".join(text.split())


def _different(standalone: str, question: str) -> str | None:
    """None for what is the question itself, and for what is too long to be searched."""
    return standalone if standalone != question and len(standalone) <= MAX_CHARACTERS else None
