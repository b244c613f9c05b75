"""Strategies of RAG V2 over the one search, and their report: the analysis, the graph's part, warnings."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from rag_core.answering.sources.graph_context import entity_names, followed_relations
from rag_core.configuration.schema import RetrievalConfig, configure
from rag_core.configuration.served import INVALID_CONFIGURATION
from rag_core.guardrails.policies import Hiding
from rag_core.language import LANGUAGES
from rag_core.language.languages import language_of
from rag_core.model.graph import Relation, RelationKind
from rag_core.model.retrieval import Hit, Retrieval, Strategy
from rag_core.query.routing import QueryAnalysis, RoutedStrategy, route
from rag_core.query.transformation import query_language
from rag_core.retrieval.legs import (
    LOW_CONFIDENCE,
    OUT_OF_TIME,
    WITHOUT_FULLTEXT,
    WITHOUT_SEMANTIC,
    WITHOUT_WORDS,
)
from rag_core.wire.values import camel_keys

MAX_DEPTH = 50
MAX_NODES = 20
MAX_RELATIONS = 40
MAX_SUMMED_UP = 10
_LEAST_ROWS = 2
_ROW = re.compile(r"^\s*\|.+\|.*$|^[^\t\n]*\t[^\t\n]+", re.MULTILINE)
_SENTENCES: Mapping[RelationKind, str] = {
    "CAUSES": "„{source}“ verursacht „{target}“",
    "TRIGGERS": "„{source}“ löst „{target}“ aus",
    "LEADS_TO": "„{source}“ führt zu „{target}“",
}
_OTHER_SENTENCE = "„{source}“ steht in Beziehung zu „{target}“"
_WIDE = {"topK": {"retrieval": MAX_DEPTH, "reranking": MAX_DEPTH}}

WARNINGS: Mapping[str, str] = {
    INVALID_CONFIGURATION: language_of("de").messages.path_warnings["invalid_configuration"],
    WITHOUT_SEMANTIC: "Die semantische Suche ist nicht verfügbar; gesucht wurde nach Wörtern",
    WITHOUT_FULLTEXT: "Die Suche nach Wörtern ist nicht verfügbar; gesucht wurde nach der Bedeutung",
    OUT_OF_TIME: "Die Zeit reichte nur für einen Teil der Suche",
    LOW_CONFIDENCE: "Kein Ergebnis ist der Frage ähnlich genug; gezeigt werden die nächsten",
    WITHOUT_WORDS: "Kein Dokument enthält die gesuchten Wörter; gezeigt werden die ähnlichsten",
}
DEGRADED = "Die Suche war nur eingeschränkt möglich"


@dataclass(frozen=True, slots=True, kw_only=True)
class Routed:
    """Routing of a question: the router's choice, or the caller's where there is one."""

    analysis: QueryAnalysis
    strategy: RoutedStrategy
    has_graph: bool


def routed(query: str, *, strategy: RoutedStrategy | None, include_graph: bool | None) -> Routed:
    """The question analysed; what the caller says wins over it."""
    analysis = route(query, language=query_language(query, known=("de", *LANGUAGES)))
    chosen = strategy or analysis.suggested_strategy
    has_graph = analysis.requires_graph_refinement or chosen == "hybrid_with_graph_refinement"
    return Routed(analysis=analysis, strategy=chosen, has_graph=has_graph if include_graph is None else include_graph)


def routed_config(
    base: RetrievalConfig,
    routing: Routed,
    *,
    limit: int,
    rerank: bool,
    alpha: float | None = None,
    with_sections: bool = True,
) -> RetrievalConfig:
    """The one search as the strategy wants it.

    ``alpha`` in [0, 1] is the vectors' share of the score, the words have the rest; 1 and 0 are searches by one of them alone.
    Searches by one leg alone are not re-ranked. ``with_sections`` gives the section or table that a passage is in, not only the
    sentences around it.
    """
    override: dict[str, Any] = {
        "graphRAG": {"enabled": routing.has_graph},
        "contextExpansion": {"sections": with_sections},
    }
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


def analysis_to_wire(analysis: QueryAnalysis) -> dict[str, Any]:
    """The analysis with RAG V2's names."""
    document: dict[str, Any] = camel_keys(asdict(analysis))
    return document


def graph_to_wire(retrieval: Retrieval | None, routing: Routed, hide: Hiding) -> dict[str, Any] | None:
    """Contribution of the causal graph, None without one; entities are named as in the notes, behind ``hide``."""
    if retrieval is None or not routing.has_graph:
        return None
    names = {entity: hide(name) for entity, name in entity_names(retrieval.hits).items()}
    relations = followed_relations(retrieval.hits)[:MAX_RELATIONS]
    if not relations:
        return None
    return {
        "entities": [{"id": entity, "name": name} for entity, name in names.items()][:MAX_NODES],
        "relationships": [_relation_to_wire(relation, names, hide) for relation in relations],
        "summary": "; ".join(_summed_up(relation, names) for relation in relations[:MAX_SUMMED_UP]),
    }


def _relation_to_wire(relation: Relation, names: Mapping[str, str], hide: Hiding) -> dict[str, Any]:
    return {
        "source": names[relation.source_id],
        "target": names[relation.target_id],
        "type": relation.kind,
        "confidence": relation.confidence,
        "evidence": hide(relation.evidence),
        "documentId": str(relation.note_id),
    }


def _summed_up(relation: Relation, names: Mapping[str, str]) -> str:
    return _SENTENCES.get(relation.kind, _OTHER_SENTENCE).format(
        source=names[relation.source_id], target=names[relation.target_id]
    )


def german_warnings(retrieval: Retrieval) -> list[str]:
    """Warnings for the reader of a degraded search."""
    told = [WARNINGS[warning] for warning in retrieval.warnings if warning in WARNINGS]
    return told or ([DEGRADED] if retrieval.is_degraded else [])
