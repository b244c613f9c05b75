"""Re-ranking by a chat model: it scores a few passages at a time from 0 to 10."""

import json
import time
from collections.abc import Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from typing import Any

from rag_core.chat import ChatModel, Message
from rag_core.errors import (
    BusyError,
    ChatCancelledError,
    ChatError,
    CircuitOpenError,
    ConfigurationError,
    RerankingError,
    SearchCancelledError,
)
from rag_core.language.detection import detect_language
from rag_core.language.languages import language_of
from rag_core.model.retrieval import QueryStatistics
from rag_core.reranking import RERANKERS, Candidate, RerankerParts, RerankerProvider
from rag_core.reranking.passage import scores_in_order
from rag_core.resilience.cancellation import Cancellation

PROMPT_VERSION = "1"
"""To be raised with any change of what is asked."""
BEST_SCORE = 10
MAX_PASSAGE_CHARACTERS = 4_000
CONCURRENT_BATCHES = 2
_TOKENS_A_SCORE = 24
_SHOWN_CHARACTERS = 80


def _threads() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(max_workers=CONCURRENT_BATCHES, thread_name_prefix="rerank")


@dataclass(frozen=True, slots=True, kw_only=True)
class LlmReranker:
    """Batches of passages in a prompt each, as many at once as ``executor`` has threads, whoever asks.

    Thirty passages in batches of five are six calls; what a model cannot do within the time is not used at all.
    """

    chat: ChatModel
    batch_size: int = 5
    executor: Executor = field(default_factory=_threads)

    @property
    def name(self) -> str:
        """The chat model and the version of the prompt."""
        return f"llm:{self.chat.name}@{PROMPT_VERSION}"

    def score(
        self,
        query: str,
        candidates: Sequence[Candidate],
        *,
        statistics: QueryStatistics,  # noqa: ARG002  the model has its own idea of what is rare
        timeout_seconds: float,
        cancellation: Cancellation | None = None,
    ) -> list[float]:
        """The model's scores over 10, all of them or an error; batches not begun when one fails are not begun any more."""
        if self.batch_size < 1:
            raise RerankingError(f"reranking.batchSize is {self.batch_size}; expected at least 1")
        wanted, ends_at = cancellation or Cancellation(), time.monotonic() + timeout_seconds
        starts = range(0, len(candidates), self.batch_size)
        batches = [candidates[start : start + self.batch_size] for start in starts]
        running = [self.executor.submit(self._score_batch, query, batch, ends_at, wanted) for batch in batches]
        try:
            return _gathered(running, ends_at, self.name, wanted)
        finally:
            for future in running:
                future.cancel()

    def _score_batch(
        self, query: str, batch: Sequence[Candidate], ends_at: float, cancellation: Cancellation
    ) -> list[float]:
        if cancellation.is_cancelled:
            raise _unwanted(self.name)
        left = ends_at - time.monotonic()
        if left <= 0:
            raise RerankingError(f"{self.name} had no time left for a batch; none of its scores is used")
        try:
            answer = self.chat.complete(
                _messages(query, batch),
                timeout_seconds=left,
                schema=_schema(len(batch)),
                max_tokens=_TOKENS_A_SCORE * (len(batch) + 1),
                cancellation=cancellation,
            )
        except ChatCancelledError as error:
            raise _unwanted(self.name) from error
        except (ChatError, CircuitOpenError, BusyError) as error:
            raise RerankingError(f"{self.name} did not score a batch: {error}") from error
        return parse_scores(answer, len(batch))


def _gathered(
    running: Sequence[Future[list[float]]], ends_at: float, name: str, cancellation: Cancellation
) -> list[float]:
    """The scores of all batches in their order; the first that fails, a cancellation or the end of the time ends the wait."""
    waiting = set(running)
    with cancellation.awaited() as gone:
        while waiting:
            left = max(0.0, ends_at - time.monotonic())
            done, _ = wait({*waiting, gone}, timeout=left, return_when=FIRST_COMPLETED)
            if gone in done:
                raise _unwanted(name)
            if not done:
                scored = len(running) - len(waiting)
                raise RerankingError(
                    f"{name} scored {scored} of {len(running)} batches in time; none of the scores is used"
                )
            for future in done:
                future.result()  # its failure, if it failed
            waiting -= done
    return [score for future in running for score in future.result()]


def _unwanted(name: str) -> SearchCancelledError:
    return SearchCancelledError(f"{name} was stopped: nobody waits for its scores any more")


def _messages(query: str, batch: Sequence[Candidate]) -> list[Message]:
    """The passages as JSON, which no text can break out of, under instructions in the question's language."""
    passages = [
        {"id": number, "title": item.title or "", "text": item.content[:MAX_PASSAGE_CHARACTERS]}
        for number, item in enumerate(batch, 1)
    ]
    language = detect_language(query) or batch[0].language
    return [
        Message(role="system", content=language_of(language).instructions.passage_relevance),
        Message(role="user", content=json.dumps({"question": query, "passages": passages}, ensure_ascii=False)),
    ]


def _schema(passages: int) -> dict[str, Any]:
    score = {
        "type": "object",
        "properties": {
            "id": {"type": "integer", "minimum": 1, "maximum": passages},
            "score": {"type": "number", "minimum": 0, "maximum": BEST_SCORE},
        },
        "required": ["id", "score"],
        "additionalProperties": False,
    }
    return {
        "type": "object",
        "properties": {"scores": {"type": "array", "items": score, "minItems": passages, "maxItems": passages}},
        "required": ["scores"],
        "additionalProperties": False,
    }


def parse_scores(answer: str, passages: int) -> list[float]:
    """The scores of a batch in its order, over 10 and clamped to [0, 1].

    Only JSON with one finite number a passage is taken: a score as text ("8/10", "0,8") or a passage left out says that the
    model did not do what it was asked.

    Raises:
        RerankingError: anything else.
    """
    try:
        scores = scores_in_order(map(_entry, _entries(answer)), range(1, passages + 1))
    except ValueError as error:
        raise _unusable(answer, str(error)) from error
    return [min(1.0, max(0.0, score / BEST_SCORE)) for score in scores]


def _entry(entry: Any) -> tuple[Any, Any]:
    return (entry.get("id"), entry.get("score")) if isinstance(entry, dict) else (None, None)


def _entries(answer: str) -> list[Any]:
    try:
        given = json.loads(answer)
    except (ValueError, RecursionError):
        given = None
    entries = given.get("scores") if isinstance(given, dict) else None
    if not isinstance(entries, list):
        raise _unusable(answer, "no list of scores")
    return entries


def _unusable(answer: str, found: str) -> RerankingError:
    return RerankingError(
        f'the chat model gave {found} in {answer[:_SHOWN_CHARACTERS]!r}; expected {{"scores": [{{"id": 1, "score": 0 to 10}}]}} '
        "for every passage, so no score is used. Try another model, or the embedded re-ranker."
    )


def _build(parts: RerankerParts) -> LlmReranker:
    if parts.chat is None:
        raise ConfigurationError(
            "re-ranking by a chat model needs one: set BRAIN_CHAT_MODEL, or BRAIN_RERANKER=embedded"
        )
    return LlmReranker(chat=parts.chat, batch_size=parts.batch_size, executor=parts.executor or _threads())


RERANKERS.register("llm")(RerankerProvider(build=_build, is_in_process=False, asks_chat=True))
