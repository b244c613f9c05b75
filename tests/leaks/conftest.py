"""One installation for all tests of leaks: two tenants with the same of everything, and notes that not everybody may see."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import unquote_plus

import pytest
from databases import cloned_database
from fastapi.testclient import TestClient
from leak_planting import Secrets, plant_key, plant_notes, plant_rows, rows_of_tenant, secrets_in_notes, secrets_of

from rag_core.api.app import create_app
from rag_core.model.note import TenantId
from rag_core.runtime.engine import Engine, open_engine
from rag_core.settings import Settings, read_settings
from rag_core.storage.notes import ensure_tenant

ANA, BRUNO = TenantId("ana"), TenantId("bruno")
DIRECTION = {"visibility": "department", "department": "direccion"}


Answers = dict[str, tuple[int, str]]
"""Status and body by what was asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Installation:
    """The application, the keys of the first tenant, and what none of them may see.

    ``before`` is what each key was answered before any of it was there, ``after`` what it was answered as soon as it was;
    ``rows_of_bruno`` are his rows as they were then.
    """

    engine: Engine
    client: TestClient
    key: str
    narrow_key: str
    of_bruno: Secrets
    of_direction: Secrets
    before: Mapping[str, Answers]
    after: Mapping[str, Answers]
    rows_of_bruno: Mapping[str, list[str]]

    def ask(self, key: str, method: str, path: str, **more: object) -> tuple[int, str, str]:
        """Status, everything of the answer that a reader could read, and everything that was sent."""
        answer = self.client.request(
            method,
            path,
            headers={"Authorization": f"Bearer {key}"},
            follow_redirects=False,
            **more,  # type: ignore[arg-type]
        )
        headers = "\n".join(f"{name}: {value}" for name, value in answer.headers.items())
        sent = f"{unquote_plus(str(answer.request.url))} {answer.request.read().decode()}"
        return answer.status_code, f"{headers}\n{answer.text}", sent


def bearer(key: str) -> dict[str, str]:
    """The header that shows a key."""
    return {"Authorization": f"Bearer {key}"}


@pytest.fixture(scope="session")
def leak_settings(server: str, template: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Settings]:
    """An installation that asks for keys, and lets every question through."""
    with cloned_database(server, template) as url:
        yield read_settings(
            database_url=url,
            home=tmp_path_factory.mktemp("home"),
            access="keys",
            request_timeout_ms=20_000,
            questions_per_minute=100_000,
            questions_per_hour=1_000_000,
        )


@pytest.fixture(scope="session")
def installation(leak_settings: Settings) -> Iterator[Installation]:
    """Ana's things, what her keys are answered then, and after that Bruno's things and Ana's notes for the direction."""
    from leak_requests import readable

    with (
        open_engine(leak_settings, pool_size=6) as engine,
        TestClient(create_app(engine), base_url="http://127.0.0.1", raise_server_exceptions=False) as client,
    ):
        _plant(engine, client, ANA)
        key = plant_key(engine.database, ANA, ("admin",))
        narrow_key = plant_key(engine.database, ANA, ("read",), ("Ventas",))
        before = {one: readable(client, one) for one in (key, narrow_key)}
        _plant(engine, client, BRUNO)
        plant_notes(engine, ANA, "carla", visibility=DIRECTION)
        yield Installation(
            engine=engine,
            client=client,
            key=key,
            narrow_key=narrow_key,
            of_bruno=secrets_of(engine.database, BRUNO, "bruno", beside=ANA),
            of_direction=secrets_in_notes(engine.database, ANA, "carla"),
            before=before,
            after={one: readable(client, one) for one in (key, narrow_key)},
            rows_of_bruno=rows_of_tenant(engine.database, BRUNO),
        )


def _plant(engine: Engine, client: TestClient, tenant: TenantId) -> None:
    with engine.database.transaction(tenant) as connection:
        ensure_tenant(connection, tenant)
    plant_notes(engine, tenant, tenant)
    plant_rows(engine.database, tenant, tenant)
    headers = bearer(plant_key(engine.database, tenant, ("admin",)))
    session = client.post("/api/sessions", headers=headers).json()["id"]
    question = {"query": f"¿Por qué durmió mal? ({tenant}-pregunta)", "sessionId": session}
    asked = client.post("/api/query", json=question, headers=headers).json()
    word = {"queryId": asked["queryId"], "rating": 4, "comment": f"{tenant}-comentario"}
    assert client.post("/api/feedback", json=word, headers=headers).status_code in {200, 201}
