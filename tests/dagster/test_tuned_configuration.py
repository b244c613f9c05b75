"""The job that tunes and promotes, over notes whose titles the shipped weights do not count."""

import itertools
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from zoneinfo import ZoneInfo

import dagster as dg
import pytest
from databases import cloned_database
from pipeline_runs import TENANT
from plants import index
from psycopg.conninfo import conninfo_to_dict

import rag_assets.served_configuration as served_module
import rag_assets.tuned_configuration as tuned_module
from rag_assets.definitions import build_definitions
from rag_assets.tuned_configuration import NO_DROP_CHECK
from rag_core.configuration.proposals import propose_configuration
from rag_core.configuration.served import served_configuration
from rag_core.evaluation.golden.importing import import_golden
from rag_core.model.note import TenantId
from rag_core.notes.importing import import_lines
from rag_core.promotion.promote import return_to_former
from rag_core.promotion.trial import try_configuration
from rag_core.runtime.engine import Engine, open_engine
from rag_core.settings import read_settings
from rag_core.storage.configurations import list_configurations, list_promotions

pytestmark = pytest.mark.slow

MADRID = ZoneInfo("Europe/Madrid")
RunTuning = Callable[..., dg.ExecuteInProcessResult]
THINGS = [
    "paraguas",
    "bufanda",
    "bicicleta",
    "guitarra",
    "maleta",
    "cámara",
    "mochila",
    "sombrero",
    "violín",
    "tablero",
]
PLACES = ["Cádiz", "Pamplona", "Soria", "Teruel"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tuned:
    """A database after the job, how that went, and Dagster's memory of it."""

    database: str
    instance: dg.DagsterInstance
    result: dg.ExecuteInProcessResult


@pytest.fixture(scope="module")
def titled_diary(server: str, template: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The name of a database with a diary, indexed; nobody is connected to it.

    What happened stands under the thing and the place as a title; beside it the bare question, which shares more words.
    """
    notes, golden = [], []
    for thing, place in itertools.product(THINGS, PLACES):
        name, question = f"{thing}-{place}", f"¿qué pasó con mi {thing} en {place}?"
        notes.append({"id": name, "title": f"{thing} en {place}", "text": f"Perdí mi {thing} y nadie me ayudó."})
        notes.append({"id": f"eco-{name}", "text": f"Me preguntan: {question} No contesto."})
        golden.append(json.dumps({"query": question, "relevant_ids": [name]}).encode())
    with cloned_database(server, template) as url:
        settings = read_settings(home=tmp_path_factory.mktemp("home"), database_url=url)
        with open_engine(settings) as engine:
            lines = [json.dumps(note).encode() for note in notes]
            import_lines(
                engine.database, TENANT, lines, source="notas", language="es", zone=MADRID, max_characters=1_000_000
            )
            index(engine, TENANT)
            import_golden(engine.database, TENANT, golden)
        yield conninfo_to_dict(url)["dbname"]


@pytest.fixture(scope="module")
def tuned(server: str, titled_diary: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tuned]:
    """The job over a copy of the diary; nobody is connected to it."""
    with cloned_database(server, titled_diary) as url, dg.DagsterInstance.ephemeral() as instance:
        with open_engine(read_settings(home=tmp_path_factory.mktemp("home"), database_url=url)) as engine:
            result = tuning(engine, instance)
        yield Tuned(database=conninfo_to_dict(url)["dbname"], instance=instance, result=result)


@pytest.fixture
def run_tuning(engine, instance) -> RunTuning:
    """Run the job, or one of its assets, with a minute for the search."""
    return partial(tuning, engine, instance)


def tuning(
    engine: Engine, instance: dg.DagsterInstance, *, only: str | None = None, minutes: float = 1.0
) -> dg.ExecuteInProcessResult:
    selection = None if only is None else [dg.AssetKey(only)]
    ops = {"tuned_configuration": {"config": {"minutes": minutes}}} if only is None else {}
    job = build_definitions({"engine": engine}).resolve_job_def("tune_and_promote")
    return job.execute_in_process(
        instance=instance,
        run_config={"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}, "ops": ops},
        asset_selection=selection,
        raise_on_error=False,
    )


def metadata(result: dg.ExecuteInProcessResult, asset: str) -> dict:
    (event,) = result.asset_materializations_for_node(asset)
    return {name: value.value for name, value in event.metadata.items()}


def rows(table) -> list[dict]:
    return [record.data for record in table.records]


def check_of(result: dg.ExecuteInProcessResult) -> dg.AssetCheckEvaluation:
    (found,) = result.get_asset_check_evaluations()
    assert found.check_name == NO_DROP_CHECK
    return found


def served_number(engine) -> int | None:
    return served_configuration(engine.database, TENANT, engine.model).number


class TestADiaryWhoseTitlesAreNotCounted:
    @pytest.fixture
    def database_url(self, server: str, titled_diary: str) -> Iterator[str]:
        """A copy of the diary."""
        with cloned_database(server, titled_diary) as url:
            yield url

    def test_what_the_check_objects_to_is_not_served(self, engine, run_tuning: RunTuning, monkeypatch) -> None:
        def objecting(*arguments, **values):
            return replace(try_configuration(*arguments, **values), objection="it is worse than what is served")

        monkeypatch.setattr(tuned_module, "try_configuration", objecting)

        result = run_tuning()

        assert not result.success
        assert not check_of(result).passed
        assert check_of(result).description == f"{TENANT}: it is worse than what is served"
        assert result.asset_materializations_for_node("served_configuration") == []
        assert served_number(engine) is None

    def test_what_is_wrong_with_one_tenants_proposal_keeps_no_other_from_being_promoted(
        self, engine, run_tuning: RunTuning, monkeypatch
    ) -> None:
        with engine.database.transaction(TENANT) as connection:
            number = propose_configuration(
                connection, TENANT, override={"topK": {"retrieval": 30}}, embedding_model=None
            ).number
        monkeypatch.setattr(served_module, "_proposals", lambda _instance: {"otra": 9, TENANT: number})

        result = run_tuning(only="served_configuration")

        assert not result.success
        assert served_number(engine) == number
        (failed,) = result.get_step_failure_events()
        told = failed.step_failure_data.user_failure_data
        assert told.description.startswith("otra: ")
        assert told.metadata["promoted"].value == 1
        assert {row["configuration"] for row in rows(told.metadata["served"].value)} == {number}


class TestATunedDiary:
    @pytest.fixture
    def database_url(self, server: str, tuned: Tuned) -> Iterator[str]:
        """A copy of the diary after the job."""
        with cloned_database(server, tuned.database) as url:
            yield url

    @pytest.fixture
    def instance(self, tuned: Tuned) -> dg.DagsterInstance:
        """The instance that saw the job."""
        return tuned.instance

    def test_what_proves_better_is_proposed_tried_and_served(self, engine, tuned: Tuned) -> None:
        result = tuned.result

        assert result.success
        assert served_number(engine) == 1
        with engine.database.transaction(TENANT) as connection:
            (promotion,) = list_promotions(connection, TENANT)
            (configuration,) = list_configurations(connection, TENANT, limit=9)
        assert result.run_id in promotion.reason
        assert promotion.evidence["verdict"] == "improvement"
        assert configuration.evidence["metrics"]["ndcg_at_10"]["difference"] > 0.02
        proposed, served = metadata(result, "tuned_configuration"), metadata(result, "served_configuration")
        (row,) = rows(proposed["tenants"])
        assert proposed["proposals"] == {TENANT: 1}
        assert (row["tenant"], row["queries"], row["outcome"]) == (TENANT, 40, "proposed as configuration 1")
        assert row["ndcg_tuned"] > row["ndcg_served"]
        assert sum(one["queries"] for one in rows(proposed["by_category"])) == 40
        assert (served["promoted"], rows(served["served"])[0]["configuration"]) == (1, 1)
        (link,) = [value for name, value in proposed.items() if name.startswith("comparison_")]
        assert link.startswith("http://127.0.0.1:8000/evaluation/compare?baseline=")
        assert link.endswith(f"&tenant={TENANT}")
        assert served[f"tuning_{TENANT}"] == "http://127.0.0.1:8000/evaluation/tuning/1"
        assert check_of(result).passed

    def test_what_was_taken_back_is_not_promoted_again_without_a_new_tuning(
        self, engine, run_tuning: RunTuning
    ) -> None:
        return_to_former(engine.database, TENANT)

        result = run_tuning(only="served_configuration")

        assert result.success
        assert metadata(result, "served_configuration")["promoted"] == 0
        assert served_number(engine) is None


def test_tenants_that_cannot_be_tuned_are_named_with_the_reason(engine, import_texts, run_job, run_tuning) -> None:
    import_texts(["Hoy vi un zorro."])
    import_texts(["Hoy vi un gato."], owner=TenantId("otra"))
    run_job("update_index")
    import_golden(
        engine.database, TenantId("otra"), [json.dumps({"query": "¿qué vi?", "relevant_ids": ["n0"]}).encode()]
    )

    result = run_tuning()

    assert result.success
    outcomes = {row["tenant"]: row["outcome"] for row in rows(metadata(result, "tuned_configuration")["tenants"])}
    assert "no golden set is called 'default'" in outcomes[TENANT]
    assert "tuning needs at least 30" in outcomes["otra"]
    assert metadata(result, "served_configuration")["promoted"] == 0
    assert check_of(result).passed


def test_without_a_tuning_nothing_is_promoted(engine, import_texts, run_tuning: RunTuning) -> None:
    import_texts(["Hoy vi un zorro."])

    result = run_tuning(only="served_configuration")

    assert result.success
    assert metadata(result, "served_configuration")["promoted"] == 0


def test_the_weekly_schedule_waits_to_be_started() -> None:
    (weekly,) = [one for one in build_definitions().get_repository_def().schedule_defs if one.name == "weekly_tuning"]

    assert weekly.default_status == dg.DefaultScheduleStatus.STOPPED
    assert (weekly.cron_schedule, weekly.job_name) == ("30 6 * * 0", "tune_and_promote")


def test_serving_depends_on_a_check_that_blocks() -> None:
    graph = build_definitions().resolve_asset_graph()

    (key,) = graph.get_check_keys_for_assets({dg.AssetKey("tuned_configuration")})

    assert graph.get_check_spec(key).blocking
    assert graph.get(dg.AssetKey("served_configuration")).parent_keys == {dg.AssetKey("tuned_configuration")}
