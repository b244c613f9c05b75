"""Questions whose answers stand in tables or on given pages of documents: is the document found, and its page named.

The questions in ``tests/data/document_questions.jsonl`` were written from the documents, not from what the search finds. Those of
formats without pages count for the recall alone.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from rag_core.configuration.schema import configure
from rag_core.folders.opening import open_folder_import
from rag_core.model.retrieval import Hit, Strategy
from rag_core.retrieval.retrieve import retrieve
from rag_core.runtime.engine import Engine

from .indexing import index_all
from .progress import step
from .scratch import TENANT, forget_environment, scratch_engine

QUESTIONS = Path(__file__).parents[1] / "data" / "document_questions.jsonl"
DEPTH = 10
LEAST_RECALL, LEAST_PAGES = 0.9, 0.95
SOURCE = "documents"
TIMEOUT_MS = 60_000
STRATEGIES: tuple[Strategy, ...] = ("hybrid", "hybrid+rerank")


def measure_recall(folder: Path) -> dict[str, Any]:
    """Import the folder into a scratch database with the default embedding model, and ask."""
    forget_environment(provider=None)
    questions = [json.loads(line) for line in QUESTIONS.read_text(encoding="utf-8").splitlines()]
    with scratch_engine() as engine:
        with step("import and index"):
            with open_folder_import(engine.settings, engine.database, TENANT, source=SOURCE) as folder_import:
                folder_import.run(folder)
            index_all(engine)
        engine.warm_up_embedder()
        with step("questions"):
            return {
                strategy: _figures([question | _found(engine, question, strategy) for question in questions])
                for strategy in STRATEGIES
            }


def missed_recall(recall: Mapping[str, Any]) -> Iterator[str]:
    """A line for each bound that a strategy misses."""
    for strategy, figures in recall.items():
        for name, least in (("recall_at_10", LEAST_RECALL), ("page_right", LEAST_PAGES)):
            if figures[name] < least:
                yield f"{strategy}: {name} is {figures[name]:.3f}; {least} is the bound"


def _found(engine: Engine, question: dict[str, Any], strategy: Strategy) -> dict[str, Any]:
    config = configure({"strategy": strategy}, base=engine.served(TENANT).config)
    found = retrieve(engine, TENANT, question["question"], config=config, timeout_ms=TIMEOUT_MS, use_cache=False)
    hits = found.hits[:DEPTH]
    ranked = [hit for hit in hits if hit.external_id == question["file"]]
    rank = next((place for place, hit in enumerate(hits, 1) if hit.external_id == question["file"]), None)
    return {
        "rank": rank,
        "found_page": ranked[0].page if ranked else None,
        "is_page_right": _is_right(ranked, question),
    }


def _is_right(ranked: list[Hit], question: dict[str, Any]) -> bool | None:
    """Whether the best hit of the document names a right page; None where it was not found or has none."""
    return ranked[0].page in question["pages"] if ranked and question["pages"] else None


def _figures(asked: list[dict[str, Any]]) -> dict[str, Any]:
    pages = [one["is_page_right"] for one in asked if one["is_page_right"] is not None]
    return {
        "questions": len(asked),
        "recall_at_10": sum(one["rank"] is not None for one in asked) / len(asked),
        "recall_at_1": sum(one["rank"] == 1 for one in asked) / len(asked),
        "page_right": sum(pages) / len(pages),
        "missed": [one for one in asked if one["rank"] is None or one["is_page_right"] is False],
    }
