"""Hits into an answer with citations: the interface, and one file a step.

In the order of the work: ``fallbacks`` finds the sources, ``evidence`` and ``confidence`` say how far they answer the question and
whether any answer should be given, ``context`` numbers the sources and cuts them to what a prompt holds, ``compression`` shortens
them before that, ``extractive`` answers with sentences of the sources: ``quoting`` chooses them by ``sentence_scores``, which look at
the question's words (``asked_words``), at what it wants (``wanted``) and when (``asked_time``). ``generation`` has a chat model write
the answer, ``citations`` reads from an answer what it cites, ``verification`` holds every citation to its source, ``tidying`` takes
out what does not hold, ``rendering`` writes citations as a contract wants them.
``answer`` is the whole path: ``understanding`` what is asked, ``writing`` sentence by sentence, the ``outcome``, and the ``course``
that is written down. Not here: searching (``rag_core.retrieval``), what may come in and go out (``rag_core.guardrails``),
conversations (``rag_core.conversation``), and how good answers are (``rag_core.evaluation.runs.answers``).
Imports point to ``cancellation``, ``chat``, ``chunking``, ``guardrails``, ``language`` and ``model``; those of the path and
``fallbacks`` alone to ``conversation``, ``engine`` and ``retrieval``.
"""

from collections.abc import Generator, Sequence
from typing import Protocol

from rag_core.chat import Message
from rag_core.model.answer import PromptContext
from rag_core.model.note import ChunkId as ChunkId
from rag_core.model.note import Language
from rag_core.model.note import NoteId as NoteId
from rag_core.model.note import Span as Span
from rag_core.resilience.cancellation import Cancellation


class Answerer(Protocol):
    """What answers a question from sources; the same for sentences quoted and for a chat model."""

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
