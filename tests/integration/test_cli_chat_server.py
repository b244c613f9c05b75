"""`brain ask` and `brain status` with a chat model on a server of OpenAI's protocol."""

import json
from typing import Any

import pytest
from command_line import Brain
from openai_server import OpenAIServer
from openai_server import openai_server as openai_server  # noqa: PLC0414 - a fixture, re-exported to pytest

KEY = "sk-planted-4711"
QUESTION = "¿Cuánto costó la caldera?"


@pytest.fixture
def model(openai_server: OpenAIServer, monkeypatch: pytest.MonkeyPatch) -> OpenAIServer:
    openai_server.serve("gemma-3")
    openai_server.api_key = KEY
    openai_server.reply = lambda _body: "La caldera costó 1.900 euros [1]."
    monkeypatch.setenv("BRAIN_CHAT_PROVIDER", "openai")
    monkeypatch.setenv("BRAIN_CHAT_URL", openai_server.url)
    monkeypatch.setenv("BRAIN_CHAT_API_KEY", KEY)
    monkeypatch.setenv("BRAIN_CHAT_MODEL", "gemma-3")
    return openai_server


@pytest.fixture
def boiler(make_note: Any, index_notes: Any) -> None:
    make_note("La caldera nueva costó 1.900 euros.", external_id="caldera")
    make_note("Planté tomates en el huerto.", external_id="huerto")
    index_notes()


@pytest.mark.usefixtures("boiler", "model")
def test_the_answer_is_the_model_s_and_names_it(brain: Brain) -> None:
    done = brain("ask", QUESTION)

    assert "La caldera costó 1.900 euros [1]." in done.stdout
    assert "answered by generated:gemma-3@" in done.output


@pytest.mark.usefixtures("boiler")
def test_a_key_that_is_not_accepted_leaves_quoted_sentences_and_is_not_shown(
    brain: Brain, model: OpenAIServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BRAIN_CHAT_API_KEY", "sk-other-1234")

    done = brain("ask", QUESTION, "--json")

    assert "1.900 euros" in done.json["answer"]
    assert "sk-other" not in done.output
    assert [request.headers["authorization"] for request in model.requests] == ["Bearer sk-other-1234"] * len(
        model.requests
    )


def test_status_says_where_questions_go(brain: Brain, model: OpenAIServer) -> None:
    status = brain("status", "--json").json

    assert status["chat_model"] == "gemma-3"
    assert status["chat_server"] == {"address": f"{model.url}/v1", "leaves_machine": False}
    assert KEY not in json.dumps(status)


def test_an_address_that_is_none_is_an_error_with_its_remedy(
    brain: Brain, model: OpenAIServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BRAIN_CHAT_URL", f"https://user:{KEY}@example.org")

    done = brain("ask", QUESTION)

    assert done.exit_code == 1
    assert "BRAIN_CHAT_URL is no plain http or https address" in done.output
    assert KEY not in done.output
