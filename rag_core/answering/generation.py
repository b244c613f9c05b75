"""Answers written by a chat model from numbered sources, and which way of answering a process has."""

import json
from collections.abc import Generator, Sequence
from contextlib import closing
from dataclasses import dataclass

from rag_core.answering import Answerer, GeneratedAnswer, PromptContext
from rag_core.answering.citations import parse_citations
from rag_core.answering.context import MAX_CONTEXT_TOKENS, build_context
from rag_core.answering.extractive import ExtractiveAnswerer
from rag_core.answering.refusals import is_refusal
from rag_core.cancellation import Cancellation
from rag_core.chat import ChatModel, Message
from rag_core.language.answering import ANSWER_INSTRUCTIONS, NO_ANSWER
from rag_core.model import Hit, Language

PROMPT_VERSION = "1"
"""To be raised with any change of what is asked."""
MAX_ANSWER_TOKENS = 600
TEMPERATURE = 0.3
"""Of what people are answered; what is measured is made at 0."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GeneratedAnswerer:
    """A chat model that is given the question and the sources; without any source it is not asked."""

    chat: ChatModel
    max_context_tokens: int = MAX_CONTEXT_TOKENS

    @property
    def name(self) -> str:
        """The chat model and the version of the prompt."""
        return f"generated:{self.chat.name}@{PROMPT_VERSION}"

    def answer(self, query: str, hits: Sequence[Hit], *, language: Language, timeout_seconds: float) -> GeneratedAnswer:
        """What the model says, word for word; whether its citations hold is for the reader of ``citations`` to judge."""
        context = build_context(hits, max_tokens=self.max_context_tokens)
        if not context.sources:
            return GeneratedAnswer(
                text=NO_ANSWER[language], language=language, context=context, citations=(), is_refusal=True
            )
        text = self.chat.complete(
            prompt_of(query, context, language), timeout_seconds=timeout_seconds, max_tokens=MAX_ANSWER_TOKENS
        )
        return GeneratedAnswer(
            text=text,
            language=language,
            context=context,
            citations=parse_citations(text),
            is_refusal=is_refusal(text, language),
        )

    def fetch_context_tokens(self, query: str, *, language: Language, history: Sequence[Message] = ()) -> int:  # noqa: ARG002
        """What the sources may have of the model's context."""
        return self.max_context_tokens

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
        """What the model says as it says it."""
        if not context.sources:
            yield NO_ANSWER[language]
            return
        system, user = prompt_of(query, context, language)
        with closing(
            self.chat.stream(
                [system, *history, user],
                timeout_seconds=timeout_seconds,
                max_tokens=MAX_ANSWER_TOKENS,
                temperature=TEMPERATURE,
                cancellation=cancellation,
            )
        ) as bits:
            yield from bits


def prompt_of(query: str, context: PromptContext, language: Language) -> list[Message]:
    """Instructions in the question's language, then question and sources as JSON, which no text can break out of."""
    asked = f'{{"question": {json.dumps(query, ensure_ascii=False)}, "sources": {context.text}}}'
    return [
        Message(role="system", content=ANSWER_INSTRUCTIONS[language].format(no_answer=NO_ANSWER[language])),
        Message(role="user", content=asked),
    ]


def build_answerer(chat: ChatModel | None) -> Answerer:
    """What answers here: the chat model, if there is one, else quoted sentences."""
    return ExtractiveAnswerer() if chat is None else GeneratedAnswerer(chat=chat)
