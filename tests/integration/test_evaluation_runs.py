"""Evaluation runs: their figures, what goes wrong in them, and what they show."""

import itertools
import json
from datetime import datetime

import pytest
from golden_sets import remove_notes
from ranked_runs import found, run_of, searching, stored_runs, strangers
from ranked_runs import golden as golden  # noqa: PLC0414  a fixture, re-exported to pytest
from ranked_runs import notes as notes  # noqa: PLC0414  a fixture, re-exported to pytest

from rag_core.errors import DeadlineExceededError, InvalidInputError, RetrievalFailedError
from rag_core.evaluation.golden.edits import delete_golden_query, list_golden_queries
from rag_core.evaluation.golden.importing import import_golden
from rag_core.evaluation.runs.run_json import to_json
from rag_core.model.evaluation import LatencyPercentiles, RetrievalMetrics
from rag_core.model.note import TenantId


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
