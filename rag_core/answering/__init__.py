"""Hits into an answer with citations.

``answer`` is the whole path: ``understanding`` of the question, ``sources`` found and put into a prompt, ``confidence`` in them,
``writing`` sentence by sentence by a chat model (``generation``) or by ``quoting``, ``verification`` of every citation, and the
``outcome``. ``rendering`` writes citations as a contract wants them.
Not here: searching (``rag_core.retrieval``), what may come in and go out (``rag_core.guardrails``), conversations
(``rag_core.conversation``), how good answers are (``rag_core.evaluation.runs.answers``).
"""

from collections.abc import Generator, Sequence
from typing import Protocol

from rag_core.chat import Message
from rag_core.model.answer import PromptContext
from rag_core.model.note import Language
from rag_core.resilience.cancellation import Cancellation


class Answerer(Protocol):
    """An answerer of questions from sources: quoted sentences or a chat model."""

    @property
    def name(self) -> str:
        """The way of answering, with the model and the version of what it is asked."""
        ...

    def fetch_context_tokens(self, query: str, *, language: Language, history: Sequence[Message] = ()) -> int:
        """The most that ``build_context`` may give ``stream`` for this question; a chat model's server is asked once."""
        ...

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
        """Answer bit by bit from sources that were numbered before; joined, the bits are the answer, and none is ''.

        ``history`` are the turns before the question, the oldest first; what does not fit of it is left out, oldest first.
        Whoever closes it, or cancels, ends the work within a second. Without a source it gives the refusal.

        Raises:
            ChatError: a chat model failed or had no time, before the first bit or after any.
            ChatCancelledError: it was cancelled.
        """
        ...
