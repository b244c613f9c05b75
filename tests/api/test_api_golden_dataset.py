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
            "relevance": [{"noteId": entry["relevantNoteIds"][0], "grade": 1, "spans": []}],
            "vocabulary": "brain_sync",
            "keyFacts": [],
            "forbiddenContent": [],
            "createdBy": None,
            "verifiedBy": None,
            "verifiedAt": None,
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

    def test_what_is_optional_and_left_out_stays(self, client: TestClient, entry: dict[str, Any]) -> None:
        more = {"keyFacts": ["Valparaíso"], "forbiddenContent": ["Lima"], "createdBy": "Eva", "verifiedBy": "Ana"}
        stored = client.post(PATH, json=entry | more).json()
        needed = {name: entry[name] for name in entry if name != "tags"}

        changed = client.put(f"{PATH}/{stored['id']}", json={**needed, "difficulty": 4}).json()

        assert stored["tags"] == ["viajes"]
        assert changed == {**stored, "difficulty": 4, "updatedAt": changed["updatedAt"]}

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

    def test_what_an_imported_query_leaves_out_stays_as_it_is(self, client: TestClient, entry: dict[str, Any]) -> None:
        stored = client.post(PATH, json=entry).json()
        line = {"query": entry["query"], "relevantIds": ["n1"], "keyFacts": ["Valparaíso"]}

        client.post(f"{PATH}/import", json={"queries": [line]})

        (changed,) = client.get(PATH).json()["queries"]
        assert changed == {**stored, "keyFacts": ["Valparaíso"], "updatedAt": changed["updatedAt"]}

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
            6: "La fecha (createdAt) no es una fecha ISO 8601 válida, como 2025-03-01T09:00:00+01:00",
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


class TestOtherSets:
    def test_a_named_set_has_its_own_questions_and_statistics(self, client: TestClient, entry: dict[str, Any]) -> None:
        there = {"set": "viajes"}

        stored = client.post(PATH, json=entry, params=there).json()

        assert client.get(PATH).json() == {"queries": []}
        assert client.get(PATH, params=there).json() == {"queries": [stored]}
        found = client.get(f"{PATH}/statistics", params=there).json()
        assert (found["set"], found["vocabulary"], found["version"]) == ("viajes", "brain_sync", 1)
        assert (found["totalQueries"], found["byDifficulty"]["2"], found["missing"]) == (1, 1, 49)
        assert [one["category"] for one in found["coverage"]] == [
            "factual", "causal", "temporal", "comparative", "multi-part",
        ]  # fmt: skip

    @pytest.mark.parametrize(
        ("method", "path"), [("GET", PATH), ("GET", f"{PATH}/statistics"), ("POST", f"{PATH}/export")]
    )
    def test_an_unknown_set_is_not_there(self, client: TestClient, method: str, path: str) -> None:
        assert_spanish(client.request(method, path, params={"set": "nadie"}), 404, "No encontrado")

    def test_a_set_of_the_other_vocabulary_goes_out_and_comes_in(
        self, client: TestClient, entry: dict[str, Any]
    ) -> None:
        there = {"set": "rv"}
        stored = client.post(PATH, json={**entry, "category": "multi_hop", "difficulty": "hard"}, params=there).json()
        document = client.post(f"{PATH}/export", params=there).json()
        client.delete(f"{PATH}/{stored['id']}")

        elsewhere = client.post(f"{PATH}/import", json=document)
        answer = client.post(f"{PATH}/import", json=document, params=there)

        assert assert_spanish(elsewhere, 400).endswith("indica ?set=rv")
        assert answer.json() == {"imported": 1, "rejected": []}
        assert client.get(PATH, params=there).json() == {"queries": [stored]}
        assert (stored["vocabulary"], stored["difficulty"]) == ("rag_v2", "hard")

    def test_the_words_of_the_other_vocabulary_are_refused_in_spanish(
        self, client: TestClient, entry: dict[str, Any]
    ) -> None:
        client.post(PATH, json=entry)
        other = {**entry, "query": "¿Otra?"}

        assert "category" in assert_spanish(client.post(PATH, json={**other, "category": "multi_hop"}), 400)
        hard = client.post(PATH, json={**other, "difficulty": "hard"})
        assert assert_spanish(hard, 400).endswith("se espera un entero de 1 a 5")
        refused = client.post(f"{PATH}/import", json={"queries": [{**other, "difficulty": "hard"}]})
        assert "usa el vocabulario brain_sync" in assert_spanish(refused, 400)


class TestRelevance:
    @pytest.mark.parametrize("span", [{}, {"start": 5}, {"end": 5}, {"start": 5, "quote": "viajo"}])
    def test_half_a_place_is_refused_and_told_with_its_note(
        self, client: TestClient, entry: dict[str, Any], note: dict[str, Any], span: dict[str, Any]
    ) -> None:
        stored = client.post(PATH, json=entry).json()
        relevance = [{"noteId": note["id"], "spans": [span]}]

        added = client.post(PATH, json={**entry, "query": "¿Y?", "relevance": relevance})
        changed = client.put(f"{PATH}/{stored['id']}", json={**entry, "relevance": relevance})

        told = f"Un pasaje de la nota {note['id']} está incompleto; da start y end, o la cita, o los tres"
        assert (assert_spanish(added, 400), assert_spanish(changed, 400)) == (told, told)
        assert client.get(PATH).json() == {"queries": [stored]}

    def test_half_a_place_in_a_document_is_listed_beside_what_is_taken(
        self, client: TestClient, entry: dict[str, Any]
    ) -> None:
        bad = {"query": "¿Y?", "relevance": [{"id": "n1", "spans": [{"start": 5}]}]}

        answer = client.post(f"{PATH}/import", json={"queries": [entry, bad]}).json()

        assert (answer["imported"], [one["line"] for one in answer["rejected"]]) == (1, [2])
        assert "está incompleto" in answer["rejected"][0]["error"]

    @pytest.mark.parametrize(
        ("change", "told"),
        [
            ({"keyFacts": ["a\0"]}, "Cada dato de keyFacts: hay un carácter nulo"),
            ({"forbiddenContent": ["x" * 513]}, "Cada frase de forbiddenContent supera el máximo de 512 caracteres"),
            ({"verifiedBy": "x" * 513}, "El nombre en verifiedBy supera el máximo de 512 caracteres"),
        ],
    )
    def test_the_field_at_fault_is_named_in_spanish(
        self, client: TestClient, entry: dict[str, Any], change: dict[str, Any], told: str
    ) -> None:
        assert assert_spanish(client.post(PATH, json=entry | change), 400).startswith(told)

    def test_grades_and_spans_come_back_and_survive_a_change_that_does_not_name_them(
        self, client: TestClient, entry: dict[str, Any], note: dict[str, Any]
    ) -> None:
        relevance = [{"noteId": note["id"], "grade": 3, "spans": [{"quote": "Valparaíso"}]}]
        more = {"relevance": relevance, "keyFacts": ["Valparaíso"], "forbiddenContent": ["Lima"], "verifiedBy": "Ana"}

        stored = client.post(PATH, json={**entry, **more}).json()
        changed = client.put(f"{PATH}/{stored['id']}", json={**entry, "difficulty": 5}).json()
        without = client.put(
            f"{PATH}/{stored['id']}", json={**entry, "relevance": [{"noteId": note["id"], "spans": []}], "keyFacts": []}
        ).json()

        placed = {"noteId": note["id"], "grade": 3, "spans": [{"start": 15, "end": 25, "quote": "Valparaíso"}]}
        assert stored["relevance"] == [placed]
        assert changed == {**stored, "difficulty": 5, "updatedAt": changed["updatedAt"]}
        assert without["relevance"] == [{**placed, "spans": []}]
        assert (without["keyFacts"], without["verifiedBy"], without["verifiedAt"]) == ([], None, None)

    @pytest.mark.parametrize(
        ("span", "reason"),
        [
            ({"quote": "Lima"}, "La cita «Lima» no está"),
            ({"quote": "a"}, "está varias veces"),
            ({"start": 1}, "incompleto"),
            ({"start": 1, "end": 900}, "no cabe"),
        ],
    )
    def test_a_span_that_fits_no_place_is_refused_in_spanish(
        self, client: TestClient, entry: dict[str, Any], note: dict[str, Any], span: dict[str, Any], reason: str
    ) -> None:
        body = {**entry, "relevance": [{"noteId": note["id"], "spans": [span]}]}

        assert reason in assert_spanish(client.post(PATH, json=body), 400)
