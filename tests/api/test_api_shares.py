"""A tenant that asks for more at a time than its share waits, and is told so; the others are served meanwhile."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from itertools import islice

import pytest
from databases import cloned_database
from fastapi.testclient import TestClient
from httpx import Response

from rag_core.access.keys import make_key
from rag_core.api.app import create_app
from rag_core.api.brain_sync import retrieval
from rag_core.model.access import KeyGrant
from rag_core.model.note import TenantId
from rag_core.runtime.engine import open_engine
from rag_core.settings import read_settings
from rag_core.storage.api_keys import insert_key

TENANTS = ("hostil", "tranquilo")


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """An API with keys on which the searches of one tenant end only when they are told to."""

    client: TestClient
    keys: dict[str, str]
    begun: threading.Semaphore
    may_end: threading.Event

    def search(self, tenant: str) -> Response:
        headers = {"Authorization": f"Bearer {self.keys[tenant]}"}
        return self.client.post("/api/retrieve", json={"query": f"tren de {tenant}"}, headers=headers)


@pytest.fixture
def served(
    server: str, template: str, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Served]:
    begun, may_end, retrieve = threading.Semaphore(0), threading.Event(), retrieval.find_live

    def blocked(context, *args, **more):
        if context.tenant == "hostil":
            begun.release()
            assert may_end.wait(60)
        return retrieve(context, *args, **more)

    monkeypatch.setattr(retrieval, "find_live", blocked)
    with cloned_database(server, template) as url:
        home = tmp_path_factory.mktemp("home")
        settings = read_settings(
            database_url=url, home=home, access="keys", request_timeout_ms=2_000, requests_at_once=12
        )
        with open_engine(settings, is_shared=True) as engine:
            made = {tenant: make_key() for tenant in TENANTS}
            with engine.database.owner() as connection:
                for tenant, key in made.items():
                    grant = KeyGrant(tenant=TenantId(tenant), name=tenant, scopes=("read",))
                    insert_key(connection, grant, key.presented)
            keys = {tenant: key.text for tenant, key in made.items()}
            with TestClient(create_app(engine), base_url="http://127.0.0.1") as client:
                yield Served(client=client, keys=keys, begun=begun, may_end=may_end)


def test_requests_beyond_a_tenants_share_are_refused_in_words_and_others_are_served_meanwhile(served: Served) -> None:
    with ThreadPoolExecutor(9) as threads:
        asked = [threads.submit(served.search, "hostil") for _ in range(9)]
        for _ in range(4):  # what one key of 12 places gets
            assert served.begun.acquire(timeout=30)

        other = served.search("tranquilo")
        refused = [future.result() for future in islice(as_completed(asked, timeout=30), 5)]
        served.may_end.set()

    assert other.status_code == 200
    assert {answer.status_code for answer in refused} == {429}
    assert {answer.headers["Retry-After"] for answer in refused} == {"2"}
    assert refused[0].json() == {
        "error": "Demasiadas peticiones a la vez",
        "details": "Ya hay tantas peticiones tuyas en curso como puede haber a la vez. Inténtalo de nuevo en 2 segundos",
    }


def test_a_request_that_waits_is_served_when_another_one_of_its_tenant_ends(served: Served) -> None:
    with ThreadPoolExecutor(5) as threads:
        asked = [threads.submit(served.search, "hostil") for _ in range(5)]
        for _ in range(4):
            assert served.begun.acquire(timeout=30)
        served.may_end.set()

        statuses = [future.result(30).status_code for future in asked]

    assert statuses.count(429) == 0
