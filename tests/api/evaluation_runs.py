"""Evaluation runs over twelve notes, made and compared over HTTP."""

import html
import json

import pytest
from api_filling import add_note, filling_client
from builders import ANIMALS
from fastapi.testclient import TestClient
from filling import Filled

from rag_core.configuration.schema import configure
from rag_core.evaluation.golden.importing import import_golden
from rag_core.evaluation.runs.results import EvaluationRun
from rag_core.evaluation.runs.run import evaluate
from rag_core.evaluation.runs.served import evaluated_search
from rag_core.model.note import TenantId
from rag_core.runtime.engine import Engine
from rag_core.settings import read_settings
from rag_core.storage.database import open_database

OURS = TenantId("default")
BROWSER = {"Accept": "text/html"}
NOWHERE = "00000000-0000-4000-8000-000000000000"


@pytest.fixture
def beginning(request: pytest.FixtureRequest, template: str, filled: Filled) -> str:
    return filled("animals_of_pages", _fill) if "golden" in request.fixturenames else template


@pytest.fixture
def golden() -> None:
    """Twelve questions, each with the note of its animal; two of them cannot be answered by their words."""


def _fill(url: str) -> None:
    with filling_client(url) as client:
        for animal in ANIMALS:
            add_note(client, f"Hoy vi un {animal} en el bosque.", externalId=animal, title=f"El {animal}")
    lines = [
        {
            "query": f"¿Cuándo vi un {animal}?",
            "relevant_ids": [animal],
            "category": "causal" if number % 2 else "factual",
        }
        for number, animal in enumerate(ANIMALS)
    ]
    lines[0]["query"], lines[1]["query"] = "¿<b>Qué</b> xyzzy?", "¿Qué plugh?"
    with open_database(read_settings(database_url=url)) as database:
        import_golden(database, OURS, [json.dumps(line).encode() for line in lines])


@pytest.fixture
def measure(engine: Engine, golden: None):
    """Make a run with a strategy, for the default tenant."""

    def run(strategy: str, override: dict | None = None, **more) -> EvaluationRun:
        config = configure(override, strategy=strategy)
        return evaluate(
            engine.database,
            OURS,
            evaluated_search(engine, OURS, config=config, timeout_ms=10_000),
            set_name="default",
            **more,
        )

    return run


def text_of(client: TestClient, address: str) -> str:
    answer = client.get(address, headers=BROWSER)
    assert answer.status_code == 200, answer.text
    return html.unescape(answer.text)
