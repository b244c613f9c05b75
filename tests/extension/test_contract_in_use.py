"""A contract that a plugin adds, asked over HTTP in a process of its own."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.slow

SAMPLE = Path(__file__).with_name("sample_contract.py")
ASK = """
import json

from fastapi.testclient import TestClient

from rag_core.api.app import create_app
from rag_core.api.scopes import needed_scope
from rag_core.runtime.engine import open_engine
from rag_core.settings import read_settings

with open_engine(read_settings()) as engine, TestClient(create_app(engine), base_url="http://127.0.0.1") as client:
    counted, unknown = client.get("/parrot/notes"), client.get("/parrot/feathers")
    described = client.get("/openapi.json").json()["paths"]
    print(json.dumps({
        "status": counted.status_code,
        "notes": counted.json()["notes"],
        "unknown": [unknown.status_code, unknown.json()["error"]],
        "is_described": "/parrot/notes" in described,
        "scopes": [needed_scope("GET", "/parrot/notes"), needed_scope("POST", "/parrot/notes")],
    }))
"""


@pytest.fixture
def told(database_url: str, tmp_path: Path) -> dict[str, Any]:
    """Answer of an application with the sample contract."""
    package = tmp_path / "plugins/brain_parrot"
    package.mkdir(parents=True)
    shutil.copy(SAMPLE, package / "__init__.py")
    environment = os.environ | {
        "DATABASE_URL": database_url,
        "BRAIN_HOME": str(tmp_path / "home"),
        "BRAIN_PLUGINS": "brain_parrot",
        "PYTHONPATH": str(package.parent),
    }
    done = subprocess.run([sys.executable, "-c", ASK], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return dict(json.loads(done.stdout))


def test_a_contract_of_a_plugin_is_served_like_ours(told: dict[str, Any]) -> None:
    assert (told["status"], told["notes"]) == (200, 0)
    assert told["is_described"]
    assert told["scopes"] == ["read", "write"]
    assert told["unknown"] == [404, "Not found"]
