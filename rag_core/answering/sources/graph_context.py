"""Relations of the causal graph that a search followed, as data for the prompt of an answer. Pure."""

import json
from collections.abc import Sequence

from rag_core.answering.sources.context import make_harmless
from rag_core.chunking import count_tokens
from rag_core.model.graph import Relation
from rag_core.model.retrieval import Hit

GRAPH_SHARE = 0.2
"""Share of the tokens of an answer's context for relations; the sources have the rest."""


def followed_relations(hits: Sequence[Hit]) -> list[Relation]:
    """The relations on the hits' causal paths, each once, those of the best hits first."""
    return list({relation.id: relation for hit in hits for relation in hit.causal_relations}.values())


def entity_names(hits: Sequence[Hit]) -> dict[str, str]:
    """Names of the entities on the hits' causal paths, by id, those of the best hits first."""
    return {
        entity: name
        for hit in hits
        for entity, name in zip(hit.causal_path or (), hit.causal_path_names or (), strict=True)
    }


def graph_text(hits: Sequence[Hit], *, max_tokens: int) -> str:
    """The followed relations as JSON, as many of the first as have at most so many tokens; '' for none."""
    names, records = entity_names(hits), list[str]()
    for relation in followed_relations(hits):
        longer = [*records, _record(relation, names[relation.source_id], names[relation.target_id])]
        if count_tokens(_joined(longer)) > max_tokens:
            break
        records = longer
    return _joined(records)


def graph_field(graph: str) -> str:
    """The relations as a prompt's JSON has them beside the sources; '' for none."""
    return f', "graph": {graph}' if graph else ""


def _record(relation: Relation, source: str, target: str) -> str:
    shown = {
        "source": make_harmless(source, relation.language),
        "relation": relation.kind,
        "target": make_harmless(target, relation.language),
        "evidence": make_harmless(relation.evidence, relation.language),
    }
    return json.dumps(shown, ensure_ascii=False)


def _joined(records: Sequence[str]) -> str:
    return f"[{', '.join(records)}]" if records else ""
