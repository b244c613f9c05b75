"""Values as other programs read them: JSON-ready, camelCase, times in UTC.

Shared by the HTTP API and the command line's ``--json``.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from pydantic.alias_generators import to_camel

from rag_core.model.answer import Source
from rag_core.model.conversation import CitedSource
from rag_core.model.note import Note, Span
from rag_core.model.retrieval import Hit, Retrieval, TransformedQuery

Interval = tuple[datetime, datetime]
"""Since and until, half-open."""


def camel_keys(value: Any) -> Any:
    """JSON with every key in camelCase, however deep; keys that have no underscore stay as they are."""
    if isinstance(value, Mapping):
        return {to_camel(key) if "_" in key else key: camel_keys(item) for key, item in value.items()}
    return [camel_keys(item) for item in value] if isinstance(value, list | tuple) else value


def retrieval_to_wire(retrieval: Retrieval) -> dict[str, Any]:
    """The body of ``POST /api/retrieve``; what was not computed is null, or absent where the contract says so."""
    return {
        "results": [hit_to_wire(hit) for hit in retrieval.hits],
        "metadata": {
            "query": retrieval.query,
            "transformedQuery": _transformed(retrieval.transformed, retrieval.interval),
            "strategy": retrieval.strategy,
            "latencyMs": retrieval.latency_ms,
            "stages": dict(retrieval.stages),
            "warnings": list(retrieval.warnings),
        },
    }


def hit_to_wire(hit: Hit) -> dict[str, Any]:
    """One result; ``content`` is ``expandedContent`` between ``matchedChunkBounds``, in code points."""
    return {
        "chunkId": str(hit.chunk_id),
        "noteId": str(hit.note_id),
        "externalId": hit.external_id,
        "source": hit.source,
        "title": hit.title,
        "createdAt": moment_to_wire(hit.created_at),
        "content": hit.content,
        "expandedContent": hit.expanded_content,
        "score": hit.score,
        "metadata": _hit_metadata(hit),
    }


def _hit_metadata(hit: Hit) -> dict[str, Any]:
    optional = {
        "originalScore": hit.original_score,
        "rerankScore": hit.rerank_score,
        "isDated": None if hit.is_dated else False,
        **place_to_wire(hit),
        "causalPath": None if hit.causal_path is None else list(hit.causal_path),
        "causalPathNames": None if hit.causal_path_names is None else list(hit.causal_path_names),
    }
    return {
        "chunkIndex": hit.chunk_index,
        "matchedChunkBounds": span_to_wire(hit.bounds),
        "matchedSpans": [span_to_wire(span) for span in hit.matched_spans],
        "retrievalMethod": hit.method,
        "fusionScore": hit.fusion_score,
        "ranks": dict(hit.ranks),
        "isAboveThreshold": hit.is_above_threshold,
        **{name: value for name, value in optional.items() if value is not None},
    }


def place_to_wire(cited: Hit | Source | CitedSource) -> dict[str, Any]:
    """Where a passage stands in its document; all null for notes without pages."""
    return {
        "page": cited.page,
        "pageUnit": None if cited.page is None else cited.page_unit,
        "block": cited.block,
        "box": None if cited.box is None else list(cited.box),
    }


def span_to_wire(span: Span) -> dict[str, int]:
    """A span as ``{start, end}``."""
    return {"start": span[0], "end": span[1]}


def _transformed(query: TransformedQuery | None, interval: Interval | None) -> dict[str, Any] | None:
    if query is None:
        return None
    return {
        "intent": query.intent,
        "subQueries": list(query.sub_queries),
        "hydeAnswer": query.hyde_answer,
        **({} if interval is None else {"timeRange": _time_range(interval)}),
    }


def _time_range(interval: Interval) -> dict[str, str]:
    """Half-open, as ``filters`` read date-times: what is given here can be given back there."""
    since, until = interval
    return {"from": moment_to_wire(since), "to": moment_to_wire(until)}


def note_to_wire(note: Note) -> dict[str, Any]:
    """A note with all its text."""
    return {
        "id": str(note.id),
        "externalId": note.external_id,
        "source": note.source,
        "title": note.title,
        "content": note.content,
        "createdAt": moment_to_wire(note.created_at),
        "language": note.language,
        "metadata": dict(note.metadata),
    }


def moment_to_wire(moment: datetime) -> str:
    """ISO 8601 in UTC, with a Z: ``2025-03-03T08:00:00Z``; microseconds only where there are some."""
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")
