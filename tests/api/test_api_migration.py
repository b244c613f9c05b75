"""``GET /api/migration/status``."""

from zoneinfo import ZoneInfo

from api_answers import assert_spanish
from fastapi.testclient import TestClient

from rag_core.errors import DatabaseUnavailableError, DeadlineExceededError
from rag_core.migration.attach import LegacyNote, attach
from rag_core.runtime.engine import DEFAULT_TENANT, Engine

FIELDS = {
    *("state", "reason", "totalNotes", "migratedNotes", "remainingNotes", "progressPercentage", "errorCount", "errors"),
    *("lastBatchTimestamp", "notesPerSecond", "estimatedCompletionTime", "legacy", "batches", "chunks"),
    *("currentMetrics", "baselineMetrics"),
}


class TestGetStatus:
    def test_without_notes_everything_is_done(self, client: TestClient) -> None:
        answer = client.get("/api/migration/status")

        assert answer.status_code == 200
        body = answer.json()
        assert set(body) == FIELDS
        assert (body["state"], body["totalNotes"], body["progressPercentage"]) == ("not_started", 0, 100)

    def test_attached_chunked_and_refused_notes_are_counted(self, client: TestClient, engine: Engine, add_note) -> None:
        rows = [LegacyNote(place=f"(line {n})", id=f"n{n}", text=text) for n, text in enumerate(["Uno.", "Dos.", ""])]
        attach(
            engine.database,
            DEFAULT_TENANT,
            rows,
            source="legacy",
            model=engine.model,
            zone=ZoneInfo("UTC"),
            max_characters=1000,
        )
        add_note("Una nota nueva.")

        body = client.get("/api/migration/status").json()

        assert (body["state"], body["totalNotes"], body["migratedNotes"], body["remainingNotes"]) == (
            "running",
            3,
            1,
            2,
        )
        assert (body["progressPercentage"], body["legacy"]) == (33.33, {"attached": 2, "pending": 2, "migrated": 0})
        assert body["lastBatchTimestamp"].endswith("Z")
        assert [(error["externalId"], error["stage"], error["noteId"]) for error in body["errors"]] == [
            ("n2", "attachment", None)
        ]

    def test_it_is_described_in_openapi(self, client: TestClient) -> None:
        document = client.get("/openapi.json").json()

        operation = document["paths"]["/api/migration/status"]["get"]
        assert set(operation["responses"]) == {"200", "401", "403", "503", "504"}
        reference = operation["responses"]["200"]["content"]["application/json"]["schema"]["$ref"]
        assert set(document["components"]["schemas"][reference.rpartition("/")[2]]["properties"]) == FIELDS

    def test_a_database_that_does_not_answer_is_told_in_spanish(self, client: TestClient, monkeypatch) -> None:
        def fail(*_arguments, **_options):
            raise DatabaseUnavailableError("nobody there")

        monkeypatch.setattr("rag_core.api.brain_sync.migration.read_migration_status", fail)

        assert_spanish(client.get("/api/migration/status"), 503, "Servicio no disponible")

    def test_too_little_time_is_told_in_spanish(self, client: TestClient, monkeypatch) -> None:
        def fail(*_arguments, **_options):
            raise DeadlineExceededError("PostgreSQL did not answer within 1 ms")

        monkeypatch.setattr("rag_core.api.brain_sync.migration.read_migration_status", fail)

        assert "migración" in assert_spanish(client.get("/api/migration/status"), 504)

    def test_other_methods_are_refused(self, client: TestClient) -> None:
        assert_spanish(client.post("/api/migration/status", json={}), 405)
