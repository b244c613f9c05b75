"""Experiments over HTTP: begun, asked, and what they recorded."""

import time
from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest
from api_filling import add_note, filling_client
from fastapi.testclient import TestClient
from filling import Filled

from rag_core.experiments.lifecycle import begin_experiment
from rag_core.experiments.report import ExperimentReport, fetch_report
from rag_core.model.experiment import Experiment, ExperimentQuery
from rag_core.runtime.engine import DEFAULT_TENANT, Engine
from rag_core.storage.experiments import list_experiment_queries

QUERY = "¿Qué dijo el médico de la rodilla?"
ALWAYS, NEVER = 1 - 1e-12, 1e-12
TEXTS = (
    "El médico miró la rodilla y dijo que descansara dos semanas.",
    "La rodilla dejó de doler cuando empecé a nadar los martes.",
    "Compré tomates y albahaca para la huerta de la abuela.",
    "El médico de mi madre cambió la cita al jueves por la tarde.",
    "En la reunión dijo Rosa que el presupuesto no alcanza.",
)
Begin = Callable[..., Experiment]


@pytest.fixture
def beginning(request: pytest.FixtureRequest, template: str, filled: Filled) -> str:
    return filled("notes_of_experiments", _fill) if "begin" in request.fixturenames else template


def _fill(url: str) -> None:
    with filling_client(url) as client:
        for number, text in enumerate(TEXTS):
            add_note(client, text, externalId=f"n{number}", title=f"Nota {number}")


@pytest.fixture
def begin(engine: Engine, client: TestClient) -> Begin:
    """Begin an experiment on a handful of notes; the candidate searches by words alone unless it is told otherwise."""

    def start(mode: str, *, share: float = 1.0, override: dict[str, Any] | None = None) -> Experiment:
        candidate = {"strategy": "fulltext"} if override is None else override
        found = begin_experiment(
            engine, DEFAULT_TENANT, name=f"prueba {uuid4()}", mode=mode, share=share, override=candidate
        )
        client.app.state.experiments.running.forget()
        return found

    return start


def ask(client: TestClient, query: str = QUERY, **more: Any) -> dict[str, Any]:
    answer = client.post("/api/retrieve", json={"query": query, **more})
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def recorded(engine: Engine, experiment: Experiment) -> list[ExperimentQuery]:
    with engine.database.transaction(DEFAULT_TENANT) as connection:
        return list_experiment_queries(connection, DEFAULT_TENANT, experiment.id)


def reported(engine: Engine, experiment: Experiment) -> ExperimentReport:
    served = engine.served(DEFAULT_TENANT)
    return fetch_report(engine.database, DEFAULT_TENANT, experiment.name, served=served, model=engine.model)


def waited_for(engine: Engine, experiment: Experiment, count: int) -> list[ExperimentQuery]:
    until = time.monotonic() + 20
    while len(found := recorded(engine, experiment)) < count:
        assert time.monotonic() < until, f"{len(found)} of {count} records"
        time.sleep(0.05)
    return found
