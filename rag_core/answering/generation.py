"""Answers written by a chat model from numbered sources, and which way of answering a process has."""

import json
import time
from collections.abc import Generator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace

from rag_core.answering import Answerer
from rag_core.answering.quoting.extractive import ExtractiveAnswerer
from rag_core.answering.sources.context import MAX_CONTEXT_TOKENS, fit_sources
from rag_core.answering.sources.graph_context import graph_field
from rag_core.answering.verification.citations import without_citations
from rag_core.chat import ChatModel, Message
from rag_core.chunking import count_tokens
from rag_core.errors import PromptTooLongError
from rag_core.language.wordings import NOTES, Wordings
from rag_core.model.answer import PromptContext
from rag_core.model.note import Language
from rag_core.resilience.cancellation import Cancellation

PROMPT_VERSION = "3"
"""To be raised with any change of what is asked."""
MAX_ANSWER_TOKENS = 600
TEMPERATURE = 0.3
MAX_HISTORY_TOKENS = 800
MAX_HISTORY_MESSAGES = 8
_NO_SOURCES = PromptContext(sources=(), text="[]")
_TRIES = 3
"""A prompt that the server finds too long is shortened, and what it said of its length is known by then."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GeneratedAnswerer:
    """A chat model that is given the question and the sources; without any source it is not asked."""

    chat: ChatModel
    max_context_tokens: int = MAX_CONTEXT_TOKENS
    wordings: Wordings = field(default_factory=lambda: NOTES)

    @property
    def name(self) -> str:
        """The chat model and the version of the prompt."""
        return f"generated:{self.chat.name}@{PROMPT_VERSION}"

    def fetch_context_tokens(self, query: str, *, language: Language, history: Sequence[Message] = ()) -> int:
        """Tokens that the model's context leaves beside instructions, conversation, question and answer."""
        prompt = self._prompt(query, _NO_SOURCES, language, history)
        return self.chat.fetch_free_tokens(prompt, answer_tokens=MAX_ANSWER_TOKENS)

    def stream(
        self,
        query: str,
        context: PromptContext,
        *,
        language: Language,
        timeout_seconds: float,
        history: Sequence[Message] = (),
        cancellation: Cancellation | None = None,
    ) -> Generator[str]:
        """Stream the model's answer, at temperature 0.3.

        As long as it has said nothing, a prompt that is too long is tried again with fewer sources.
        """
        if not context.sources:
            yield self.wordings[language].no_answer
            return
        ends_at = time.monotonic() + timeout_seconds
        for tries_left in reversed(range(_TRIES)):
            answering = self.chat.stream(
                self._prompt(query, context, language, history),
                timeout_seconds=ends_at - time.monotonic(),
                max_tokens=MAX_ANSWER_TOKENS,
                temperature=TEMPERATURE,
                cancellation=cancellation,
            )
            with closing(answering) as bits:
                try:
                    first = next(bits)
                except PromptTooLongError:
                    context = self._shorter(query, context, language, history)
                    if not tries_left or not context.sources:
                        raise
                    continue
                yield first
                yield from bits
                return

    def _prompt(
        self, query: str, context: PromptContext, language: Language, history: Sequence[Message]
    ) -> list[Message]:
        return prompt_of(query, context, language, history=history, wordings=self.wordings)

    def _shorter(
        self, query: str, context: PromptContext, language: Language, history: Sequence[Message]
    ) -> PromptContext:
        """Fewer of the sources, with their numbers, and no graph: what the model's context holds by now, at most three quarters."""
        free = self.fetch_context_tokens(query, language=language, history=history)
        return fit_sources(context.sources, max_tokens=min(free, count_tokens(context.text) * 3 // 4))


def prompt_of(
    query: str,
    context: PromptContext,
    language: Language,
    *,
    history: Sequence[Message] = (),
    wordings: Wordings = NOTES,
) -> list[Message]:
    """Instructions in the question's language, the last turns, then question and sources as JSON, which no text breaks out of."""
    fields = f"{context.text}{graph_field(context.graph)}"
    asked = f'{{"question": {json.dumps(query, ensure_ascii=False)}, "sources": {fields}}}'
    wording = wordings[language]
    return [
        Message(role="system", content=wording.instructions.format(no_answer=wording.no_answer)),
        *last_turns(history),
        Message(role="user", content=asked),
    ]


def last_turns(history: Sequence[Message]) -> list[Message]:
    """The last of what both said, as much as a prompt has room for, without marks: their numbers were of other sources.

    It begins with a question. What a caller calls the system's is left out.
    """
    said = [message for message in history if message.role != "system" and message.content.strip()]
    kept: list[Message] = []
    left = MAX_HISTORY_TOKENS
    for message in reversed(said[-MAX_HISTORY_MESSAGES:]):
        left -= count_tokens(message.content)
        if left < 0:
            break
        kept.insert(0, replace(message, content=" ".join(without_citations(message.content).split())))
    while kept and kept[0].role != "user":
        kept.pop(0)
    return kept


def build_answerer(chat: ChatModel | None, *, wordings: Wordings = NOTES) -> Answerer:
    """The answerer of this process: the chat model, if there is one, else quoted sentences."""
    return ExtractiveAnswerer(wordings=wordings) if chat is None else GeneratedAnswerer(chat=chat, wordings=wordings)
