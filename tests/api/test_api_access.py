"""Keys over HTTP: who is let in, to what, as whom, and how everybody else is told."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from api_answers import assert_spanish
from keyed_api import ADDRESSES, Keyed
from keyed_api import keyed as keyed  # noqa: PLC0414  a fixture, re-exported to pytest

from rag_core.access.keys import make_key
from rag_core.model.access import Scope


class TestStranger:
    @pytest.mark.parametrize(("method", "path", "body"), ADDRESSES)
    def test_nobody_is_let_in_without_a_key(self, keyed: Keyed, method: str, path: str, body: Any) -> None:
        answer = keyed.ask(method, path, body)

        assert answer.status_code == 401
        assert answer.headers["WWW-Authenticate"] == 'Bearer realm="Brain Sync"'
        assert set(answer.json()) == ({"error"} if path.startswith("/v1/") else {"error", "details"})

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
