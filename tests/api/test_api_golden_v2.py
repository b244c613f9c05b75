"""`/api/v2/evaluation/golden-dataset`: golden sets in the words of RAG V2, told in German."""

from typing import Any

import pytest
from fastapi.testclient import TestClient

NOWHERE = "00000000-0000-4000-8000-000000000000"
PATH = "/api/v2/evaluation/golden-dataset"
TEXT = "Homeoffice beantragt man im Portal. Es sind zwei Tage in der Woche."


@pytest.fixture
def note(add_note) -> dict[str, Any]:
    return dict(add_note(TEXT, externalId="n1", language="de"))


@pytest.fixture
def entry(note: dict[str, Any]) -> dict[str, Any]:
    return {
        "query": "Wie beantrage ich Homeoffice?",
        "expectedAnswer": "Im Portal",
        "relevantDocumentIds": [note["id"]],
        "category": "procedural",
        "difficulty": "easy",
        "keyFacts": ["Portal"],
        "forbiddenContent": ["per Fax"],
        "createdBy": "Max",
    }


def told(answer, status: int) -> str:
    """The details of a failure."""
    assert answer.status_code == status, answer.text
    body = answer.json()
    assert set(body) == {"error", "details"}
    return str(body["details"])


def only_chunk(engine, note: dict[str, Any]) -> str:
    """The one chunk of a note."""
    with engine.database.transaction(engine.tenant()) as connection:
        ((chunk,),) = connection.execute(
            "select chunk_id from brain.chunks where note_id = %s", [note["id"]]
        ).fetchall()
    return str(chunk)


class TestGet:
    def test_before_the_first_question_the_set_is_empty(self, client: TestClient) -> None:
        dataset = client.get(PATH).json()

        assert dataset == {
            "id": None,
            "name": "rag-v2",
            "version": 0,
            "createdAt": None,
            "queries": [],
            "statistics": {
                "totalQueries": 0,
                "byCategory": dict.fromkeys(
                    ["factual", "comparative", "procedural", "relational", "aggregative", "multi_hop"], 0
                ),
                "byDifficulty": {"easy": 0, "medium": 0, "hard": 0},
                "avgRelevantDocs": None,
                "avgRelevantChunks": None,
            },
        }

    def test_it_has_the_questions_and_their_statistics(self, client: TestClient, entry: dict[str, Any]) -> None:
        added = client.post(PATH, json=entry).json()

        dataset = client.get(PATH).json()

        assert dataset["queries"] == [added]
        assert dataset["version"] == 1
        assert dataset["statistics"]["byCategory"]["procedural"] == 1
        assert dataset["statistics"]["byDifficulty"] == {"easy": 1, "medium": 0, "hard": 0}
        assert dataset["statistics"]["avgRelevantDocs"] == 1.0
        assert client.get(PATH, params={"datasetId": dataset["id"].upper()}).json() == dataset
        assert client.get(PATH, params={"datasetId": "rag-v2"}).json() == dataset

    def test_another_vocabulary_and_an_unknown_set_are_refused_in_german(
        self, client: TestClient, note: dict[str, Any]
    ) -> None:
        plain = {
            "query": "¿Cómo?",
            "relevantNoteIds": [note["id"]],
            "expectedAnswer": "Así",
            "category": "causal",
            "difficulty": 2,
        }
        client.post("/api/golden-dataset", json=plain)

        refused = told(client.get(PATH, params={"datasetId": "default"}), 400)
        assert refused.endswith("hat das Vokabular brain_sync; er steht unter /api/golden-dataset?set=default")
        assert told(client.get(PATH, params={"datasetId": NOWHERE}), 404) == "Diesen Datensatz gibt es nicht"


class TestPost:
    def test_it_is_given_back_with_every_field(self, client: TestClient, entry: dict[str, Any]) -> None:
        answer = client.post(PATH, json=entry)

        added = answer.json()
        assert answer.status_code == 201
        assert answer.headers["Location"] == f"{PATH}/{added['id']}"
        assert added == {
            **entry,
            "id": added["id"],
            "relevantChunkIds": [],
            "verifiedBy": None,
            "lastUpdated": added["lastUpdated"],
        }

    def test_a_chunk_is_kept_as_its_place_in_the_note(self, client: TestClient, engine, entry, note) -> None:
        chunk = only_chunk(engine, note)

        added = client.post(PATH, json={**entry, "relevantDocumentIds": [], "relevantChunkIds": [chunk]}).json()

        assert added["relevantDocumentIds"] == [note["id"]]
        assert added["relevantChunkIds"] == [chunk]
        seen = client.get(f"/api/golden-dataset/{added['id']}").json()
        assert seen["relevance"] == [
            {"noteId": note["id"], "grade": 1, "spans": [{"start": 0, "end": len(TEXT), "quote": TEXT}]}
        ]

    @pytest.mark.parametrize(
        ("change", "status", "reason"),
        [
            ({"relevantDocumentIds": ["nobody"]}, 400, "Es gibt keine Notiz „nobody“"),
            ({"relevantChunkIds": [NOWHERE]}, 400, f"Es gibt keinen Abschnitt {NOWHERE}"),
            ({"relevantDocumentIds": []}, 400, "mindestens eine Notiz"),
            ({"keyFacts": ["x" * 513]}, 400, "Eine Angabe in keyFacts: höchstens 512 Zeichen"),
            ({"createdBy": "x" * 513}, 400, "Der Name in createdBy: höchstens 512 Zeichen"),
        ],
    )
    def test_what_does_not_exist_is_named_in_german(
        self, client: TestClient, entry: dict[str, Any], change: dict[str, Any], status: int, reason: str
    ) -> None:
        assert reason in told(client.post(PATH, json={**entry, **change}), status)

    @pytest.mark.parametrize(
        "change", [{"category": "causal"}, {"difficulty": 1}, {"difficulty": "leicht"}, {"nada": 1}, {"query": " "}]
    )
    def test_a_bad_field_is_refused(self, client: TestClient, entry: dict[str, Any], change: dict[str, Any]) -> None:
        assert told(client.post(PATH, json={**entry, **change}), 400)
        assert client.get(PATH).json()["queries"] == []

    def test_the_same_question_is_a_conflict(self, client: TestClient, entry: dict[str, Any]) -> None:
        client.post(PATH, json=entry)

        assert "hat diese Frage schon" in told(client.post(PATH, json=entry), 409)


class TestPutAndDelete:
    def test_fields_are_replaced_and_optional_ones_stay(self, client: TestClient, engine, entry, note) -> None:
        chunk = only_chunk(engine, note)
        added = client.post(PATH, json={**entry, "relevantChunkIds": [chunk], "verifiedBy": "Eva"}).json()
        change = {name: entry[name] for name in ("query", "expectedAnswer", "relevantDocumentIds")}

        changed = client.put(f"{PATH}/{added['id']}", json={**change, "category": "factual", "difficulty": "hard"})
        again = client.put(f"{PATH}/{added['id']}", json={**entry, "expectedAnswer": "Im Intranet"})

        assert changed.json() == {
            **added,
            "category": "factual",
            "difficulty": "hard",
            "lastUpdated": changed.json()["lastUpdated"],
        }
        assert (again.json()["verifiedBy"], again.json()["relevantChunkIds"]) == (None, [chunk])

    def test_a_question_of_another_set_is_not_there(self, client: TestClient, entry: dict[str, Any], note) -> None:
        plain = {
            "query": "¿Cómo?",
            "relevantNoteIds": [note["id"]],
            "expectedAnswer": "Así",
            "category": "causal",
            "difficulty": 2,
        }
        other = client.post("/api/golden-dataset", json=plain).json()["id"]
        assert "keine Frage mit dieser Kennung" in told(client.delete(f"{PATH}/{other}"), 404)
        client.post(PATH, json=entry)

        assert "keine Frage mit dieser Kennung" in told(client.put(f"{PATH}/{other}", json=entry), 404)
        assert "keine Frage mit dieser Kennung" in told(client.delete(f"{PATH}/{other}"), 404)
        assert client.get(f"/api/golden-dataset/{other}").status_code == 200

    def test_a_deleted_one_is_gone(self, client: TestClient, entry: dict[str, Any]) -> None:
        added = client.post(PATH, json=entry).json()

        answer = client.delete(f"{PATH}/{added['id']}")

        assert (answer.status_code, answer.content) == (204, b"")
        assert client.get(PATH).json()["queries"] == []
        assert told(client.delete(f"{PATH}/{added['id']}"), 404)
