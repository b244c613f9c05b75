"""An API that asks for keys."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from databases import cloned_database
from fastapi.testclient import TestClient
from httpx import Response

from rag_core.access.keys import make_key
from rag_core.api.app import create_app
from rag_core.model.access import KeyGrant, Scope
from rag_core.model.note import TenantId
from rag_core.runtime.engine import open_engine
from rag_core.settings import read_settings
from rag_core.storage.api_keys import insert_key, list_keys, revoke_key
from rag_core.storage.database import Database

PRIVATE = "Zarzaparrilla"
ADDRESSES = [
    ("GET", "/api/notes", None),
    ("GET", "/api/notes/660e8400-e29b-41d4-a716-446655440001", None),
    ("POST", "/api/notes", {"content": "x"}),
    ("PUT", "/api/notes/660e8400-e29b-41d4-a716-446655440001", {"content": "x"}),
    ("DELETE", "/api/notes/660e8400-e29b-41d4-a716-446655440001", None),
    ("POST", "/api/retrieve", {"query": "x"}),
    ("POST", "/api/retrieve/evaluate", {}),
    ("GET", "/api/retrieve/metrics", None),
    ("GET", "/api/golden-dataset", None),
    ("GET", "/api/experiments", None),
    ("GET", "/api/migration/status", None),
    ("GET", "/api/configuration", None),
    ("GET", "/api/performance", None),
    ("GET", "/api/v2/evaluation/history", None),
    ("POST", "/opinion/660e8400-e29b-41d4-a716-446655440001/util", None),
    ("POST", "/chat", {"message": "x"}),
    ("POST", "/api/query", {"query": "x"}),
    ("GET", "/v1/models", None),
    ("POST", "/v1/chat/completions", {"model": "brain-sync", "messages": [{"role": "user", "content": "xyz"}]}),
    ("POST", "/mcp", {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}),
    ("POST", "/api/feedback", {"queryId": "660e8400-e29b-41d4-a716-446655440001", "rating": 5}),
    ("GET", "/api/sessions", None),
    ("POST", "/api/v2/rag/search", {"query": "xyz"}),
    ("POST", "/api/v2/rag/chat", {"messages": [{"role": "user", "content": "xyz"}]}),
    ("GET", "/api/no-such", None),
]
"""One address of each kind, with a body that is good."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Keyed:
    """An API that asks for keys, and a way to make them."""

    client: TestClient
    database: Database

    def key(self, *scopes: Scope, tenant: str = "uno", **more: Any) -> str:
        made = make_key()
        name = more.pop("name", made.presented.key_id)
        grant = KeyGrant(tenant=TenantId(tenant), name=name, scopes=scopes or ("read",), **more)
        with self.database.owner() as connection:
            insert_key(connection, grant, made.presented)
        return made.text

    def ask(self, method: str, path: str, body: Any = None, *, key: str | None = None, **headers: str) -> Response:
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        if key is not None:
            given["Authorization"] = f"Bearer {key}"
        self.client.cookies.clear()
        return self.client.request(method, path, json=body, headers=given, follow_redirects=False)

    def revoke(self, key: str) -> None:
        with self.database.owner() as connection:
            stored = next(one for one in list_keys(connection) if one.key_id == key.split("_")[1])
            revoke_key(connection, stored)


@pytest.fixture(scope="module")
def keyed(server: str, template: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Keyed]:
    with cloned_database(server, template) as database_url:
        settings = read_settings(
            database_url=database_url,
            home=tmp_path_factory.mktemp("home"),
            access="keys",
            allowed_hosts="brain.example",
            request_timeout_ms=10_000,
        )
        with open_engine(settings) as engine:
            app = create_app(engine)
            with TestClient(app, base_url="http://127.0.0.1", raise_server_exceptions=False) as client:
                made = Keyed(client=client, database=engine.database)
                writer = made.key("write", tenant="uno")
                stored = made.ask(
                    "POST", "/api/notes", {"content": f"Sobre {PRIVATE}.", "externalId": "n1"}, key=writer
                )
                assert stored.status_code == 201, stored.text
                yield made
