"""A note in a sentence or two by a chat model, for its chunks' contextual vectors."""

import json
from dataclasses import dataclass
from typing import Any

from rag_core.chat import ChatModel, Message
from rag_core.embedding.context import MAX_SUMMARY_CHARACTERS, cut_at_word
from rag_core.errors import ChatError
from rag_core.language.languages import language_of
from rag_core.model.note import Language

PROMPT_VERSION = "1"
"""To be raised with any change of what is asked or kept: stored summaries are then not used any more."""

_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"summary": {"type": "string"}},
    "required": ["summary"],
    "additionalProperties": False,
}
_MAX_TOKENS = 200
_MAX_CONTENT_CHARACTERS = 8_000
"""Length of a note's beginning that is summarized; with the instructions it stays below 4,096 tokens, the least context in use."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Summariser:
    """A chat model that summarises notes, how long it may take for one, and how many it is asked for at a time."""

    chat: ChatModel
    timeout_seconds: float = 60
    concurrency: int = 5

    @property
    def fingerprint(self) -> list[str]:
        """Inputs of a summary beside its note."""
        return [self.chat.name, PROMPT_VERSION]


def needs_summary(content: str) -> bool:
    """True when a note is longer than a summary of it; a shorter one needs none."""
    return len(content.strip()) > MAX_SUMMARY_CHARACTERS


def generate_summary(
    title: str | None, content: str, *, chat: ChatModel, language: Language, timeout_seconds: float
) -> str:
    """Say what a note is about: one line of 1 to 200 characters in its language, cut at the end of a word.

    The note is handed over as JSON, which no text can break out of; of a long one, its first 8,000 characters.

    Raises:
        ChatError: the model failed, or gave something else than a summary.
    """
    note = json.dumps({"title": title or "", "text": cut_at_word(content, _MAX_CONTENT_CHARACTERS)}, ensure_ascii=False)
    answer = chat.complete(
        [
            Message(role="system", content=language_of(language).instructions.summary),
            Message(role="user", content=note),
        ],
        timeout_seconds=timeout_seconds,
        schema=_SCHEMA,
        max_tokens=_MAX_TOKENS,
    )
    return cut_at_word(_parse(answer, chat.name), MAX_SUMMARY_CHARACTERS)


def _parse(answer: str, model: str) -> str:
    try:
        given = json.loads(answer)
    except (ValueError, RecursionError):
        given = None
    summary = given.get("summary") if isinstance(given, dict) else None
    line = " ".join(summary.split()) if isinstance(summary, str) else ""
    if not any(character.isalnum() for character in line) or not _is_storable(line):
        raise ChatError(
            f'{model} answered {answer[:60]!r}; expected JSON {{"summary": "…"}} with text in it. Try another model.'
        )
    return line


def _is_storable(line: str) -> bool:
    """True when PostgreSQL can store it: JSON can contain NUL and half a surrogate pair."""
    return "\0" not in line and not any("\ud800" <= character <= "\udfff" for character in line)
