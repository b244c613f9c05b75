"""``GET /api/performance`` and what ``brain status`` makes of it."""

import json
import os
import subprocess
import sys
from pathlib import Path

from fastapi.testclient import TestClient
from test_serving import free_port, served, wait_ready

STAGES = {
    "queryTransformation",
    "semanticSearch",
    "fullTextSearch",
    "hybridFusion",
    "reranking",
    "contextExpansion",
    "total",
}


class TestGetPerformance:
    def test_every_figure_is_there(self, client: TestClient) -> None:
        body = client.get("/api/performance").json()

        assert set(body["latency"]) == set(body["stages"]) == STAGES
        assert set(body["cache"]) == {"queryHitRate", "embeddingHitRate", "contextHitRate"}
        assert {"connectionPoolSize", "activeConnections", "queryCount", "avgQueryTime"} <= set(body["database"])
        assert set(body["resources"]) == {"memoryUsageMB", "cpuUsagePercent"}
        assert body["breakers"]["database"] == "closed"

    def test_transactions_are_counted(self, client: TestClient) -> None:
        before = client.get("/api/performance").json()["database"]["queryCount"]

        client.get("/api/notes")

        assert client.get("/api/performance").json()["database"]["queryCount"] > before

    def test_it_is_answered_without_the_database(self, client: TestClient) -> None:
        before = client.get("/api/performance").json()["database"]["queryCount"]

        assert client.get("/api/performance").json()["database"]["queryCount"] == before


class TestStatus:
    def status(self, database_url: str, port: int, *options: str, home: Path) -> str:
        environment = {
            **os.environ,
            "DATABASE_URL": database_url,
            "BRAIN_API_PORT": str(port),
            "BRAIN_HOME": str(home),
            "COLUMNS": "200",
        }
        command = [sys.executable, "-c", "from rag_core.cli import main; main()", "status", *options]
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=True, timeout=60).stdout

    def test_the_figures_of_this_homes_api_are_shown_and_of_no_other(
        self, database_url: str, tmp_path: Path, monkeypatch
    ) -> None:
        port, home = free_port(), tmp_path / "casa"
        without = json.loads(self.status(database_url, port, "--json", home=home))
        monkeypatch.setenv("BRAIN_HOME", str(home))
        with served(database_url, port):
            wait_ready(port)

            mine = json.loads(self.status(database_url, port, "--json", home=home))
            other = json.loads(self.status(database_url, port, "--json", home=tmp_path / "otra"))
            brief = self.status(database_url, port, home=home)
            shown = self.status(database_url, port, "--verbose", home=home)

        assert without["performance"] is None
        assert other["performance"] is None
        assert mine["performance"]["database"]["queryCount"] >= 1
        assert f"page: http://127.0.0.1:{port}" in brief
        assert "hit rate" in shown
        assert "hit rate" not in brief
        assert "database closed" in shown
