"""Notes written on the page: created, changed, restored, deleted and brought back; what is read from files is not changed there."""

import html
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest
from fastapi.testclient import TestClient
from keyed_api import Keyed
from keyed_api import keyed as keyed  # noqa: PLC0414  a fixture, re-exported to pytest

from rag_core.api.pages.note_differences import differences
from rag_core.runtime.engine import Engine
from rag_core.storage.connecting import application_pool
from rag_core.storage.database import Database


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    """The test's database, opened to keep versions of notes."""
    with application_pool(database_url, pool_size=4, version_days=30) as pool:
        yield Database(owner_conninfo=database_url, pool=pool)


def fields_of(page: str) -> dict[str, str]:
    """What the form of a note holds."""
    inputs = dict(re.findall(r'<input name="(\w+)"[^>]* value="([^"]*)"', page))
    hidden = dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', page))
    text = re.search(r"<textarea[^>]*>\n(.*?)</textarea>", page, re.DOTALL)
    assert text is not None
    return {name: html.unescape(value) for name, value in {**inputs, **hidden, "texto": text[1]}.items()}


def post(client: TestClient, address: str, **fields: str) -> Any:
    return client.post(address, data=fields, follow_redirects=False)


@pytest.fixture
def note(client: TestClient) -> str:
    """The address of a note that was written on the page."""
    answer = post(
        client,
        "/notas/nueva",
        titulo="Compra",
        texto="Compré **pan**.\r\nY más.",
        etiquetas="casa, Año",
        fecha="2025-03-01",
    )
    assert answer.status_code == 303
    return answer.headers["location"]


def test_a_written_note_is_rendered_and_found(client: TestClient, note: str) -> None:
    page = client.get(note).text

    assert "<strong>pan</strong>" in page
    assert "1 de marzo de 2025" in page
    assert re.findall(r'<span class="tag">(.*?)</span>', page) == ["casa", "Año"]
    assert note in client.get("/?q=pan").text


def test_a_link_to_another_note_leads_there_and_back(client: TestClient, note: str) -> None:
    other = post(client, "/notas/nueva", titulo="Otra", texto="Véase [[Compra]].").headers["location"]

    assert f'<a href="{note}">Compra</a>' in client.get(other).text
    assert re.search(rf'Enlazada desde.*<a href="{other}">Otra</a>', client.get(note).text, re.DOTALL)


def test_a_note_without_text_is_not_stored_and_its_form_stays(client: TestClient) -> None:
    answer = post(client, "/notas/nueva", titulo="Nada", texto=" ")

    assert answer.status_code == 400
    assert 'role="alert"' in answer.text
    assert fields_of(answer.text)["titulo"] == "Nada"


def test_an_unchanged_form_changes_nothing(client: TestClient, note: str) -> None:
    before = client.get(f"/api{note.replace('notas', 'notes')}").json()

    post(client, f"{note}/editar", **fields_of(client.get(f"{note}/editar").text))

    assert client.get(f"/api{note.replace('notas', 'notes')}").json() == before
    assert "No se conserva ninguna versión anterior." in client.get(f"{note}/historial").text


def test_a_change_is_a_version_that_can_be_restored(client: TestClient, note: str) -> None:
    fields = fields_of(client.get(f"{note}/editar").text)
    post(client, f"{note}/editar", **fields | {"texto": "Compré leche.\nY más.", "etiquetas": ""})

    history = client.get(f"{note}/historial").text
    (restore,) = re.findall(rf'action="({note}/historial/[^"]+)"', history)
    assert re.findall(r"<(del|ins)>(.*?)</", history) == [
        ("del", "casa, Año"),
        ("del", "Compré **pan**."),
        ("ins", ""),
        ("ins", "Compré leche."),
    ]
    assert post(client, restore).headers["location"] == note
    assert fields_of(client.get(f"{note}/editar").text) | {"estado": ""} == fields | {"estado": ""}
    assert client.get(f"{note}/historial").text.count("Restaurar esta versión") == 2


@pytest.mark.parametrize("tags", ["uno, dos", ["Madrid, centro"]])
def test_tags_in_other_forms_stay_while_they_are_not_changed(client: TestClient, tags: Any) -> None:
    body = {"content": "Un parque.", "externalId": "p", "metadata": {"tags": tags}}
    made = client.post("/api/notes", json=body).json()["id"]
    fields = fields_of(client.get(f"/notas/{made}/editar").text)

    post(client, f"/notas/{made}/editar", **{**fields, "texto": "Dos parques."})

    assert client.get(f"/api/notes/{made}").json()["metadata"]["tags"] == tags


def test_a_restored_version_keeps_the_readers_that_the_note_has_now(client: TestClient) -> None:
    body = {"content": "El sueldo.", "externalId": "s"}
    made = client.post("/api/notes", json=body).json()["id"]
    client.put(f"/api/notes/{made}", json={**body, "content": "Nada.", "metadata": {"visibility": "private"}})
    version = re.search(rf'action="(/notas/{made}/historial/[^"]+)"', client.get(f"/notas/{made}/historial").text)
    assert version is not None

    assert post(client, version[1]).status_code == 303

    restored = client.get(f"/api/notes/{made}").json()
    assert restored["content"] == "El sueldo."
    assert restored["metadata"]["visibility"] == "private"


def test_a_change_of_a_note_that_was_changed_meanwhile_is_a_conflict(client: TestClient, note: str) -> None:
    fields = fields_of(client.get(f"{note}/editar").text)
    post(client, f"{note}/editar", **fields | {"texto": "Dicho por otro."})

    answer = post(client, f"{note}/editar", **fields | {"texto": "Dicho por mí."})

    assert answer.status_code == 409
    assert "Dicho por otro.</pre>" in answer.text
    again = fields_of(answer.text)
    assert again["texto"] == "Dicho por mí."
    assert post(client, f"{note}/editar", **again).status_code == 303
    assert "Dicho por mí." in client.get(note).text


def test_a_deleted_note_is_gone_until_it_is_brought_back(client: TestClient, note: str) -> None:
    answer = post(client, f"{note}/borrar")
    deleted = client.get(answer.headers["location"]).text

    assert client.get(note).status_code == 404
    assert note not in client.get("/?q=pan").text
    assert f'action="{note}/recuperar"' in deleted
    assert post(client, f"{note}/recuperar").headers["location"] == note
    assert "<strong>pan</strong>" in client.get(note).text
    assert post(client, f"{note}/recuperar").status_code == 404


class TestNotesOfFiles:
    @pytest.fixture
    def vault(self, client: TestClient, engine: Engine, note: str, tmp_path: Any) -> str:
        """The address of a note that is read from a file of a followed vault."""
        (tmp_path / ".obsidian").mkdir()
        with engine.database.transaction(engine.tenant()) as connection:
            tenant = engine.tenant()
            connection.execute(
                "insert into folders (tenant_id, source, path, device, is_watched) values (%s, 'notas', %s, '1', true)",
                (tenant, str(tmp_path)),
            )
            connection.execute(
                "insert into documents (tenant_id, source, path, note_id, status, file_size, modified_ns)"
                " values (%s, 'notas', 'a b.md', %s, 'imported', 1, 1)",
                (tenant, note.rpartition("/")[2]),
            )
        return note

    def test_they_say_where_they_are_changed(self, client: TestClient, vault: str, tmp_path: Any) -> None:
        page = html.unescape(client.get(vault).text)

        assert f"Se lee del archivo {tmp_path}/a b.md, que se sigue" in page
        assert f'href="obsidian://open?path={quote(str(tmp_path / "a b.md"), safe="")}"' in page
        assert f"{vault}/editar" not in page

    @pytest.mark.parametrize("action", ["editar", "borrar"])
    def test_they_are_not_changed_on_the_page(self, client: TestClient, vault: str, action: str) -> None:
        assert post(client, f"{vault}/{action}", texto="Otra cosa").status_code == 403
        assert "<strong>pan</strong>" in client.get(vault).text


def test_a_form_of_another_page_is_refused(client: TestClient, note: str) -> None:
    headers = {"Sec-Fetch-Site": "cross-site", "Origin": "https://example.org"}

    answer = client.post(f"{note}/borrar", headers=headers, follow_redirects=False)

    assert answer.status_code == 403
    assert client.get(note).status_code == 200


class TestKeys:
    """Who may not change notes does not see what they said before."""

    @pytest.fixture
    def written(self, keyed: Keyed) -> str:
        """The address of a note that one key wrote."""
        headers = {"Authorization": f"Bearer {keyed.key('read', 'write')}"}
        fields = {"texto": "Compré pan."}
        answer = keyed.client.post("/notas/nueva", data=fields, headers=headers, follow_redirects=False)
        return str(answer.headers["location"])

    @pytest.mark.parametrize(
        ("scopes", "departments"), [(("read",), None), (("read", "write"), ["ventas"])], ids=["reader", "department"]
    )
    def test_others_read_the_note_alone(
        self, keyed: Keyed, written: str, scopes: Any, departments: list[str] | None
    ) -> None:
        headers = {"Authorization": f"Bearer {keyed.key(*scopes, departments=departments)}"}

        page = keyed.client.get(written, headers=headers)
        statuses = [
            keyed.client.request(method, address, headers=headers, follow_redirects=False).status_code
            for method, address in [
                ("GET", f"{written}/historial"),
                ("GET", "/notas/borradas"),
                ("GET", f"{written}/editar"),
                ("POST", "/notas/nueva"),
                ("POST", f"{written}/editar"),
                ("POST", f"{written}/borrar"),
                ("POST", f"{written}/recuperar"),
                ("POST", f"{written}/historial/{written.rpartition('/')[2]}"),
            ]
        ]

        assert page.status_code == 200
        assert "Editar" not in page.text
        assert "Historial" not in page.text
        assert statuses == [403] * 8

    def test_another_tenant_finds_no_such_note(self, keyed: Keyed, written: str) -> None:
        headers = {"Authorization": f"Bearer {keyed.key('read', 'write', tenant='dos')}"}

        for address in (f"{written}/editar", f"{written}/borrar", f"{written}/recuperar"):
            assert keyed.client.post(address, headers=headers, follow_redirects=False).status_code == 404


def test_long_texts_are_not_compared() -> None:
    assert differences("a\n" * 2_001, "b") is None


def test_lines_far_from_a_difference_are_left_out() -> None:
    found = differences("1\n2\n3\n4\n5", "1\n2\nx\n4\n5")

    assert [(line.kind, line.text) for line in found or []] == [
        ("gap", ""),
        ("same", "2"),
        ("gone", "3"),
        ("new", "x"),
        ("same", "4"),
        ("gap", ""),
    ]
