"""The guard of Dagster's web server, before an application that would run whatever reaches it."""

import asyncio
from collections.abc import Iterator
from http import HTTPStatus
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.testclient import TestClient
from starlette.websockets import WebSocket, WebSocketDisconnect

from rag_core.access import callers
from rag_core.access.keys import make_key
from rag_core.access.pseudonyms import pseudonyms
from rag_core.api.dagster_guard import guarded
from rag_core.model.access import ApiKey, KeyGrant
from rag_core.model.note import TenantId
from rag_core.settings import Settings, read_settings
from rag_core.storage.api_keys import insert_key, revoke_key
from rag_core.storage.database import Database

HTML = {"Accept": "text/html,application/xhtml+xml"}
JSON = {"Content-Type": "application/json"}
CHANNEL = "ws://127.0.0.1:3000/graphql"  # the test client takes another host for an address without one
LINK = {"Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}


class Reached:
    """Stand-in for Dagster's application that counts its requests."""

    def __init__(self) -> None:
        self.times = 0
        self.app = Starlette(
            routes=[
                Route("/graphql", self.page, methods=["GET", "POST"]),
                WebSocketRoute("/graphql", self.channel),
                Route("/{path:path}", self.page, methods=["GET", "POST"]),
            ]
        )

    async def page(self, _request: Request) -> Response:
        self.times += 1
        return JSONResponse({"reached": True}, headers={"Content-Security-Policy": "base-uri 'none';"})

    async def channel(self, websocket: WebSocket) -> None:
        self.times += 1
        await websocket.accept(subprotocol="graphql-ws")
        try:
            while (said := await websocket.receive_text()) != "tell":
                await websocket.send_text(said)
            while True:  # a subscription
                await websocket.send_text("news")
                await asyncio.sleep(0.05)
        except WebSocketDisconnect:
            return


@pytest.fixture
def dagster() -> Reached:
    return Reached()


def client_of(dagster: Reached, settings: Settings) -> Iterator[TestClient]:
    with guarded(dagster.app, settings) as app:
        yield TestClient(app, base_url="http://127.0.0.1:3000", follow_redirects=False)


@pytest.fixture
def client(dagster: Reached) -> Iterator[TestClient]:
    """Open access."""
    yield from client_of(dagster, read_settings(allowed_hosts="Brain.Example"))


class TestHeaders:
    @pytest.mark.parametrize("host", ["127.0.0.1:3000", "localhost", "[::1]:3000", "brain.example"])
    def test_names_of_this_machine_reach_dagster(self, client: TestClient, dagster: Reached, host: str) -> None:
        assert client.get("/assets", headers={"Host": host}).status_code == 200
        assert dagster.times == 1

    @pytest.mark.parametrize("host", ["evil.example", "localhost.evil.example", "", "127.0.0.1@evil.example"])
    @pytest.mark.parametrize("path", ["/", "/graphql", "/logs/x", "/_next/x.js"])
    def test_other_names_do_not(self, client: TestClient, dagster: Reached, host: str, path: str) -> None:
        assert client.get(path, headers={"Host": host}).status_code == 400
        assert dagster.times == 0

    def test_two_names_do_not(self, client: TestClient, dagster: Reached) -> None:
        answer = client.get("/", headers=[("Host", "127.0.0.1"), ("Host", "localhost")])

        assert (answer.status_code, dagster.times) == (400, 0)

    @pytest.mark.parametrize(
        "headers",
        [
            {"Origin": "http://evil.example"},
            {"Origin": "http://127.0.0.1:8000"},
            {"Origin": "null"},
            {"Sec-Fetch-Site": "same-site", "Origin": "http://127.0.0.1:8000"},
            {"Sec-Fetch-Site": "cross-site"},
        ],
    )
    def test_a_page_of_another_origin_changes_nothing(
        self, client: TestClient, dagster: Reached, headers: dict[str, str]
    ) -> None:
        for path in ("/graphql", "/report_asset_materialization/notes"):
            assert client.post(path, json={"query": "{ version }"}, headers=headers).status_code == 403
        with pytest.raises(WebSocketDisconnect), client.websocket_connect(CHANNEL, headers=headers):
            pass
        assert dagster.times == 0

    @pytest.mark.parametrize("site", ["cross-site", "same-site"])
    def test_a_page_of_another_origin_may_lead_here_and_load_nothing(
        self, client: TestClient, dagster: Reached, site: str
    ) -> None:
        assert client.get("/runs", headers={**HTML, **LINK, "Sec-Fetch-Site": site}).status_code == 200
        for headers in ({}, {"Sec-Fetch-Mode": "no-cors"}, {**LINK, "Sec-Fetch-Dest": "iframe"}):
            assert client.get("/runs", headers={"Sec-Fetch-Site": site, **headers}).status_code == 403
        assert dagster.times == 1

    def test_a_page_of_dagsters_own_and_a_program_may_ask_and_change(
        self, client: TestClient, dagster: Reached
    ) -> None:
        own = {"Origin": "http://127.0.0.1:3000", "Sec-Fetch-Site": "same-origin"}
        for headers in ({}, own):
            assert client.post("/graphql", json={"query": "{ version }"}, headers=headers).status_code == 200
            with client.websocket_connect(CHANNEL, headers=headers) as channel:
                channel.send_text("a")
                assert channel.receive_text() == "a"
        assert dagster.times == 4

    @pytest.mark.parametrize(
        "kind", [None, "text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "application/graphql"]
    )
    def test_what_is_posted_is_json(self, client: TestClient, dagster: Reached, kind: str | None) -> None:
        headers = {} if kind is None else {"Content-Type": kind}
        for content in (b"", b'{"query": "{ version }"}'):
            answer = client.post("/graphql?query={version}", content=content, headers=headers)
            assert answer.status_code == 415
        assert dagster.times == 0

    def test_graphql_is_not_asked_by_get(self, client: TestClient, dagster: Reached) -> None:
        for accept in ("*/*", "application/json", "image/png"):
            answer = client.get("/graphql?query=mutation{x}", headers={"Accept": accept})
            assert (answer.status_code, answer.headers["Allow"]) == (405, "POST")
        assert dagster.times == 0

    def test_the_editor_opens_unless_another_page_has_written_in_it(self, client: TestClient, dagster: Reached) -> None:
        foreign = {**HTML, **LINK, "Sec-Fetch-Site": "cross-site"}

        assert client.get("/graphql", headers=HTML).status_code == 200
        assert client.get("/graphql?query={version}", headers=HTML).status_code == 200
        assert client.get("/graphql", headers=foreign).status_code == 200
        assert client.get("/graphql?query=mutation{x}", headers=foreign).status_code == 405
        assert dagster.times == 3

    def test_answers_tell_browsers_what_they_may_do_and_keep_dagsters_own_policy(self, client: TestClient) -> None:
        headers = client.get("/").headers

        assert headers["Content-Security-Policy"] == "base-uri 'none'; frame-ancestors 'self'"
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Referrer-Policy"] == "same-origin"
        assert headers["Cross-Origin-Resource-Policy"] == "same-origin"
        assert headers["Cross-Origin-Opener-Policy"] == "same-origin"
        assert headers["Cache-Control"] == "no-store"


@pytest.fixture
def settings(database_url: str, tmp_path: Path) -> Settings:
    return read_settings(database_url=database_url, home=tmp_path, access="keys", request_timeout_ms=10_000)


@pytest.fixture
def keyed(dagster: Reached, settings: Settings) -> Iterator[TestClient]:
    """Access by keys."""
    yield from client_of(dagster, settings)


def new_key(database: Database, *, name: str = "ana", **grant: Any) -> tuple[str, ApiKey]:
    """A key's text, and the key."""
    made = make_key()
    given = {"tenant": TenantId("default"), "scopes": ("admin",), **grant}
    with database.owner() as connection:
        key, _ = insert_key(connection, KeyGrant(name=name, **given), made.presented)
    return made.text, key


class TestKeys:
    def test_without_a_key_nobody_reaches_dagster(self, keyed: TestClient, dagster: Reached) -> None:
        for answer in (keyed.get("/assets"), keyed.get("/server_info"), keyed.post("/graphql", json={"query": "{x}"})):
            assert answer.status_code == HTTPStatus.UNAUTHORIZED
            assert answer.headers["WWW-Authenticate"].startswith("Bearer")
        with pytest.raises(WebSocketDisconnect), keyed.websocket_connect(CHANNEL):
            pass
        assert dagster.times == 0

    def test_an_administrators_key_opens_it_in_every_way_a_key_is_shown(
        self, keyed: TestClient, dagster: Reached, database: Database
    ) -> None:
        key, _ = new_key(database)
        for headers in ({"Authorization": f"Bearer {key}"}, {"X-API-Key": key}, {"Cookie": f"brain_key={key}"}):
            assert keyed.post("/graphql", json={"query": "{x}"}, headers=headers).status_code == 200
            with keyed.websocket_connect(CHANNEL, headers=headers) as channel:
                channel.send_text("a")
                assert channel.receive_text() == "a"
        assert dagster.times == 6

    @pytest.mark.parametrize(
        "grant",
        [
            {"scopes": ("read", "write", "evaluate")},
            {"tenant": TenantId("otro")},
        ],
        ids=["no administrator", "of another tenant"],
    )
    def test_other_keys_do_not(
        self, keyed: TestClient, dagster: Reached, database: Database, grant: dict[str, Any]
    ) -> None:
        key, _ = new_key(database, **grant)

        answer = keyed.get("/assets", headers={"X-API-Key": key})

        assert answer.status_code == 403
        assert "brain key create NAME --tenant default --scope admin" in answer.json()["details"]
        assert dagster.times == 0

    def test_an_unknown_key_does_not(self, keyed: TestClient, dagster: Reached) -> None:
        answer = keyed.get("/assets", headers={"X-API-Key": make_key().text})

        assert (answer.status_code, answer.json()["details"]) == (401, "The API key is not valid")
        assert dagster.times == 0

    def test_another_process_of_the_installation_is_let_in(self, keyed: TestClient, settings: Settings) -> None:
        key = pseudonyms(settings.home, settings.secret).process_key

        assert keyed.post("/graphql", json={"query": "{x}"}, headers={"X-API-Key": key}).status_code == 200

    def test_a_page_of_another_origin_is_refused_with_the_cookie_too(
        self, keyed: TestClient, dagster: Reached, database: Database
    ) -> None:
        key, _ = new_key(database)
        headers = {"Cookie": f"brain_key={key}", "Origin": "http://127.0.0.1:8000"}

        assert keyed.post("/graphql", json={"query": "{x}"}, headers=headers).status_code == 403
        with pytest.raises(WebSocketDisconnect), keyed.websocket_connect(CHANNEL, headers=headers):
            pass
        assert dagster.times == 0

    def test_a_browser_signs_in_as_on_the_page_and_comes_where_it_wanted_to_be(
        self, keyed: TestClient, database: Database
    ) -> None:
        key, _ = new_key(database)
        led = keyed.get("/assets?x=1", headers=HTML)
        assert (led.status_code, led.headers["Location"]) == (303, "/entrar?volver=%2Fassets%3Fx%3D1")
        form = keyed.get(led.headers["Location"], headers=HTML)
        assert 'action="/entrar"' in form.text
        assert "/preguntar" not in form.text
        assert keyed.get("/static/style.css").status_code == 200

        signed = keyed.post("/entrar", data={"clave": key, "volver": "/assets?x=1"})

        assert (signed.status_code, signed.headers["Location"]) == (303, "/assets?x=1")
        assert keyed.get("/assets?x=1").json() == {"reached": True}

    def test_a_form_of_another_origin_signs_nobody_in(self, keyed: TestClient, database: Database) -> None:
        key, _ = new_key(database)

        answer = keyed.post("/entrar", data={"clave": key}, headers={"Origin": "http://evil.example"})

        assert answer.status_code == 403
        assert "set-cookie" not in answer.headers

    @pytest.mark.parametrize("said", ["a", "tell"])
    def test_a_websocket_ends_when_its_key_is_revoked(
        self, keyed: TestClient, database: Database, monkeypatch: pytest.MonkeyPatch, said: str
    ) -> None:
        key, stored = new_key(database)
        with keyed.websocket_connect(CHANNEL, headers={"X-API-Key": key}) as channel:
            channel.send_text(said)
            assert channel.receive_text() == {"a": "a", "tell": "news"}[said]
            with database.owner() as connection:
                revoke_key(connection, stored)
            monkeypatch.setattr(callers.Callers, "remembered", lambda *_: None)  # four seconds later
            channel.send_text("b")

            with pytest.raises(WebSocketDisconnect) as ended:
                while True:
                    channel.receive_text()

        assert ended.value.code == 1008
