"""Notes that carry the calendar's first or last moment, as programs export those whose date they do not know."""

from collections.abc import Iterator

import pytest
from asked_notes import served_notes
from fastapi.testclient import TestClient

BROWSER = {"Accept": "text/html"}
NOTES = (
    {
        "externalId": "caldera",
        "title": "Caldera",
        "content": "El técnico Julio Marín cobró 180 euros por la caldera. Ayer la revisó otra vez.",
        "createdAt": "9999-12-31T23:59:59Z",
    },
    {
        "externalId": "violin",
        "title": "Violín",
        "content": "El violín de Ana costó 900 euros en la tienda de Sueca. El lunes le cambié las cuerdas.",
        "createdAt": "0001-01-01T00:00:00Z",
    },
)
QUESTIONS = (
    ("¿Cuánto cobró el técnico por la caldera?", "180 euros", "9999-12-31T23:59:59.000Z", "31 de diciembre de 9999"),
    ("¿Cuánto costó el violín de Ana?", "900 euros", "0001-01-01T00:00:00.000Z", "1 de enero de 1"),
)


@pytest.fixture(scope="module")
def notes(server: str, template: str) -> Iterator[TestClient]:
    with served_notes(server, template, notes=NOTES) as client:
        yield client


@pytest.mark.parametrize(("question", "words", "moment", "_day"), QUESTIONS)
def test_a_question_is_answered_from_them(notes: TestClient, question: str, words: str, moment: str, _day: str) -> None:
    answer = notes.post("/chat", json={"message": question})

    assert answer.status_code == 200, answer.text
    assert words in answer.text
    assert moment in answer.text


@pytest.mark.parametrize(("question", "words", "_moment", "day"), QUESTIONS)
def test_the_pages_show_their_day(notes: TestClient, question: str, words: str, _moment: str, day: str) -> None:
    pages = [
        notes.get("/preguntar", params={"pregunta": question}, headers=BROWSER),
        notes.get("/", params={"q": question}, headers=BROWSER),
        notes.get("/", headers=BROWSER),
    ]

    assert [page.status_code for page in pages] == [200, 200, 200]
    assert [day in page.text for page in pages] == [True, True, True]
    assert words in pages[0].text


@pytest.mark.parametrize("question", ["¿Qué hice ayer?", "¿Qué le pasó al violín el lunes?", "¿Qué hice en 9999?"])
def test_a_question_of_a_time_reads_their_sentences(notes: TestClient, question: str) -> None:
    assert notes.post("/chat", json={"message": question}).status_code == 200
