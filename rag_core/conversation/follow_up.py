"""Further questions made whole: "¿y en abril?" after "¿qué gasté en marzo?" is searched as "¿qué gasté en abril?"."""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from pydantic import BaseModel

from rag_core.answering.words import content_of
from rag_core.cancellation import Cancellation
from rag_core.chat import ChatModel, Message
from rag_core.chat.replies import parse_reply
from rag_core.errors import ChatCancelledError, ChatError
from rag_core.language.follow_ups import ASKING_WORDS, CAPITALISED_NOUNS, OPENINGS, POINTING, REWRITE_INSTRUCTIONS
from rag_core.model import Language
from rag_core.notes import is_storable
from rag_core.query.time_expressions import find_times, strip_times
from rag_core.telemetry.logs import log_degraded

MOST_NEW_WORDS = 3
"""A question that goes on from another and says more than so much is whole by itself."""
MOST_POINTING_WORDS = 6
KEPT_WORDS = 12
MAX_CHARACTERS = 2_000
TOLD_CHARACTERS = 500
"""How much of an earlier answer a chat model is told."""
_MAX_TOKENS = 200
_SCHEMA = {"type": "object", "properties": {"question": {"type": "string"}}, "required": ["question"]}
_WORD = re.compile(r"\w[\w-]*")
_NAME = re.compile(r"[^\W\d_a-zß-öø-ÿ][\w-]+(?:\s[^\W\d_a-zß-öø-ÿ][\w-]+)*")


class _Reworded(BaseModel):
    question: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Earlier:
    """A question before, as it was searched, and what was answered."""

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
    if not earlier or not is_follow_up(question, language):
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
    ruled = by_rules(question, earlier[-1].question, language=language, now=now)
    return _different(ruled, question) if is_allowed(ruled) else None


def is_follow_up(question: str, language: Language) -> bool:
    """Whether a question needs the one before: it says nothing by itself, goes on from it in few words, or points back."""
    words = len(content_of(question, language))
    if words == 0:
        return True
    if POINTING[language].search(question) and words <= MOST_POINTING_WORDS:
        return True
    return OPENINGS[language].match(question) is not None and words <= MOST_NEW_WORDS


def by_rules(question: str, before: str, *, language: Language, now: datetime) -> str:
    """What is new put into the question before, or, where the question points back, that one's words put beside it.

    A time takes the place of the times of the question before, a name that of its only name.
    """
    opening = OPENINGS[language].match(question)
    new = question[opening.end() :].strip(" ?¿!¡.") if opening else ""
    has_time = bool(find_times(question, now=now, language=language))
    timeless = strip_times(before, find_times(before, now=now, language=language)) if has_time else before
    if new and not POINTING[language].search(new) and _is_part(new, language):
        return _replaced(new, timeless, language) or _continued(new, timeless, joint=" " if has_time else ", ")
    return _beside(question, timeless, language)


def _is_part(new: str, language: Language) -> bool:
    """Whether it is no question of its own: one begins with a word such as "qué", which is no part of another."""
    first = _WORD.search(new)
    return first is not None and first[0].lower() not in ASKING_WORDS[language]


def _replaced(new: str, before: str, language: Language) -> str | None:
    """The question before with the new name in place of its only one."""
    if language in CAPITALISED_NOUNS or not _NAME.fullmatch(new):
        return None
    first = _WORD.search(before)
    names = [name for name in _NAME.finditer(before) if first is None or name.start() > first.start()]
    if len(names) != 1:
        return None
    return before[: names[0].start()] + new + before[names[0].end() :]


def _continued(new: str, before: str, *, joint: str) -> str:
    stem = before.rstrip(" ?!.")
    return f"{stem}{joint}{new}{'?' if before.rstrip().endswith('?') else ''}"


def _beside(question: str, before: str, language: Language) -> str:
    known = content_of(question, language)
    words = [word for word in _WORD.findall(before) if content_of(word, language) - known]
    kept = list(dict.fromkeys(words))[:KEPT_WORDS]
    return f"{question} ({' '.join(kept)})" if kept else question


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
    return _parse(reply, chat.name)


def _parse(reply: str, model: str) -> str:
    text = parse_reply(reply, _Reworded, model=model, expected='{"question": "…"} for a further question').question
    if not text.strip() or not is_storable(text):
        raise ChatError(f"{model} gave no text for a further question; it is put together by rules")
    return " ".join(text.split())


def _different(standalone: str, question: str) -> str | None:
    """None for what is the question itself, and for what is too long to be searched."""
    return standalone if standalone != question and len(standalone) <= MAX_CHARACTERS else None
