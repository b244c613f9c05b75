"""The code location as Dagster loads it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from rag_assets.definitions import build_definitions

ROOT = Path(__file__).parents[2]
DESCRIBED = ("description", "group_name", "owners", "kinds", "code_version")


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


def test_every_asset_says_what_it_is_and_whose() -> None:
    specs = build_definitions().resolve_all_asset_specs()

    assert {spec.key.to_user_string() for spec in specs} == {
        "notes",
        "chunks",
        "embeddings",
        "fulltext_index",
        "causal_graph",
        "evaluation_report",
    }
    assert [(spec.key, name) for spec in specs for name in DESCRIBED if not getattr(spec, name)] == []


def test_every_stage_of_the_index_has_a_check() -> None:
    graph = build_definitions().resolve_asset_graph()

    unchecked = [key for key in graph.materializable_asset_keys if not graph.get_check_keys_for_assets({key})]

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
    assert config["concurrency"]["runs"]["max_concurrent_runs"] == 2
