"""A key's access to its tenant, and its end."""

import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from api_answers import assert_spanish
from keyed_api import PRIVATE, Keyed
from keyed_api import keyed as keyed  # noqa: PLC0414  a fixture, re-exported to pytest

from rag_core.access import Caller
from rag_core.access.callers import REMEMBERED_SECONDS
from rag_core.api.access import bound, check_named_tenant
from rag_core.errors import AccessDeniedError
from rag_core.model.note import TenantId
from rag_core.runtime.engine import Engine
from rag_core.storage.api_keys import find_key
from rag_core.storage.tenants import delete_tenant, list_tenants


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
