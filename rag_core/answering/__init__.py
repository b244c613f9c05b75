"""Hits into an answer with citations: the interface, and one file a way of answering.

In the order of the work: ``context`` numbers the sources and cuts them to what a prompt holds, ``extractive`` answers with
the best sentences of the sources, ``generation`` has a chat model write the answer, ``citations`` reads from an answer what
it cites. Not here: searching (``rag_core.retrieval``), and how good an answer is (``rag_core.evaluation.answers``).
Imports point to ``chat``, ``chunking``, ``language`` and ``model``.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from rag_core.model import ChunkId, Hit, Language, NoteId, Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A passage that an answer may cite by its ``number``, from 1; ``text`` is what the answerer read of it."""

    number: int
    note_id: NoteId
    chunk_id: ChunkId
    external_id: str
    title: str | None
    created_at: datetime
    language: Language
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptContext:
    """What an answerer is given to read: ``text`` is exactly what a prompt holds of the sources, '[]' without any."""

    sources: tuple[Source, ...]
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """A mark in an answer: ``answer[span[0]:span[1]]`` is "[1, 2]", ``numbers`` are 1 and 2, each once."""

    span: Span
    numbers: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class GeneratedAnswer:
    """An answer and what it was made from; ``citations`` in their order, those of no source included.

    A refusal says that the sources hold no answer; it claims nothing and cites nothing.
    """

    text: str
    language: Language
    context: PromptContext
    citations: tuple[Citation, ...]
    is_refusal: bool


class Answerer(Protocol):
    """What answers a question from hits; the same for sentences quoted and for a chat model."""

    @property
    def name(self) -> str:
        """The way of answering, with the model and the version of what it is asked."""
        ...

    def answer(self, query: str, hits: Sequence[Hit], *, language: Language, timeout_seconds: float) -> GeneratedAnswer:
        """Answer in that language from the hits alone; without anything that fits, a refusal.

        Raises:
            ChatError: a chat model gave no answer in time.
        """
        ...
