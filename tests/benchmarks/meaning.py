"""Search by meaning: questions that share no content word with the note that answers them.

``python -m tests.benchmarks.meaning [--provider NAME] [--strategies NAME,…] [--show]`` loads ``meaning_notes.jsonl`` (87 notes of a
diary in Spanish, English and German) into a scratch home that embeds with that provider (hashing unless named) and asks every
question of ``meaning_questions.jsonl``, of the same language and across. A line holds ``id``, ``query``, ``language``,
``note_language``, ``relevant_ids`` and ``answer``. The questions were written from the notes alone by somebody who did not know how
search works here, and nothing is fitted on them.

What is counted: hit@1, hit@3 and MRR over the first ten notes, by pair of languages and strategy. The last line of stdout is one
JSON object; ``--show`` prints every question with the rank of its note in each strategy to stderr before it.
"""

import argparse
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from rag_core.configuration.schema import configure
from rag_core.model.ranking_metrics import hit_rate_at, reciprocal_rank
from rag_core.model.retrieval import Strategy
from rag_core.retrieval.retrieve import retrieve
from rag_core.runtime.engine import Engine

from .corpus import _rows
from .indexing import index_all
from .progress import step
from .scratch import TENANT, forget_environment, import_notes, scratch_engine

NOTES = _rows(Path(__file__).with_name("meaning_notes.jsonl"))
QUESTIONS = _rows(Path(__file__).with_name("meaning_questions.jsonl"))
TEXTS: Mapping[str, Mapping[str, Any]] = {note["id"]: note for note in NOTES}
STRATEGIES: tuple[Strategy, ...] = ("fulltext", "semantic", "hybrid", "hybrid+rerank", "routed")
DEPTH = 10
TIMEOUT_MS = 60_000

Ranking = Sequence[str]
"""External ids of notes, best first."""


def main() -> None:
    """Ask everything in every strategy and print what was found."""
    options = _options()
    forget_environment(options.provider)
    with step(f"{len(NOTES)} notes with {options.provider}"), scratch_engine(is_durable=False) as engine:
        import_notes(engine, [json.dumps(note, ensure_ascii=False).encode() for note in NOTES])
        index_all(engine)
        found: dict[Strategy, list[Ranking]] = {}
        for strategy in options.strategies:
            with step(f"{len(QUESTIONS)} questions, {strategy}"):
                found[strategy] = [ranking_of(engine, question["query"], strategy) for question in QUESTIONS]
    if options.show:
        for line in _shown(found):
            print(line, file=sys.stderr)
    figures = {strategy: figures_of(QUESTIONS, rankings) for strategy, rankings in found.items()}
    print(json.dumps({"provider": options.provider, **figures}))


def ranking_of(engine: Engine, query: str, strategy: Strategy) -> Ranking:
    """The first notes that a search gives."""
    config = configure(strategy=strategy, top_k=DEPTH)
    found = retrieve(engine, TENANT, query, config=config, timeout_ms=TIMEOUT_MS, use_cache=False)
    if found.is_degraded:
        raise RuntimeError(f"the search for {query!r} was degraded: {', '.join(map(str, found.warnings))}")
    return list(dict.fromkeys(hit.external_id for hit in found.hits))


def figures_of(questions: Sequence[Mapping[str, Any]], rankings: Sequence[Ranking]) -> dict[str, Any]:
    """Means by pair of languages, over all pairs of two languages, and over everything."""
    groups: dict[str, list[int]] = {}
    for at, question in enumerate(questions):
        pair = pair_of(question)
        groups.setdefault(pair, []).append(at)
        if question["language"] != question["note_language"]:
            groups.setdefault("across", []).append(at)
        groups.setdefault("all", []).append(at)
    return {
        name: _means([(rankings[at], questions[at]["relevant_ids"]) for at in group]) for name, group in groups.items()
    }


def pair_of(question: Mapping[str, Any]) -> str:
    """Languages of question and note: "es-en"."""
    return f"{question['language']}-{question['note_language']}"


def _means(judged: Sequence[tuple[Ranking, Sequence[str]]]) -> dict[str, float | int]:
    sums = {
        "hit@1": sum(hit_rate_at(ranking, relevant, 1) or 0 for ranking, relevant in judged),
        "hit@3": sum(hit_rate_at(ranking, relevant, 3) or 0 for ranking, relevant in judged),
        "mrr": sum(reciprocal_rank(ranking, relevant) or 0 for ranking, relevant in judged),
    }
    return {"questions": len(judged)} | {name: round(total / len(judged), 3) for name, total in sums.items()}


def _shown(found: Mapping[Strategy, Sequence[Ranking]]) -> Iterator[str]:
    for at, question in enumerate(QUESTIONS):
        ranks = [_rank(rankings[at], question["relevant_ids"]) for rankings in found.values()]
        yield f"{question['id']:8}{''.join(f'{rank:>4}' for rank in ranks)}  {question['query']}"


def _rank(ranking: Ranking, relevant: Sequence[str]) -> str:
    return next((str(at) for at, key in enumerate(ranking, start=1) if key in relevant), "-")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.meaning", description=__doc__)
    parser.add_argument("--provider", default="hashing", help="what the home embeds with; default: hashing")
    parser.add_argument("--strategies", type=_strategies, default=STRATEGIES, help="default: all")
    parser.add_argument("--show", action="store_true", help="print the rank of every question's note")
    return parser.parse_args()


def _strategies(value: str) -> tuple[Strategy, ...]:
    names = value.split(",")
    if unknown := [name for name in names if name not in STRATEGIES]:
        raise argparse.ArgumentTypeError(f"no strategy {unknown[0]!r}; expected some of {','.join(STRATEGIES)}")
    return tuple(strategy for strategy in STRATEGIES if strategy in names)


if __name__ == "__main__":
    main()
