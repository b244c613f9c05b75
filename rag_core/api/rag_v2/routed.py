"""Report of a routed search in RAG V2's words: the analysis, the graph's part, warnings."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from rag_core.answering.sources.graph_context import entity_names, followed_relations
from rag_core.configuration.served import INVALID_CONFIGURATION
from rag_core.guardrails.policies import Hiding
from rag_core.language import LANGUAGES
from rag_core.language.languages import language_of
from rag_core.model.graph import Relation, RelationKind
from rag_core.model.retrieval import Retrieval
from rag_core.query.routing import QueryAnalysis
from rag_core.retrieval.legs import (
    LOW_CONFIDENCE,
    OUT_OF_TIME,
    WITHOUT_FULLTEXT,
    WITHOUT_SEMANTIC,
    WITHOUT_WORDS,
)
from rag_core.retrieval.routed import Routed
from rag_core.wire.values import camel_keys

GERMAN_FIRST = ("de", *LANGUAGES)
"""Languages of a question that shows none."""
MAX_NODES = 20
MAX_RELATIONS = 40
MAX_SUMMED_UP = 10
_SENTENCES: Mapping[RelationKind, str] = {
    "CAUSES": "„{source}“ verursacht „{target}“",
    "TRIGGERS": "„{source}“ löst „{target}“ aus",
    "LEADS_TO": "„{source}“ führt zu „{target}“",
}
_OTHER_SENTENCE = "„{source}“ steht in Beziehung zu „{target}“"

WARNINGS: Mapping[str, str] = {
    INVALID_CONFIGURATION: language_of("de").messages.path_warnings["invalid_configuration"],
    WITHOUT_SEMANTIC: "Die semantische Suche ist nicht verfügbar; gesucht wurde nach Wörtern",
    WITHOUT_FULLTEXT: "Die Suche nach Wörtern ist nicht verfügbar; gesucht wurde nach der Bedeutung",
    OUT_OF_TIME: "Die Zeit reichte nur für einen Teil der Suche",
    LOW_CONFIDENCE: "Kein Ergebnis ist der Frage ähnlich genug; gezeigt werden die nächsten",
    WITHOUT_WORDS: "Kein Dokument enthält die gesuchten Wörter; gezeigt werden die ähnlichsten",
}
DEGRADED = "Die Suche war nur eingeschränkt möglich"


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
