"""Quality of answers when sources are compressed, for several budgets.

``BRAIN_TEST_DATA=… python -m tests.benchmarks.compression`` takes for each question of XQuAD the eight passages that share most words
with it, and says which share of the contexts still holds the answer in the passage it was taken from, how many tokens they have
and how many sources. No chat model: no summaries. The last line of stdout is one JSON object.
"""

import json
import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from math import log
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_OID, uuid5

from rag_core.answering.sources.compression import fetch_context
from rag_core.chunking import count_tokens
from rag_core.language.content_words import content_of
from rag_core.model.answer import Compression, PromptContext
from rag_core.model.note import ChunkId, Language, NoteId
from rag_core.model.retrieval import Hit

SETS: Mapping[str, Language] = {"xquad-es": "es", "xquad-en": "en"}
BUDGETS = (3_000, 1_000, 500)
COMPRESSIONS: tuple[Compression, ...] = ("none", "extractive", "hierarchical")
SOURCES = 8
EVERY = 3


def main() -> None:
    """Measure and print."""
    folder = Path(os.environ["BRAIN_TEST_DATA"])
    print(json.dumps([row for name in SETS for row in _measured(folder / name, SETS[name])]))


def _measured(folder: Path, language: Language) -> Iterator[dict[str, Any]]:
    passages = _lines(folder / "corpus.jsonl")
    queries = _lines(folder / "queries.jsonl")[::EVERY]
    found = [_nearest(query["query"], passages, language) for query in queries]
    for budget in BUDGETS:
        for compression in COMPRESSIONS:
            contexts = [
                fetch_context(query["query"], hits, language=language, compression=compression, max_tokens=budget)
                for query, hits in zip(queries, found, strict=True)
            ]
            held = [_holds(context, query) for context, query in zip(contexts, queries, strict=True)]
            yield {
                "set": folder.name,
                "budget": budget,
                "compression": compression,
                "answers_held": sum(held) / len(held),
                "tokens": sum(count_tokens(context.text) for context in contexts) / len(contexts),
                "sources": sum(len(context.sources) for context in contexts) / len(contexts),
            }


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _nearest(query: str, passages: Sequence[dict[str, Any]], language: Language) -> list[Hit]:
    """By the sum of the inverse document frequencies of the words they share with the query."""
    words = [content_of(passage["text"], language) for passage in passages]
    having = Counter(word for content in words for word in content)
    asked = content_of(query, language)
    scores = [sum(log(len(passages) / having[word]) for word in asked & content) for content in words]
    order = sorted(range(len(passages)), key=lambda place: -scores[place])
    return [_hit(passages[place], language) for place in order[:SOURCES]]


def _hit(passage: Mapping[str, Any], language: Language) -> Hit:
    text, given = passage["text"], uuid5(NAMESPACE_OID, passage["id"])
    return Hit(
        chunk_id=ChunkId(given),
        note_id=NoteId(given),
        external_id=passage["id"],
        source="xquad",
        title=passage["title"],
        created_at=datetime(2025, 1, 1, tzinfo=UTC),
        language=language,
        content=text,
        expanded_content=text,
        start_char=0,
        bounds=(0, len(text)),
        matched_spans=((0, len(text)),),
        chunk_index=0,
        score=0.5,
        fusion_score=0.5,
        method="hybrid",
    )


def _holds(context: PromptContext, query: Mapping[str, Any]) -> bool:
    return any(
        source.external_id in query["relevant_ids"] and query["answer"] in source.text for source in context.sources
    )


if __name__ == "__main__":
    main()
