"""Questions that need two or three notes, which share a name that the question does not say: search with names followed and without.

``python -m tests.benchmarks.two_notes [--provider NAME] [--show] [--answers]`` loads ``two_note_notes.jsonl`` (170 notes of one
person in Spanish) into a scratch home and asks the 110 questions of ``two_note_questions.jsonl``; with ``BRAIN_TEST_DATA`` it asks
those of multihop-en over their own passages too. The questions were written from the notes alone by somebody who did not know how
search works here, and nothing is fitted on them.

Printed for each set: recall@5, the share of questions with all notes among the first five, nDCG@10, MRR, milliseconds a search,
and the difference of recall@5 with its interval and p. ``--answers`` asks the Spanish questions for
quoted answers instead, and counts those that cite every note of their question, and those that tell at least ``LEAST_TOLD`` of the
words of what is right. The last line of stdout is one JSON object.
"""

import argparse
import json
import os
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import mean, median
from typing import Any

from rag_core.configuration.schema import configure
from rag_core.evaluation.comparison.significance import paired_test
from rag_core.language.content_words import content_of
from rag_core.model.ranking_metrics import ndcg_at, recall_at, reciprocal_rank
from rag_core.retrieval.retrieve import retrieve
from rag_core.runtime.engine import Engine

from .corpus import _rows, _stored
from .diary_answers import ask
from .fit_reranking import import_corpus
from .indexing import index_all
from .progress import step
from .scratch import TENANT, forget_environment, import_notes, scratch_engine

NOTES = Path(__file__).with_name("two_note_notes.jsonl")
QUESTIONS = Path(__file__).with_name("two_note_questions.jsonl")
DEPTH = 10
TIMEOUT_MS = 60_000
LEAST_TOLD = 0.6


def main() -> None:
    """Ask everything with names followed and without, and print what was found."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.two_notes", description=__doc__)
    parser.add_argument("--provider", default="e5", help="what the home embeds with; default: e5")
    parser.add_argument("--show", action="store_true", help="print the ranks of every question's notes")
    parser.add_argument("--answers", action="store_true", help="ask for answers, and print what they cite and tell")
    options = parser.parse_args()
    forget_environment(options.provider)
    if options.answers:
        with step("answers to two-note questions"), _two_note_engine() as engine:
            print(json.dumps(_answered(engine, _rows(QUESTIONS))))
        return
    print(json.dumps({name: _figures(*asked, is_shown=options.show) for name, asked in _sets()}))


@contextmanager
def _two_note_engine() -> Iterator[Engine]:
    with scratch_engine(is_durable=False) as engine:
        import_notes(engine, [json.dumps(note, ensure_ascii=False).encode() for note in _rows(NOTES)])
        index_all(engine, is_for_search=True)
        yield engine


def _answered(engine: Engine, questions: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    counts = Counter[str]()
    for question in questions:
        answer = ask(engine, TENANT, question)
        notes = {source.number: source.external_id for source in answer.sources}
        cited = {notes[citation.number] for citation in answer.citations}
        right, told = content_of(question["answer"], "es"), content_of(answer.text, "es")
        counts["questions"] += 1
        counts["refused"] += answer.refusal is not None
        counts["all cited"] += cited >= set(question["relevant_ids"])
        counts["told"] += len(right & told) >= LEAST_TOLD * len(right)
    return dict(counts)


def _sets() -> Iterator[tuple[str, tuple[Sequence[Mapping[str, Any]], list[Any], list[Any]]]]:
    with step("two-note questions"), _two_note_engine() as engine:
        yield "two-note-es", _asked(engine, _rows(QUESTIONS))
    if folder := os.environ.get("BRAIN_TEST_DATA"):
        with step("multihop-en"), scratch_engine(is_durable=False) as engine:
            data = Path(folder) / "multihop-en"
            import_corpus(engine, list(_rows(_stored(data / "corpus.jsonl"))), "multihop-en", "en")
            index_all(engine, is_for_search=True)
            yield "multihop-en", _asked(engine, list(_rows(data / "queries.jsonl")))


def _asked(
    engine: Engine, questions: Sequence[Mapping[str, Any]]
) -> tuple[Sequence[Mapping[str, Any]], list[Any], list[Any]]:
    without = [_searched(engine, question["query"], follows=False) for question in questions]
    return questions, without, [_searched(engine, question["query"], follows=True) for question in questions]


def _searched(engine: Engine, query: str, *, follows: bool) -> tuple[list[str], float]:
    config = configure({"graphRAG": {"enabled": follows}}, top_k=DEPTH)
    began = time.perf_counter()
    found = retrieve(engine, TENANT, query, config=config, timeout_ms=TIMEOUT_MS, use_cache=False)
    return list(dict.fromkeys(hit.external_id for hit in found.hits)), 1000 * (time.perf_counter() - began)


def _figures(
    questions: Sequence[Mapping[str, Any]], without: Sequence[Any], following: Sequence[Any], *, is_shown: bool
) -> dict[str, Any]:
    if is_shown:
        for question, (before, _), (after, _) in zip(questions, without, following, strict=True):
            print(question["id"], _ranks(before, question), _ranks(after, question), question["query"], file=sys.stderr)
    recalls = [
        [
            recall_at(ranking, question["relevant_ids"], 5) or 0.0
            for question, (ranking, _) in zip(questions, found, strict=True)
        ]
        for found in (without, following)
    ]
    test = paired_test(recalls[0], recalls[1])
    return {
        "questions": len(questions),
        "without": _means(questions, without),
        "following": _means(questions, following),
        "recall@5": {"difference": test.difference, "interval": test.interval, "p": test.p_value},
    }


def _means(questions: Sequence[Mapping[str, Any]], found: Sequence[tuple[Sequence[str], float]]) -> dict[str, float]:
    judged = [(ranking, question["relevant_ids"]) for question, (ranking, _) in zip(questions, found, strict=True)]
    figures = {
        "recall@5": mean(recall_at(ranking, relevant, 5) or 0 for ranking, relevant in judged),
        "all@5": mean(recall_at(ranking, relevant, 5) == 1 for ranking, relevant in judged),
        "ndcg@10": mean(ndcg_at(ranking, relevant, 10) or 0 for ranking, relevant in judged),
        "mrr": mean(reciprocal_rank(ranking, relevant) or 0 for ranking, relevant in judged),
        "p50_ms": median(took for _, took in found),
    }
    return {name: round(value, 4) for name, value in figures.items()}


def _ranks(ranking: Sequence[str], question: Mapping[str, Any]) -> list[int | None]:
    return [ranking.index(note) + 1 if note in ranking else None for note in question["relevant_ids"]]


if __name__ == "__main__":
    main()
