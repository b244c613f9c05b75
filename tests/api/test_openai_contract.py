"""``/v1/models`` and ``/v1/chat/completions``, asked with OpenAI's own client over real HTTP."""

import dataclasses
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import openai
import pytest
from asked_notes import BOILER, NOTES, NOWHERE, Scripted
from databases import cloned_database
from openai import OpenAI
from served_answers import running

from rag_core.access.keys import make_key
from rag_core.api.app import create_app
from rag_core.api.openai.completion import Completion, without_sources
from rag_core.errors import ChatUnavailableError
from rag_core.language.languages import language_of
from rag_core.model.access import KeyGrant
from rag_core.model.note import TenantId
from rag_core.runtime.engine import open_engine
from rag_core.settings import read_settings
from rag_core.storage.api_keys import insert_key

MODEL = "brain-sync"
INJECTION: dict[str, Any] = {
    "externalId": "titel",
    "title": "![x](https://evil.example/a.png) [Bild]",
    "content": "El loro de Inés se llama Paco.",
}


@contextmanager
def served(server: str, template: str, home: Path, *, chat: Any = None) -> Iterator[dict[str, OpenAI]]:
    """Clients by the names of their keys, of a running API over the notes."""
    with cloned_database(server, template) as database_url:
        settings = read_settings(
            database_url=database_url, home=home, access="keys", request_timeout_ms=10_000, api_url="http://brain.test"
        )
        with open_engine(settings) as engine:
            limits = {"reader": 1_000, "asker": 1}
            keys = {}
            for name, limit in limits.items():
                made = make_key()
                grant = KeyGrant(
                    tenant=TenantId("uno"), name=name, scopes=("read", "write"), questions_per_minute=limit
                )
                with engine.database.owner() as connection:
                    insert_key(connection, grant, made.presented)
                keys[name] = made.text
            with running(create_app(dataclasses.replace(engine, chat=chat))) as port:
                url = f"http://127.0.0.1:{port}"
                for note in (*NOTES, INJECTION):
                    headers = {"Authorization": f"Bearer {keys['reader']}"}
                    assert httpx.post(f"{url}/api/notes", json=note, headers=headers).status_code == 201
                named = {**keys, "stranger": "brain_nothing"}
                yield {name: OpenAI(api_key=key, base_url=f"{url}/v1", max_retries=0) for name, key in named.items()}


@pytest.fixture(scope="module")
def clients(server: str, template: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, OpenAI]]:
    with served(server, template, tmp_path_factory.mktemp("home")) as opened:
        yield opened


def ask(client: OpenAI, *said: str, **more: Any) -> Any:
    """Ask the last of the messages, which the user and the assistant said in turn."""
    messages: Sequence[Any] = [
        {"role": "assistant" if place % 2 else "user", "content": text} for place, text in enumerate(said)
    ]
    return client.chat.completions.create(model=MODEL, messages=messages, **more)


def test_the_model_is_listed(clients: dict[str, OpenAI]) -> None:
    assert [model.id for model in clients["reader"].models.list()] == [MODEL]
    assert clients["reader"].models.retrieve(MODEL).owned_by == MODEL


def test_an_answer_cites_in_its_text_and_beside_it(clients: dict[str, OpenAI]) -> None:
    answered = ask(clients["reader"], BOILER, temperature=0.2, max_tokens=500)

    message = answered.choices[0].message
    (cited,) = answered.citations
    link = f"http://brain.test/notas/{cited['noteId']}"
    assert "180 euros" in message.content
    assert message.content.endswith(f"\n- [1] Caldera: {link}")
    places = [annotated.url_citation for annotated in message.annotations]
    assert len(places) == answered.choices[0].message.content.count("[1]") - 1
    assert {message.content[place.start_index : place.end_index] for place in places} == {"[1]"}
    assert {(place.title, place.url) for place in places} == {("Caldera", link)}
    assert answered.metadata["confidence"] == "medium"
    assert answered.usage.total_tokens > 0


def test_a_stream_says_what_one_body_says(clients: dict[str, OpenAI]) -> None:
    whole = ask(clients["reader"], BOILER)

    chunks = list(ask(clients["reader"], BOILER, stream=True, stream_options={"include_usage": True}))

    said = [chunk.choices[0] for chunk in chunks[:-1]]
    assert said[0].delta.role == "assistant"
    assert "".join(choice.delta.content or "" for choice in said) == whole.choices[0].message.content
    assert [choice.finish_reason for choice in said if choice.finish_reason] == ["stop"]
    assert chunks[-2].citations == whole.citations
    assert (chunks[-1].choices, chunks[-1].usage.total_tokens) == ([], whole.usage.total_tokens)


def test_the_stream_ends_as_openai_ends_it(clients: dict[str, OpenAI]) -> None:
    client = clients["reader"]
    body = {"model": MODEL, "messages": [{"role": "user", "content": BOILER}], "stream": True}

    raw = httpx.post(
        f"{client.base_url}chat/completions", json=body, headers={"Authorization": f"Bearer {client.api_key}"}
    )

    assert raw.headers["content-type"].startswith("text/event-stream")
    assert raw.text.endswith("\n\ndata: [DONE]\n\n")


def test_a_conversation_goes_on_from_the_messages(clients: dict[str, OpenAI]) -> None:
    first = "¿Cuánto gasté en libros en marzo?"
    answered = ask(clients["reader"], first).choices[0].message.content

    followed = ask(clients["reader"], first, answered, "¿Y en abril?")

    assert "120" in followed.choices[0].message.content
    assert "libros" in followed.metadata["standaloneQuery"]


def test_parts_of_a_message_are_read_and_messages_of_the_system_are_not(clients: dict[str, OpenAI]) -> None:
    parts = [{"type": "text", "text": BOILER}, {"type": "image_url", "image_url": {"url": "data:,"}}]
    messages: Any = [{"role": "system", "content": "Responde: no sé."}, {"role": "user", "content": parts}]

    answered = clients["reader"].chat.completions.create(model=MODEL, messages=messages)

    assert "180 euros" in answered.choices[0].message.content


def test_a_refusal_has_no_sources(clients: dict[str, OpenAI]) -> None:
    answered = ask(clients["reader"], NOWHERE)

    assert answered.citations == []
    assert answered.choices[0].message.annotations == []
    assert answered.metadata["refusal"]


def test_a_title_is_no_markup(clients: dict[str, OpenAI]) -> None:
    answered = ask(clients["reader"], "¿Cómo se llama el loro de Inés?")

    text = answered.choices[0].message.content
    assert "Paco" in text
    assert "evil.example" not in text
    assert "![" not in text


@pytest.mark.parametrize(
    ("key", "changes", "kind", "code", "told"),
    [
        ("stranger", {}, openai.AuthenticationError, "invalid_api_key", "clave"),
        ("reader", {"model": "gpt-5"}, openai.NotFoundError, "not_found", MODEL),
        ("reader", {"messages": []}, openai.BadRequestError, "invalid_request", "messages"),
        (
            "reader",
            {"messages": [{"role": "assistant", "content": "Hola"}]},
            openai.BadRequestError,
            "invalid_request",
            "el último mensaje debe ser la pregunta",
        ),
        (
            "reader",
            {"messages": [{"role": "user", "content": "Where? " * 500}]},
            openai.BadRequestError,
            "invalid_request",
            "2000 characters",
        ),
    ],
)
@pytest.mark.parametrize("is_streamed", [False, True])
def test_errors_have_openais_form(
    clients: dict[str, OpenAI], key: str, changes: Any, kind: Any, code: str, told: str, is_streamed: bool
) -> None:
    asked = {"model": MODEL, "messages": [{"role": "user", "content": BOILER}], "stream": is_streamed} | changes

    with pytest.raises(kind) as refused:
        clients[key].chat.completions.create(**asked)

    assert refused.value.code == code
    assert told in refused.value.body["message"]


def test_the_description_names_openais_errors(clients: dict[str, OpenAI]) -> None:
    document = httpx.get(str(clients["reader"].base_url).replace("/v1/", "/openapi.json")).json()

    operations = [one for path, found in document["paths"].items() if path.startswith("/v1/") for one in found.values()]
    failures = [told for one in operations for status, told in one["responses"].items() if status >= "400"]
    shown = {told["content"]["application/json"]["schema"]["$ref"].rpartition("/")[2] for told in failures}
    assert shown == {"OpenAIFailure"}


def test_who_asks_too_often_is_told_when_there_is_room(clients: dict[str, OpenAI]) -> None:
    ask(clients["asker"], BOILER)

    with pytest.raises(openai.RateLimitError) as refused:
        ask(clients["asker"], BOILER)

    assert refused.value.type == "rate_limit_error"
    assert int(refused.value.response.headers["retry-after"]) > 0


def test_an_answer_whose_end_makes_it_a_refusal_goes_on_with_it(server: str, template: str, tmp_path: Path) -> None:
    model = Scripted(bits=["El embajador vive en Oslo. ", "Y calza botas."])
    with served(server, template, tmp_path, chat=model) as clients:
        chunks = list(ask(clients["reader"], BOILER, stream=True))

    text = "".join(chunk.choices[0].delta.content or "" for chunk in chunks)
    assert text == f"El embajador vive en Oslo. Y calza botas.\n\n{language_of('es').messages.not_enough}"


def test_a_stream_that_breaks_off_ends_in_an_error(server: str, template: str, tmp_path: Path) -> None:
    bits = [
        "El técnico cobró 180 euros por la bomba nueva [1]. ",
        "Julio Marín cobró [1]. Y",
        ChatUnavailableError("x"),
    ]
    with (
        served(server, template, tmp_path, chat=Scripted(bits=bits)) as clients,
        pytest.raises(openai.APIError) as broken,
    ):
        list(ask(clients["reader"], BOILER, stream=True))

    assert broken.value.type == "server_error"


def test_sources_at_the_end_of_an_earlier_answer_are_left_out_and_nothing_else() -> None:
    note = "/notas/660e8400-e29b-41d4-a716-446655440001"
    answer = "La caldera costó 180 euros [1].\n\n- [1] esto no es una fuente\n- Y esto tampoco"

    assert without_sources(f"{answer}\n\n- [1] Caldera: de gas: http://a{note}\n- [2] b: https://a.b:8{note}") == answer
    assert without_sources(answer) == answer
    assert len(without_sources("\n" * 200_000 + "x")) == 200_001  # read once, not once from each of its lines


def test_a_mark_that_several_rows_stand_behind_is_annotated_once() -> None:
    completion = Completion(id="x", created=0, page="http://a", policy="warn")
    rows = [{"answer": {"start": 9, "end": 12}}] * 2

    (annotated,) = completion._annotations([{"documentTitle": "Gastos", "documentUrl": "/notas/n", "spans": rows}])

    place = {"start_index": 9, "end_index": 12, "title": "Gastos", "url": "http://a/notas/n"}
    assert annotated == {"type": "url_citation", "url_citation": place}
