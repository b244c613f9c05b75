"""The code location as Dagster loads it."""

import os
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import dagster as dg
import pytest
import yaml
from dagster._core.definitions.freshness import TimeWindowFreshnessPolicy

from rag_assets.definitions import build_definitions

ROOT = Path(__file__).parents[2]
MIN_DESCRIPTION = 40
"""Characters; less says no more than the name."""
PURPOSES = {
    "update_index": "indexing",
    "index_notes": "evaluation",
    "check_index": "verification",
    "migrate_notes": "migration",
    "stop_migration": "migration",
    "resume_migration": "migration",
    "roll_back_migration": "migration",
    "finish_migration": "migration",
    "tune_and_promote": "tuning",
    "weekly_tuning": "tuning",
    "forget_conversations": "retention",
    "nightly_forgetting": "retention",
    "hourly_index": "indexing",
    "nightly_index_and_evaluation": "evaluation",
    "nightly_verification": "verification",
    "register_note_batches": "registration",
    "index_new_and_changed_notes": "indexing",
}


def test_every_location_of_the_workspace_loads_in_a_fresh_interpreter_without_a_database(tmp_path: Path) -> None:
    locations = yaml.safe_load((ROOT / "workspace.yaml").read_text())["load_from"]
    modules = [location["python_module"]["module_name"] for location in locations]
    home = tmp_path / "home"
    load = f"""
import importlib, dagster
for name in {modules}:
    dagster.Definitions.validate_loadable(importlib.import_module(name).defs)
"""

    done = subprocess.run(
        [sys.executable, "-c", load],
        env=os.environ | {"BRAIN_HOME": str(home), "DATABASE_URL": "postgresql://127.0.0.1:9/nobody"},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, home.exists()) == (0, False), done.stderr


@pytest.mark.slow
def test_the_commands_of_dagster_find_the_definitions_valid(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "dagster", "definitions", "validate"],
        env=os.environ | {"DAGSTER_HOME": str(tmp_path)},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    assert "All code locations passed validation" in done.stdout + done.stderr


def test_the_stages_are_there_and_left_to_right() -> None:
    graph = build_definitions().resolve_asset_graph()

    def parents(name: str) -> set[str]:
        return {key.to_user_string() for key in graph.get(dg.AssetKey(name)).parent_keys}

    assert parents("documents") == set()
    assert parents("notes") == {"documents"}
    assert parents("chunks") == {"notes"}
    assert parents("embeddings") == {"chunks"}
    assert parents("fulltext_index") == {"embeddings"}
    assert parents("knowledge_graph") == {"fulltext_index"}
    assert parents("evaluation_report") == {"fulltext_index", "knowledge_graph"}


@pytest.mark.parametrize("name", ["description", "group_name", "owners", "kinds", "tags", "code_version"])
def test_every_asset_says_what_it_is_and_whose(name: str) -> None:
    specs = build_definitions().resolve_all_asset_specs()

    assert [spec.key.to_user_string() for spec in specs if not getattr(spec, name)] == []


def test_every_asset_links_to_the_function_that_makes_it() -> None:
    missing = []
    for spec in build_definitions().resolve_all_asset_specs():
        (reference,) = spec.metadata["dagster/code_references"].code_references
        lines = Path(reference.file_path).read_text().splitlines()[reference.line_number - 1 :]
        made = next(line for line in lines if line.startswith("def "))
        if not made.startswith(f"def {spec.key.to_user_string()}("):
            missing.append((spec.key, made))

    assert missing == []


def test_whoever_operates_is_told_what_every_job_schedule_sensor_and_check_does() -> None:
    repository = build_definitions().get_repository_def()
    jobs = [job for job in repository.get_all_jobs() if not job.name.startswith("__")]
    checks = repository.asset_graph.asset_check_keys
    named = [*jobs, *repository.schedule_defs, *repository.sensor_defs]

    assert [one.name for one in named if len(one.description or "") < MIN_DESCRIPTION] == []
    assert [
        key.name
        for key in checks
        if len(repository.asset_graph.get_check_spec(key).description or "") < MIN_DESCRIPTION
    ] == []


def test_jobs_schedules_and_sensors_say_what_they_are_for() -> None:
    repository = build_definitions().get_repository_def()
    named = [*repository.get_all_jobs(), *repository.schedule_defs, *repository.sensor_defs]

    ours = {one.name: one.tags.get("brain/purpose") for one in named if one.name in PURPOSES}

    assert ours == PURPOSES


def test_every_job_says_whose_it_is() -> None:
    jobs = [job for job in build_definitions().get_repository_def().get_all_jobs() if not job.name.startswith("__")]

    assert [job.name for job in jobs if not job.owners] == []


def test_index_and_report_are_to_be_made_every_day() -> None:
    policies = {
        spec.key.to_user_string(): spec.freshness_policy for spec in build_definitions().resolve_all_asset_specs()
    }

    for name in ("fulltext_index", "evaluation_report"):
        policy = policies[name]
        assert isinstance(policy, TimeWindowFreshnessPolicy)
        assert policy.warn_window is not None
        assert (policy.warn_window.to_timedelta(), policy.fail_window.to_timedelta()) == (
            timedelta(hours=26),
            timedelta(hours=50),
        )


def test_what_asks_a_provider_and_what_changes_the_index_is_bounded_by_pools() -> None:
    graph = build_definitions().get_repository_def().assets_defs_by_key

    pools = {key.to_user_string(): assets.node_def.pool for key, assets in graph.items()}

    assert pools["documents"] == "parsing"
    assert pools["embeddings"] == "embedding"
    assert pools["fulltext_index"] == pools["knowledge_graph"] == "database_writes"


def test_every_stage_of_the_index_has_a_check() -> None:
    graph = build_definitions().resolve_asset_graph()

    index = [key for key in graph.materializable_asset_keys if graph.get(key).group_name == "index"]
    unchecked = [key for key in index if not graph.get_check_keys_for_assets({key})]

    assert unchecked == []


def test_a_setting_out_of_bounds_is_named_when_the_location_is_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRAIN_TIMEZONE", "Mars/Olympus")

    with pytest.raises(Exception, match="BRAIN_TIMEZONE"):
        build_definitions()


def test_the_instance_configuration_is_valid(monkeypatch: pytest.MonkeyPatch) -> None:
    from dagster._core.instance.config import dagster_instance_config

    monkeypatch.setenv("BRAIN_DAGSTER_PG_URL", "postgresql://127.0.0.1:9/nobody")

    config, _ = dagster_instance_config(str(ROOT))

    assert config["telemetry"]["enabled"] is False
    assert config["concurrency"]["runs"] == {
        "max_concurrent_runs": 3,
        "tag_concurrency_limits": [{"key": "dagster/backfill", "limit": 2}, {"key": "brain/night", "limit": 1}],
    }
    assert config["run_monitoring"]["max_runtime_seconds"] == 43_200
    assert config["concurrency"]["pools"] == {"granularity": "op", "default_limit": 2}
    assert config["run_retries"]["max_retries"] == 2
