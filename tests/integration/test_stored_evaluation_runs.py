"""Evaluation runs as they are stored, listed and kept apart by tenant."""

import itertools
import json
import re
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from golden_sets import remove_notes
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from ranked_runs import MODELS, found, run_of, searching, stored_runs, strangers
from ranked_runs import golden as golden  # noqa: PLC0414  a fixture, re-exported to pytest
from ranked_runs import notes as notes  # noqa: PLC0414  a fixture, re-exported to pytest

from rag_core.configuration.schema import DEFAULT_RETRIEVAL_CONFIG, configure
from rag_core.errors import NotFoundError, RetrievalFailedError
from rag_core.evaluation.golden.edits import delete_golden_query, list_golden_queries
from rag_core.evaluation.golden.importing import import_golden
from rag_core.model.evaluation import LatencyPercentiles
from rag_core.model.note import TenantId
from rag_core.model.retrieval import Retrieval
from rag_core.storage.evaluations import fetch_query_results, fetch_run


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
