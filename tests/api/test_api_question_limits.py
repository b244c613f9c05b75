"""Limits of questions by key, and the sites that may send them."""

from typing import Any

import pytest
from api_answers import assert_spanish
from keyed_api import ADDRESSES, PRIVATE, Keyed
from keyed_api import keyed as keyed  # noqa: PLC0414  a fixture, re-exported to pytest

from rag_core.errors import RateLimitedError


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
        own = keyed.client.app.state.callers._process_keys[0].decode()

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
