"""Recall of the HNSW index among vectors of meaning, by how it is built and walked.

``BRAIN_TEST_DATA=… python -m tests.benchmarks.vector_index [--vectors 100000]`` embeds sentences of the sets with e5 (some 10 ms of CPU
each), compares the 40 nearest of each index with those of an exact scan for questions of the same sets, and prints a line for each
index and ``hnsw.ef_search``. The last line of stdout is one JSON object.
"""

import argparse
import json
import os
import tempfile
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import psycopg
from numpy.typing import NDArray
from psycopg import sql

from rag_core.chunking import sentence_spans
from rag_core.model.note import Language
from rag_core.storage.embedded import embedded_server

from .corpus import _rows, _stored
from .progress import step
from .scratch import forget_environment, scratch_engine

SETS: tuple[tuple[str, Language], ...] = (
    ("xquad-es", "es"),
    ("squad-es-mt", "es"),
    ("clinical-es", "es"),
    ("xquad-en", "en"),
    ("cranfield-en", "en"),
    ("multihop-en", "en"),
)
NEAREST = 40
QUESTIONS = 300
WALKS = (100, 200, 400)
INDEXES = {"whole": "v vector_cosine_ops", "half": "(v::halfvec({n})) halfvec_cosine_ops"}
NEARNESS = {"whole": "v <=> %s::vector", "half": "v::halfvec({n}) <=> %s::halfvec({n})"}

Vectors = NDArray[np.float32]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--vectors", type=int, default=100_000)
    most = parser.parse_args().vectors
    forget_environment("e5")
    data = Path(os.environ["BRAIN_TEST_DATA"])
    with scratch_engine(is_durable=False) as engine:
        with step(f"{most} sentences"):
            vectors = engine.embedder.embed(list(islice(_sentences(data), most)), role="passage")
        questions = engine.embedder.embed(list(islice(_questions(data), QUESTIONS)), role="query")
    print(json.dumps(_measured(np.asarray(vectors), np.asarray(questions))))


def _sentences(data: Path) -> Iterator[str]:
    for name, language in SETS:
        for row in _rows(_stored(data / name / "corpus.jsonl")):
            text = row["text"]
            yield from (text[start:end].strip() for start, end in sentence_spans(text, language))


def _questions(data: Path) -> Iterator[str]:
    for name, _ in SETS:
        if (queries := _stored(data / name / "queries.jsonl")).exists():
            yield from (row["query"] for row in islice(_rows(queries), QUESTIONS // len(SETS) + 1))


def _measured(vectors: Vectors, questions: Vectors) -> list[dict[str, Any]]:
    nearest = [set(row.tolist()) for row in np.argsort(-(questions @ vectors.T), axis=1)[:, :NEAREST]]
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    with embedded_server(folder, shared_buffers_mb=512) as url, psycopg.connect(url, autocommit=True) as connection:
        _fill(connection, vectors)
        return [
            row
            for kind in INDEXES
            for construction in (100, 200)
            for row in _index(connection, kind, construction, questions, nearest)
        ]


def _fill(connection: psycopg.Connection, vectors: Vectors) -> None:
    connection.execute("create extension if not exists vector")
    connection.execute(sql.SQL("create table t (id int, v vector({}))").format(vectors.shape[1]))
    with connection.cursor().copy("copy t from stdin") as copy:
        for number, vector in enumerate(vectors):
            copy.write_row((number, _written(vector)))
    connection.execute("set maintenance_work_mem = '900MB'")
    connection.execute("set enable_seqscan = off")


def _index(
    connection: psycopg.Connection, kind: str, construction: int, questions: Vectors, nearest: list[set[int]]
) -> Iterator[dict[str, Any]]:
    dimensions = sql.Literal(questions.shape[1])
    indexed = sql.SQL(INDEXES[kind]).format(n=dimensions)
    nearness = sql.SQL(NEARNESS[kind]).format(n=dimensions)
    began = time.perf_counter()
    connection.execute(
        sql.SQL("create index i on t using hnsw ({}) with (m = 16, ef_construction = {})").format(indexed, construction)
    )
    built = time.perf_counter() - began
    for walk in WALKS:
        connection.execute(sql.SQL("set hnsw.ef_search = {}").format(walk))
        began, found = time.perf_counter(), 0
        for question, wanted in zip(questions, nearest, strict=True):
            statement = sql.SQL("select id from t order by {} limit {}").format(nearness, NEAREST)
            found += len(wanted & {number for (number,) in connection.execute(statement, (_written(question),))})
        row = {
            "index": kind,
            "ef_construction": construction,
            "build_seconds": round(built, 1),
            "ef_search": walk,
            "recall_at_40": round(found / (len(questions) * NEAREST), 4),
            "ms": round((time.perf_counter() - began) / len(questions) * 1000, 2),
        }
        print(row)
        yield row
    connection.execute("drop index i")


def _written(vector: Vectors) -> str:
    return "[" + ",".join(f"{value:.6g}" for value in vector) + "]"


if __name__ == "__main__":
    main()
