"""Properties of every evaluation that was run and stored (properties 25 to 29)."""

import hashlib
import json
from dataclasses import replace
from datetime import UTC, datetime
from fractions import Fraction
from uuid import uuid4

import pytest
from builders import make_hit
from hypothesis import given, settings
from hypothesis import strategies as st
from properties.corpora import new_tenant, parsed, stored
from properties.strategies import sentences

from rag_core.configuration.schema import configure
from rag_core.errors import EmbeddingError, QueryFailedError
from rag_core.evaluation.golden.edits import add_golden_query
from rag_core.evaluation.runs.asking import EvaluatedSearch
from rag_core.evaluation.runs.run import evaluate
from rag_core.model.golden import CATEGORIES
from rag_core.model.retrieval import Hit, Retrieval
from rag_core.storage.evaluations import fetch_query_results, fetch_run, insert_run, list_runs

EXAMPLES = settings(max_examples=100)
PLACES = ("n1", "n2", "n3", "n4")
FINDINGS = st.none() | st.lists(st.sampled_from(PLACES), max_size=6)
"""The notes that a search brings back, best first, a note by several chunks perhaps; None is a search that fails."""
CASES = st.lists(
    st.tuples(st.sets(st.sampled_from(PLACES), min_size=1), FINDINGS, st.booleans()), min_size=1, max_size=4
)
OVERRIDES = st.fixed_dictionaries(
    {},
    optional={
        "hybridSearch": st.fixed_dictionaries({"rrfK": st.integers(1, 100), "semanticWeight": st.floats(0.1, 1)}),
        "strategy": st.sampled_from(("semantic", "fulltext", "hybrid")),
        "graphRAG": st.fixed_dictionaries({"maxDepth": st.integers(1, 10)}),
    },
)
MODELS = st.dictionaries(st.sampled_from(("embedding", "reranker", "chat")), sentences(), max_size=3)


class World:
    """A tenant with four notes and a golden set, and a search that brings back what is planned."""

    def __init__(self, engine, cases) -> None:
        self.engine, self.tenant = engine, new_tenant()
        notes = stored(engine, self.tenant, [parsed(f"Nota {place}.", place) for place in PLACES])
        self.notes = {note.external_id: note_id for note_id, note in notes.items()}
        self.plans = {f"¿Pregunta {number}?": plan for number, plan in enumerate(cases, 1)}
        for query, (relevant, _, _) in self.plans.items():
            add_golden_query(
                engine.database,
                self.tenant,
                query=query,
                relevant_note_ids=[self.notes[place] for place in relevant],
                expected_answer="Sí.",
                category=CATEGORIES["brain_sync"][len(query) % 5],
                difficulty=3,
            )

    def search(self, query: str) -> Retrieval:
        _, places, is_degraded = self.plans[query]
        if places is None:
            raise EmbeddingError("planned")
        return Retrieval(
            query=query,
            strategy="hybrid",
            hits=tuple(hit(self.notes[place], place) for place in places),
            latency_ms=1.0,
            stages={},
            is_degraded=is_degraded,
        )

    def run(self, config=None, models=None):
        evaluated = EvaluatedSearch(
            search=self.search, config=config or configure(), models=models or {}, pipeline_fingerprint="huella"
        )
        return evaluate(self.engine.database, self.tenant, evaluated, set_name="default")

    def kept(self, run_id):
        with self.engine.database.transaction(self.tenant) as connection:
            return fetch_run(connection, self.tenant, run_id), fetch_query_results(connection, self.tenant, run_id)


def hit(note_id, external_id: str) -> Hit:
    return make_hit("x", note_id=note_id, external_id=external_id, score=1.0, fusion_score=1.0)


def first_places(places) -> list[str]:
    """The notes brought back, each at its first place only; none when the search failed."""
    return [place for at, place in enumerate(places or []) if place not in places[:at]]


@pytest.mark.property(25)
@EXAMPLES
@given(cases=CASES)
def test_the_stored_hit_rates_are_the_shares_of_queries_with_a_relevant_note_in_the_first_k(engine, cases) -> None:
    world = World(engine, cases)

    run, _ = world.kept(world.run().run_id)

    for k in (1, 3, 5, 10):
        hits = sum(bool(relevant & set(first_places(places)[:k])) for relevant, places, _ in cases)
        assert run.metrics.hit_rate_at[k] == pytest.approx(hits / len(cases))


@pytest.mark.property(26)
@EXAMPLES
@given(cases=CASES)
def test_the_stored_mrr_is_the_mean_of_one_over_the_first_relevant_rank(engine, cases) -> None:
    world = World(engine, cases)

    run, _ = world.kept(world.run().run_id)

    total = Fraction(0)
    for relevant, places, _ in cases:
        ranks = [rank for rank, place in enumerate(first_places(places), 1) if place in relevant]
        total += Fraction(1, ranks[0]) if ranks else 0
    assert run.metrics.mrr == pytest.approx(float(total / len(cases)))


@pytest.mark.property(28)
@EXAMPLES
@given(cases=CASES, figure=st.sampled_from(("faithfulness", "answer_relevance")), beyond=st.floats(1e-6, 10))
def test_no_stored_metric_lies_outside_zero_and_one(engine, cases, figure, beyond) -> None:
    world = World(engine, cases)

    made = world.run()

    run, results = world.kept(made.run_id)
    metrics = run.metrics
    values = [*metrics.hit_rate_at.values(), metrics.mrr, metrics.ndcg_at_10, metrics.recall_at_20]
    values += [value for result in results for value in (result.ndcg_at_10, result.recall_at_20)]
    assert all(0 <= value <= 1 for value in values)
    for wrong in (1 + beyond, -beyond):
        with pytest.raises(QueryFailedError), engine.database.transaction(world.tenant) as connection:
            insert_run(connection, world.tenant, replace(made, run_id=uuid4(), **{figure: wrong}), [])


@pytest.mark.property(29)
@EXAMPLES
@given(cases=CASES, override=OVERRIDES, models=MODELS)
def test_a_run_is_stored_with_its_time_and_the_hash_of_what_it_ran_with(engine, cases, override, models) -> None:
    world, config = World(engine, cases), configure(override)
    before = datetime.now(UTC)

    made = world.run(config, models)

    run, results = world.kept(made.run_id)
    assert before <= run.created_at <= datetime.now(UTC)
    assert run.config_hash == hash_of(config.to_wire(), models)
    assert (run.config, run.models) == (config.to_wire(), models)
    assert len(results) == run.total_queries == len(cases)
    assert run.failed_queries == sum(places is None for _, places, _ in cases)
    with engine.database.transaction(world.tenant) as connection:
        assert [one.run_id for one in list_runs(connection, world.tenant, limit=5, config_hash=run.config_hash)] == [
            made.run_id
        ]


def hash_of(config, models) -> str:
    """The first 16 digits of SHA-256 over both as JSON, keys in order."""
    both = {"models": models, "config": config}
    written = json.dumps(both, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(written.encode()).hexdigest()[:16]
