"""The writing of an answer: bits of a model cut into sentences, each held to the sources before anybody sees it."""

import time
from collections.abc import Generator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import Literal

from rag_core.answering import Answerer
from rag_core.answering.events import SentenceReady
from rag_core.answering.finishing import OutgoingGate
from rag_core.answering.plain_text import plain_bits
from rag_core.answering.quoting.extractive import ExtractiveAnswerer
from rag_core.answering.quoting.selection import Quotation
from rag_core.answering.rendering import renumbered
from rag_core.answering.verification.check import ReadSources, check_sentence, joined, moved, read_sources
from rag_core.answering.verification.claims import cut_sentences
from rag_core.chat import Message
from rag_core.chat.replies import legible
from rag_core.errors import (
    AnswerCancelledError,
    AnswerFailedError,
    AnswerTimeoutError,
    ChatBusyError,
    ChatCancelledError,
    ChatError,
)
from rag_core.model.answer import CheckedText, PromptContext
from rag_core.model.note import Language
from rag_core.resilience.cancellation import Cancellation
from rag_core.telemetry.logs import log_degraded

WritingFallback = Literal["model_failed", "model_busy"]
"""The reason why sentences are quoted although there is a chat model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenAnswer:
    """A complete answer as it was written: ``text`` is checked, without white space at its end.

    ``quotation`` is what was quoted, None for the words of a model. ``gate`` has let every sentence out.
    """

    text: CheckedText
    answerer: str
    quotation: Quotation | None
    fallback: WritingFallback | None
    gate: OutgoingGate
    generation_ms: float
    checking_ms: float


@dataclass(slots=True, kw_only=True)
class Writing:
    """One answer being written: its checked sentences so far, as the gate let them out, and its answerer.

    A model that fails before its first sentence is replaced by ``quoting`` as the ``answerer``, and ``fallback`` gives the reason.
    Where it ``numbers_as_cited``, sources get numbers from 1 as they are first cited (``numbers``, by those of ``context``); see
    ``numbered_context``.
    """

    query: str
    context: PromptContext
    language: Language
    answerer: Answerer
    history: Sequence[Message] = ()
    timeout_seconds: float
    cancellation: Cancellation
    gate: OutgoingGate
    quoting: ExtractiveAnswerer = field(default_factory=ExtractiveAnswerer)
    parts: list[CheckedText] = field(default_factory=list)
    numbers_as_cited: bool = True
    numbers: dict[int, int] = field(default_factory=dict)
    fallback: WritingFallback | None = None
    checking_ms: float = 0.0
    began_at: float = field(default_factory=time.perf_counter)

    @property
    def checked(self) -> CheckedText:
        """Text written so far, checked, without white space at its end."""
        whole = joined(self.parts)
        return replace(whole, text=whole.text.rstrip())

    @property
    def numbered_context(self) -> PromptContext:
        """The context with the numbers that its sources have in the answer: those cited first, the others after them."""
        if not self.numbers:
            return self.context
        ordered = sorted(self.context.sources, key=lambda one: self.numbers.get(one.number, len(self.context.sources)))
        sources = tuple(replace(source, number=number) for number, source in enumerate(ordered, 1))
        return replace(self.context, sources=sources)

    @property
    def removed_citations(self) -> int:
        """Number of marks that were taken out so far because no such source exists."""
        return sum(part.removed for part in self.parts)

    @property
    def _is_quoted(self) -> bool:
        return isinstance(self.answerer, ExtractiveAnswerer)

    @property
    def _is_refused(self) -> bool:
        """True where nothing could be quoted: the refusal is worded when the answer is finished, and shown once."""
        return isinstance(self.answerer, ExtractiveAnswerer) and not self.answerer.quotation.passages

    @property
    def _seconds_spent(self) -> float:
        return time.perf_counter() - self.began_at

    def finished(self) -> WrittenAnswer:
        """The complete answer, once ``sentences`` is exhausted."""
        return WrittenAnswer(
            text=self.checked,
            answerer=self.answerer.name,
            quotation=self.answerer.quotation if isinstance(self.answerer, ExtractiveAnswerer) else None,
            fallback=self.fallback,
            gate=self.gate,
            generation_ms=self._seconds_spent * 1000 - self.checking_ms,
            checking_ms=self.checking_ms,
        )

    def sentences(self) -> Generator[SentenceReady, None, None]:
        """Each sentence as soon as it may be shown, in order.

        Raises:
            AnswerCancelledError: nobody waits any more.
            AnswerTimeoutError, AnswerFailedError: the model broke off after its first sentence had been shown.
        """
        read = read_sources(self.context.sources)
        try:
            yield from self._written(read)
        except ChatCancelledError as error:
            raise AnswerCancelledError("nobody waits for the answer any more") from error
        except ChatError as error:
            if any(part.text.strip() for part in self.parts):
                raise self._failure() from error
            log_degraded("chat", error)
            self.answerer, self.parts, self.numbers = self.quoting, [], {}
            self.fallback = "model_busy" if isinstance(error, ChatBusyError) else "model_failed"
            yield from self._written(read)

    def _written(self, read: ReadSources) -> Generator[SentenceReady, None, None]:
        bits = self.answerer.stream(
            self.query,
            self.context,
            language=self.language,
            timeout_seconds=self.timeout_seconds,
            history=self.history,
            cancellation=self.cancellation,
        )
        start = 0
        with closing(bits):
            said = (text for bit in bits if (text := legible(bit)))
            for sentence in cut_sentences(said if self._is_quoted else plain_bits(said), self.language):
                require_wanted(self.cancellation)
                part = self._checked(sentence, read)
                if part is None:
                    return
                self.parts.append(part)
                if part.text and not self._is_refused:
                    yield SentenceReady(text=part.text, start=start, citations=moved(part, start).citations)
                start += len(part.text)

    def _checked(self, sentence: str, read: ReadSources) -> CheckedText | None:
        """The sentence as it may be shown; None where the answer is long enough without it, or may not be shown at all."""
        began = time.perf_counter()
        checked = check_sentence(sentence, read, language=self.language)
        part = self.gate.let_out(checked, is_quoted=self._is_quoted)
        if part is not None and self.numbers_as_cited:
            for citation in part.citations:
                self.numbers.setdefault(citation.number, len(self.numbers) + 1)
            part = renumbered(part, self.numbers)
        self.checking_ms += (time.perf_counter() - began) * 1000
        return part

    def _failure(self) -> AnswerFailedError:
        if self._seconds_spent >= self.timeout_seconds:
            return AnswerTimeoutError(
                f"{self.answerer.name} had not finished its answer after {self.timeout_seconds:.0f} s; ask again, or raise "
                "BRAIN_CHAT_TIMEOUT_MS"
            )
        return AnswerFailedError(f"{self.answerer.name} broke off in the middle of its answer; ask again")


def require_wanted(cancellation: Cancellation) -> None:
    """Go on only while somebody waits.

    Raises:
        AnswerCancelledError: nobody does.
    """
    if cancellation.is_cancelled:
        raise AnswerCancelledError("nobody waits for the answer any more")
