"""Nights over the demo corpus: a planted regression turns the quality check red, mending it green again.

Most nights ask every second question of the demo: a planted regression is as plain, and a night takes half the time.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar
from uuid import UUID

import dagster as dg
import pytest
from databases import cloned_database
from nights import DownEmbedder, FirstNight, Night, check, compared, index, metadata, run_night, verdicts
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict

from rag_assets.evaluation_report import STRATEGIES
from rag_core.configuration.proposals import propose_configuration
from rag_core.evaluation.comparison.gate import GateTargets
from rag_core.evaluation.comparison.gate_runs import gate_targets
from rag_core.evaluation.golden.edits import add_golden_query, delete_golden_query, list_golden_queries
from rag_core.evaluation.runs.baselines import promote_baseline
from rag_core.model.embedding import WantedModel
from rag_core.model.golden import GoldenQuery
from rag_core.model_change.promotion import promote as promote_model
from rag_core.model_change.registration import register_model
from rag_core.operation.demo_corpus import load_demo
from rag_core.runtime.engine import DEMO_TENANT, Engine, open_engine
from rag_core.settings import Settings, read_settings
from rag_core.storage.batches import register_batches
from rag_core.storage.configurations import append_promotion, list_promotions
from rag_core.storage.evaluations import list_baselines, list_runs
from rag_core.storage.models import fetch_active_model
from rag_core.storage.notes import delete_notes

pytestmark = pytest.mark.slow

HALF_THE_CHUNKS = """
    delete from brain.chunks where chunk_id in (
        select chunk_id from (
            select chunk_id, row_number() over (order by chunk_id) % 2 as half
            from brain.chunks join brain.notes using (tenant_id, note_id)
            where batch_key = 'demo-000000'
        ) numbered where half = 0
    )"""


@pytest.fixture(scope="module")
def indexed(server: str, template: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The name of a database with the demo corpus, indexed; nobody is connected to it."""
    with cloned_database(server, template) as url:
        settings = read_settings(home=tmp_path_factory.mktemp("home"), database_url=url)
        with open_engine(settings) as opened:
            load_demo(opened.database, settings)
            register_batches(opened.database, DEMO_TENANT)
            index(opened)
        yield conninfo_to_dict(url)["dbname"]


@pytest.fixture(scope="module")
def first_night(server: str, indexed: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[FirstNight]:
    """The first night, which most tests begin with, over a copy of the demo corpus; nobody is connected to it."""
    with night_over(server, indexed, tmp_path_factory.mktemp("home"), every=2) as first:
        yield first


@contextmanager
def night_over(server: str, database: str, home: Path, *, every: int) -> Iterator[FirstNight]:
    """The first night over a copy of a database, with one in so many of its golden queries."""
    with cloned_database(server, database) as url:
        with open_engine(read_settings(home=home, database_url=url)) as opened:
            for place, query in enumerate(golden(opened)):
                if place % every:
                    delete_golden_query(opened.database, DEMO_TENANT, query.id)
            result = run_night(opened)
        yield FirstNight(database=conninfo_to_dict(url)["dbname"], result=result)


@pytest.fixture
def beginning(first_night: FirstNight) -> str:
    """The name of the database that a test has a copy of."""
    return first_night.database


@pytest.fixture
def settings(server: str, beginning: str, tmp_path: Path) -> Iterator[Settings]:
    """Where the copy is."""
    with cloned_database(server, beginning) as url:
        yield read_settings(home=tmp_path / "home", database_url=url)


@pytest.fixture
def engine(settings: Settings) -> Iterator[Engine]:
    """The demo corpus, indexed."""
    with open_engine(settings) as opened:
        yield opened


@pytest.fixture
def night(settings: Settings, engine: Engine) -> Night:
    """The report as a run of its own makes it: with an engine opened anew."""

    def report(change: Callable[[Engine], Engine] = lambda opened: opened) -> dg.ExecuteInProcessResult:
        with open_engine(settings) as opened:
            return run_night(change(opened))

    return report


def going_back(engine: Engine) -> Engine:
    """With the gate that takes promotions back."""
    return replace(engine, settings=engine.settings.model_copy(update={"gate_goes_back": True}))


def plant(engine: Engine, statement: str) -> None:
    """Change the database as its owner, behind the index's back."""
    with engine.database.owner() as connection:
        connection.execute(sql.SQL(statement))  # type: ignore[arg-type]


def golden(engine: Engine) -> list[GoldenQuery]:
    return list_golden_queries(engine.database, DEMO_TENANT)


def runs(engine: Engine, *, limit: int = 50) -> list[Any]:
    with engine.database.transaction(DEMO_TENANT) as connection:
        return list_runs(connection, DEMO_TENANT, limit=limit)


def baselines(engine: Engine) -> dict[str, tuple[UUID, bool]]:
    with engine.database.transaction(DEMO_TENANT) as connection:
        return {b.strategy: (b.run_id, b.is_automatic) for b in list_baselines(connection, DEMO_TENANT)}


class TestGoingBack:
    """A configuration or a model that makes retrieval worse, promoted between two nights."""

    WORSE: ClassVar[dict[str, Any]] = {"hybridSearch": {"semanticWeight": 1.0, "fulltextWeight": 0.0}}

    def promote(self, engine: Engine, override: dict[str, Any]) -> None:
        with engine.database.transaction(DEMO_TENANT) as connection:
            proposed = propose_configuration(connection, DEMO_TENANT, override=override, embedding_model=None)
            last = next(iter(list_promotions(connection, DEMO_TENANT, limit=1)), None)
            append_promotion(
                connection,
                DEMO_TENANT,
                configuration=proposed.number,
                action="promote",
                expected=last and last.number,
            )

    def history(self, engine: Engine) -> list[tuple[str, int | None]]:
        with engine.database.transaction(DEMO_TENANT) as connection:
            return [(one.action, one.configuration) for one in list_promotions(connection, DEMO_TENANT)]

    def test_a_configuration_after_which_the_gate_fails_is_taken_back_once(self, engine: Engine, night: Night) -> None:
        self.promote(engine, self.WORSE)

        broken = night(going_back)
        mended = night(going_back)

        (returned,) = metadata(broken)["went_back"].records
        assert not check(broken).passed
        assert (returned.data["kind"], returned.data["tenant"], returned.data["problem"]) == (
            "configuration",
            "demo",
            None,
        )
        assert "hybrid: regression" in returned.data["reason"]
        assert self.history(engine) == [("return", None), ("promote", 1)]
        assert check(mended).passed
        assert "went_back" not in metadata(mended)

    def test_it_stays_unless_the_operator_switched_that_on(self, engine: Engine, night: Night) -> None:
        self.promote(engine, self.WORSE)

        assert not check(night()).passed
        assert self.history(engine) == [("promote", 1)]

    def test_what_was_wrong_before_is_not_its_fault(self, engine: Engine, night: Night) -> None:
        plant(engine, HALF_THE_CHUNKS)
        night(going_back)
        self.promote(engine, {"topK": {"retrieval": 30}})

        assert not check(night(going_back)).passed
        assert self.history(engine) == [("promote", 1)]

    def test_what_was_promoted_after_the_night_was_measured_stays(
        self, engine: Engine, night: Night, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The gate fails because chunks are gone, and a configuration and a model are promoted before it is judged."""
        plant(engine, HALF_THE_CHUNKS)
        self.register_worse(engine)

        def promote_both(opened: Engine) -> GateTargets:
            self.promote(engine, {"topK": {"retrieval": 30}})
            promote_model(engine, "worse", is_waiting=True)
            return gate_targets(opened)

        monkeypatch.setattr("rag_assets.evaluation_report.gate_targets", promote_both)

        broken = night(going_back)

        assert not check(broken).passed
        assert "went_back" not in metadata(broken)
        assert self.history(engine) == [("promote", 1)]
        assert self.active_model(engine) == "worse"

    def test_a_model_after_which_the_gate_fails_is_taken_back(self, engine: Engine, night: Night) -> None:
        former = engine.model.name
        self.register_worse(engine)
        promote_model(engine, "worse", is_waiting=True)

        broken = night(going_back)

        (returned,) = metadata(broken)["went_back"].records
        assert self.active_model(engine) == former
        assert (returned.data["kind"], returned.data["problem"]) == ("model", None)

    def register_worse(self, engine: Engine) -> None:
        wanted = WantedModel(
            name="worse",
            provider="hashing",
            dimensions=16,
            fusion_method="relative_score",
            semantic_weight=1,
            fulltext_weight=0,
        )
        register_model(engine.database, wanted, settings=read_settings(ollama_host=""))

    def active_model(self, engine: Engine) -> str:
        with engine.database.owner() as connection:
            return fetch_active_model(connection).name


class TestRegression:
    def test_chunks_removed_behind_the_back_of_the_index_turn_it_red_and_indexing_again_green(
        self, engine: Engine, night: Night
    ) -> None:
        plant(engine, HALF_THE_CHUNKS)

        broken = night()
        index(engine)
        mended = night()

        assert (check(broken).passed, check(broken).severity) == (False, dg.AssetCheckSeverity.ERROR)
        assert verdicts(broken) == dict.fromkeys(STRATEGIES, "regression")
        assert all(row["p_one_sided"] < 0.05 and row["difference"] < -0.02 for row in compared(broken).values())
        assert check(mended).passed
        assert {row["difference"] for row in compared(mended).values()} == {0.0}

    def test_wrong_fusion_weights_turn_it_red_and_the_right_ones_green(self, engine: Engine, night: Night) -> None:
        plant(engine, "update brain.embedding_models set semantic_weight = 1, fulltext_weight = 0")

        broken = night()
        plant(engine, "update brain.embedding_models set semantic_weight = 0.25, fulltext_weight = 0.75")
        mended = night()

        assert not check(broken).passed
        assert verdicts(broken)["hybrid"] == "regression"
        assert (verdicts(broken)["fulltext"], verdicts(broken)["semantic"]) == ("steady", "steady")
        assert compared(broken)["hybrid"]["p_one_sided"] < 0.05
        assert check(mended).passed


class TestRegressionOfAllQueries:
    """The list of losses has ten places, so it takes all queries to fill it with such as lost everything."""

    @pytest.fixture
    def beginning(self, server: str, indexed: str, tmp_path: Path) -> Iterator[str]:
        """The first night with every golden query."""
        with night_over(server, indexed, tmp_path / "first", every=1) as first:
            yield first.database

    def test_red_shows_what_was_lost_and_how_to_accept_it_which_turns_it_green(
        self, engine: Engine, night: Night
    ) -> None:
        plant(engine, HALF_THE_CHUNKS)

        found = check(night())
        to_accept = list(reversed(runs(engine, limit=4)))
        for run in to_accept:
            promote_baseline(engine.database, DEMO_TENANT, run.run_id)

        lost = [row.data for row in found.metadata["queries_that_lost_most"].records]
        assert all(f"demo, {strategy}: regression. " in found.description for strategy in STRATEGIES)
        assert {row["strategy"] for row in lost} == set(STRATEGIES)
        assert {row["metric"] for row in lost} <= {"ndcg_at_10", "u_measure"}
        assert all(row["was"] > 0.8 and row["is"] == 0.0 for row in lost)
        assert "docs/operations/alerts.md#evaluation_regression" in found.metadata["remedy"].value
        assert f"golden baseline {' '.join(str(run.run_id) for run in to_accept)} " in found.metadata["remedy"].value
        assert check(night()).passed
        assert {is_automatic for _, is_automatic in baselines(engine).values()} == {False}


class TestBaselines:
    def test_the_first_night_makes_them_and_later_ones_leave_them(
        self, engine: Engine, night: Night, first_night: FirstNight
    ) -> None:
        first, made = first_night.result, baselines(engine)

        second = night()

        assert check(first).passed
        assert verdicts(first) == dict.fromkeys(STRATEGIES, "new baseline")
        assert check(first).description == "4 of 4 runs are baselines from now on."
        assert "This run is the baseline from now on." in metadata(first)["report"].value
        assert verdicts(second) == dict.fromkeys(STRATEGIES, "steady")
        assert metadata(second)["demo_hybrid_ndcg_at_10_difference"].value == 0.0
        assert metadata(second)["demo_hybrid_ndcg_at_10_p_one_sided"].value == 1.0
        assert baselines(engine) == made
        assert {run.purpose for run in runs(engine)} == {"nightly"}


class TestOutage:
    def test_degraded_queries_are_a_warning_and_no_regression(self, night: Night) -> None:
        found = night(lambda opened: replace(opened, query_embedder=DownEmbedder()))

        assert (check(found).passed, check(found).severity) == (False, dg.AssetCheckSeverity.WARN)
        assert verdicts(found) == {
            "fulltext": "steady",
            "semantic": "disturbed",
            "hybrid": "disturbed",
            "hybrid+rerank": "disturbed",
        }
        assert "37 of 37 queries were degraded" in check(found).description
        assert "baseline" not in check(found).metadata["remedy"].value


class TestOutageInTheFirstNight:
    @pytest.fixture
    def beginning(self, indexed: str) -> str:
        """The demo corpus before any night."""
        return indexed

    def test_it_makes_no_baseline(self, engine: Engine, night: Night) -> None:
        night(lambda opened: replace(opened, query_embedder=DownEmbedder()))

        assert list(baselines(engine)) == ["fulltext"]


class TestGoldenSet:
    def test_hard_new_queries_and_deleted_ones_are_no_regression(self, engine: Engine, night: Night) -> None:
        old = golden(engine)
        for query in old[:10]:
            delete_golden_query(engine.database, DEMO_TENANT, query.id)
        for number in range(10):
            add_golden_query(
                engine.database,
                DEMO_TENANT,
                query=f"zzyzx {number}",
                relevant_note_ids=old[0].relevant_note_ids,
                expected_answer="Nada.",
                category="factual",
                difficulty=5,
            )

        found = night()

        assert check(found).passed
        assert {row["queries"] for row in compared(found).values()} == {27}

    def test_queries_whose_notes_are_deleted_are_counted_and_named(self, engine: Engine, night: Night) -> None:
        with engine.database.transaction(DEMO_TENANT) as connection:
            delete_notes(connection, DEMO_TENANT, golden(engine)[0].relevant_note_ids)

        found = night()

        shown = metadata(found)
        mending = [record.data for record in shown["golden_queries_to_mend"].records]
        assert shown["golden_queries_with_deleted_notes"].value == len(mending) >= 1
        assert (mending[0]["id"], mending[0]["notes_left"], mending[0]["notes_deleted"]) == ("g1-01", 0, 1)
        assert check(found).passed
