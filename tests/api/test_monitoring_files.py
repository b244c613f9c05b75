"""Files for Prometheus and Grafana in ``deploy``."""

import re
import runpy
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from prometheus_client.parser import text_string_to_metric_families

DEPLOY = Path(__file__).resolve().parents[2] / "deploy"


@pytest.fixture(scope="module")
def written() -> dict[str, Any]:
    return runpy.run_path(str(DEPLOY / "monitoring.py"))


def test_the_committed_files_are_what_the_script_writes(written: dict[str, Any]) -> None:
    files = written["files"]()

    assert {path: path.read_text(encoding="utf-8") for path in files} == files


def test_every_figure_and_label_that_they_ask_for_is_given(client: TestClient, written: dict[str, Any]) -> None:
    client.post("/api/retrieve", json={"query": "tren"})
    families = list(text_string_to_metric_families(client.get("/metrics").text))
    given = {sample.name for family in families for sample in family.samples}
    declared = {f"{family.name}_total" for family in families if family.type == "counter"}
    labels = {label for family in families for sample in family.samples for label in sample.labels}
    asked = " ".join([*(panel[1] for panel in written["PANELS"]), *(rule[1] for rule in written["ALERTS"])])

    assert set(re.findall(r"brain_\w+", asked)) <= given | declared
    assert set(re.findall(r"\{(\w+)!?[=~]", asked)) <= labels | {"job"}
