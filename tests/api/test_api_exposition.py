"""``GET /metrics``: the figures of the process as Prometheus reads them."""

import time

from fastapi.testclient import TestClient
from prometheus_client.parser import text_string_to_metric_families

from rag_core.errors import RetrievalFailedError
from rag_core.retrieval import legs
from rag_core.runtime.backlog import BacklogReader


def samples(client: TestClient) -> dict[tuple[str, frozenset[tuple[str, str]]], float]:
    answer = client.get("/metrics")
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    families = text_string_to_metric_families(answer.text)
    return {(one.name, frozenset(one.labels.items())): one.value for family in families for one in family.samples}


def value(client: TestClient, name: str, **labels: str) -> float:
    return samples(client).get((name, frozenset(labels.items())), 0.0)


def _fail(_results: object) -> None:
    raise RetrievalFailedError("no leg found anything")


def test_requests_errors_and_durations_are_counted(client: TestClient, monkeypatch) -> None:
    stages = {"name": "brain_stage_duration_seconds_count", "stage": "total"}
    before = value(client, **stages)

    for query in ("tren", "tren", "zug", ""):
        client.post("/api/retrieve", json={"query": query})
    client.request("INVENTED", "/api/retrieve/invented")
    monkeypatch.setattr(legs, "checked", _fail)
    client.post("/api/retrieve", json={"query": "perro"})

    found = samples(client)
    route = "POST /api/retrieve"
    assert found["brain_requests_total", frozenset({("route", route), ("status", "200")})] == 3
    assert found["brain_requests_total", frozenset({("route", route), ("status", "400")})] == 1
    assert found["brain_errors_total", frozenset({("route", route), ("error", "RetrievalFailedError")})] == 1
    assert found["brain_cache_lookups_total", frozenset({("cache", "query"), ("result", "hit")})] == 1
    assert found["brain_answers_total", frozenset()] == 4
    assert value(client, **stages) == before + 4
    assert value(client, "brain_stage_duration_seconds_bucket", stage="total", le="+Inf") == before + 4
    assert "nvented" not in client.get("/metrics").text.lower()


def test_what_waits_in_the_database_is_told_and_kept(client: TestClient, make_note) -> None:
    make_note("Mañana viajo a Valparaíso.")

    found = samples(client)
    make_note("Y vuelvo el lunes.")

    assert found["brain_database_up", frozenset()] == 1
    assert found["brain_index_stale_notes", frozenset()] == 1
    assert found["brain_index_lag_seconds", frozenset()] > 0
    assert found["brain_jobs", frozenset({("state", "queued")})] == 0
    assert value(client, "brain_index_stale_notes") == 1


def test_it_is_quick_and_names_no_tenant(client: TestClient) -> None:
    assert client.get("/metrics").status_code == 200
    took = []
    for _ in range(5):
        began = time.process_time()  # what it costs, whoever else has the machine
        text = client.get("/metrics").text
        took.append(time.process_time() - began)

    assert min(took) <= 0.020
    assert "tenant" not in text


def test_without_the_database_the_process_still_tells_its_figures(client: TestClient, monkeypatch) -> None:
    monkeypatch.setattr(BacklogReader, "read", lambda *_, **__: None)

    assert value(client, "brain_database_up") == 0
    assert value(client, "brain_pool_connections") > 0
