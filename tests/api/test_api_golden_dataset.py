from typing import Any

import pytest
from api_answers import assert_spanish
from fastapi.testclient import TestClient

NOWHERE = "00000000-0000-4000-8000-000000000000"
PATH = "/api/golden-dataset"


@pytest.fixture
def note(add_note) -> dict[str, Any]:
    return dict(add_note("Mañana viajo a Valparaíso con Lucía.", externalId="n1"))


@pytest.fixture
def entry(note: dict[str, Any]) -> dict[str, Any]:
    return {
        "query": "¿A dónde viajo con Lucía?",
        "relevantNoteIds": [note["id"]],
        "expectedAnswer": "A Valparaíso",
        "category": "factual",
        "difficulty": 2,
        "tags": ["viajes"],
    }


class TestPostGoldenQuery:
    def test_it_is_given_back_with_its_address(self, client: TestClient, entry: dict[str, Any]) -> None:
        answer = client.post(PATH, json=entry)

        stored = answer.json()
        assert answer.status_code == 201
        assert answer.headers["Location"] == f"{PATH}/{stored['id']}"
        assert stored == {
            **entry,
            "id": stored["id"],
            "createdAt": stored["createdAt"],
            "updatedAt": stored["createdAt"],
        }
        assert stored["createdAt"].endswith("Z")

    def test_the_same_question_in_other_letters_is_a_conflict(self, client: TestClient, entry: dict[str, Any]) -> None:
        client.post(PATH, json=entry)

        answer = client.post(PATH, json={**entry, "query": "  ¿A DÓNDE viajo   con Lucía?"})

        assert_spanish(answer, 409, "Conflicto")

    def test_an_unknown_note_is_not_there(self, client: TestClient, entry: dict[str, Any]) -> None:
        answer = client.post(PATH, json={**entry, "relevantNoteIds": [NOWHERE]})

        assert assert_spanish(answer, 404) == "Alguna de las notas de relevantNoteIds no existe"

    @pytest.mark.parametrize("field", ["query", "relevantNoteIds", "expectedAnswer", "category", "difficulty"])
    def test_every_field_of_the_contract_is_needed(self, client: TestClient, entry: dict[str, Any], field: str) -> None:
        del entry[field]

        assert assert_spanish(client.post(PATH, json=entry), 400) == f"{field}: falta este campo"

    @pytest.mark.parametrize(
        "change",
        [
            {"query": " "},
            {"query": "a\0"},
            {"query": "x" * 10_001},
            {"relevantNoteIds": []},
            {"relevantNoteIds": ["n1"]},
            {"expectedAnswer": " "},
            {"category": "nada"},
            {"difficulty": 0},
            {"difficulty": 6},
            {"difficulty": "2"},
            {"difficulty": 2.5},
            {"tags": [" "]},
            {"tags": "viajes"},
            {"nada": 1},
        ],
    )
    def test_a_bad_field_is_refused_in_spanish(
        self, client: TestClient, entry: dict[str, Any], change: dict[str, Any]
    ) -> None:
        assert_spanish(client.post(PATH, json={**entry, **change}), 400, "Parámetros inválidos")


class TestGetGoldenQueries:
    def test_all_are_listed_and_each_can_be_read(self, client: TestClient, entry: dict[str, Any]) -> None:
        stored = client.post(PATH, json=entry).json()

        assert client.get(PATH).json() == {"queries": [stored]}
        assert client.get(f"{PATH}/{stored['id']}").json() == stored

    def test_an_unknown_one_is_not_there(self, client: TestClient) -> None:
        assert client.get(PATH).json() == {"queries": []}
        assert_spanish(client.get(f"{PATH}/{NOWHERE}"), 404, "No encontrado")
        assert_spanish(client.get(f"{PATH}/nada"), 400)


class TestPutGoldenQuery:
    def test_all_fields_are_replaced(self, client: TestClient, entry: dict[str, Any]) -> None:
        stored = client.post(PATH, json=entry).json()
        changed = {**entry, "query": "¿Con quién viajo?", "difficulty": 5, "tags": []}

        answer = client.put(f"{PATH}/{stored['id']}", json=changed)

        assert answer.status_code == 200
        assert answer.json() == {**stored, **changed, "updatedAt": answer.json()["updatedAt"]}

    def test_an_unknown_one_is_not_there(self, client: TestClient, entry: dict[str, Any]) -> None:
        assert_spanish(client.put(f"{PATH}/{NOWHERE}", json=entry), 404)

    def test_another_ones_question_is_a_conflict(self, client: TestClient, entry: dict[str, Any]) -> None:
        client.post(PATH, json=entry)
        other = client.post(PATH, json={**entry, "query": "¿Con quién viajo?"}).json()

        assert_spanish(client.put(f"{PATH}/{other['id']}", json=entry), 409)


class TestDeleteGoldenQuery:
    def test_it_is_gone(self, client: TestClient, entry: dict[str, Any]) -> None:
        stored = client.post(PATH, json=entry).json()

        answer = client.delete(f"{PATH}/{stored['id']}")

        assert (answer.status_code, answer.content) == (204, b"")
        assert client.get(PATH).json() == {"queries": []}
        assert_spanish(client.delete(f"{PATH}/{stored['id']}"), 404)


class TestExportAndImport:
    def test_an_export_can_be_imported_with_nothing_lost(self, client: TestClient, entry: dict[str, Any]) -> None:
        stored = client.post(PATH, json=entry).json()
        document = client.post(f"{PATH}/export").json()
        client.delete(f"{PATH}/{stored['id']}")

        answer = client.post(f"{PATH}/import", json=document)

        assert answer.json() == {"imported": 1, "rejected": []}
        assert client.get(PATH).json() == {"queries": [stored]}

    def test_an_export_names_notes_by_their_external_ids(self, client: TestClient, entry: dict[str, Any]) -> None:
        client.post(PATH, json=entry)

        document = client.post(f"{PATH}/export").json()

        assert document["set"] == "default"
        assert document["queries"][0]["relevantIds"] == ["n1"]

    def test_a_query_whose_notes_are_deleted_is_exported_without_notes(
        self, client: TestClient, entry: dict[str, Any], note: dict[str, Any]
    ) -> None:
        client.post(PATH, json=entry)
        client.delete(f"/api/notes/{note['id']}")

        document = client.post(f"{PATH}/export").json()

        assert document["queries"][0]["relevantIds"] == []

    def test_the_lines_of_the_command_lines_export_are_taken(self, client: TestClient, note: dict[str, Any]) -> None:
        line = {
            "query": "¿A dónde?",
            "relevant_ids": ["n1"],
            "answer": "A Valparaíso",
            "category": "factual",
            "difficulty": 2,
        }

        answer = client.post(f"{PATH}/import", json={"queries": [line]})

        assert answer.json() == {"imported": 1, "rejected": []}
        assert client.get(PATH).json()["queries"][0]["relevantNoteIds"] == [note["id"]]

    def test_the_entries_of_the_list_are_taken_as_a_bare_list(self, client: TestClient, entry: dict[str, Any]) -> None:
        answer = client.post(f"{PATH}/import", json=[entry])

        assert answer.json() == {"imported": 1, "rejected": []}

    def test_good_ones_are_taken_and_bad_ones_listed_in_spanish(
        self, client: TestClient, entry: dict[str, Any], add_note
    ) -> None:
        add_note("Uno", externalId="doble", source="a")
        add_note("Dos", externalId="doble", source="b")
        entries = [
            {**entry, "query": " "},
            entry,
            {**entry, "query": "¿Otra?", "relevantNoteIds": ["nadie"]},
            {**entry, "query": "¿A DÓNDE viajo con Lucía?"},
            {**entry, "query": "¿Cuál?", "relevantNoteIds": ["doble"]},
            {**entry, "query": "¿Cuándo?", "createdAt": "ayer"},
            {**entry, "query": "nulo\0"},
            {**entry, "query": "¿Qué?", "nada": 1},
            {**entry, "query": "¿Quién?", "relevantNoteIds": ["n" * 513]},
        ]

        body = client.post(f"{PATH}/import", json={"queries": entries}).json()

        assert body["imported"] == 1
        assert {item["line"]: item["error"] for item in body["rejected"]} == {
            1: "query: no puede estar en blanco",
            3: "No existe ninguna nota llamada «nadie»",
            4: "La consulta está ya en el lugar 2 de este documento",
            5: "«doble» está en varias fuentes; escribe fuente:identificador",
            6: "No se puede guardar esta consulta; revisa sus fechas y sus notas",
            7: "La consulta: hay un carácter nulo (U+0000), que no se puede guardar; quítalo",
            8: "nada: campo desconocido",
            9: "Cada nota de relevantIds supera el máximo de 512 caracteres",
        }

    def test_a_document_without_one_good_query_is_refused(self, client: TestClient, entry: dict[str, Any]) -> None:
        answer = client.post(f"{PATH}/import", json={"queries": [{**entry, "relevantNoteIds": ["nadie"]}]})

        assert "«nadie»" in assert_spanish(answer, 400, "Parámetros inválidos")

    @pytest.mark.parametrize(
        "body",
        [{}, {"queries": []}, [], ["x"], {"queries": [5]}, {"queries": {}}, {"set": "otro", "queries": [{}]}],
    )
    def test_what_is_no_document_is_refused_in_spanish(self, refusing: TestClient, body: object) -> None:
        assert_spanish(refusing.post(f"{PATH}/import", json=body), 400, "Parámetros inválidos")
