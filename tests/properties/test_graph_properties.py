"""Walks over random graphs on real PostgreSQL, against a breadth-first search in plain Python.

Cycles, diamonds, several relations between two entities and relations of other kinds are all among the graphs: six
entities and up to eighteen relations, so that many are reached in several ways of different length.
"""

import uuid
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from databases import cloned_database
from hypothesis import given, settings
from hypothesis import strategies as st

from rag_core.configuration.schema import GraphRag
from rag_core.model.graph import CausalDirection
from rag_core.model.note import TenantId
from rag_core.retrieval.graph_paths import GraphHit, search_graph
from rag_core.settings import read_settings
from rag_core.storage.database import Database, open_database

pytestmark = pytest.mark.slow

CAUSAL = ("CAUSES", "TRIGGERS", "LEADS_TO")
OTHERS = ("RELATED_TO", "PART_OF", "USES", "PREREQUISITE")
NAMES = ("apagón", "tormenta", "incendio", "sequía", "huelga", "migraña")

EXAMPLES = settings(max_examples=100, deadline=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Edge:
    """That one entity led to another, told by a chunk."""

    source: int
    target: int
    kind: str
    chunk: int
    confidence: float


edges = st.builds(
    Edge,
    source=st.integers(0, 5),
    target=st.integers(0, 5),
    kind=st.sampled_from((*CAUSAL * 2, *OTHERS)),
    chunk=st.integers(0, 9),
    confidence=st.sampled_from((0.3, 0.6, 0.9)),
).filter(lambda edge: edge.source != edge.target)
graphs = st.one_of(st.lists(edges, max_size=6), st.lists(edges, min_size=9, max_size=18))
starts = st.sets(st.integers(0, 5), min_size=1, max_size=2)
directions = st.sampled_from(("causes", "effects"))
depths = st.integers(1, 5)


@pytest.fixture(scope="module")
def graph_database(server: str, template: str) -> Iterator[Database]:
    """One database for all examples; every example is a tenant of its own."""
    with cloned_database(server, template) as url, open_database(read_settings(database_url=url)) as opened:
        yield opened


@dataclass(frozen=True, slots=True)
class Written:
    """A graph in the database."""

    tenant: TenantId
    entities: dict[int, uuid.UUID]
    chunks: dict[uuid.UUID, int]


def write(database: Database, graph: list[Edge]) -> Written:
    """Store a graph as a new tenant's, each chunk in a note of its own."""
    tenant = TenantId(f"t{uuid.uuid4().hex}")
    entities = {number: uuid.uuid4() for number in range(len(NAMES))}
    chunks = {uuid.uuid4(): number for number in range(10)}
    ids = {number: chunk for chunk, number in chunks.items()}
    with database.owner() as connection, connection.cursor() as cursor, connection.transaction():
        cursor.execute("set local search_path = brain, public")
        cursor.execute("insert into tenants values (%s)", [tenant])
        cursor.execute(
            "insert into notes (tenant_id, note_id, source, external_id, content, content_hash, language, created_at)"
            " select %s, c, 's', c::text, 'x', sha256('x'), 'es', now() from unnest(%s::uuid[]) c",
            [tenant, list(chunks)],
        )
        cursor.execute(
            "insert into chunks (tenant_id, chunk_id, note_id, chunk_index, start_char, end_char, content, token_count,"
            " chunking_method, language) select %s, c, c, 0, 0, 1, 'x', 1, 'whole_note', 'es' from unnest(%s::uuid[]) c",
            [tenant, list(chunks)],
        )
        cursor.execute(
            "insert into entities (tenant_id, entity_id, key, name)"
            " select %s, e, 'es:' || n, n from unnest(%s::uuid[], %s::text[]) x (e, n)",
            [tenant, list(entities.values()), list(NAMES)],
        )
        cursor.execute(
            "insert into entity_aliases (tenant_id, alias_key, entity_id, language, name, stems)"
            " select tenant_id, key, entity_id, 'es', name, to_tsvector_stem from (select *, tsvector_to_array("
            "to_tsvector('spanish', name)) as to_tsvector_stem from entities where tenant_id = %s) e",
            [tenant],
        )
        cursor.execute(
            "insert into entity_stems (tenant_id, language, stem, alias_key)"
            " select tenant_id, language, unnest(stems), alias_key from entity_aliases where tenant_id = %s",
            [tenant],
        )
        cursor.execute(
            "insert into relations (tenant_id, relation_id, source_id, target_id, kind, note_id, chunk_id, evidence_start,"
            " evidence_end, confidence, extractor) select %s, gen_random_uuid(), s, t, k, c, c, 0, 1, p, 'test'"
            " from unnest(%s::uuid[], %s::uuid[], %s::text[], %s::uuid[], %s::float8[]) x (s, t, k, c, p)",
            [
                tenant,
                [entities[edge.source] for edge in graph],
                [entities[edge.target] for edge in graph],
                [edge.kind for edge in graph],
                [ids[edge.chunk] for edge in graph],
                [edge.confidence for edge in graph],
            ],
        )
    return Written(tenant=tenant, entities=entities, chunks=chunks)


def ask(
    database: Database, written: Written, asked: set[int], direction: CausalDirection, *, max_depth: int
) -> list[GraphHit]:
    """The whole search, from a question that names the starts; even the farthest hit is relevant enough."""
    question = f"¿Por qué {' '.join(NAMES[number] for number in sorted(asked))}?"
    return search_graph(
        database,
        written.tenant,
        question,
        language="es",
        direction=direction,
        config=GraphRag(max_depth=max_depth, min_relevance=0.5),
        limit=50,
        timeout_ms=30_000,
    )


def expected_depths(graph: list[Edge], asked: set[int], direction: str, *, max_depth: int) -> dict[int, int]:
    """Every chunk on a shortest way from a start, with the least distance at which it tells a link."""
    nearest: dict[int, int] = {}
    for start in asked:
        distance = distances(graph, start, direction)
        for edge in causal(graph):
            near, far = ends(edge, direction)
            depth = distance.get(far, 99)
            if distance.get(near, 99) + 1 == depth <= max_depth:
                nearest[edge.chunk] = min(depth, nearest.get(edge.chunk, 99))
    return nearest


def distances(graph: list[Edge], start: int, direction: str) -> dict[int, int]:
    """Breadth-first search along the causal edges."""
    found, queue = {start: 0}, [start]
    while queue:
        here = queue.pop(0)
        for near, far in (ends(edge, direction) for edge in causal(graph)):
            if near == here and far not in found:
                found[far] = found[here] + 1
                queue.append(far)
    return found


def causal(graph: list[Edge]) -> list[Edge]:
    return [edge for edge in graph if edge.kind in CAUSAL]


def ends(edge: Edge, direction: str) -> tuple[int, int]:
    return (edge.target, edge.source) if direction == "causes" else (edge.source, edge.target)


@pytest.mark.property(21)
@given(graph=graphs, asked=starts, direction=directions, max_depth=depths)
@EXAMPLES
def test_no_hit_is_farther_than_the_greatest_depth_and_none_nearer_is_missing(
    graph_database: Database, graph: list[Edge], asked: set[int], direction: CausalDirection, max_depth: int
) -> None:
    written = write(graph_database, graph)

    hits = ask(graph_database, written, asked, direction, max_depth=max_depth)

    assert all(1 <= hit.depth <= max_depth for hit in hits)
    found = {written.chunks[hit.chunk_id]: hit.depth for hit in hits}
    assert found == expected_depths(graph, asked, direction, max_depth=max_depth)
    assert len(found) == len(hits)


@pytest.mark.property(22)
@given(graph=graphs, asked=starts, direction=directions, planted=st.lists(edges, min_size=1, max_size=6))
@EXAMPLES
def test_only_causal_relations_are_walked(
    graph_database: Database, graph: list[Edge], asked: set[int], direction: CausalDirection, planted: list[Edge]
) -> None:
    others = [
        Edge(source=edge.source, target=edge.target, kind=OTHERS[at % 4], chunk=edge.chunk, confidence=1.0)
        for at, edge in enumerate(planted)
    ]
    written = write(graph_database, [*graph, *others])
    numbers = {entity: number for number, entity in written.entities.items()}

    hits = ask(graph_database, written, asked, direction, max_depth=4)

    links = {ends(edge, direction) for edge in causal(graph)}
    walked = {
        (numbers[near], numbers[far]) for hit in hits for near, far in zip(hit.path_ids, hit.path_ids[1:], strict=False)
    }
    assert walked <= links
    assert {written.chunks[hit.chunk_id] for hit in hits} == set(expected_depths(graph, asked, direction, max_depth=4))


@pytest.mark.property(23)
@given(graph=graphs, asked=starts, direction=directions)
@EXAMPLES
def test_every_hit_has_the_path_from_what_was_asked_to_what_its_chunk_tells(
    graph_database: Database, graph: list[Edge], asked: set[int], direction: CausalDirection
) -> None:
    written = write(graph_database, graph)
    numbers = {entity: number for number, entity in written.entities.items()}

    for hit in ask(graph_database, written, asked, direction, max_depth=5):
        path = [numbers[entity] for entity in hit.path_ids]
        told = {ends(edge, direction) for edge in causal(graph) if edge.chunk == written.chunks[hit.chunk_id]}

        assert path[0] in asked
        assert (path[-2], path[-1]) in told
        assert len(path) == len(set(path)) == hit.depth + 1
        assert hit.path == tuple(NAMES[number] for number in path)


@pytest.mark.property(24)
@given(graph=graphs, asked=starts, direction=directions, max_depth=depths)
@EXAMPLES
def test_a_shorter_path_is_strictly_more_relevant_and_comes_first(
    graph_database: Database, graph: list[Edge], asked: set[int], direction: CausalDirection, max_depth: int
) -> None:
    written = write(graph_database, graph)

    hits = ask(graph_database, written, asked, direction, max_depth=max_depth)

    for hit in hits:
        assert hit.relevance == pytest.approx(1 - 0.5 * hit.depth / max_depth)
    for one in hits:
        for other in hits:
            assert (len(one.path_ids) < len(other.path_ids)) == (one.relevance > other.relevance)
    assert [hit.relevance for hit in hits] == sorted((hit.relevance for hit in hits), reverse=True)
