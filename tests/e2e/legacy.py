"""A legacy table of notes as somebody has it: in the schema `public`, with an own embedding and an own tsvector."""

import gzip
import json
import os
import uuid
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from rag_core.runtime.engine import Engine

TABLE = "public.old_notes"
NOTES = 1000
_NAMESPACE = uuid.UUID("0f6ad3c5-7c1e-4ad1-9c55-3b8f5f2b6b10")

_CREATE = """create table public.old_notes (
    id uuid primary key,
    content text not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    embedding vector({dimensions}),
    search tsvector generated always as (to_tsvector('spanish', content)) stored
)"""


def clinical_texts() -> list[str]:
    """The thousand reports of the development data."""
    folder = os.environ.get("BRAIN_TEST_DATA")
    if not folder:
        pytest.skip("BRAIN_TEST_DATA is not set")
    with gzip.open(Path(folder) / "clinical-es" / "corpus.jsonl.gz", "rt", encoding="utf-8") as lines:
        texts: list[str] = [json.loads(line)["text"] for line in lines]
    return texts[:NOTES]


def make_legacy_table(engine: Engine, texts: list[str]) -> dict[uuid.UUID, dict[str, Any]]:
    """Make and fill the table; what it holds, by id. The older the note, the higher its number."""
    newest = datetime(2024, 6, 30, 18, 0, tzinfo=UTC)
    rows: dict[uuid.UUID, dict[str, Any]] = {
        uuid.uuid5(_NAMESPACE, str(number)): {
            "content": text,
            "created_at": newest - timedelta(hours=7 * number),
            "updated_at": newest - timedelta(hours=7 * number - 1),
        }
        for number, text in enumerate(texts)
    }
    vectors = engine.embedder.embed([row["content"] for row in rows.values()], role="document")
    with engine.database.owner() as connection:
        connection.execute(_CREATE.format(dimensions=engine.model.dimensions))
        with connection.cursor().copy(
            "copy public.old_notes (id, content, created_at, updated_at, embedding) from stdin"
        ) as copy:
            for (note, row), vector in zip(rows.items(), vectors, strict=True):
                written = "[" + ",".join(f"{number:.7g}" for number in vector) + "]"
                copy.write_row((note, row["content"], row["created_at"], row["updated_at"], written))
    return rows
