"""Shapes of ``/v1/chat/completions``: what is read of a request, and what the answer has beside OpenAI's own fields.

Fields that choose how a model writes (temperature, tools, formats) are taken and mean nothing: answers come from the notes.
"""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from rag_core.api.schemas_answers import QueryCitation, QueryMetadata


class _OpenAIRequest(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class ContentPart(_OpenAIRequest):
    """A part of a message; those that are no text are passed over."""

    type: str
    text: str = ""


class ChatMessage(_OpenAIRequest):
    """A message; those of the system and of tools are passed over."""

    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: str | list[ContentPart] | None = None

    @property
    def text(self) -> str:
        """All its text."""
        parts = self.content or []
        return parts if isinstance(parts, str) else "\n".join(part.text for part in parts if part.type == "text")


class StreamOptions(_OpenAIRequest):
    """Further parts of a stream."""

    include_usage: bool | None = None


class ChatCompletionRequest(_OpenAIRequest):
    """A conversation whose last message is the question."""

    model: str = Field(examples=["brain-sync"])
    messages: list[ChatMessage] = Field(min_length=1)
    stream: bool | None = None
    stream_options: StreamOptions | None = None


class CompletionMessage(BaseModel):
    """The answer, with marks such as "[1]" and its sources at the end."""

    role: Literal["assistant"]
    content: str
    refusal: None = None
    annotations: list[dict[str, Any]] = Field(description="OpenAI's `url_citation` of each mark.")


class CompletionChoice(BaseModel):
    """The one answer."""

    index: Literal[0]
    message: CompletionMessage
    finish_reason: Literal["stop"]
    logprobs: None = None


class CompletionUsage(BaseModel):
    """Tokens of the language model."""

    prompt_tokens: int
    completion_tokens: int
    total_tokens: int


class ChatCompletion(BaseModel):
    """An answer; `citations` and `metadata` are those of `POST /api/query`."""

    id: str
    object: Literal["chat.completion"]
    created: int
    model: str
    choices: list[CompletionChoice]
    usage: CompletionUsage
    citations: list[QueryCitation]
    metadata: QueryMetadata
