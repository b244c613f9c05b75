"""The chunkers compared: how much has to be read until the answer stands there.

``BRAIN_TEST_DATA=… python -m tests.benchmarks.chunkers [--provider e5] [--questions 200] [--chunkers NAME,…]`` indexes, with each
chunker, the demo's notes and the articles of xquad-es and xquad-en, each article one note of all its paragraphs, and asks in hybrid
search. Chunks differ in length, so ranks do not compare them: a question is answered within so many tokens if a chunk with all of
its evidence is among the best chunks that have so many together. Printed are the share of questions answered within 250, 500 and
1,000 tokens, with the two-sided p of Fisher's paired randomisation test against ``sentence`` for the mean of the three, and what the
index cost. The last line of stdout is one JSON object.
"""

import argparse
import json
import os
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from rag_core.chunking import CHUNKERS, DEFAULT_CHUNKER, estimate_tokens
from rag_core.configuration.schema import configure
from rag_core.evaluation.comparison.significance import paired_test
from rag_core.model.note import Span
from rag_core.model.retrieval import Hit
from rag_core.retrieval.retrieve import retrieve
from rag_core.runtime.engine import Engine

from .corpus import EXAMPLES, _rows
from .indexing import count_chunks, index_all
from .progress import step
from .scratch import TENANT, forget_environment, import_notes, scratch_engine

BUDGETS = (250, 500, 1000)
DEPTH = 50
TIMEOUT_MS = 60_000
CONFIG = configure(
    {"contextExpansion": {"enabled": False}, "topK": {"retrieval": DEPTH, "reranking": DEPTH, "final": DEPTH}},
    strategy="hybrid",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question, and the notes with the span that answers it in each."""

    query: str
    answers: Mapping[str, Span]


@dataclass(frozen=True, slots=True, kw_only=True)
class Set:
    """Notes as (id, title, text), and questions."""

    name: str
    notes: Sequence[tuple[str, str, str]]
    questions: Sequence[Question]


def main() -> None:
    """Index and ask each set with each chunker, and print the table."""
    options = _options()
    forget_environment(options.provider)
    found = {one.name: _compared(one, options.chunkers) for one in _sets(options.questions)}
    for name, figures in found.items():
        print(f"\n{name}")
        for chunker, row in figures.items():
            shares = "  ".join(f"{budget}: {row[str(budget)]:.3f}" for budget in BUDGETS)
            print(f"  {chunker:13} {shares}  p {row['p']:.3f}  {row['chunks']:5} chunks  {row['index_seconds']:.0f} s")
    print(json.dumps(found))


def _compared(one: Set, names: Sequence[str]) -> dict[str, Any]:
    """Figures of a set by chunker."""
    results = {}
    for name in names:
        with step(f"{one.name}, {name}"), scratch_engine(is_durable=False) as engine:
            results[name] = _measured(_cutting(engine, name), one)
    usual = results[DEFAULT_CHUNKER]["answered"]
    return {
        name: {
            **{
                str(budget): round(_mean([row[at] for row in result["answered"]]), 4)
                for at, budget in enumerate(BUDGETS)
            },
            "p": round(paired_test(list(map(_mean, usual)), list(map(_mean, result["answered"]))).p_value, 4),
            "chunks": result["chunks"],
            "index_seconds": round(result["seconds"], 1),
        }
        for name, result in results.items()
    }


def _cutting(engine: Engine, chunker: str) -> Engine:
    return replace(engine, settings=engine.settings.model_copy(update={"chunker": chunker}))


def _measured(engine: Engine, one: Set) -> dict[str, Any]:
    lines = [
        json.dumps({"id": key, "title": title, "text": text}, ensure_ascii=False).encode()
        for key, title, text in one.notes
    ]
    import_notes(engine, lines)
    began = time.perf_counter()
    index_all(engine)
    seconds = time.perf_counter() - began
    with engine.database.owner() as owner:
        chunks = count_chunks(owner)
    answered = [_answered(engine, question) for question in one.questions]
    return {"chunks": chunks, "seconds": seconds, "answered": answered}


def _answered(engine: Engine, question: Question) -> list[float]:
    """1 or 0 for each budget."""
    found = retrieve(engine, TENANT, question.query, config=CONFIG, timeout_ms=TIMEOUT_MS, use_cache=False)
    if found.is_degraded:
        raise RuntimeError(f"the search for {question.query!r} was degraded: {', '.join(map(str, found.warnings))}")
    needed = _tokens_until(question, found.hits)
    return [float(needed is not None and needed <= budget) for budget in BUDGETS]


def _tokens_until(question: Question, hits: Sequence[Hit]) -> int | None:
    """Tokens of the best chunks, up to and with the first that holds an answer; None where none does."""
    read = 0
    for hit in hits:
        read += estimate_tokens(len(hit.content))
        wanted = question.answers.get(hit.external_id)
        start = hit.start_char + hit.bounds[0]
        if wanted is not None and start <= wanted[0] and wanted[1] <= start + len(hit.content):
            return read
    return None


def _sets(most: int) -> Iterator[Set]:
    yield _demo()
    folder = os.environ.get("BRAIN_TEST_DATA")
    for name in ("xquad-es", "xquad-en") if folder else ():
        yield _articles(Path(str(folder)) / name, most)


def _demo() -> Set:
    notes = [(row["id"], row.get("title") or "", row["text"].strip()) for row in _rows(EXAMPLES / "notes.jsonl")]
    texts = {key: text for key, _, text in notes}
    questions = []
    for row in _rows(EXAMPLES / "golden.jsonl"):
        quotes = {one["id"]: span["quote"] for one in row.get("relevance", ()) for span in one.get("spans", ())[:1]}
        answers = {key: _span(texts[key], quote) for key, quote in quotes.items() if quote in texts.get(key, "")}
        if answers:
            questions.append(Question(query=row["query"], answers=answers))
    return Set(name="demo", notes=notes, questions=questions)


def _articles(folder: Path, most: int) -> Set:
    """Each article as one note; an answer's evidence is the answer where it stands in its paragraph."""
    articles: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in _rows(folder / "corpus.jsonl"):
        articles[row["title"]].append(row)
    notes, places = [], {}
    for title, rows in articles.items():
        text = ""
        for row in rows:
            paragraph = row["text"].strip("\ufeff \n")
            places[row["id"]] = (title, len(text), paragraph)
            text += f"{paragraph}\n\n"
        notes.append((title, title, text.strip()))
    questions = []
    every = _rows(folder / "queries.jsonl")
    for row in every[:: max(1, len(every) // most)]:
        title, start, paragraph = places[row["relevant_ids"][0]]
        at = paragraph.find(row["answer"])
        if at >= 0:
            span = (start + at, start + at + len(row["answer"]))
            questions.append(Question(query=row["query"], answers={title: span}))
    return Set(name=f"articles of {folder.name}", notes=notes, questions=questions)


def _span(text: str, quote: str) -> Span:
    return text.index(quote), text.index(quote) + len(quote)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.chunkers", description=__doc__)
    parser.add_argument("--provider", default="e5", help="what the homes embed with; default: e5")
    parser.add_argument("--questions", type=int, default=200, help="questions of each set of articles; default: 200")
    parser.add_argument("--chunkers", type=_chunkers, default=CHUNKERS.names(), help="default: all")
    return parser.parse_args()


def _chunkers(written: str) -> tuple[str, ...]:
    names = dict.fromkeys((DEFAULT_CHUNKER, *written.split(",")))
    return tuple(names)


if __name__ == "__main__":
    main()
