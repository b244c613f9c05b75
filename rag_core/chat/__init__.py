"""Messages into text by a chat model: the interface, and one file a provider.

Here: what is said to a model, what comes back, and how it is read (``replies``). Not here: what is asked for (a summary, a
score, an answer: each beside its caller), breakers and limits (``rag_core.resilience.circuit_breaker``).
A provider's file is imported when a model of it is built, so that a machine without Ollama loads no HTTP client.
"""

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from rag_core.plugins.registry import Registry
from rag_core.resilience.cancellation import Cancellation
from rag_core.settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One turn of a conversation with a chat model."""

    role: Literal["system", "user", "assistant"]
    content: str


class ChatModel(Protocol):
    """Model that answers messages with text; the interface of every provider."""

    name: str

    def complete(
        self,
        messages: Sequence[Message],
        *,
        timeout_seconds: float,
        schema: Mapping[str, Any] | None = None,
        max_tokens: int | None = None,
        cancellation: Cancellation | None = None,
    ) -> str:
        """Answer the messages as repeatably as the model can: never '', JSON of ``schema``'s shape if one is given.

        The answer is there within ``timeout_seconds``, waiting for a free place included. The caller still reads
        JSON strictly (``replies.parse_reply``): a schema holds most models to a shape, and none to sense. A text that
        reaches ``max_tokens`` is given as far as it goes; JSON that does is an error.

        Raises:
            ChatError: the model failed, had no time, or gave nothing, or a part only.
            PromptTooLongError: the messages and ``max_tokens`` do not fit its context.
            ChatCancelledError: it was cancelled, from another thread.
        """
        ...

    def stream(
        self,
        messages: Sequence[Message],
        *,
        timeout_seconds: float,
        max_tokens: int | None = None,
        temperature: float = 0.0,
        cancellation: Cancellation | None = None,
    ) -> Generator[str]:
        """Stream the text of ``complete`` in pieces, in the model's order, without its thoughts; no piece is ''.

        Whoever closes it, or cancels from another thread, ends the call on the server within a second.
        ``timeout_seconds`` bounds the whole answer. A text that reaches ``max_tokens`` ends there.

        Raises:
            ChatError: as for ``complete``, before the first bit or after any.
            ChatCancelledError: it was cancelled.
        """
        ...

    def fetch_free_tokens(self, messages: Sequence[Message], *, answer_tokens: int) -> int:
        """Return the tokens, by ``count_tokens``, left in the model's context beside messages and answer; at least 0.

        The provider is asked for the context's size when that is not known yet, for a second at most.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatProvider:
    """Provider of chat models.

    ``build`` makes the model of a name and contacts nobody; its last argument bounds whatever time a caller gives. ``find_fault``
    says why the model cannot be used, within the seconds it has; None when it can. ``find_address`` gives the address that notes
    and questions are sent to; None when they stay in this process.
    """

    build: Callable[[str, Settings, float], ChatModel]
    find_fault: Callable[[str, Settings, float], str | None] = lambda _name, _settings, _seconds: None
    find_address: Callable[[Settings], str | None] = lambda _settings: None


CHAT_PROVIDERS: Registry[ChatProvider] = Registry("chat provider", folder="rag_core.chat.providers")


def chat_provider(settings: Settings) -> ChatProvider:
    """Return the configured provider of chat models.

    Raises:
        ConfigurationError: there is no such provider.
    """
    return CHAT_PROVIDERS.get(settings.chat_provider, given_by="BRAIN_CHAT_PROVIDER")


def build_chat(name: str, settings: Settings, *, timeout_seconds: float = 60) -> ChatModel:
    """Build the chat model of that name; contacts nobody.

    ``timeout_seconds`` bounds whatever time a caller gives.

    Raises:
        ConfigurationError: there is no such provider, or its host is no address.
    """
    return chat_provider(settings).build(name, settings, timeout_seconds)
