"""Evaluation runs over a search whose rankings are written down."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any
from uuid import UUID, uuid4

import pytest
from builders import make_hit
from golden_sets import as_lines

from rag_core.configuration.schema import DEFAULT_RETRIEVAL_CONFIG
from rag_core.evaluation.golden.importing import import_golden
from rag_core.evaluation.runs.answers import GoldenAnswerer
from rag_core.evaluation.runs.asking import EvaluatedSearch
from rag_core.evaluation.runs.results import EvaluationRun
from rag_core.evaluation.runs.run import evaluate
from rag_core.model.note import NoteId, TenantId
from rag_core.model.retrieval import Hit, Retrieval
from rag_core.storage.database import Database
from rag_core.storage.evaluations import list_runs

MODELS = {"embedding": "hashing@1"}


def hit(note: UUID, *, chunk_index: int = 0) -> Hit:
    return make_hit("texto", note_id=NoteId(note), chunk_index=chunk_index)


def found(query: str, notes: Sequence[UUID], *, is_degraded: bool = False) -> Retrieval:
    return Retrieval(
        query=query,
        strategy="hybrid",
        hits=tuple(hit(note, chunk_index=index) for index, note in enumerate(notes)),
        latency_ms=1.0,
        stages={},
        is_degraded=is_degraded,
    )


def searching(rankings: Mapping[str, Sequence[UUID] | Exception]) -> Callable[[str], Retrieval]:
    """A search that gives each query the notes written down for it, or raises."""

    def search(query: str) -> Retrieval:
        outcome = rankings[query]
        if isinstance(outcome, Exception):
            raise outcome
        return found(query, outcome)

    return search


def run_of(
    database: Database,
    tenant: TenantId,
    search: Callable[[str], Retrieval],
    *,
    set_name: str = "default",
    config=DEFAULT_RETRIEVAL_CONFIG,
    answerer: GoldenAnswerer | None = None,
    **more: Any,
) -> EvaluationRun:
    evaluated = EvaluatedSearch(
        search=search, config=config, models=MODELS, pipeline_fingerprint="huella", answerer=answerer
    )
    return evaluate(database, tenant, evaluated, set_name=set_name, **more)


def stored_runs(database: Database, tenant: TenantId, *, limit: int = 10, config_hash: str | None = None):
    with database.transaction(tenant) as connection:
        return list_runs(connection, tenant, limit=limit, config_hash=config_hash)


def strangers(count: int) -> list[UUID]:
    return [uuid4() for _ in range(count)]


@pytest.fixture
def notes(make_note) -> list[UUID]:
    return [make_note(f"Nota número {number}.", external_id=f"n{number}") for number in range(1, 5)]


@pytest.fixture
def golden(database, tenant, notes) -> None:
    """Four queries, one a note, named for it; two are factual, one causal, one temporal."""
    categories = ["factual", "factual", "causal", "temporal"]
    lines = as_lines(
        *(
            {"query": f"q{number}", "relevant_ids": [f"n{number}"], "category": category}
            for number, category in enumerate(categories, 1)
        )
    )
    import_golden(database, tenant, lines)
