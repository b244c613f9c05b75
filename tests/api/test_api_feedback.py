"""``POST /api/feedback``: what somebody thinks of an answer to a question of theirs."""

from collections.abc import Iterator
from uuid import uuid4

import pytest
from api_answers import assert_spanish
from asked_notes import BOILER, served_notes
from fastapi.testclient import TestClient

PATH = "/api/feedback"


@pytest.fixture(scope="module")
def notes(server: str, template: str) -> Iterator[TestClient]:
    """The notes, without a chat model."""
    with served_notes(server, template) as client:
        yield client


@pytest.fixture
def query_id(notes: TestClient) -> str:
    """A question that was answered."""
    return str(notes.post("/api/query", json={"query": BOILER}).json()["queryId"])


def test_a_rating_is_kept_with_its_comment(notes: TestClient, query_id: str) -> None:
    body = notes.post(PATH, json={"queryId": query_id, "rating": 4, "comment": " Falta la fecha "}).json()

    assert body["queryId"] == query_id
    assert (body["rating"], body["comment"]) == (4, "Falta la fecha")


def test_whoever_thinks_again_replaces_what_they_said(notes: TestClient, query_id: str) -> None:
    first = notes.post(PATH, json={"queryId": query_id, "rating": 4, "comment": "Bien"}).json()

    second = notes.post(PATH, json={"queryId": query_id, "rating": 1}).json()

    assert (second["rating"], second["comment"]) == (1, None)
    assert second["createdAt"] == first["createdAt"]
    assert second["updatedAt"] > first["updatedAt"]


def test_a_question_that_nobody_asked_is_not_found(notes: TestClient) -> None:
    answer = notes.post(PATH, json={"queryId": str(uuid4()), "rating": 3})

    assert "queryId" in assert_spanish(answer, 404, "No encontrado")


@pytest.mark.parametrize("rating", [0, 6, -1, 2.5, "3", None, True, 10**30])
def test_a_rating_is_a_whole_number_from_1_to_5(notes: TestClient, query_id: str, rating: object) -> None:
    assert "rating" in assert_spanish(notes.post(PATH, json={"queryId": query_id, "rating": rating}), 400)


def test_a_long_comment_is_refused_in_the_words_for_texts(notes: TestClient, query_id: str) -> None:
    answer = notes.post(PATH, json={"queryId": query_id, "rating": 3, "comment": "x" * 2001})

    assert answer.json()["details"] == "comment: demasiado largo; se admiten como máximo 2000 caracteres"


@pytest.mark.parametrize("comment", ["x" * 2001, "a\0b", 7])
def test_a_comment_that_cannot_be_kept_is_refused(notes: TestClient, query_id: str, comment: object) -> None:
    answer = notes.post(PATH, json={"queryId": query_id, "rating": 3, "comment": comment})

    assert "comment" in assert_spanish(answer, 400)
