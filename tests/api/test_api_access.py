"""Keys over HTTP: who is let in, to what, as whom, and how everybody else is told."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from api_answers import assert_spanish
from databases import cloned_database
from fastapi.testclient import TestClient
from httpx import Response

from rag_core.access import Caller
from rag_core.access.callers import REMEMBERED_SECONDS
from rag_core.access.keys import make_key
from rag_core.api.access import bound, check_named_tenant
from rag_core.api.app import create_app
from rag_core.errors import AccessDeniedError, RateLimitedError
from rag_core.model.access import KeyGrant, Scope
from rag_core.model.note import TenantId
from rag_core.runtime.engine import Engine, open_engine
from rag_core.settings import read_settings
from rag_core.storage.api_keys import find_key, insert_key, list_keys, revoke_key
from rag_core.storage.database import Database
from rag_core.storage.tenants import delete_tenant, list_tenants

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


class TestStranger:
    @pytest.mark.parametrize(("method", "path", "body"), ADDRESSES)
    def test_nobody_is_let_in_without_a_key(self, keyed: Keyed, method: str, path: str, body: Any) -> None:
        answer = keyed.ask(method, path, body)

        assert answer.status_code == 401
        assert answer.headers["WWW-Authenticate"] == 'Bearer realm="Brain Sync"'
        assert set(answer.json()) == {"error", "details"}

    @pytest.mark.parametrize(("method", "path", "body"), ADDRESSES)
    def test_all_keys_that_open_nothing_are_told_the_same(
        self, keyed: Keyed, method: str, path: str, body: Any
    ) -> None:
        other = keyed.key("admin")
        revoked = keyed.key("admin")
        keyed.revoke(revoked)
        expired = keyed.key("admin", expires_at=datetime.now(UTC) - timedelta(seconds=1))
        shown = [
            "nada",
            make_key().text,
            other[:-1] + ("A" if other[-1] != "A" else "B"),
            other[:6] + "000000000000" + other[18:],
            revoked,
            expired,
        ]

        answers = [keyed.ask(method, path, body, key=key) for key in shown]

        assert {answer.status_code for answer in answers} == {401}
        assert len({answer.text for answer in answers}) == 1
        assert {answer.headers["WWW-Authenticate"] for answer in answers} == {
            'Bearer realm="Brain Sync", error="invalid_token"'
        }

    def test_who_is_not_let_in_is_told_before_anything_of_the_body_is_read(self, keyed: Keyed) -> None:
        keyed.client.cookies.clear()
        answer = keyed.client.post("/api/notes", content=b"{no json", headers={"Content-Type": "application/json"})

        assert answer.status_code == 401

    @pytest.mark.parametrize("path", ["/healthz", "/readyz", "/openapi.json", "/static/style.css", "/entrar"])
    def test_what_tells_nothing_of_notes_is_open(self, keyed: Keyed, path: str) -> None:
        assert keyed.ask("GET", path).status_code == 200

    def test_that_keys_are_asked_for_is_no_secret(self, keyed: Keyed) -> None:
        assert keyed.ask("GET", "/readyz").json() == {"status": "ok", "access": "keys"}

    def test_the_description_names_what_each_address_needs(self, keyed: Keyed) -> None:
        document = keyed.ask("GET", "/openapi.json").json()

        create = document["paths"]["/api/notes"]["post"]
        assert create["security"] == [{"bearer": []}, {"header": []}]
        assert "`write`" in create["responses"]["403"]["description"]
        assert "security" not in document["paths"]["/healthz"]["get"]

    @pytest.mark.parametrize("key", ["é" * 60, "brain_" + "é" * 56, "\x7f"])
    def test_a_key_of_any_bytes_is_refused_and_no_defect(self, keyed: Keyed, key: str) -> None:
        answer = keyed.client.get("/api/notes", headers=[(b"x-api-key", key.encode())])

        assert answer.status_code == 401


class TestLanguage:
    def test_the_routes_of_this_program_speak_spanish(self, keyed: Keyed) -> None:
        assert_spanish(keyed.ask("GET", "/api/notes"), 401, "Sin identificar")
        assert_spanish(keyed.ask("GET", "/api/notes", key="nada"), 401, "Sin identificar")
        assert_spanish(keyed.ask("POST", "/api/notes", {}, key=keyed.key("read")), 403, "Acceso denegado")

    def test_those_of_rag_v2_german_to_who_wants_it(self, keyed: Keyed) -> None:
        history, german = "/api/v2/evaluation/history", {"accept_language": "de-DE,de;q=0.9,en;q=0.5"}
        missing = keyed.ask("GET", history, **german).json()
        refused = keyed.ask("GET", history, key="nada", **german).json()
        without_scope = keyed.ask("GET", history, key=keyed.key("read"), **german).json()

        assert missing["error"] == "Nicht angemeldet"
        assert refused["details"] == "Der Zugangsschlüssel ist nicht gültig"
        assert without_scope == {"error": "Zugriff verweigert", "details": "Darauf besteht kein Zugriff"}

    @pytest.mark.parametrize(
        ("accepted", "error"),
        [("", "Acceso denegado"), ("fr", "Acceso denegado"), ("en", "Access denied"), ("es, de", "Acceso denegado")],
    )
    @pytest.mark.parametrize("path", ["/api/v2/evaluation/history", "/api/v2/evaluation/run"])
    def test_whoever_may_not_be_at_rag_v2_is_told_so_in_their_own_language(
        self, keyed: Keyed, path: str, accepted: str, error: str
    ) -> None:
        answer = keyed.ask("GET", path, key=keyed.key("read"), accept_language=accepted)

        assert (answer.status_code, answer.json()["error"]) == (403, error)

    @pytest.mark.parametrize(
        ("accepted", "details"),
        [
            ("", "La petición viene de una página de otro sitio"),
            ("de", "Die Anfrage kommt von einer Seite, die nicht hierher gehört"),
            ("en", "The request comes from a page of another site"),
        ],
    )
    def test_so_is_a_page_of_another_site(self, keyed: Keyed, accepted: str, details: str) -> None:
        answer = keyed.ask("POST", "/api/v2/rag/search", {}, sec_fetch_site="cross-site", accept_language=accepted)

        assert (answer.status_code, answer.json()["details"]) == (403, details)

    def test_what_is_wrong_with_a_question_to_rag_v2_is_told_in_german_all_the_same(self, keyed: Keyed) -> None:
        answer = keyed.ask("POST", "/api/v2/rag/search", {"query": ""}, key=keyed.key("read"), accept_language="en")

        assert (answer.status_code, answer.json()["error"]) == (400, "Ungültige Parameter")

    @pytest.mark.parametrize(
        ("accepted", "error"),
        [
            ("en-GB,en;q=0.9", "Not signed in"),
            ("de", "Nicht angemeldet"),
            ("fr, es;q=0.5", "Sin identificar"),
            ("fr", "Sin identificar"),
            ("", "Sin identificar"),
        ],
    )
    def test_where_questions_are_answered_in_their_own_language_it_is_the_clients(
        self, keyed: Keyed, accepted: str, error: str
    ) -> None:
        answer = keyed.ask("POST", "/chat", {"message": "x"}, accept_language=accepted)

        assert answer.json()["error"] == error


class TestScopes:
    @pytest.mark.parametrize(
        ("scope", "method", "path", "body"),
        [
            ("read", "POST", "/api/notes", {"content": "x"}),
            ("read", "DELETE", "/api/notes/660e8400-e29b-41d4-a716-446655440001", None),
            ("read", "GET", "/api/golden-dataset", None),
            ("read", "POST", "/api/retrieve/evaluate", {}),
            ("read", "GET", "/evaluation", None),
            ("read", "GET", "/api/performance", None),
            ("evaluate", "GET", "/api/performance", None),
            ("write", "GET", "/api/notes", None),
            ("write", "POST", "/api/retrieve", {"query": "x"}),
            ("evaluate", "GET", "/api/notes", None),
            ("evaluate", "POST", "/api/notes", {"content": "x"}),
        ],
    )
    def test_a_key_without_the_scope_is_refused(
        self, keyed: Keyed, scope: Scope, method: str, path: str, body: Any
    ) -> None:
        answer = keyed.ask(method, path, body, key=keyed.key(scope), accept="application/json")

        assert_spanish(answer, 403, "Acceso denegado")

    @pytest.mark.parametrize(
        ("scope", "path"),
        [
            ("read", "/api/notes"),
            ("read", "/"),
            ("evaluate", "/api/golden-dataset"),
            ("evaluate", "/evaluation"),
            ("admin", "/api/notes"),
            ("admin", "/api/golden-dataset"),
            ("admin", "/api/performance"),
        ],
    )
    def test_a_key_with_it_is_let_in(self, keyed: Keyed, scope: Scope, path: str) -> None:
        assert keyed.ask("GET", path, key=keyed.key(scope)).status_code == 200

    def test_head_needs_what_get_needs(self, keyed: Keyed) -> None:
        assert keyed.ask("HEAD", "/api/notes").status_code == 401
        assert keyed.ask("HEAD", "/api/notes", key=keyed.key("write")).status_code == 403
        assert keyed.ask("HEAD", "/api/notes", key=keyed.key("read")).status_code == 200


class TestTenants:
    def test_each_key_sees_its_own_tenants_notes(self, keyed: Keyed) -> None:
        one = keyed.ask("GET", "/api/notes", key=keyed.key(tenant="uno"))
        other = keyed.ask("GET", "/api/notes", key=keyed.key(tenant="dos"))

        assert [note["externalId"] for note in one.json()["notes"]] == ["n1"]
        assert other.json()["notes"] == []

    def test_a_note_of_another_tenant_is_as_one_that_never_was(self, keyed: Keyed) -> None:
        note = keyed.ask("GET", "/api/notes", key=keyed.key(tenant="uno")).json()["notes"][0]
        stranger = keyed.key("read", "write", tenant="dos")
        never = "660e8400-e29b-41d4-a716-446655440001"

        for method, body in [("GET", None), ("PUT", {"content": "mío"}), ("DELETE", None)]:
            there, not_there = (
                keyed.ask(method, f"/api/notes/{wanted}", body, key=stranger) for wanted in (note["id"], never)
            )
            assert (there.status_code, there.text) == (not_there.status_code, not_there.text)
            assert there.status_code == 404
        assert keyed.ask("GET", f"/api/notes/{note['id']}", key=keyed.key(tenant="uno")).status_code == 200

    def test_searches_find_ones_own_notes_alone(self, keyed: Keyed) -> None:
        found = {
            tenant: keyed.ask("POST", "/api/retrieve", {"query": PRIVATE}, key=keyed.key(tenant=tenant))
            for tenant in ("uno", "dos")
        }

        assert PRIVATE in found["uno"].text
        assert found["dos"].json()["results"] == []

    def test_what_is_written_goes_to_the_keys_tenant(self, keyed: Keyed) -> None:
        keyed.ask("POST", "/api/notes", {"content": "nota", "externalId": "t1"}, key=keyed.key("write", tenant="tres"))

        with keyed.database.owner() as connection:
            rows = connection.execute("select tenant_id from brain.notes where external_id = 't1'").fetchall()
        assert rows == [("tres",)]

    def test_a_key_whose_tenant_is_empty_does_not_see_the_demo(self, keyed: Keyed) -> None:
        writer = keyed.key("write", tenant="demo")
        assert keyed.ask("POST", "/api/notes", {"content": "Demostración"}, key=writer).status_code == 201

        assert keyed.ask("GET", "/api/notes", key=keyed.key(tenant="vacio")).json()["notes"] == []

    @pytest.mark.parametrize("name", ["dos", "no-existe", "UNO"])
    def test_a_question_that_names_another_tenant_is_refused(self, keyed: Keyed, name: str) -> None:
        question, key = f"¿Qué dice la nota sobre {PRIVATE}?", keyed.key(tenant="uno")

        own = keyed.ask("POST", "/chat", {"message": question, "tenantId": "uno"}, key=key)
        other = keyed.ask("POST", "/chat", {"message": question, "tenantId": name}, key=key)

        assert own.status_code == 200
        assert_spanish(other, 403, "Acceso denegado")

    def test_a_request_has_the_engine_of_its_keys_tenant_and_departments(self, engine: Engine) -> None:
        limited = Caller(
            tenant=TenantId("uno"), key_id="k", user_hash="h", scopes=frozenset({"read"}), departments=("ventas",)
        )

        own = bound(engine, limited)

        assert (own.tenant(), own.writing_tenant(), own.database.departments) == ("uno", "uno", ("ventas",))
        assert (engine.settings.tenant, engine.database.departments) == (None, None)
        assert own.caches is engine.caches
        assert bound(engine, replace(limited, tenant=None)) is engine

    def test_another_tenant_cannot_be_named(self, engine: Engine) -> None:
        own = engine.tenant()

        check_named_tenant(None, own)
        check_named_tenant("", own)
        check_named_tenant(own, own)
        for name in ("otro", "no-existe", own.upper()):
            with pytest.raises(AccessDeniedError):
                check_named_tenant(name, own)


class TestCarrying:
    @pytest.mark.parametrize(
        "headers",
        [
            lambda key: {"Authorization": f"Bearer {key}"},
            lambda key: {"Authorization": f"bearer  {key} "},
            lambda key: {"Authorization": f"bearer\t{key}"},
            lambda key: {"Authorization": "Bearer", "X-API-Key": key},
            lambda key: {"Authorization": "Bearer ", "Cookie": f"brain_key={key}"},
            lambda key: {"Authorization": "", "X-API-Key": key},
            lambda key: {"X-API-Key": key},
            lambda key: {"Authorization": "Basic YTpi", "X-API-Key": key},
            lambda key: {"Cookie": f"otra=1; brain_key={key}"},
        ],
    )
    def test_a_key_is_shown_in_a_header_or_the_pages_cookie(
        self, keyed: Keyed, headers: Callable[[str], dict[str, str]]
    ) -> None:
        keyed.client.cookies.clear()
        assert keyed.client.get("/api/notes", headers=headers(keyed.key())).status_code == 200

    def test_a_bad_bearer_is_not_made_good_by_a_cookie(self, keyed: Keyed) -> None:
        headers = {"Authorization": "Bearer nada", "Cookie": f"brain_key={keyed.key()}"}
        keyed.client.cookies.clear()

        assert keyed.client.get("/api/notes", headers=headers).status_code == 401

    def test_a_key_in_the_address_is_none(self, keyed: Keyed) -> None:
        assert keyed.ask("GET", f"/api/notes?key={keyed.key()}&api_key={keyed.key()}").status_code == 401


class TestEnds:
    def test_a_revoked_key_is_remembered_for_less_than_five_seconds(self, keyed: Keyed) -> None:
        key = keyed.key()
        assert keyed.ask("GET", "/api/notes", key=key).status_code == 200
        keyed.revoke(key)
        began = time.monotonic()

        while keyed.ask("GET", "/api/notes", key=key).status_code == 200:
            assert time.monotonic() - began < 5
            time.sleep(0.1)

        assert REMEMBERED_SECONDS < 5

    def test_a_remembered_key_of_a_deleted_tenant_makes_nothing_of_it_again(self, keyed: Keyed) -> None:
        key = keyed.key("admin", tenant="borrada")
        assert keyed.ask("POST", "/api/notes", {"content": "Una nota."}, key=key).status_code == 201
        delete_tenant(keyed.database, TenantId("borrada"))

        writes = [("/api/notes", {"content": "Otra."}), ("/api/sessions", None)]
        answers = {path: keyed.ask("POST", path, body, key=key).status_code for path, body in writes}
        asked = keyed.ask("POST", "/api/query", {"query": "¿Qué dice la nota?"}, key=key).status_code

        assert answers == dict.fromkeys(answers, 401)
        assert asked in {200, 401}
        with keyed.database.owner() as connection:
            assert "borrada" not in {tenant.name for tenant in list_tenants(connection)}

    def test_a_key_ends_at_its_moment_though_it_is_remembered(self, keyed: Keyed) -> None:
        end = datetime.now(UTC) + timedelta(seconds=1.5)
        key = keyed.key(expires_at=end)
        assert keyed.ask("GET", "/api/notes", key=key).status_code == 200

        time.sleep(max(0, (end - datetime.now(UTC)).total_seconds()) + 0.01)

        assert keyed.ask("GET", "/api/notes", key=key).status_code == 401

    def test_a_second_request_asks_nobody_for_the_key(self, keyed: Keyed, monkeypatch: pytest.MonkeyPatch) -> None:
        key, looked_up = keyed.key(), []

        def counted(*given: Any, **named: Any) -> Any:
            looked_up.append(given)
            return find_key(*given, **named)

        monkeypatch.setattr("rag_core.access.callers.find_key", counted)

        for _ in range(3):
            keyed.ask("GET", "/api/notes", key=key)

        assert len(looked_up) == 1


class TestLimits:
    def test_a_key_may_ask_as_often_as_its_own_limit_says(self, keyed: Keyed) -> None:
        callers, limits = keyed.client.app.state.callers, keyed.client.app.state.question_limits
        caller = callers.find(keyed.key(questions_per_minute=2))

        limits.check(caller)
        limits.check(caller)
        with pytest.raises(RateLimitedError):
            limits.check(caller)

    def test_a_tenants_limit_is_that_of_its_keys_that_have_none(self, keyed: Keyed) -> None:
        plain, own = keyed.key(tenant="cuatro"), keyed.key(tenant="cuatro", questions_per_minute=7)
        with keyed.database.owner() as connection:
            connection.execute("update brain.tenants set questions_per_minute = 3 where tenant_id = 'cuatro'")

        callers = keyed.client.app.state.callers

        assert callers.find(plain).questions_per_minute == 3
        assert callers.find(own).questions_per_minute == 7

    @pytest.mark.parametrize(
        ("path", "body"),
        [
            ("/chat", {"message": f"¿Qué dice la nota sobre {PRIVATE}?"}),
            ("/api/query", {"query": f"¿Qué dice la nota sobre {PRIVATE}?"}),
            ("/api/v2/rag/search", {"query": PRIVATE}),
            ("/api/v2/rag/chat", {"messages": [{"role": "user", "content": f"Was steht über {PRIVATE}?"}]}),
        ],
    )
    def test_questions_are_counted_where_they_are_answered(self, keyed: Keyed, path: str, body: Any) -> None:
        key = keyed.key(questions_per_minute=2)

        statuses = [keyed.ask("POST", path, body, key=key).status_code for _ in range(3)]

        assert statuses == [200, 200, 429]
        assert keyed.ask("POST", "/api/retrieve", {"query": PRIVATE}, key=key).status_code == 200

    def test_one_question_too_many_is_answered_with_429_and_when_to_come_back(
        self, keyed: Keyed, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def limited(*_given: Any, **_named: Any) -> None:
            raise RateLimitedError("2 per 1 minute were asked", retry_after_seconds=17)

        monkeypatch.setattr("rag_core.api.brain_sync.retrieval.find_live", limited)

        answer = keyed.ask("POST", "/api/retrieve", {"query": "x"}, key=keyed.key())

        details = assert_spanish(answer, 429, "Demasiadas preguntas")
        assert details == "Has llegado al límite de preguntas. Inténtalo de nuevo en 17 segundos"
        assert answer.headers["Retry-After"] == "17"


class TestSites:
    def test_a_name_that_is_allowed_is_served(self, keyed: Keyed) -> None:
        for host in ("brain.example", "BRAIN.example:443", "brain.example."):
            assert keyed.ask("GET", "/healthz", host=host).status_code == 200
        assert keyed.ask("GET", "/healthz", host="otro.example").status_code == 400

    @pytest.mark.parametrize(
        "headers",
        [
            {"origin": "http://evil.example"},
            {"origin": "http://127.0.0.1:3000"},
            {"origin": "null"},
            {"sec_fetch_site": "cross-site"},
            {"sec_fetch_site": "same-site", "origin": "http://127.0.0.1"},
        ],
    )
    def test_another_site_changes_nothing_with_the_pages_cookie(self, keyed: Keyed, headers: dict[str, str]) -> None:
        key = keyed.key("admin")

        answer = keyed.ask("DELETE", "/api/notes/x", cookie=f"brain_key={key}", **headers)

        assert assert_spanish(answer, 403) == "La petición viene de una página de otro sitio"

    @pytest.mark.parametrize(
        "headers",
        [
            {"origin": "http://127.0.0.1"},
            {"origin": "https://brain.example", "host": "brain.example"},
            {"sec_fetch_site": "same-origin", "origin": "null"},
            {"sec_fetch_site": "none"},
            {},
        ],
    )
    def test_a_page_of_ours_and_a_program_do(self, keyed: Keyed, headers: dict[str, str]) -> None:
        answer = keyed.ask("DELETE", "/api/notes/x", key=keyed.key("write"), **headers)

        assert answer.status_code == 400

    def test_what_is_somebodys_is_kept_by_no_cache(self, keyed: Keyed) -> None:
        assert keyed.ask("GET", "/api/notes", key=keyed.key()).headers["Cache-Control"] == "no-store"
        assert "Cache-Control" not in keyed.ask("GET", "/static/style.css").headers


class TestProcesses:
    def test_brain_status_is_told_figures_and_nothing_else(self, keyed: Keyed) -> None:
        own = keyed.client.app.state.callers._process_key.decode()

        assert keyed.ask("GET", "/api/performance", key=own).status_code == 200
        for method, path, body in [*ADDRESSES, ("GET", "/", None), ("POST", "/api/sessions", None)]:
            if path != "/api/performance":
                assert keyed.ask(method, path, body, key=own).status_code == 403, path
        assert keyed.ask("POST", "/api/performance", {}, key=own).status_code == 403
        assert keyed.ask("GET", "/api/performance/x", key=own).status_code == 403

    def test_figures_of_the_process_do_not_tell_what_another_tenant_asked(self, keyed: Keyed) -> None:
        question = {"query": "¿Cuándo despiden al jefe Ansúrez de la planta?"}
        admin = keyed.key("admin", tenant="uno")

        def hits() -> int:
            return int(keyed.ask("GET", "/api/performance", key=admin).json()["caches"]["embedding"]["hits"])

        assert keyed.ask("POST", "/api/retrieve", question, key=keyed.key(tenant="dos")).status_code == 200
        before = hits()
        assert keyed.ask("POST", "/api/retrieve", question, key=keyed.key(tenant="uno")).status_code == 200

        assert hits() == before
