"""Search: end to end through HTTP, against the bare statements that it sends, by corpus size."""

import random
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from statistics import median
from typing import Any

from rag_core.runtime.engine import Engine
from rag_core.storage.vector_index import ensure_vector_index, vacuum

from .bulk import posting_lists_last
from .corpus import SEED, Corpus, note_lines_of_chunks, shuffled_questions
from .indexing import count_chunks, index_all
from .load import Client, LoadReport, put_load
from .measuring import Stopwatch, percentile_ms, seconds_of
from .progress import step
from .replay import open_replay, recorded_statements, replay, replay_at_once
from .scratch import import_notes, scratch_engine, served
from .sizes import Sizes

STRATEGIES = ("hybrid", "fulltext", "semantic")
MIN_QUERIES = 30

Ask = Callable[[int], object]
"""Asks the question of that number."""


def run(corpus: Corpus, sizes: Sizes) -> list[dict[str, Any]]:
    """One entry a corpus size.

    No question is asked twice in the same way, and the server keeps no answers: what is measured is searching. The corpus's
    posting lists and vector index are made last, at once, as a restore would make them.
    """
    return [_figures(corpus, sizes, chunks) for chunks in sizes.search_chunks]


def _figures(corpus: Corpus, sizes: Sizes, chunks: int) -> dict[str, Any]:
    count = sizes.warmup_queries + sizes.queries
    every = shuffled_questions(corpus, max(2 * count, len(corpus.questions)))
    questions, others = every[:count], every[count:]
    with scratch_engine(is_durable=sizes.is_durable) as engine:
        with step(f"search: a corpus of {chunks} chunks"):
            built = _built(engine, corpus, chunks)
        with served(engine.settings, {"BRAIN_QUERY_CACHE_SECONDS": "0"}) as address:
            with step(f"search: {len(questions)} questions by HTTP and as bare SQL"):
                seconds = _latencies(engine, address, questions, sizes)
            with step(f"search: {sizes.clients} clients at once"):
                load = _load(address, others, sizes)
    return {**built, **_latency_figures(seconds), **_load_figures(load), "clients": sizes.clients}


def _built(engine: Engine, corpus: Corpus, chunks: int) -> dict[str, Any]:
    lines = note_lines_of_chunks(corpus, chunks)
    watch = Stopwatch()
    with watch.lap("posting_lists"), posting_lists_last(engine.database):
        import_seconds = seconds_of(lambda: import_notes(engine, lines))
        steps = index_all(engine, is_for_search=True)
    watch.seconds["posting_lists"] -= import_seconds + steps.total
    with watch.lap("vector_index"):
        vacuum(engine.database)
        ensure_vector_index(engine.database, engine.pipeline.model)
    with engine.database.owner() as owner:
        row = owner.execute("select count(distinct (language, lexeme)) from brain.posting_blocks").fetchone()
        assert row is not None
        return {
            "chunks": count_chunks(owner),
            "notes": len(lines),
            "lexemes": row[0],
            "build_seconds": {"import": round(import_seconds, 3), **steps.rounded, **watch.rounded},
        }


def _latencies(
    engine: Engine, address: tuple[str, int], questions: Sequence[str], sizes: Sizes
) -> dict[str, list[float]]:
    """Seconds by what was asked; the first questions warm connections, plans and pages up and are not counted."""
    warmup = sizes.warmup_queries
    statements = [recorded_statements(engine, question) for question in questions[warmup:]]
    with (
        open_replay(engine.database, statements[0]) as connection,
        open_replay(engine.database, statements[0]) as other,
        ThreadPoolExecutor(2) as executor,
        Client(address) as client,
    ):
        asks: dict[str, Ask] = {
            "floor": lambda at: replay(connection, statements[(at - warmup) % len(statements)]),
            "floor_at_once": lambda at: replay_at_once(
                (connection, other), statements[(at - warmup) % len(statements)], executor
            ),
        }
        for strategy in STRATEGIES:
            asks[strategy] = lambda at, strategy=strategy: client.search(questions[at], strategy=strategy)  # type: ignore[misc]
        _alternating(asks, range(warmup), max_seconds=sizes.max_warmup_seconds)
        return _alternating(asks, range(warmup, len(questions)), max_seconds=sizes.max_query_seconds)


def _alternating(asks: Mapping[str, Ask], numbers: range, *, max_seconds: float) -> dict[str, list[float]]:
    """Every question asked in every way, in an order that changes, so that neighbours and caches favour none."""
    order = random.Random(SEED)
    seconds: dict[str, list[float]] = {name: [] for name in asks}
    began = time.monotonic()
    for count, at in enumerate(numbers):
        if count >= MIN_QUERIES and time.monotonic() - began > max_seconds:
            break
        for name in order.sample(list(asks), len(asks)):
            seconds[name].append(seconds_of(lambda name=name, at=at: asks[name](at)))  # type: ignore[misc]
    return seconds


def _load(address: tuple[str, int], questions: Sequence[str], sizes: Sizes) -> LoadReport:
    put_load(address, questions, clients=sizes.clients, seconds=sizes.load_warmup_seconds)
    return put_load(address, questions, clients=sizes.clients, seconds=sizes.load_seconds)


def _latency_figures(seconds: Mapping[str, Sequence[float]]) -> dict[str, Any]:
    return {
        "hybrid_p50_ms": percentile_ms(seconds["hybrid"], 50),
        "hybrid_p95_ms": percentile_ms(seconds["hybrid"], 95),
        "fulltext_p50_ms": percentile_ms(seconds["fulltext"], 50),
        "semantic_p50_ms": percentile_ms(seconds["semantic"], 50),
        "floor_p50_ms": percentile_ms(seconds["floor"], 50),
        "floor_p95_ms": percentile_ms(seconds["floor"], 95),
        "floor_at_once_p50_ms": percentile_ms(seconds["floor_at_once"], 50),
        "hybrid_over_floor": round(median(seconds["hybrid"]) / median(seconds["floor"]), 3),
        "hybrid_over_floor_at_once": round(median(seconds["hybrid"]) / median(seconds["floor_at_once"]), 3),
        "queries": len(seconds["hybrid"]),
    }


def _load_figures(load: LoadReport) -> dict[str, Any]:
    return {
        "requests_per_second": round(load.answered / load.seconds, 1),
        "loaded_p50_ms": percentile_ms(load.latencies, 50),
        "loaded_p95_ms": percentile_ms(load.latencies, 95),
        "errors": load.errors,
        "degraded": load.degraded,
    }
