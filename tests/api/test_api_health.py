import time

from api_answers import assert_spanish
from databases import _connect
from fastapi.testclient import TestClient
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict

from rag_core.api.app import create_app
from rag_core.runtime.engine import open_engine
from rag_core.settings import read_settings

NO_CONNECTION = "Error de conexión. Por favor, intenta de nuevo más tarde."


class TestHealth:
    def test_the_process_answers(self, client: TestClient) -> None:
        assert client.get("/healthz").json() == {"status": "ok"}


class TestReadiness:
    def test_a_migrated_database_is_ready(self, client: TestClient) -> None:
        assert client.get("/readyz").json() == {"status": "ok", "access": "open"}

    def test_a_database_that_is_not_up_to_date_is_not_ready(self, client: TestClient, database_url: str) -> None:
        with _connect(database_url) as connection:
            connection.execute("update brain.schema_migrations set checksum = 'otra' where version = 1")

        details = assert_spanish(client.get("/readyz"), 503, "Servicio no disponible")

        assert "no está al día" in details

    def test_a_database_without_the_schema_is_not_ready(self, client: TestClient, database_url: str) -> None:
        with _connect(database_url) as connection:
            connection.execute("drop schema brain cascade")

        assert_spanish(client.get("/readyz"), 503)


class TestADatabaseThatIsGone:
    def test_it_is_told_in_spanish_and_the_service_recovers_by_itself(self, server: str, database_url: str) -> None:
        settings = read_settings(database_url=database_url, tenant="default", request_timeout_ms=1000)
        with (
            open_engine(settings) as engine,
            TestClient(create_app(engine), base_url="http://127.0.0.1") as client,
        ):
            assert client.post("/api/notes", json={"content": "Antes de la caída"}).status_code == 201

            _let_in(server, database_url, is_open=False)
            fallen = [
                client.get("/api/notes"),
                client.get("/readyz"),
                client.post("/api/retrieve", json={"query": "caída"}),
            ]
            alive = client.get("/healthz")
            page = client.get("/", headers={"Accept": "text/html"})
            _let_in(server, database_url, is_open=True)
            seconds = _seconds_until_ready(client)
            found = client.post("/api/retrieve", json={"query": "caída"})

        for answer in fallen:
            assert assert_spanish(answer, 503) == NO_CONNECTION
        assert alive.status_code == 200
        assert page.status_code == 503
        assert NO_CONNECTION in page.text
        assert seconds < 15
        assert len(found.json()["results"]) == 1


def _seconds_until_ready(client: TestClient) -> float:
    """The pool tries to connect at growing distances, so the first request after a fall may still fail."""
    began = time.monotonic()
    while client.get("/readyz").status_code != 200 and time.monotonic() - began < 20:
        time.sleep(0.05)
    return time.monotonic() - began


def _let_in(server: str, database_url: str, *, is_open: bool) -> None:
    name = str(conninfo_to_dict(database_url)["dbname"])
    with _connect(server) as connection:
        statement = sql.SQL("alter database {} allow_connections {}")
        connection.execute(statement.format(sql.Identifier(name), sql.Literal(is_open)))
        connection.execute("select pg_terminate_backend(pid) from pg_stat_activity where datname = %s", (name,))
