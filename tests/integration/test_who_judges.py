"""Who answers and who judges, by the settings."""

import pytest
from ollama_server import ollama_server  # noqa: F401  a fixture

from rag_core.answering.generation import build_answerer
from rag_core.evaluation.runs.judges import build_judge
from rag_core.runtime.engine import open_engine
from rag_core.settings import read_settings


@pytest.mark.parametrize(
    ("chat", "judge", "answerer_name", "judge_name"),
    [
        (None, None, "extractive@4", None),
        (None, "juez", "extractive@4", "chat:juez@1"),
        ("habla", None, "generated:habla@3", "chat:habla@1 (judges its own answers)"),
        ("habla", "habla", "generated:habla@3", "chat:habla@1 (judges its own answers)"),
        ("habla", "juez", "generated:habla@3", "chat:juez@1"),
    ],
)
def test_the_judge_is_a_model_of_its_own_or_says_that_it_is_not(
    database_url, chat, judge, answerer_name, judge_name
) -> None:
    settings = read_settings(database_url=database_url, chat_model=chat, judge_model=judge)

    with open_engine(settings) as engine:
        found = build_judge(engine)
        assert build_answerer(engine.chat).name == answerer_name

    assert (None if found is None else found.name) == judge_name


def test_an_own_judge_is_asked_on_ollama_s_server(database_url, ollama_server) -> None:  # noqa: F811
    ollama_server.serve("juez")
    ollama_server.reply = lambda _body: '{"score": 10}'
    settings = read_settings(database_url=database_url, judge_model="juez", ollama_host=ollama_server.url)

    with open_engine(settings) as engine:
        judge = build_judge(engine)
        assert judge is not None
        judgement = judge.judge(
            query="¿Qué?",
            answer="¿Qué?",
            context="[]",
            expected_answer="x",
            key_facts=(),
            language="es",
            timeout_seconds=5,
        )

    assert judgement.answer_relevance == 1
    assert {body["model"] for body in ollama_server.bodies("/api/chat")} == {"juez"}
