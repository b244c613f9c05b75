from concurrent.futures import ThreadPoolExecutor
from uuid import UUID

import pytest
from api_answers import assert_spanish
from fastapi.testclient import TestClient

from rag_core.api.app import create_app
from rag_core.runtime.engine import open_engine
from rag_core.settings import read_settings

NOWHERE = "00000000-0000-4000-8000-000000000000"
NO_SUCH_NOTE = "No existe ninguna nota con ese identificador"


class TestPostNote:
    def test_a_new_note_is_given_back_with_its_address(self, client: TestClient) -> None:
        body = {
            "content": "Hoy tuve un conflicto con mi jefe.",
            "title": "Reunión",
            "externalId": "2025-03-03",
            "source": "diario",
            "createdAt": "2025-03-03T09:00:00+01:00",
            "language": "es",
            "metadata": {"tags": ["trabajo"]},
        }

        answer = client.post("/api/notes", json=body)

        note = answer.json()
        assert answer.status_code == 201
        assert answer.headers["Location"] == f"/api/notes/{note['id']}"
        assert note == {**body, "id": note["id"], "createdAt": "2025-03-03T08:00:00Z"}
        assert client.get(answer.headers["Location"]).json() == note

    def test_content_alone_is_enough(self, client: TestClient) -> None:
        note = client.post("/api/notes", json={"content": "Mañana viajo a Valparaíso con Lucía."}).json()

        assert set(note) == {
            "id",
            "externalId",
            "source",
            "title",
            "content",
            "createdAt",
            "language",
            "metadata",
        }
        assert (note["source"], note["title"], note["language"], note["metadata"]) == ("api", None, "es", {})
        assert UUID(note["externalId"]).version == 4
        assert note["createdAt"].endswith("Z")

    @pytest.mark.parametrize("strategy", ["semantic", "fulltext", "hybrid"])
    def test_a_new_note_is_found_at_once(self, client: TestClient, add_note, strategy: str) -> None:
        note = add_note("Mañana viajo a Valparaíso con Lucía.")

        body = client.post("/api/retrieve", json={"query": "viaje a Valparaíso", "strategy": strategy}).json()

        assert [result["noteId"] for result in body["results"]] == [note["id"]]

    def test_text_is_stored_composed(self, client: TestClient, add_note) -> None:
        note = add_note("Man\u0303ana, cafe\u0301")

        assert note["content"] == "Mañana, café"

    def test_a_date_without_a_zone_is_local(self, add_note) -> None:
        note = add_note("Verano", createdAt="2025-07-01")

        assert note["createdAt"] == "2025-06-30T22:00:00Z"

    def test_the_same_note_twice_is_a_conflict_and_changes_nothing(self, client: TestClient, add_note) -> None:
        note = add_note("Primero", externalId="n1")

        answer = client.post("/api/notes", json={"content": "Segundo", "externalId": "n1"})

        assert_spanish(answer, 409, "Conflicto")
        assert client.get(f"/api/notes/{note['id']}").json()["content"] == "Primero"

    def test_one_external_id_may_stand_in_two_sources(self, add_note) -> None:
        first = add_note("Uno", externalId="n1", source="diario")

        second = add_note("Dos", externalId="n1", source="trabajo")

        assert first["id"] != second["id"]

    def test_of_equal_notes_posted_at_once_one_is_stored(self, client: TestClient) -> None:
        def post(number: int) -> tuple[int, str]:
            answer = client.post("/api/notes", json={"content": f"Texto {number}", "externalId": "n1"})
            return answer.status_code, answer.json().get("content", "")

        with ThreadPoolExecutor(8) as pool:
            answers = list(pool.map(post, range(8)))

        statuses = sorted(status for status, _ in answers)
        stored = [content for status, content in answers if status == 201]
        assert statuses == [201] + [409] * 7
        assert [note["content"] for note in client.get("/api/notes").json()["notes"]] == stored

    @pytest.mark.parametrize(
        ("body", "said"),
        [
            ({}, "content: falta este campo"),
            ({"content": None}, "content: debe ser un texto"),
            ({"content": ""}, "El contenido no puede estar vacío"),
            ({"content": " \n\t"}, "El contenido no puede estar vacío"),
            ({"content": "a\0b"}, "El contenido: hay un carácter nulo"),
            ({"content": "x" * 1_000_001}, "El contenido supera el máximo de 1.000.000 caracteres"),
            ({"content": "x", "title": 5}, "title: debe ser un texto"),
            ({"content": "x", "title": "t" * 513}, "El título supera el máximo de 512 caracteres"),
            ({"content": "x", "externalId": " "}, "El identificador externo no puede estar vacío"),
            ({"content": "x", "source": "  "}, "La fuente no puede estar vacía"),
            ({"content": "x", "createdAt": "ayer"}, "La fecha (createdAt) no es una fecha ISO 8601 válida"),
            ({"content": "x", "createdAt": "2025-02-30"}, "La fecha (createdAt)"),
            ({"content": "x", "createdAt": 5}, "createdAt: debe ser un texto"),
            ({"content": "x", "language": "fr"}, "language: valor no admitido; se espera 'es', 'de' o 'en'"),
            ({"content": "x", "metadata": []}, "metadata: debe ser un objeto"),
            ({"content": "x", "metadata": {"a": "\0"}}, "Los metadatos: hay un carácter nulo"),
            ({"content": "x", "tenantId": "otro"}, "tenantId: campo desconocido"),
            ([], "debe ser un objeto"),
        ],
    )
    def test_a_bad_note_is_refused_in_spanish(self, refusing: TestClient, body: object, said: str) -> None:
        details = assert_spanish(refusing.post("/api/notes", json=body), 400, "Parámetros inválidos")

        assert said in details

    @pytest.mark.parametrize(
        "body",
        [
            rb'{"content": "a\ud800"}',
            rb'{"content": "a", "metadata": {"n": NaN}}',
            rb'{"content": "a", "metadata": {"n": 1e999}}',
        ],
    )
    def test_what_is_no_text_or_number_is_refused(self, refusing: TestClient, body: bytes) -> None:
        answer = refusing.post("/api/notes", content=body, headers={"Content-Type": "application/json"})

        assert_spanish(answer, 400, "Parámetros inválidos")


class TestGetNote:
    def test_an_unknown_note_is_not_there(self, refusing: TestClient) -> None:
        assert assert_spanish(refusing.get(f"/api/notes/{NOWHERE}"), 404, "No encontrado") == NO_SUCH_NOTE

    def test_a_name_that_is_no_uuid_is_refused(self, refusing: TestClient) -> None:
        assert assert_spanish(refusing.get("/api/notes/n1"), 400) == "identificador: no es un UUID válido"

    def test_another_tenants_note_is_not_there(self, client: TestClient, database_url: str, add_note) -> None:
        note = add_note("Secreto")
        settings = read_settings(database_url=database_url, tenant="ajeno")

        with (
            open_engine(settings) as other,
            TestClient(create_app(other), base_url="http://127.0.0.1") as stranger,
        ):
            answers = [
                stranger.get(f"/api/notes/{note['id']}"),
                stranger.put(f"/api/notes/{note['id']}", json={"content": "Mío"}),
                stranger.delete(f"/api/notes/{note['id']}"),
            ]

        for answer in answers:
            assert_spanish(answer, 404)
        assert client.get(f"/api/notes/{note['id']}").json()["content"] == "Secreto"


class TestListNotes:
    def test_without_notes_the_list_is_empty(self, client: TestClient) -> None:
        assert client.get("/api/notes").json() == {"notes": [], "nextBefore": None}

    def test_pages_follow_each_other_newest_first_without_gap_or_repetition(self, client: TestClient, add_note) -> None:
        for day in range(1, 6):
            add_note(f"Nota {day}", externalId=f"n{day}", createdAt=f"2025-01-0{min(day, 4)}T00:00:00.123456Z")

        found: list[str] = []
        before = None
        while True:
            page = client.get("/api/notes", params={"limit": 2} | ({"before": before} if before else {})).json()
            found += [note["externalId"] for note in page["notes"]]
            before = page["nextBefore"]
            if before is None:
                break

        assert sorted(found[:2]) == ["n4", "n5"]
        assert found[2:] == ["n3", "n2", "n1"]

    @pytest.mark.parametrize(
        "query",
        [
            "limit=0",
            "limit=201",
            "limit=muchas",
            "before=ayer",
            "before=2025-01-01~x",
            f"before=2025-01-01~{NOWHERE}",
            "before=",
        ],
    )
    def test_bad_parameters_are_refused_in_spanish(self, refusing: TestClient, query: str) -> None:
        assert_spanish(refusing.get(f"/api/notes?{query}"), 400, "Parámetros inválidos")


class TestPutNote:
    def test_it_replaces_the_note_and_is_found_by_its_new_text_only(self, client: TestClient, add_note) -> None:
        note = add_note("Viajo a Valparaíso.", title="Viaje", metadata={"a": 1}, createdAt="2025-03-03")

        answer = client.put(f"/api/notes/{note['id']}", json={"content": "Me quedo en Cuenca."})

        assert answer.status_code == 200
        assert answer.json() == {**note, "content": "Me quedo en Cuenca.", "title": None}
        search = {"query": "Valparaíso", "strategy": "fulltext"}
        assert client.post("/api/retrieve", json=search).json()["results"] == []
        search = {"query": "Cuenca", "strategy": "fulltext"}
        assert len(client.post("/api/retrieve", json=search).json()["results"]) == 1

    def test_what_get_gave_can_be_put_back_without_its_id(self, client: TestClient, add_note) -> None:
        note = add_note("Texto", title="Título", metadata={"tags": ["a"]})
        body = {name: value for name, value in note.items() if name != "id"}

        answer = client.put(f"/api/notes/{note['id']}", json=body)

        assert answer.json() == note

    @pytest.mark.parametrize("identity", [{"externalId": "otro"}, {"source": "otra"}])
    def test_the_identity_cannot_change(self, client: TestClient, add_note, identity: dict[str, str]) -> None:
        note = add_note("Texto", externalId="n1")

        answer = client.put(f"/api/notes/{note['id']}", json={"content": "Nuevo", **identity})

        assert_spanish(answer, 400, "Parámetros inválidos")

    def test_an_unknown_note_is_not_made(self, client: TestClient) -> None:
        answer = client.put(f"/api/notes/{NOWHERE}", json={"content": "x"})

        assert assert_spanish(answer, 404) == NO_SUCH_NOTE
        assert client.get("/api/notes").json()["notes"] == []

    def test_a_bad_body_is_refused_in_spanish(self, client: TestClient, add_note) -> None:
        note = add_note("Texto")

        answer = client.put(f"/api/notes/{note['id']}", json={"content": "  "})

        assert assert_spanish(answer, 400) == "El contenido no puede estar vacío"


class TestDeleteNote:
    def test_it_is_gone_at_once_everywhere(self, client: TestClient, add_note) -> None:
        note = add_note("Mañana viajo a Valparaíso.")

        answer = client.delete(f"/api/notes/{note['id']}")

        assert (answer.status_code, answer.content) == (204, b"")
        assert client.post("/api/retrieve", json={"query": "Valparaíso"}).json()["results"] == []
        assert_spanish(client.get(f"/api/notes/{note['id']}"), 404)

    def test_an_unknown_note_is_not_there(self, client: TestClient) -> None:
        assert assert_spanish(client.delete(f"/api/notes/{NOWHERE}"), 404) == NO_SUCH_NOTE
