"""Asking golden queries: a few at a time, in order, until all are done or somebody wants it to stop."""

import time
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from typing import TypeVar

from rag_core.configuration.schema import RetrievalConfig
from rag_core.errors import EvaluationCancelledError, InvalidInputError, RagError
from rag_core.evaluation.runs.answers import GoldenAnswerer, answer_and_judge
from rag_core.evaluation.runs.confidence import has_threshold
from rag_core.evaluation.runs.judges import Judge
from rag_core.evaluation.runs.passages import Anchors, read_through
from rag_core.evaluation.runs.unanswerable import UnanswerableResult
from rag_core.language.detection import detect_language
from rag_core.model.answer_metrics import AnswerRecord
from rag_core.model.evaluation import QueryResult
from rag_core.model.golden import GoldenQuery
from rag_core.model.metrics.notes import RANKING_DEPTH
from rag_core.model.note import NoteId
from rag_core.model.retrieval import Hit, Retrieval
from rag_core.retrieval.linked import LEG as NAMES

MAX_CONCURRENCY = 8
ANSWER_SECONDS = 60.0
"""Seconds that one call of a model may take for an answer or a judgement."""

Search = Callable[[str], Retrieval]
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluatedSearch:
    """A search under evaluation, and what its results follow from.

    ``search`` must look deep enough for ``RANKING_DEPTH`` notes, whatever is served, and must not cache. With an ``answerer`` queries
    are answered too; with a ``judge`` the answers are judged.
    """

    search: Search
    config: RetrievalConfig
    models: Mapping[str, str]
    pipeline_fingerprint: str
    answerer: GoldenAnswerer | None = None
    judge: Judge | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Asker:
    """Execution of one golden query: searched, read, and answered and judged where an answerer is given."""

    evaluated: EvaluatedSearch
    anchors: Anchors
    clock: Callable[[], float] = time.perf_counter

    def ask(self, query: GoldenQuery) -> QueryResult:
        """Return the result of the query; a ``RagError`` makes it a miss with the error's name."""
        began = self.clock()
        found, error = None, None
        try:
            found = self.evaluated.search(query.query)
        except RagError as problem:
            error = type(problem).__name__
        latency_ms = (self.clock() - began) * 1000
        hits = () if found is None else found.hits
        reading = read_through(hits, self.anchors.of(query.id), self.anchors.contents)
        return QueryResult(
            query_id=query.id,
            query=query.query,
            category=query.category,
            difficulty=query.difficulty,
            relevant_note_ids=query.relevant_note_ids,
            grades={one.note_id: one.grade for one in query.relevance if one.grade != 1},
            ranked_note_ids=ranked_notes(hits),
            latency_ms=latency_ms,
            is_degraded=found is not None and found.is_degraded,
            error=error,
            u_measure=None if reading is None else reading.u_measure,
            first_passage_rank=None if reading is None else reading.first_passage_rank,
            is_confident=None if found is None else self._is_confident(found),
            stages={} if found is None else dict(found.stages),
            answer=None if found is None else self._answer(query, found),
            linked_note_ids=linked_notes(hits),
        )

    def _is_confident(self, found: Retrieval) -> bool | None:
        """Undefined without a threshold, which every result would reach."""
        is_defined = has_threshold(self.evaluated.config.to_wire(), self.evaluated.models)
        return found.is_confident if is_defined else None

    def ask_unanswerable(self, query: GoldenQuery) -> UnanswerableResult:
        """Ask a query that the notes do not answer, which should be refused; a ``RagError`` counts as neither."""
        assert self.evaluated.answerer is not None
        try:
            found = self.evaluated.search(query.query)
            language = detect_language(query.query) or (found.hits[0].language if found.hits else "es")
            given = self.evaluated.answerer.answer(
                query.query, found.hits, language=language, timeout_seconds=ANSWER_SECONDS
            )
        except RagError as problem:
            return UnanswerableResult(
                query_id=query.id, query=query.query, is_refused=False, error=type(problem).__name__
            )
        return UnanswerableResult(query_id=query.id, query=query.query, is_refused=given.is_refusal, text=given.text)

    def _answer(self, query: GoldenQuery, found: Retrieval) -> AnswerRecord | None:
        if self.evaluated.answerer is None:
            return None
        return answer_and_judge(
            query, found, answerer=self.evaluated.answerer, judge=self.evaluated.judge, timeout_seconds=ANSWER_SECONDS
        )


def ask_all(
    queries: Sequence[GoldenQuery],
    ask: Callable[[GoldenQuery], Result],
    *,
    concurrency: int,
    should_stop: Callable[[], bool],
    on_progress: Callable[[int, int], None],
) -> list[Result]:
    """Ask all queries, so many at a time; the results are in the order of the queries.

    Raises:
        EvaluationCancelledError: ``should_stop`` said so; queries under way are waited for, no other is begun.
        InvalidInputError: the concurrency is not from 1 to 8.
    """
    if not 1 <= concurrency <= MAX_CONCURRENCY:
        raise InvalidInputError(f"concurrency is {concurrency}; expected 1 to {MAX_CONCURRENCY}")
    results: list[Result] = []
    with closing(_asked(queries, ask, concurrency, should_stop)) as asked:
        for result in asked:
            results.append(result)
            on_progress(len(results), len(queries))
    return results


def _asked(
    queries: Sequence[GoldenQuery],
    ask: Callable[[GoldenQuery], Result],
    concurrency: int,
    should_stop: Callable[[], bool],
) -> Generator[Result]:
    def ask_unless_stopped(query: GoldenQuery) -> Result:
        if should_stop():
            raise EvaluationCancelledError("the evaluation was cancelled; nothing of it is stored")
        return ask(query)

    if concurrency == 1:
        yield from map(ask_unless_stopped, queries)
        return
    executor = ThreadPoolExecutor(max_workers=concurrency, thread_name_prefix="golden")
    try:
        yield from executor.map(ask_unless_stopped, queries)
    finally:
        executor.shutdown(wait=True, cancel_futures=True)


def linked_notes(hits: Iterable[Hit]) -> frozenset[NoteId]:
    """Notes whose best hit was placed by the names that it shares with others, whatever else found it."""
    best = {hit.note_id: hit for hit in reversed(list(hits))}
    return frozenset(note for note, hit in best.items() if NAMES in hit.ranks)


def ranked_notes(hits: Iterable[Hit]) -> tuple[NoteId, ...]:
    """The notes of the hits, each once, in the order of its best hit, to ``RANKING_DEPTH``."""
    return tuple(islice(dict.fromkeys(hit.note_id for hit in hits), RANKING_DEPTH))
