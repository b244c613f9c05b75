"""Values that many tests need, each complete: a test names only what it is about."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

from rag_core.evaluation.runs.results import EvaluationRun, latency_percentiles, retrieval_metrics
from rag_core.model.answer import CheckedCitation, Source
from rag_core.model.embedding import EmbeddingModel
from rag_core.model.evaluation import QueryResult
from rag_core.model.note import ChunkId, NewNote, NoteId
from rag_core.model.retrieval import Hit
from rag_core.reranking import Candidate

ANIMALS = ("zorro", "gato", "perro", "lobo", "oso", "ciervo", "pato", "búho", "rana", "topo", "erizo", "lince")
MARCH_3 = datetime(2025, 3, 3, tzinfo=UTC)


def golden_lines_of_animals() -> list[bytes]:
    """Golden queries for one note an animal, whose external id is the animal."""
    return [json.dumps({"query": f"¿Cuándo vi un {one}?", "relevant_ids": [one]}).encode() for one in ANIMALS]


def make_new_note(text: str, external_id: str = "n1", **changes: Any) -> NewNote:
    """A note of the source `notas`, to be stored."""
    given: dict[str, Any] = {"source": "notas", "title": None, "language": "es", "created_at": None, "metadata": {}}
    return NewNote(external_id=external_id, content=text, **given | changes)


def make_hit(text: str = "texto", **changes: Any) -> Hit:
    """A result of hybrid search in a note of its own; the chunk is the whole text."""
    given: dict[str, Any] = {
        "chunk_id": ChunkId(uuid4()),
        "note_id": NoteId(uuid4()),
        "external_id": "n1",
        "source": "notas",
        "title": None,
        "created_at": MARCH_3,
        "language": "es",
        "content": text,
        "expanded_content": text,
        "start_char": 0,
        "bounds": (0, len(text)),
        "chunk_index": 0,
        "score": 0.5,
        "fusion_score": 0.5,
        "method": "hybrid",
    } | changes
    return Hit(**{"matched_spans": (given["bounds"],)} | given)


def make_source(text: str, number: int = 1, **changes: Any) -> Source:
    """A passage that an answer may cite; note and chunk have ids of its number."""
    given: dict[str, Any] = {
        "note_id": NoteId(UUID(int=number)),
        "chunk_id": ChunkId(UUID(int=number)),
        "external_id": f"n{number}",
        "title": None,
        "created_at": MARCH_3,
        "language": "es",
        "text": text,
        "original": text,
        "start_char": 0,
        "chunk_index": 0,
        "score": 0.5,
    }
    return Source(number=number, **given | changes)


def make_citation(**changes: Any) -> CheckedCitation:
    """A citation of the first source that was compared with it word by word, and is supported."""
    given: dict[str, Any] = {
        "number": 1,
        "mark": (0, 3),
        "claim": (0, 3),
        "evidence": None,
        "quote": "",
        "support": 1.0,
        "is_supported": True,
        "verified_by": "lexical",
    }
    return CheckedCitation(**given | changes)


def make_candidate(content: str, **changes: Any) -> Candidate:
    """A chunk to be re-ranked, of a note of its own."""
    given: dict[str, Any] = {
        "chunk_id": ChunkId(uuid4()),
        "note_id": NoteId(uuid4()),
        "title": None,
        "language": "es",
        "score": 0.5,
    }
    return Candidate(content=content, **given | changes)


def make_embedding_model(**changes: Any) -> EmbeddingModel:
    """The active embedding model, which hashes words."""
    given: dict[str, Any] = {
        "id": 1,
        "name": "hashing",
        "provider": "hashing",
        "version": "1",
        "dimensions": 64,
        "query_prefix": "",
        "document_prefix": "",
        "context_tokens": 8192,
        "similarity_threshold": None,
        "fusion_method": "relative_score",
        "semantic_weight": 0.2,
        "fulltext_weight": 0.8,
        "searched_vectors": "contextual",
        "state": "active",
    }
    return EmbeddingModel(**given | changes)


def make_query_result(number: int = 0, **changes: Any) -> QueryResult:
    """A factual golden query that found nothing."""
    given: dict[str, Any] = {
        "query_id": UUID(int=number),
        "query": f"¿Pregunta {number}?",
        "category": "factual",
        "difficulty": 3,
        "relevant_note_ids": (),
        "ranked_note_ids": (),
        "latency_ms": 1.0,
        "is_degraded": False,
        "error": None,
    }
    return QueryResult(**given | changes)


def make_run(queries: Sequence[QueryResult], **changes: Any) -> EvaluationRun:
    """A run over the queries, with the figures that follow from them."""
    given: dict[str, Any] = {
        "run_id": UUID(int=7),
        "set_name": "default",
        "set_version": 1,
        "category": None,
        "config_hash": "00c0ffee00c0ffee",
        "config": {},
        "models": {},
        "pipeline_fingerprint": "huella",
        "metrics": retrieval_metrics(queries),
        "faithfulness": None,
        "answer_relevance": None,
        "latency_ms": latency_percentiles(queries),
        "total_queries": len(queries),
        "degraded_queries": sum(query.is_degraded for query in queries),
        "failed_queries": sum(query.error is not None for query in queries),
        "created_at": datetime(2025, 1, 1, tzinfo=UTC),
        "queries": tuple(queries),
        "orphaned_queries": 0,
    }
    return EvaluationRun(**given | changes)
