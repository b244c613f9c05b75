"""Causal search: from the entities a question speaks of along what the notes say led to what."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from rag_core.configuration.schema import GraphRag
from rag_core.graph.entities import Phrase, asked_keys, question_phrase
from rag_core.model.graph import CausalDirection, Relation
from rag_core.model.note import ChunkId, Language, TenantId
from rag_core.model.retrieval import NO_FILTERS, Filters
from rag_core.storage import graph as store
from rag_core.storage.database import Connection, Database


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphHit:
    """A chunk that tells a link of a causal chain.

    ``path`` names the entities from the one asked for to the one this chunk leads to, ``path_ids`` are their ids; ``depth``
    is the number of ``relations`` between them, and ``relevance`` falls with it.
    """

    chunk_id: ChunkId
    relevance: float
    path: tuple[str, ...]
    path_ids: tuple[UUID, ...]
    depth: int
    relations: tuple[Relation, ...] = ()


def search_graph(
    database: Database,
    tenant: TenantId,
    query: str,
    *,
    language: Language,
    direction: CausalDirection,
    config: GraphRag,
    filters: Filters = NO_FILTERS,
    limit: int,
    timeout_ms: int,
) -> list[GraphHit]:
    """Chunks on causal chains from what the query asks about, nearest first, a chunk once.

    relevance = 1 - depth / (2 · max_depth); hits below ``min_relevance`` are left out, so the defaults of 3 and 0.6 reach
    depth 2. Every note on a chain passes the filters. A query that speaks of no entity gives [].

    Raises:
        DatabaseUnavailableError, DeadlineExceededError: nothing could be found out within ``timeout_ms``.
    """
    depth = reachable_depth(config)
    question = question_phrase(query, language)
    if depth == 0 or not question.stems:
        return []
    with database.transaction(tenant, timeout_ms=timeout_ms) as connection:
        starts = _asked_entities(connection, tenant, question, sees_all=database.departments is None)
        if not starts:
            return []
        walked = store.walk_relations(
            connection,
            tenant,
            starts,
            direction=direction,
            max_depth=depth,
            limit=limit,
            filters=filters,
            sees_all=database.departments is None,
        )
    return [_hit(chunk, config) for chunk in walked]


def relevance(depth: int, *, max_depth: int) -> float:
    """1 - depth / (2 · max_depth): 1 for what was asked about, 0.5 at the greatest depth."""
    return 1 - 0.5 * depth / max_depth


def reachable_depth(config: GraphRag) -> int:
    """The greatest depth whose relevance is not below the least that is wanted; 0 when none is."""
    depths = range(config.max_depth, 0, -1)
    return next((d for d in depths if relevance(d, max_depth=config.max_depth) >= config.min_relevance), 0)


def _asked_entities(connection: Connection, tenant: TenantId, question: Phrase, *, sees_all: bool) -> Sequence[UUID]:
    aliases = store.fetch_asked_aliases(connection, tenant, question.language, question.stems)
    phrases = {Phrase(language=question.language, stems=alias.stems): alias.entity_id for alias in aliases}
    if not phrases:
        return []
    stems = sorted({stem for one in (question, *phrases) for stem in one.stems})
    weights = store.fetch_stem_weights(connection, tenant, question.language, stems, sees_all=sees_all)
    entities = {one.key: entity_id for one, entity_id in phrases.items()}
    return list(dict.fromkeys(entities[key] for key in asked_keys(question, list(phrases), weights)))


def _hit(chunk: store.WalkedChunk, config: GraphRag) -> GraphHit:
    return GraphHit(
        chunk_id=chunk.chunk_id,
        relevance=relevance(chunk.depth, max_depth=config.max_depth),
        path=chunk.path_names,
        path_ids=chunk.path_ids,
        depth=chunk.depth,
        relations=chunk.relations,
    )
