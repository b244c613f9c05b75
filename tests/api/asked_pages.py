"""The pages for questions over a few notes."""

import re
from collections.abc import Iterator

import pytest
from asked_notes import BOILER, NOTES, Scripted, served_notes
from fastapi.testclient import TestClient

BROWSER = {"Accept": "text/html"}
UNKNOWN = "00000000-0000-4000-8000-000000000000"
HOSTILE = {
    "externalId": "hostil",
    "title": '<script>alert("t")</script>"><img src=x>',
    "content": 'El faro de Alborán costó <script>alert(1)</script> 900 pesetas "netas". La linterna era verde.',
    "language": "es",
}


@pytest.fixture(scope="module")
def notes(server: str, template: str) -> Iterator[TestClient]:
    """The notes, without a chat model."""
    with served_notes(server, template, notes=[*NOTES, HOSTILE]) as client:
        yield client


def asked(client: TestClient, question: str, **more: str) -> str:
    """The page that an answer is shown on."""
    answer = client.get("/preguntar", params={"pregunta": question, **more}, headers=BROWSER)
    assert answer.status_code == 200, answer.text
    return answer.text


def session_of(page: str) -> str:
    found = re.search(r'name="sesion" value="([0-9a-f-]{36})"', page)
    assert found is not None
    return found[1]


def question_of(page: str) -> str:
    return re.findall(r'id="consulta-([0-9a-f-]{36})"', page)[-1]


@pytest.fixture(scope="module")
def page(server: str, template: str) -> str:
    """An answer by a model of which a part is in the note."""
    said = (
        "El técnico cobró 180 euros por la bomba [1]. La caldera costó 9000 dólares en Marte [1]. Mi tía vive en Lugo."
    )
    with served_notes(server, template, chat=Scripted([said])) as client:
        return asked(client, BOILER)


@pytest.fixture(scope="module")
def note(notes: TestClient) -> dict[str, str]:
    """A note as the API has it."""
    return next(note for note in notes.get("/api/notes").json()["notes"] if note["title"] == "Caldera")
