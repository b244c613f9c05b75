"""The writing of an answer: bits of a model cut into sentences, each held to the sources before anybody sees it."""

import time
from collections.abc import Generator, Sequence
from contextlib import closing
from dataclasses import dataclass, field

from rag_core.answering import Answerer, CheckedText, PromptContext
from rag_core.answering.claims import cut_sentences
from rag_core.answering.events import SentenceReady
from rag_core.answering.extractive import ExtractiveAnswerer
from rag_core.answering.verification import check_citations
from rag_core.cancellation import Cancellation
from rag_core.chat import Message
from rag_core.errors import (
    AnswerCancelledError,
    AnswerFailedError,
    AnswerTimeoutError,
    ChatCancelledError,
    ChatError,
)
from rag_core.model import Language
from rag_core.telemetry.logs import log_degraded


@dataclass(slots=True, kw_only=True)
class Writing:
    """One answer being written: what was said so far, what of it was shown, and by whom.

    ``answerer`` is who says it in the end: a model that fails before its first sentence leaves the word to quoted sentences,
    and ``is_fallback`` tells so.
    """

    query: str
    context: PromptContext
    language: Language
    answerer: Answerer
    history: Sequence[Message] = ()
    timeout_seconds: float
    cancellation: Cancellation
    said: str = ""
    shown: str = ""
    began_at: float = field(default_factory=time.perf_counter)
    is_fallback: bool = False
    generation_ms: float = 0.0
    checking_ms: float = 0.0
    checked: CheckedText = field(default_factory=lambda: CheckedText(text="", citations=(), uncited=(), removed=0))

    def sentences(self) -> Generator[SentenceReady, None, None]:
        """Every sentence once it may be shown, in its order; afterwards ``checked`` is the whole.

        Raises:
            AnswerCancelledError: nobody waits any more.
            AnswerTimeoutError, AnswerFailedError: the model broke off after its first sentence had been shown.
        """
        try:
            yield from self._written()
        except ChatCancelledError as error:
            raise AnswerCancelledError("nobody waits for the answer any more") from error
        except ChatError as error:
            if self.shown:
                raise self._failure() from error
            log_degraded("chat", error)
            self.answerer, self.is_fallback, self.said = ExtractiveAnswerer(), True, ""
            yield from self._written()

    def _written(self) -> Generator[SentenceReady, None, None]:
        with closing(self._bits()) as bits:
            for sentence in cut_sentences(bits, self.language):
                require_wanted(self.cancellation)
                self.said += sentence
                yield from self._ready()
        self.generation_ms = self._seconds_spent * 1000 - self.checking_ms

    @property
    def _seconds_spent(self) -> float:
        return time.perf_counter() - self.began_at

    def _bits(self) -> Generator[str, None, None]:
        return self.answerer.stream(
            self.query,
            self.context,
            language=self.language,
            timeout_seconds=self.timeout_seconds,
            history=self.history,
            cancellation=self.cancellation,
        )

    def _ready(self) -> Generator[SentenceReady, None, None]:
        """What the last sentence adds to what was shown; nothing where its check changes what was."""
        began = time.perf_counter()
        self.checked = check_citations(self.said, self.context.sources, language=self.language)
        self.checking_ms += (time.perf_counter() - began) * 1000
        start, text = len(self.shown), self.checked.text
        if not text.startswith(self.shown) or len(text) == start:
            return
        self.shown = text
        citations = tuple(citation for citation in self.checked.citations if citation.mark[0] >= start)
        yield SentenceReady(text=text[start:], start=start, citations=citations)

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
