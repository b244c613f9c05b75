"""``/api/sessions``: one's own conversations."""

from collections.abc import Iterator
from uuid import uuid4

import pytest
from api_answers import assert_spanish
from asked_notes import BOILER, NOWHERE, served_notes
from fastapi.testclient import TestClient

PATH = "/api/sessions"


@pytest.fixture(scope="module")
def notes(server: str, template: str) -> Iterator[TestClient]:
    """The notes, without a chat model."""
    with served_notes(server, template) as client:
        yield client


def begin(notes: TestClient, *questions: str) -> str:
    """A conversation with these questions."""
    session = str(notes.post(PATH).json()["id"])
    for question in questions:
        assert notes.post("/api/query", json={"query": question, "sessionId": session}).status_code == 200
    return session


class TestPost:
    def test_a_conversation_begins_empty_and_is_found_at_its_address(self, notes: TestClient) -> None:
        answer = notes.post(PATH)

        assert answer.status_code == 201
        assert answer.json()["questions"] == 0
        assert notes.get(answer.headers["location"]).json()["turns"] == []


class TestGet:
    def test_the_one_spoken_in_last_comes_first_with_its_first_question(self, notes: TestClient) -> None:
        first = begin(notes)
        second = begin(notes, BOILER)
        notes.post("/api/query", json={"query": NOWHERE, "sessionId": first})

        listed = notes.get(PATH, params={"limit": 2}).json()["sessions"]

        assert [session["id"] for session in listed] == [first, second]
        assert listed[1]["title"] == BOILER
        assert listed[1]["questions"] == 1

    @pytest.mark.parametrize("limit", ["0", "201", "x", "-1"])
    def test_a_limit_out_of_bounds_is_refused(self, notes: TestClient, limit: str) -> None:
        assert "limit" in assert_spanish(notes.get(PATH, params={"limit": limit}), 400)


class TestGetOne:
    def test_an_answer_is_read_again_as_it_was_given(self, notes: TestClient) -> None:
        session = begin(notes)
        given = notes.post("/api/query", json={"query": BOILER, "sessionId": session}).json()
        notes.post("/api/feedback", json={"queryId": given["queryId"], "rating": 5})

        turn = notes.get(f"{PATH}/{session}").json()["turns"][0]

        assert turn["question"] == BOILER
        assert (turn["answer"], turn["citations"]) == (given["answer"], given["citations"])
        assert (turn["queryId"], turn["confidence"]) == (given["queryId"], given["confidence"])
        assert turn["rating"] == 5

    def test_one_that_is_not_there_is_not_found(self, notes: TestClient) -> None:
        assert_spanish(notes.get(f"{PATH}/{uuid4()}"), 404, "No encontrado")

    def test_an_id_that_is_none_is_refused(self, notes: TestClient) -> None:
        assert_spanish(notes.get(f"{PATH}/abc"), 400)


class TestDelete:
    def test_a_deleted_conversation_is_gone_with_its_words(self, notes: TestClient) -> None:
        session = begin(notes, BOILER)

        assert notes.delete(f"{PATH}/{session}").status_code == 204

        assert notes.get(f"{PATH}/{session}").status_code == 404
        assert session not in notes.get(PATH).text
        assert notes.delete(f"{PATH}/{session}").status_code == 404
