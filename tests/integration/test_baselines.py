"""Baselines of a golden set of twelve queries, with searches whose ranks are written down."""

import json
from collections.abc import Callable, Sequence
from uuid import UUID, uuid4

import pytest
from ranked_runs import found

from rag_core.configuration.schema import configure
from rag_core.errors import InvalidInputError, NotFoundError, RetrievalFailedError
from rag_core.evaluation.comparison.quality_check import verdict_on
from rag_core.evaluation.golden.edits import list_golden_queries, update_golden_query
from rag_core.evaluation.golden.importing import import_golden
from rag_core.evaluation.runs.asking import EvaluatedSearch
from rag_core.evaluation.runs.baselines import compare_with_baseline, ensure_baseline, promote_baseline
from rag_core.evaluation.runs.results import EvaluationRun
from rag_core.evaluation.runs.run import evaluate
from rag_core.evaluation.runs.run_json import to_json
from rag_core.model.note import TenantId
from rag_core.model.retrieval import Retrieval
from rag_core.storage.evaluations import Baseline, fetch_baseline, fetch_run, list_baselines
from rag_core.storage.golden import list_queries_with_deleted_notes
from rag_core.storage.notes import delete_notes

QUERIES = 12
Measure = Callable[..., EvaluationRun]


@pytest.fixture
def notes(make_note) -> list[UUID]:
    return [make_note(f"Nota número {number}.", external_id=f"n{number}") for number in range(QUERIES)]


@pytest.fixture
def golden(database, tenant, notes) -> None:
    lines = [json.dumps({"query": f"q{n}", "relevant_ids": [f"n{n}"]}).encode() for n in range(QUERIES)]
    import_golden(database, tenant, lines)


@pytest.fixture
def measure(database, tenant, notes, golden) -> Measure:
    """Evaluate with a search that finds each query's note at its rank; None is a search that fails."""

    def measured(ranks: Sequence[int | None], *, strategy: str = "hybrid", **more: object) -> EvaluationRun:
        def search(query: str) -> Retrieval:
            number = int(query.removeprefix("Dime: ").removeprefix("q"))
            rank = ranks[number]
            if rank is None:
                raise RetrievalFailedError("planned")
            return found(query, [*(uuid4() for _ in range(rank - 1)), notes[number]])

        evaluated = EvaluatedSearch(
            search=search, config=configure(strategy=strategy), models={}, pipeline_fingerprint="huella"
        )
        return evaluate(database, tenant, evaluated, set_name="default", **more)

    return measured


def baseline(database, tenant, strategy: str = "hybrid") -> Baseline | None:
    with database.transaction(tenant) as connection:
        return fetch_baseline(connection, tenant, set_name="default", strategy=strategy)


class TestComparison:
    def test_without_a_baseline_there_is_none(self, database, tenant, measure) -> None:
        run = measure([1] * QUERIES)

        assert run.comparison is None
        assert compare_with_baseline(database, tenant, run, strategy="hybrid") is None
        assert verdict_on(run) == "no baseline"

    def test_a_run_is_compared_with_the_baseline_of_its_strategy_and_both_are_stored(
        self, database, tenant, measure
    ) -> None:
        first = measure([1] * QUERIES)
        ensure_baseline(database, tenant, first, strategy="hybrid")

        run = measure([2] * QUERIES)

        compared = run.comparison
        assert compared is not None
        assert (compared.baseline_run_id, compared.queries, compared.left_out) == (first.run_id, 12, 0)
        assert (compared.baseline, compared.current) == (1.0, pytest.approx(0.63093, abs=1e-5))
        assert compared.difference == pytest.approx(-0.36907, abs=1e-5)
        assert compared.p_value == 2 / 2**12
        assert compared.metrics["mrr"].difference == -0.5
        assert compared.metrics["hit_rate_at_10"].difference == 0.0
        assert (compared.is_regression, verdict_on(run)) == (True, "regression")
        assert compare_with_baseline(database, tenant, run, strategy="hybrid") == compared
        with database.transaction(tenant) as connection:
            assert fetch_run(connection, tenant, run.run_id).comparison == compared
        assert measure([2] * QUERIES, strategy="fulltext").comparison is None

    def test_an_improvement_is_one(self, database, tenant, measure) -> None:
        ensure_baseline(database, tenant, measure([2] * QUERIES), strategy="hybrid")

        assert verdict_on(measure([1] * QUERIES)) == "improvement"

    def test_any_stored_run_can_be_compared_with(self, measure) -> None:
        first = measure([3] * QUERIES, strategy="fulltext")

        document = to_json(measure([1] * QUERIES, baseline_run_id=first.run_id))

        assert document["comparison"]["baseline_run_id"] == str(first.run_id)
        assert {"ndcg_at_10", "mrr", "hit_rate_at_1", "hit_rate_at_10", "recall_at_20", "map_at_20"} <= set(
            document["comparison"]["metrics"]
        )
        assert set(document["comparison"]["metrics"]["mrr"]) == {
            "baseline",
            "current",
            "difference",
            "p_value",
            "p_worse",
            "interval",
            "p_adjusted",
            "p_worse_adjusted",
            "queries",
            "deviation",
            "differing",
        }
        json.dumps(document, allow_nan=False)

    def test_an_unknown_run_is_said_before_anything_is_asked(self, measure) -> None:
        with pytest.raises(NotFoundError, match="no evaluation run"):
            measure([], baseline_run_id=uuid4())

    def test_a_query_whose_notes_changed_is_not_compared(self, database, tenant, measure, notes) -> None:
        ensure_baseline(database, tenant, measure([1] * QUERIES), strategy="hybrid")
        first = list_golden_queries(database, tenant)[0]
        update_golden_query(database, tenant, first.id, relevant_note_ids=notes[:2])

        run = measure([2] * QUERIES)

        assert run.comparison is not None
        assert (run.comparison.queries, run.comparison.left_out) == (11, 1)


class TestEnsureBaseline:
    def test_the_first_run_becomes_it_and_the_second_does_not(self, database, tenant, measure) -> None:
        first, second = measure([1] * QUERIES), measure([1] * QUERIES)

        assert ensure_baseline(database, tenant, first, strategy="hybrid")
        assert not ensure_baseline(database, tenant, second, strategy="hybrid")
        kept = baseline(database, tenant)
        assert kept is not None
        assert (kept.run_id, kept.is_automatic) == (first.run_id, True)

    @pytest.mark.parametrize(("failing", "is_made"), [(1, True), (2, False)])
    def test_a_run_of_an_outage_does_not(self, database, tenant, measure, failing, is_made) -> None:
        run = measure([None] * failing + [1] * (QUERIES - failing))

        assert ensure_baseline(database, tenant, run, strategy="hybrid") == is_made
        assert (verdict_on(run) == "disturbed") == (not is_made)

    def test_a_run_of_one_category_does_not(self, database, tenant, measure) -> None:
        run = measure([1] * QUERIES, category="factual")

        assert not ensure_baseline(database, tenant, run, strategy="hybrid")

    def test_another_golden_set_makes_another_one(self, database, tenant, measure) -> None:
        ensure_baseline(database, tenant, measure([1] * QUERIES), strategy="hybrid")
        reword(database, tenant)

        run = measure([5] * QUERIES)

        assert verdict_on(run) == "outdated baseline"
        assert ensure_baseline(database, tenant, run, strategy="hybrid")

    def test_one_that_was_promoted_stays(self, database, tenant, measure) -> None:
        promote_baseline(database, tenant, measure([1] * QUERIES).run_id)
        reword(database, tenant)

        assert not ensure_baseline(database, tenant, measure([5] * QUERIES), strategy="hybrid")


class TestPromoteBaseline:
    def test_it_takes_the_place_of_any_other(self, database, tenant, measure) -> None:
        ensure_baseline(database, tenant, measure([1] * QUERIES), strategy="hybrid")
        accepted = measure([2] * QUERIES)

        promoted = promote_baseline(database, tenant, accepted.run_id)

        kept = baseline(database, tenant)
        assert kept is not None
        assert (kept.run_id, kept.is_automatic) == (accepted.run_id, False)
        assert promoted.metrics == accepted.metrics
        assert verdict_on(measure([2] * QUERIES)) == "steady"

    def test_a_run_of_one_category_cannot_be_promoted(self, database, tenant, measure) -> None:
        run = measure([1] * QUERIES, category="factual")

        with pytest.raises(InvalidInputError, match="category factual only"):
            promote_baseline(database, tenant, run.run_id)

    def test_a_run_of_an_outage_cannot_be_promoted(self, database, tenant, measure) -> None:
        run = measure([None] * QUERIES)

        with pytest.raises(InvalidInputError, match="12 of its 12 queries were degraded or failed, more than 10%"):
            promote_baseline(database, tenant, run.run_id)

    def test_a_run_of_another_tenant_is_unknown(self, database, measure) -> None:
        run = measure([1] * QUERIES)

        with pytest.raises(NotFoundError, match="no evaluation run"):
            promote_baseline(database, TenantId("otra"), run.run_id)

    def test_baselines_of_another_tenant_are_not_listed(self, database, tenant, measure) -> None:
        promote_baseline(database, tenant, measure([1] * QUERIES).run_id)

        with database.transaction(TenantId("otra")) as connection:
            assert list_baselines(connection, TenantId("otra")) == []
            assert list_baselines(connection, tenant) == []


class TestDeletedNotes:
    @pytest.fixture
    def pair(self, database, tenant, measure) -> UUID:
        """A query with two notes, in a baseline."""
        import_golden(database, tenant, [b'{"id": "ambas", "query": "q0", "relevant_ids": ["n0", "n1"]}'])
        ensure_baseline(database, tenant, measure([1] * QUERIES), strategy="hybrid")
        return next(query.id for query in list_golden_queries(database, tenant) if query.query == "q0")

    def listed(self, database, tenant) -> list[tuple[str, int, int]]:
        with database.transaction(tenant) as connection:
            found = list_queries_with_deleted_notes(connection, tenant, set_name="default")
        return [(query.query, query.notes_left, query.notes_deleted) for query in found]

    def test_queries_that_lost_some_or_all_notes_are_listed(self, database, tenant, notes, pair) -> None:
        with database.transaction(tenant) as connection:
            delete_notes(connection, tenant, [notes[0], notes[5]])

        assert sorted(self.listed(database, tenant)) == [("q0", 1, 1), ("q5", 0, 1)]

    def test_a_query_that_was_edited_since_is_mended(self, database, tenant, notes, pair) -> None:
        with database.transaction(tenant) as connection:
            delete_notes(connection, tenant, [notes[0]])

        update_golden_query(database, tenant, pair, difficulty=5)

        assert self.listed(database, tenant) == []

    def test_without_deleted_notes_there_are_none(self, database, tenant, pair) -> None:
        assert self.listed(database, tenant) == []


def reword(database, tenant) -> None:
    for query in list_golden_queries(database, tenant):
        update_golden_query(database, tenant, query.id, query=f"Dime: {query.query}")
