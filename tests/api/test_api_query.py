"""``POST /api/query``: the hybrid pipeline's contract, in one body and as server-sent events."""

import re
from collections.abc import Iterator
from uuid import uuid4

import pytest
from asked_notes import BADGE, BADGE_NUMBERS, BOILER, NOWHERE, Scripted, events_in, served_notes
from fastapi.testclient import TestClient

from rag_core.errors import ChatUnavailableError
from rag_core.language.languages import language_of

ORDER = re.compile(r"(?:token )+(?:citation )*metadata done ")


@pytest.fixture(scope="module")
def notes(server: str, template: str) -> Iterator[TestClient]:
    """The notes, without a chat model."""
    with served_notes(server, template) as client:
        yield client


class TestOneBody:
    def test_has_the_contracts_shape(self, notes: TestClient) -> None:
        body = notes.post("/api/query", json={"query": BOILER}).json()

        assert set(body) == {"queryId", "answer", "citations", "confidence", "metadata"}
        assert {"id", "chunkId", "documentTitle", "documentUrl", "snippet", "relevanceScore"} <= set(
            body["citations"][0]
        )
        assert body["metadata"]["queryId"] == body["queryId"]
        assert body["metadata"]["confidence"] == body["confidence"] == "medium"
        assert body["metadata"]["citationCount"] == len(body["citations"]) == 1
        assert body["metadata"]["vectorResultCount"] > 0
        assert body["metadata"]["totalTokens"] > 0
        assert body["metadata"]["latencyMs"] > 0

    def test_cites_by_number_a_page_that_is_there(self, notes: TestClient) -> None:
        body = notes.post("/api/query", json={"query": BOILER}).json()
        citation = body["citations"][0]

        assert citation["id"] in body["answer"]
        assert citation["documentTitle"] == "Caldera"
        assert notes.get(citation["documentUrl"], headers={"Accept": "text/html"}).status_code == 200

    def test_takes_as_many_sources_as_are_asked_for(self, notes: TestClient) -> None:
        for top_k in (1, 20):
            body = notes.post(
                "/api/query", json={"query": "¿En qué gasté euros en marzo y en abril?", "topK": top_k}
            ).json()

            assert len(body["citations"]) <= top_k
            assert body["metadata"]["refusal"] is None

    def test_asks_only_notes_with_the_topic(self, notes: TestClient) -> None:
        asked = {"query": BOILER, "topicFilter": "dinero"}

        body = notes.post("/api/query", json=asked).json()

        assert "Caldera" not in {citation["documentTitle"] for citation in body["citations"]}

    @pytest.mark.parametrize("topic", ["", "  "])
    def test_an_empty_topic_is_refused(self, notes: TestClient, topic: str) -> None:
        answer = notes.post("/api/query", json={"query": BOILER, "topicFilter": topic})

        assert answer.status_code == 400
        assert answer.json()["details"] == "topicFilter: no puede estar en blanco"

    @pytest.mark.parametrize("path", ["/api/query", "/chat"])
    def test_hides_personal_data_beside_the_answer_where_the_settings_say_so(
        self, server: str, template: str, path: str
    ) -> None:
        given = {"chat": Scripted(bits=["Frau Weber ist zu erreichen [1]."]), "guardrails_personal_data": "redact"}
        question = "Wie ist Frau Weber zu erreichen?"
        with served_notes(server, template, notes=[BADGE], **given) as client:
            answer = client.post(path, json={"message" if path == "/chat" else "query": question})

        assert "Weber" in answer.json()["citations"][0]["snippet"]
        assert [number for number in BADGE_NUMBERS if number in answer.text] == []

    def test_leaves_the_graph_out_when_told_to(self, notes: TestClient) -> None:
        body = notes.post("/api/query", json={"query": BOILER, "includeGraph": False}).json()

        assert body["metadata"]["graphResultCount"] == 0
        assert body["metadata"]["refusal"] is None


class TestRefusedRequests:
    @pytest.mark.parametrize(
        ("changes", "details"),
        [
            ({"query": ""}, "Query cannot be empty"),
            ({"query": " \n "}, "Query cannot be empty"),
            ({"query": "x" * 2001}, "Query exceeds maximum length"),
            ({"query": "Where did I go? " * 200}, "Query exceeds maximum length"),
            ({"query": "¿Dónde estuve? " * 200}, "La consulta supera la longitud máxima"),
            ({"query": "Wo bin ich gewesen? " * 200}, "Die Frage überschreitet die maximale Länge"),
            ({"query": "Where did I go?", "topK": 0}, "topK must be between 1 and 20"),
            ({"query": "¿Dónde estuve?", "topK": 21}, "topK debe estar entre 1 y 20"),
            ({"query": "Wo bin ich gewesen?", "topK": -1}, "topK muss zwischen 1 und 20 liegen"),
        ],
    )
    def test_the_contracts_rules_are_told_in_the_questions_language(
        self, notes: TestClient, changes: dict[str, object], details: str
    ) -> None:
        for is_streamed in (False, True):
            answer = notes.post("/api/query", json={**changes, "stream": is_streamed})

            assert answer.status_code == 400
            assert answer.json()["details"] == details

    @pytest.mark.parametrize(
        ("query", "details"),
        [
            (BOILER, "No existe ninguna conversación con ese identificador"),
            ("Where did I go in May?", "There is no such conversation"),
            ("Wo bin ich im Mai gewesen?", "Dieses Gespräch gibt es nicht"),
        ],
    )
    def test_an_unknown_conversation_is_not_found(self, notes: TestClient, query: str, details: str) -> None:
        for is_streamed in (False, True):
            asked = {"query": query, "sessionId": str(uuid4()), "stream": is_streamed}

            answer = notes.post("/api/query", json=asked)

            assert answer.status_code == 404
            assert answer.json()["details"] == details

    @pytest.mark.parametrize("body", [{"query": ""}, {}, {"query": None}, [], "¿?", {"query": "", "topK": "x"}, None])
    def test_what_shows_no_language_is_told_in_the_contracts_own(self, notes: TestClient, body: object) -> None:
        own, wanted = (
            notes.post("/api/query", json=body, headers=headers) for headers in ({}, {"Accept-Language": "de"})
        )

        assert (own.status_code, own.json()["error"]) == (400, "Invalid parameters")
        assert (wanted.status_code, wanted.json()["error"]) == (400, "Ungültige Parameter")

    def test_a_body_that_is_no_json_is_told_in_the_language_the_client_accepts(self, notes: TestClient) -> None:
        headers = {"Content-Type": "application/json", "Accept-Language": "en"}
        answer = notes.post("/api/query", content=b'{"query": ', headers=headers)

        assert answer.status_code == 400
        assert answer.json()["error"] == "Invalid parameters"


class TestAStream:
    @pytest.mark.parametrize("query", [BOILER, NOWHERE, "¿En qué gasté euros en marzo y en abril?"])
    def test_is_tokens_then_citations_then_metadata_then_done(self, notes: TestClient, query: str) -> None:
        events = events_in(notes.post("/api/query", json={"query": query, "stream": True}).text)

        assert ORDER.fullmatch("".join(f"{event['type']} " for event in events))
        assert "".join(event["content"] for event in events if event["type"] == "token") == events[-1]["content"]

    def test_says_what_one_body_says(self, notes: TestClient) -> None:
        body = notes.post("/api/query", json={"query": BOILER}).json()

        events = events_in(notes.post("/api/query", json={"query": BOILER, "stream": True}).text)

        assert events[-1]["content"] == body["answer"]
        assert [event["citation"] for event in events if event["type"] == "citation"] == body["citations"]
        metadata = events[-2]["metadata"]
        assert set(metadata) == set(body["metadata"])
        assert metadata["confidence"] == body["confidence"]

    def test_cites_ids_that_stand_in_its_text(self, server: str, template: str) -> None:
        bits = ["En marzo gasté 300 euros en libros [1]", "[2]. ", "El técnico cobró 180 euros [2, 9]. "]
        with served_notes(server, template, chat=Scripted(bits=bits)) as client:
            events = events_in(
                client.post(
                    "/api/query", json={"query": "¿Cuántos euros gasté en libros en marzo?", "stream": True}
                ).text
            )

        marks = set(re.findall(r"\[\d+\]", events[-1]["content"]))
        assert {event["citation"]["id"] for event in events if event["type"] == "citation"} == marks
        assert "[9]" not in marks

    def test_whose_end_makes_it_a_refusal_says_so_in_done(self, server: str, template: str) -> None:
        with served_notes(
            server, template, chat=Scripted(bits=["El embajador vive en Oslo. ", "Y calza botas."])
        ) as client:
            events = events_in(client.post("/api/query", json={"query": BOILER, "stream": True}).text)

        assert events[0] == {"type": "token", "content": "El embajador vive en Oslo. "}
        assert events[-1] == {"type": "done", "content": language_of("es").messages.not_enough}
        assert events[-2]["metadata"]["refusal"] == "no_valid_citation"

    def test_that_breaks_off_ends_in_an_error(self, server: str, template: str) -> None:
        bits = [
            "El técnico cobró 180 euros por la bomba nueva [1]. ",
            "Julio Marín cobró el martes [1]. Y ade",
            ChatUnavailableError("CUDA error at 0x1"),
        ]
        with served_notes(server, template, chat=Scripted(bits=bits)) as client:
            answer = client.post("/api/query", json={"query": BOILER, "stream": True})

        events = events_in(answer.text)
        assert [event["type"] for event in events] == ["token", "error"]
        assert "0x1" not in answer.text


class TestAConversation:
    def test_goes_on_from_the_question_before(self, notes: TestClient) -> None:
        session = notes.post("/api/sessions").json()["id"]
        first = {"query": "¿Cuánto gasté en libros en marzo?", "sessionId": session}
        assert "300" in notes.post("/api/query", json=first).json()["answer"]

        body = notes.post("/api/query", json={"query": "¿Y en abril?", "sessionId": session}).json()

        assert "120" in body["answer"]
        assert body["metadata"]["sessionId"] == session
        assert "libros" in body["metadata"]["standaloneQuery"]
