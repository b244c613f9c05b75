"""Answer of ``brain search``: one event with the document for programs, or with what people read."""

from collections.abc import Iterator
from typing import Any

from rag_core.answering.quoting.markup import plain_lines
from rag_core.configuration.schema import configure, of_search
from rag_core.embedding import knows_meaning
from rag_core.model.note import Language
from rag_core.model.retrieval import Hit, Retrieval
from rag_core.model.zones import in_zone
from rag_core.resilience.cancellation import Cancellation
from rag_core.retrieval.filters import fetch_filters
from rag_core.retrieval.passages import best_snippet
from rag_core.retrieval.retrieve import retrieve
from rag_core.runtime.engine import Engine
from rag_core.settings import Settings
from rag_core.terminal.requests import COMMAND_TIMEOUT_MS, Event, TerminalSearch
from rag_core.wire.understood import causal_chain, understood
from rag_core.wire.values import retrieval_to_wire


def search_events(
    engine: Engine, asked: TerminalSearch, *, cancellation: Cancellation | None = None
) -> Iterator[Event]:
    """Search the tenant's notes; one event.

    Raises:
        InvalidInputError: the query, a condition or the configuration cannot be used.
        DatabaseUnavailableError, DeadlineExceededError, RetrievalFailedError, SearchCancelledError: see ``retrieve``.
    """
    owner = engine.named_tenant(asked.tenant)
    config = configure(
        of_search(asked.override),
        strategy=asked.strategy,  # type: ignore[arg-type]  # the configuration's schema checks it
        top_k=asked.top_k,
        base=engine.served_config(owner),
    )
    zone = engine.settings.zone
    filters = fetch_filters(engine.database, owner, asked.conditions, zone=zone, timeout_ms=COMMAND_TIMEOUT_MS)
    found = retrieve(
        engine,
        owner,
        asked.query,
        config=config,
        filters=filters,
        timeout_ms=COMMAND_TIMEOUT_MS,
        cancellation=cancellation,
    )
    if asked.is_json:
        yield {"kind": "document", "document": retrieval_to_wire(found)}
    else:
        shown = _shown(found, asked.language, engine.settings, is_by_meaning=knows_meaning(engine.model))
        yield {"kind": "found", **shown, "isFiltered": not filters.is_empty}


def _shown(found: Retrieval, language: Language, settings: Settings, *, is_by_meaning: bool) -> dict[str, Any]:
    said = understood(found, zone=settings.zone, language=language)
    return {
        "understood": None if said is None else said.line,
        "hits": [_shown_hit(hit, found, settings, is_by_meaning=is_by_meaning) for hit in found.hits],
        "warnings": list(found.warnings),
        "strategy": found.strategy,
        "latencyMs": found.latency_ms,
    }


def _shown_hit(hit: Hit, found: Retrieval, settings: Settings, *, is_by_meaning: bool) -> dict[str, Any]:
    return {
        "title": hit.title or hit.external_id,
        "externalId": hit.external_id,
        "written": str(in_zone(hit.created_at, settings.zone).date()) if hit.is_dated else "",
        "page": hit.page,
        "pageUnit": hit.page_unit,
        "foundBy": _ways(hit, is_by_meaning=is_by_meaning),
        "chain": list(causal_chain(hit, found.transformed.direction if found.transformed else None) or ()),
        "snippet": best_snippet(plain_lines(hit.content), found.query, language=hit.language),
    }


def _ways(hit: Hit, *, is_by_meaning: bool) -> list[str]:
    """The ways in which the search found a passage, the best place first; without a model of meaning none is by meaning."""
    semantic = "by meaning" if is_by_meaning else "by likeness"
    names = {"fulltext": "by words", "semantic": semantic, "graph": "by cause and effect", "names": "by names"}
    legs = [ranking.partition(":")[0] for ranking in sorted(hit.ranks, key=hit.ranks.__getitem__)]
    return list(dict.fromkeys(names[leg] for leg in legs if leg in names))
