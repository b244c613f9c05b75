"""A source as what a chat model says of it: all sources in one call, told as JSON."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from pydantic import BaseModel

from rag_core.answering.plain_text import is_plain
from rag_core.answering.sources.context import fit_sources, make_harmless
from rag_core.chat import ChatModel, Message
from rag_core.chat.replies import ReplyText, parse_reply
from rag_core.language.languages import language_of
from rag_core.model.answer import Source
from rag_core.model.note import Language
from rag_core.resilience.cancellation import Cancellation

PROMPT_VERSION = "1"
"""To be raised with any change of what is asked."""
MAX_SUMMARY_CHARACTERS = 400
_TOKENS_A_SUMMARY = 150
_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "summaries": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"id": {"type": "integer"}, "summary": {"type": "string"}},
                "required": ["id", "summary"],
            },
        }
    },
    "required": ["summaries"],
}


class _Summary(BaseModel):
    id: int
    summary: ReplyText


class _Summaries(BaseModel):
    summaries: list[_Summary]


def generate_summaries(
    query: str,
    sources: Sequence[Source],
    *,
    language: Language,
    chat: ChatModel,
    timeout_seconds: float,
    cancellation: Cancellation | None = None,
) -> list[Source]:
    """Each source with what matters of it to the question; one of which the model says nothing, or more than it has, stays whole.

    So does one whose summary has markup, an address that is not in the source, or the model's instructions. What does not fit
    the model's context it is not shown, and so stays whole as well.

    Raises:
        ChatError: the model failed or had no time, or gave something else than summaries.
        ChatCancelledError: it was cancelled.
    """
    max_tokens = _TOKENS_A_SUMMARY * len(sources)
    free = chat.fetch_free_tokens(_messages(query, "[]", language), answer_tokens=max_tokens)
    shown = fit_sources(sources, max_tokens=free).text
    answer = chat.complete(
        _messages(query, shown, language),
        timeout_seconds=timeout_seconds,
        schema=_SCHEMA,
        max_tokens=max_tokens,
        cancellation=cancellation,
    )
    summaries = _parse(answer, chat.name)
    return [_summarised(source, summaries.get(source.number, ""), language) for source in sources]


def _summarised(source: Source, summary: str, language: Language) -> Source:
    text = make_harmless(" ".join(summary.split()), source.language)
    is_one = any(character.isalnum() for character in text) and len(text) <= MAX_SUMMARY_CHARACTERS
    is_one = is_one and is_plain(
        text, given=[source.original], instructions=language_of(language).instructions.compression
    )
    return replace(source, text=text, matched=None) if is_one and len(text) < len(source.text) else source


def _messages(query: str, shown: str, language: Language) -> list[Message]:
    asked = f'{{"question": {json.dumps(query, ensure_ascii=False)}, "sources": {shown}}}'
    instructions = language_of(language).instructions.compression.format(characters=MAX_SUMMARY_CHARACTERS)
    return [Message(role="system", content=instructions), Message(role="user", content=asked)]


def _parse(answer: str, model: str) -> dict[int, str]:
    given = parse_reply(answer, _Summaries, model=model, expected='{"summaries": [{"id": 1, "summary": "…"}]}')
    return {item.id: item.summary for item in given.summaries}
