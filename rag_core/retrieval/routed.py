"""Searches as the router wants them: the strategy of a question, its configuration, and the order of what is found."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from rag_core.configuration.schema import RetrievalConfig, configure
from rag_core.language import LANGUAGES
from rag_core.model.note import Language
from rag_core.model.retrieval import Filters, Hit, Retrieval, RoutedStrategy, Strategy
from rag_core.query.routing import QueryAnalysis, route
from rag_core.query.transformation import query_language
from rag_core.retrieval.deadline import StageClock

MAX_DEPTH = 50
MAX_TABLES = 10
"""Most tables or parts of tables beside the text."""
_LEAST_ROWS = 2
_ROW = re.compile(r"^\s*\|.+\|.*$|^[^\t\n]*\t[^\t\n]+", re.MULTILINE)
_WIDE = {"topK": {"retrieval": MAX_DEPTH, "reranking": MAX_DEPTH}}


@dataclass(frozen=True, slots=True, kw_only=True)
class Routed:
    """Routing of a question: the router's choice, or the caller's where there is one."""

    analysis: QueryAnalysis
    strategy: RoutedStrategy
    has_graph: bool


def routed(
    query: str,
    *,
    strategy: RoutedStrategy | None = None,
    include_graph: bool | None = None,
    known: Sequence[Language] = LANGUAGES,
) -> Routed:
    """The question analysed; what the caller says wins over it. ``known`` are languages for a query that shows none."""
    analysis = route(query, language=query_language(query, known=known))
    chosen = strategy or analysis.suggested_strategy
    has_graph = analysis.requires_graph_refinement or chosen in {"hybrid_with_graph_refinement", "multi_index"}
    return Routed(analysis=analysis, strategy=chosen, has_graph=has_graph if include_graph is None else include_graph)


def routed_config(
    base: RetrievalConfig,
    routing: Routed,
    *,
    limit: int,
    rerank: bool,
    alpha: float | None = None,
    with_sections: bool | None = None,
) -> RetrievalConfig:
    """The one search as the strategy wants it.

    ``alpha`` in [0, 1] is the vectors' share of the score, the words have the rest; 1 and 0 are searches by one of them alone.
    Searches by one leg alone are not re-ranked. ``with_sections`` gives the section or table that a passage is in, not only the
    sentences around it; None leaves it to ``base``.
    """
    override: dict[str, Any] = {"graphRAG": {"enabled": routing.has_graph}}
    if with_sections is not None:
        override["contextExpansion"] = {"sections": with_sections}
    if routing.strategy == "multi_index":
        override |= _WIDE
    if alpha is not None and 0 < alpha < 1:
        override["hybridSearch"] = {
            "method": "relative_score",
            "semanticWeight": alpha,
            "fulltextWeight": round(1 - alpha, 9),
        }
    return configure(override, strategy=_search_of(routing.strategy, rerank, alpha), top_k=limit, base=base)


def _search_of(strategy: RoutedStrategy, rerank: bool, alpha: float | None) -> Strategy:
    if strategy == "vector_only" or alpha == 1:
        return "semantic"
    if alpha == 0:
        return "fulltext"
    return "hybrid+rerank" if rerank else "hybrid"


def figures_of(routing: Routed) -> dict[str, str | int | bool]:
    """The routing without words of the question, for records that keep none."""
    analysis = routing.analysis
    return {
        "query_type": analysis.query_type,
        "is_multi_hop": analysis.is_multi_hop,
        "entities_found": len(analysis.entities),
        "suggested_strategy": analysis.suggested_strategy,
        "routed_strategy": routing.strategy,
    }


def wants_tables(strategy: RoutedStrategy) -> bool:
    """True for strategies that search tables apart."""
    return strategy in {"table_focused", "multi_index"}


def arranged(hits: Sequence[Hit], tables: Sequence[Hit], strategy: RoutedStrategy, *, limit: int) -> list[Hit]:
    """The hits in the order the strategy wants: tables first, or one passage of each document before a second of any."""
    if strategy == "table_focused":
        found = {hit.chunk_id for hit in tables}
        others = sorted(
            (hit for hit in hits if hit.chunk_id not in found), key=lambda hit: not holds_table(hit.expanded_content)
        )
        return [*tables, *others][:limit]
    if strategy == "multi_index":
        seen: dict[Any, int] = {}
        turns = []
        for hit in hits:
            turns.append(seen.get(hit.note_id, 0))
            seen[hit.note_id] = turns[-1] + 1
        return [hit for _, hit in sorted(zip(turns, hits, strict=True), key=lambda pair: pair[0])]
    return list(hits)


def holds_table(text: str) -> bool:
    """True when two lines or more are rows: of a Markdown table, or separated by tabs."""
    return len(_ROW.findall(text)) >= _LEAST_ROWS


def of_tables(config: RetrievalConfig) -> RetrievalConfig:
    """The search among tables alone: no graph leads to them."""
    top_k = config.top_k.model_copy(update={"final": min(config.top_k.final, MAX_TABLES)})
    graph = config.graph_rag.model_copy(update={"enabled": False})
    return config.model_copy(update={"top_k": top_k, "graph_rag": graph})


def search_routed(
    search: Callable[..., Retrieval], query: str, *, config: RetrievalConfig, filters: Filters, timeout_ms: int
) -> Retrieval:
    """Search with the strategy that the question asks for; ``search`` is ``retrieve`` of all but these arguments.

    Tables searched apart are one list with the text: first of all for questions about figures, in their turn otherwise. Without time
    for them the text alone is found. Hits below those that are served keep their order.
    """
    clock, limit = StageClock.start(), config.top_k.final
    routing = routed(query, include_graph=None if config.graph_rag.enabled else False)
    chosen = routed_config(config, routing, limit=limit, rerank=config.reranking.enabled)
    found = search(config=chosen, filters=filters, timeout_ms=timeout_ms)
    tables: Sequence[Hit] = ()
    left_ms = timeout_ms - int(clock.total_ms)
    if wants_tables(routing.strategy) and left_ms > 0:
        with clock.stage("tables"):
            only = replace(filters, tables_only=True)
            tables = search(config=of_tables(chosen), filters=only, timeout_ms=left_ms).hits[:MAX_TABLES]
    known = {hit.chunk_id for hit in found.hits}
    beside = [hit for hit in tables if hit.chunk_id not in known] if routing.strategy == "multi_index" else []
    first = arranged([*found.hits[:limit], *beside], tables, routing.strategy, limit=limit)
    shown = {hit.chunk_id for hit in first}
    rest = [hit for hit in found.hits if hit.chunk_id not in shown]
    return replace(
        found,
        hits=(*first, *rest)[: max(limit, len(found.hits))],
        latency_ms=clock.total_ms,
        stages={**found.stages, **clock.stages},
        routed=routing.strategy,
    )
