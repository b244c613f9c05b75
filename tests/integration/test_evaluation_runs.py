"""Evaluation runs on a real database, with a search whose rankings are written down."""

import itertools
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

import pytest
from builders import make_hit
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rag_core.configuration.schema import DEFAULT_RETRIEVAL_CONFIG, configure
from rag_core.errors import DeadlineExceededError, InvalidInputError, NotFoundError, RetrievalFailedError
from rag_core.evaluation.golden.edits import delete_golden_query, list_golden_queries
from rag_core.evaluation.golden.importing import import_golden
from rag_core.evaluation.runs.answers import GoldenAnswerer
from rag_core.evaluation.runs.asking import EvaluatedSearch
from rag_core.evaluation.runs.results import EvaluationRun
from rag_core.evaluation.runs.run import evaluate
from rag_core.evaluation.runs.run_json import to_json
from rag_core.model.evaluation import LatencyPercentiles, RetrievalMetrics
from rag_core.model.note import NoteId, TenantId
from rag_core.model.retrieval import Hit, Retrieval
from rag_core.storage.database import Database
from rag_core.storage.evaluations import fetch_query_results, fetch_run, list_runs
from rag_core.storage.notes import delete_notes

MODELS = {"embedding": "hashing@1"}


def hit(note: UUID, *, chunk_index: int = 0) -> Hit:
    return make_hit("texto", note_id=NoteId(note), chunk_index=chunk_index)


def found(query: str, notes: Sequence[UUID], *, is_degraded: bool = False) -> Retrieval:
    return Retrieval(
        query=query,
        strategy="hybrid",
        hits=tuple(hit(note, chunk_index=index) for index, note in enumerate(notes)),
        latency_ms=1.0,
        stages={},
        is_degraded=is_degraded,
    )


def searching(rankings: Mapping[str, Sequence[UUID] | Exception]) -> Callable[[str], Retrieval]:
    """A search that gives each query the notes written down for it, or raises."""

    def search(query: str) -> Retrieval:
        outcome = rankings[query]
        if isinstance(outcome, Exception):
            raise outcome
        return found(query, outcome)

    return search


def run_of(
    database: Database,
    tenant: TenantId,
    search: Callable[[str], Retrieval],
    *,
    set_name: str = "default",
    config=DEFAULT_RETRIEVAL_CONFIG,
    answerer: GoldenAnswerer | None = None,
    **more: Any,
) -> EvaluationRun:
    evaluated = EvaluatedSearch(
        search=search, config=config, models=MODELS, pipeline_fingerprint="huella", answerer=answerer
    )
    return evaluate(database, tenant, evaluated, set_name=set_name, **more)


def stored_runs(database: Database, tenant: TenantId, *, limit: int = 10, config_hash: str | None = None):
    with database.transaction(tenant) as connection:
        return list_runs(connection, tenant, limit=limit, config_hash=config_hash)


def remove_notes(database: Database, tenant: TenantId, *notes: UUID) -> None:
    with database.transaction(tenant) as connection:
        delete_notes(connection, tenant, notes)


def strangers(count: int) -> list[UUID]:
    return [uuid4() for _ in range(count)]


@pytest.fixture
def notes(make_note) -> list[UUID]:
    return [make_note(f"Nota número {number}.", external_id=f"n{number}") for number in range(1, 5)]


@pytest.fixture
def golden(database, tenant, notes) -> None:
    """Four queries, one a note, named for it; two are factual, one causal, one temporal."""
    categories = ["factual", "factual", "causal", "temporal"]
    lines = [
        json.dumps({"query": f"q{number}", "relevant_ids": [f"n{number}"], "category": category}).encode()
        for number, category in enumerate(categories, 1)
    ]
    import_golden(database, tenant, lines)


class TestFigures:
    def test_they_are_the_means_over_the_queries(self, database, tenant, notes, golden) -> None:
        n1, n2, n3, _ = notes
        search = searching(
            {
                "q1": [n1],
                "q2": [*strangers(1), n2],
                "q3": [*strangers(3), n3],
                "q4": strangers(5),
            }
        )

        run = run_of(database, tenant, search)

        # first relevant ranks 1, 2, 4, none
        assert run.metrics == RetrievalMetrics(
            hit_rate_at={1: 0.25, 3: 0.5, 5: 0.75, 10: 0.75},
            mrr=(1 + 1 / 2 + 1 / 4) / 4,
            ndcg_at_10=pytest.approx((1 + 0.63093 + 0.43068) / 4, abs=1e-5),
            recall_at_20=0.75,
        )
        assert (run.total_queries, run.failed_queries, run.degraded_queries) == (4, 0, 0)

    def test_chunks_of_one_note_take_one_rank(self, database, tenant, notes, golden) -> None:
        n1, n2, n3, n4 = notes
        (other,) = strangers(1)
        search = searching({"q1": [other, other, other, n1, n1], "q2": [n2], "q3": [n3], "q4": [n4]})

        run = run_of(database, tenant, search)

        assert run.metrics.hit_rate_at[3] == 1.0
        assert run.metrics.mrr == (1 / 2 + 1 + 1 + 1) / 4

    def test_many_chunks_of_one_note_do_not_use_up_the_depth(self, database, tenant, notes, golden) -> None:
        (other,) = strangers(1)
        search = searching({f"q{i}": [*[other] * 30, note] for i, note in enumerate(notes, 1)})

        run = run_of(database, tenant, search)

        assert (run.metrics.mrr, run.metrics.recall_at_20) == (0.5, 1.0)

    @pytest.mark.parametrize(("before", "expected"), [(19, 1.0), (20, 0.0)])
    def test_twenty_notes_are_ranked_and_no_more(self, database, tenant, notes, golden, before, expected) -> None:
        search = searching({f"q{i}": [*strangers(before), note] for i, note in enumerate(notes, 1)})

        run = run_of(database, tenant, search)

        assert run.metrics.recall_at_20 == expected
        assert (run.metrics.mrr > 0) == (expected > 0)
        assert {len(result.ranked_note_ids) for result in run.queries} == {20}

    def test_each_category_has_its_own(self, database, tenant, notes, golden) -> None:
        n1, _, n3, _ = notes
        search = searching({"q1": [n1], "q2": [], "q3": [*strangers(1), n3], "q4": []})

        by_category = to_json(run_of(database, tenant, search))["metrics"]["by_category"]

        assert list(by_category) == ["factual", "causal", "temporal"]
        assert by_category["factual"]["total_queries"] == 2
        assert {name: means["mrr"] for name, means in by_category.items()} == {
            "factual": 0.5,
            "causal": 0.5,
            "temporal": 0.0,
        }

    def test_one_category_can_be_run_alone(self, database, tenant, notes, golden) -> None:
        run = run_of(database, tenant, searching({"q3": [notes[2]]}), category="causal")

        assert (run.total_queries, run.category, run.metrics.mrr) == (1, "causal", 1.0)

    @pytest.mark.property(27)
    def test_latencies_are_what_the_caller_waited(self, database, tenant, notes, golden) -> None:
        seconds = itertools.accumulate([0, 0.010, 0, 0.030, 0, 0.020, 0, 0.500])
        search = searching({"q1": [], "q2": [], "q3": [], "q4": RetrievalFailedError("nada")})

        run = run_of(database, tenant, search, clock=lambda: next(seconds))

        # sorted 10, 20, 30, 500: ranks ceil(0.5 * 4) = 2, ceil(0.95 * 4) = 4, 4
        assert run.latency_ms == LatencyPercentiles(
            p50=pytest.approx(20), p95=pytest.approx(500), p99=pytest.approx(500)
        )

    def test_metrics_of_answers_are_unknown_without_a_judge(self, database, tenant, notes, golden) -> None:
        metrics = to_json(run_of(database, tenant, lambda query: found(query, [])))["metrics"]

        assert metrics["faithfulness"] is None
        assert metrics["answer_relevance"] is None


class TestTrouble:
    def test_a_query_that_fails_is_a_miss_with_the_name_of_its_error(self, database, tenant, notes, golden) -> None:
        n1, n2, _, n4 = notes
        search = searching({"q1": [n1], "q2": [n2], "q3": DeadlineExceededError("tarde"), "q4": [n4]})

        run = run_of(database, tenant, search)

        (failed,) = [result for result in run.queries if result.query == "q3"]
        assert (failed.error, failed.ranked_note_ids, failed.first_relevant_rank) == (
            "DeadlineExceededError",
            (),
            None,
        )
        assert (run.total_queries, run.failed_queries, run.metrics.mrr) == (4, 1, 0.75)

    def test_a_defect_of_the_search_is_no_miss(self, database, tenant, notes, golden) -> None:
        with pytest.raises(ZeroDivisionError):
            run_of(database, tenant, lambda _query: 1 / 0)

        assert stored_runs(database, tenant) == []

    def test_degraded_answers_are_counted(self, database, tenant, notes, golden) -> None:
        run = run_of(database, tenant, lambda query: found(query, [], is_degraded=query in {"q1", "q4"}))

        assert run.degraded_queries == 2

    def test_queries_whose_notes_are_all_deleted_are_left_out_and_counted(
        self, database, tenant, notes, golden
    ) -> None:
        n1, n2, n3, n4 = notes
        remove_notes(database, tenant, n2, n4)

        run = run_of(database, tenant, searching({"q1": [n1], "q3": [n3]}))

        assert (run.total_queries, run.orphaned_queries, run.metrics.mrr) == (2, 2, 1.0)

    def test_a_query_keeps_the_notes_that_are_left(self, database, tenant, notes) -> None:
        n1, n2, *_ = notes
        import_golden(database, tenant, [b'{"query": "q", "relevant_ids": ["n1", "n2"]}'])
        remove_notes(database, tenant, n1)

        run = run_of(database, tenant, searching({"q": [n2]}))

        assert (run.orphaned_queries, run.metrics.recall_at_20) == (0, 1.0)

    def test_a_set_whose_notes_are_all_deleted_cannot_be_run(self, database, tenant, notes, golden) -> None:
        remove_notes(database, tenant, *notes)

        with pytest.raises(InvalidInputError, match="every note that answers the 4 queries"):
            run_of(database, tenant, searching({}))

    def test_an_unknown_set_is_answered_with_how_to_make_it(self, database, tenant, golden) -> None:
        with pytest.raises(InvalidInputError) as caught:
            run_of(database, tenant, searching({}), set_name="prueba")

        assert str(caught.value) == (
            "no golden set is called 'prueba' (there is: default); fill it with brain golden import FILE --set prueba"
        )

    def test_an_empty_set_is_answered_with_how_to_fill_it(self, database, tenant, golden) -> None:
        for query in list_golden_queries(database, tenant):
            delete_golden_query(database, tenant, query.id)

        with pytest.raises(InvalidInputError, match="brain golden import FILE --set default"):
            run_of(database, tenant, searching({}))

    def test_a_category_without_queries_cannot_be_run(self, database, tenant, golden) -> None:
        with pytest.raises(InvalidInputError, match="has no query of category multi-part"):
            run_of(database, tenant, searching({}), category="multi-part")

    def test_an_unknown_category_is_answered_with_the_known_ones(self, database, tenant, golden) -> None:
        with pytest.raises(InvalidInputError, match="expected one of factual, causal"):
            run_of(database, tenant, searching({}), category="procedural")

    def test_a_set_of_another_tenant_is_unknown(self, database, tenant, golden) -> None:
        with pytest.raises(InvalidInputError, match="there is: none"):
            run_of(database, TenantId("otra"), searching({}))


class TestStorage:
    @pytest.mark.property(29)
    def test_a_run_is_stored_as_it_was_returned(self, database, tenant, notes, golden) -> None:
        config = configure({"hybridSearch": {"rrfK": 10}}, strategy="fulltext")
        n1, n2, _, _ = notes
        rankings = searching({"q1": [n1], "q2": [*strangers(2), n2], "q3": RetrievalFailedError("x"), "q4": []})
        began = datetime.now(UTC)

        def search(query: str) -> Retrieval:
            return replace(rankings(query), is_degraded=query == "q4")

        run = run_of(database, tenant, search, config=config)

        (stored,) = stored_runs(database, tenant)
        assert {name: getattr(stored, name) for name in stored.__dataclass_fields__} == {
            name: getattr(run, name) for name in stored.__dataclass_fields__
        }
        assert began <= stored.created_at <= datetime.now(UTC)
        assert re.fullmatch("[0-9a-f]{16}", stored.config_hash)
        assert stored.config["strategy"] == "fulltext"
        assert stored.models == MODELS
        assert (stored.set_name, stored.set_version, stored.pipeline_fingerprint) == ("default", 1, "huella")
        assert (stored.total_queries, stored.failed_queries, stored.degraded_queries) == (4, 1, 1)

    def test_each_query_is_stored_with_what_it_brought_back(self, database, tenant, notes, golden) -> None:
        search = searching({"q1": [*strangers(2), notes[0]], "q2": [], "q3": RetrievalFailedError("x"), "q4": []})

        run = run_of(database, tenant, search)

        with database.transaction(tenant) as connection:
            results = fetch_query_results(connection, tenant, run.run_id)
        assert sorted(results, key=lambda r: r.query) == sorted(run.queries, key=lambda r: r.query)

    @pytest.mark.property(29)
    @pytest.mark.property(28)
    @settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=100)
    @given(
        places=st.lists(st.one_of(st.none(), st.integers(0, 30), st.just("error")), min_size=4, max_size=4),
        latencies=st.lists(st.floats(0, 1e6), min_size=8, max_size=8),
        is_degraded=st.booleans(),
    )
    def test_whatever_the_search_brings_a_finished_run_can_be_stored(
        self, database, tenant, notes, golden, places, latencies, is_degraded
    ) -> None:
        seconds = itertools.accumulate(latencies)

        def search(query: str) -> Retrieval:
            place, note = places[int(query[1]) - 1], notes[int(query[1]) - 1]
            if place == "error":
                raise RetrievalFailedError("nada")
            return found(
                query,
                strangers(7) if place is None else [*strangers(place), note],
                is_degraded=is_degraded,
            )

        run = run_of(database, tenant, search, clock=lambda: next(seconds))

        with database.transaction(tenant) as connection:
            stored = fetch_run(connection, tenant, run.run_id)
        assert (stored.config_hash, stored.created_at) == (run.config_hash, run.created_at)
        means = [*stored.metrics.hit_rate_at.values(), stored.metrics.mrr, stored.metrics.ndcg_at_10]
        assert all(0 <= mean <= 1 for mean in [*means, stored.metrics.recall_at_20])

    def test_the_same_configuration_has_the_same_hash_in_every_run(self, database, tenant, notes, golden) -> None:
        def search(query: str) -> Retrieval:
            return found(query, [])

        one, same = (run_of(database, tenant, search) for _ in range(2))
        other = run_of(database, tenant, search, config=configure(strategy="semantic"))

        assert one.config_hash == same.config_hash != other.config_hash
        assert len({one.run_id, same.run_id, other.run_id}) == 3

    def test_runs_are_listed_newest_first_to_a_limit_and_by_configuration(
        self, database, tenant, notes, golden
    ) -> None:
        def search(query: str) -> Retrieval:
            return found(query, [])

        semantic = configure(strategy="semantic")
        runs = [run_of(database, tenant, search, config=c) for c in (semantic, DEFAULT_RETRIEVAL_CONFIG, semantic)]

        newest = [run.run_id for run in stored_runs(database, tenant, limit=2)]
        of_one = [run.run_id for run in stored_runs(database, tenant, config_hash=runs[0].config_hash)]

        assert newest == [runs[2].run_id, runs[1].run_id]
        assert of_one == [runs[2].run_id, runs[0].run_id]

    def test_a_run_outlives_the_queries_and_notes_it_was_made_with(self, database, tenant, notes, golden) -> None:
        run = run_of(database, tenant, lambda query: found(query, notes))
        remove_notes(database, tenant, *notes)
        for query in list_golden_queries(database, tenant):
            delete_golden_query(database, tenant, query.id)

        with database.transaction(tenant) as connection:
            results = fetch_query_results(connection, tenant, run.run_id)

        assert len(results) == 4
        assert {len(result.relevant_note_ids) for result in results} == {1}

    def test_another_tenant_sees_no_run(self, database, tenant, notes, golden) -> None:
        run = run_of(database, tenant, lambda query: found(query, []))
        stranger = TenantId("otra")

        assert stored_runs(database, stranger) == []
        with (
            database.transaction(stranger) as connection,
            pytest.raises(NotFoundError, match=str(run.run_id)),
        ):
            fetch_run(connection, stranger, run.run_id)

    def test_a_run_over_many_queries_is_stored_with_all_of_them(self, database, tenant, notes) -> None:
        import_golden(
            database,
            tenant,
            (json.dumps({"query": f"consulta {n}", "relevant_ids": ["n1"]}).encode() for n in range(1500)),
        )

        milliseconds = itertools.chain.from_iterable((0, n) for n in range(1, 1501))
        seconds = (n / 1000 for n in milliseconds)

        run = run_of(database, tenant, lambda query: found(query, notes), clock=lambda: next(seconds))

        with database.transaction(tenant) as connection:
            results = fetch_query_results(connection, tenant, run.run_id)
            stored = fetch_run(connection, tenant, run.run_id)
        assert (run.total_queries, len(results)) == (1500, 1500)
        assert stored.latency_ms == LatencyPercentiles(
            p50=pytest.approx(750), p95=pytest.approx(1425), p99=pytest.approx(1485)
        )


class TestOutput:
    def test_the_json_document_has_the_fields_of_the_contract(self, database, tenant, notes, golden) -> None:
        n1, n2, n3, n4 = notes
        search = searching({"q1": [n1], "q2": [n2], "q3": [n3], "q4": [n4]})

        document = json.loads(json.dumps(to_json(run_of(database, tenant, search)), allow_nan=False))

        assert set(document) == {
            "run_id",
            "set",
            "set_id",
            "set_version",
            "set_vocabulary",
            "category",
            "config_hash",
            "models",
            "pipeline_fingerprint",
            "total_queries",
            "degraded_queries",
            "failed_queries",
            "orphaned_queries",
            "lost_spans",
            "unanswerable",
            "metrics",
            "answers",
            "latency_ms",
            "latency_stages_ms",
            "created_at",
            "purpose",
            "strategy",
            "circumstances",
            "comparison",
        }
        assert document["metrics"]["hit_rate_at"] == {"1": 1.0, "3": 1.0, "5": 1.0, "10": 1.0}
        assert set(document["latency_ms"]) == {"p50", "p95", "p99"}
        assert datetime.fromisoformat(document["created_at"]).tzinfo is not None

    def test_precision_is_given_with_its_ceiling(self, database, tenant, notes, golden) -> None:
        search = searching({f"q{i}": [note] for i, note in enumerate(notes, 1)})

        metrics = to_json(run_of(database, tenant, search))["metrics"]

        # one relevant note a query: precision at 5 cannot exceed 1/5
        assert metrics["precision_at_5"] == metrics["precision_at_5_ceiling"] == 0.2
        assert metrics["r_precision"] == metrics["map_at_20"] == 1.0

    def test_progress_tells_the_queries_done_and_their_number(self, database, tenant, notes, golden) -> None:
        told = []

        run_of(
            database,
            tenant,
            lambda query: found(query, []),
            on_progress=lambda done, total: told.append((done, total)),
        )

        assert told == [(1, 4), (2, 4), (3, 4), (4, 4)]
