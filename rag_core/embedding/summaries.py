"""A note in a sentence or two by a chat model, for its chunks' contextual vectors, with its type and topics."""

import json
from dataclasses import dataclass
from typing import Any

from rag_core.chat import ChatModel, Message
from rag_core.embedding.context import MAX_SUMMARY_CHARACTERS, cut_at_word
from rag_core.errors import ChatError
from rag_core.language.languages import language_of
from rag_core.model.enrichment import DOCUMENT_TYPES, MAX_TOPIC_CHARACTERS, MAX_TOPICS, DocumentType, ModelReading
from rag_core.model.note import Language, tag_key

PROMPT_VERSION = "2"
"""To be raised with any change of what is asked or kept: stored summaries are then not used any more."""

_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "summary": {"type": "string"},
        "type": {"type": "string", "enum": list(DOCUMENT_TYPES)},
        "topics": {"type": "array", "items": {"type": "string"}, "maxItems": MAX_TOPICS},
    },
    "required": ["summary", "type", "topics"],
    "additionalProperties": False,
}
_MAX_TOKENS = 300
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
) -> ModelReading:
    """Say what a note is about: one line of 1 to 200 characters in its language, cut at the end of a word; its type and topics.

    A type that is none of the ten, and topics that are no short texts, are left out: the summary is taken all the same. The note is
    handed over as JSON, which no text can break out of; of a long one, its first 8,000 characters.

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
    return _parse(answer, chat.name)


def _parse(answer: str, model: str) -> ModelReading:
    try:
        given = json.loads(answer)
    except (ValueError, RecursionError):
        given = None
    told = given if isinstance(given, dict) else {}
    line = _line(told.get("summary"))
    if not any(character.isalnum() for character in line) or not _is_storable(line):
        raise ChatError(
            f'{model} answered {answer[:60]!r}; expected JSON {{"summary": "…"}} with text in it. Try another model.'
        )
    return ModelReading(
        summary=cut_at_word(line, MAX_SUMMARY_CHARACTERS),
        document_type=_type(told.get("type")),
        topics=_topics(told.get("topics")),
    )


def _line(text: object) -> str:
    return " ".join(text.split()) if isinstance(text, str) else ""


def _type(given: object) -> DocumentType | None:
    return next((one for one in DOCUMENT_TYPES if one == given), None)


def _topics(given: object) -> tuple[str, ...]:
    lines = map(_line, given) if isinstance(given, list) else ()
    kept = (line for line in lines if line and len(line) <= MAX_TOPIC_CHARACTERS and _is_storable(line))
    return tuple({tag_key(line): line for line in kept}.values())[:MAX_TOPICS]


def _is_storable(line: str) -> bool:
    """True when PostgreSQL can store it: JSON can contain NUL and half a surrogate pair."""
    return "\0" not in line and not any("\ud800" <= character <= "\udfff" for character in line)
