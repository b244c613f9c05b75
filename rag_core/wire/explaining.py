"""The way of a note through a search, JSON-ready."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from rag_core.retrieval.explaining import Explanation
from rag_core.wire.values import camel_keys, moment_to_wire, retrieval_to_wire


def explanation_to_wire(found: Explanation) -> dict[str, Any]:
    """The document of ``brain why --json``; ``metadata`` is that of the search."""
    note = found.note
    parts: dict[str, Sequence[Any]] = {
        "legs": found.legs,
        "steps": found.steps,
        "features": found.features,
        "changes": found.changes,
    }
    return {
        "noteId": str(note.id),
        "externalId": note.external_id,
        "source": note.source,
        "title": note.title,
        "createdAt": moment_to_wire(note.created_at),
        "isIndexed": found.is_indexed,
        "stage": found.stage,
        "place": found.place,
        "failingFilters": list(found.failing),
        **{name: [camel_keys(asdict(one)) for one in values] for name, values in parts.items()},
        "metadata": retrieval_to_wire(found.retrieval)["metadata"],
    }
