"""Time of the embedded re-ranker for thirty candidates, beside a floor in the same run.

``python -m tests.benchmarks.bench_reranking`` prints one JSON object. The floor cuts the same passages at white space and
looks up each token in a dictionary: what no re-ranker that reads its passages can do without.
"""

import json
import time
import uuid
from collections.abc import Callable, Sequence
from itertools import islice
from statistics import median

from rag_core.language.stemming import query_words
from rag_core.model.note import ChunkId, NoteId
from rag_core.model.retrieval import QueryStatistics
from rag_core.reranking import Candidate
from rag_core.reranking.providers.embedded import EmbeddedReranker
from rag_core.reranking.weights import shipped_weights

from .corpus import Corpus, read_corpus

CANDIDATES = 30
WORDS_A_PASSAGE = 150
QUESTIONS = 40
ROUNDS = 5

Task = tuple[str, list[Candidate], QueryStatistics]


def run() -> dict[str, object]:
    """Milliseconds for one question: the median of the questions' best of five, and its ratio to the floor's."""
    corpus = read_corpus()
    tasks = _tasks(corpus)
    reranker = EmbeddedReranker(weights=shipped_weights())
    scored = _milliseconds(tasks, lambda task: reranker.score(task[0], task[1], statistics=task[2], timeout_seconds=1))
    floor = _milliseconds(tasks, _look_up)
    return {
        "corpus": corpus.name,
        "candidates": CANDIDATES,
        "words_per_passage": WORDS_A_PASSAGE,
        "milliseconds": round(scored, 2),
        "floor_milliseconds": round(floor, 2),
        "ratio": round(scored / floor, 1),
    }


def _tasks(corpus: Corpus) -> list[Task]:
    words = [word for _, text in corpus.notes for word in text.split()]
    passages = (words[at : at + WORDS_A_PASSAGE] for at in range(0, len(words) - WORDS_A_PASSAGE, WORDS_A_PASSAGE))
    candidates = [_candidate(" ".join(passage)) for passage in islice(passages, CANDIDATES * QUESTIONS)]
    return [
        (question, candidates[at * 7 % (len(candidates) - CANDIDATES) :][:CANDIDATES], _statistics(question))
        for at, question in enumerate(corpus.questions[:QUESTIONS])
    ]


def _candidate(text: str) -> Candidate:
    return Candidate(
        chunk_id=ChunkId(uuid.uuid4()),
        note_id=NoteId(uuid.uuid4()),
        title="Diario",
        content=text,
        language="es",
        score=0.5,
    )


def _statistics(question: str) -> QueryStatistics:
    frequencies = {word: len(word) for word in query_words(question) if len(word) > 3}
    return QueryStatistics(documents={"es": 10_000}, frequencies={"es": frequencies})


def _look_up(task: Task) -> int:
    words = dict.fromkeys(query_words(task[0]), 1)
    return sum(words.get(token, 0) for item in task[1] for token in item.content.split())


def _milliseconds(tasks: Sequence[Task], work: Callable[[Task], object]) -> float:
    return median(min(_seconds(task, work) for _ in range(ROUNDS)) for task in tasks) * 1000


def _seconds(task: Task, work: Callable[[Task], object]) -> float:
    began = time.perf_counter()
    work(task)
    return time.perf_counter() - began


if __name__ == "__main__":
    print(json.dumps(run()))
