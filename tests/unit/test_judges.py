import json

import pytest
from ollama_server import ollama_server  # noqa: F401  a fixture

from rag_core.chat.providers.ollama import OllamaChat
from rag_core.errors import ChatError
from rag_core.evaluation.runs.judges import ChatJudge, parse_score, parse_verdicts
from rag_core.model.answer_reading import Judgement

CONTEXT = json.dumps([{"id": 1, "title": "", "date": "2025-03-01", "text": "La inyección costó 142 euros."}])


def verdicts(*supported: bool) -> str:
    return json.dumps({"verdicts": [{"id": n, "supported": one} for n, one in enumerate(supported, 1)]})


def by_field(*, claims: str, score: str, facts: str):
    """A model that answers by what it is given: sources, question or answer alone."""

    def reply(body) -> str:
        given = json.loads(body["messages"][-1]["content"])
        return claims if "sources" in given else score if "question" in given else facts

    return reply


@pytest.fixture
def judge(ollama_server):  # noqa: F811  a fixture
    ollama_server.serve("juez")
    return ChatJudge(chat=OllamaChat("juez", host=ollama_server.url))


def judged(judge, answer="La inyección costó 142 euros. Nora lloraba.", key_facts=("142 euros",)) -> Judgement:
    return judge.judge(
        query="¿Cuánto costó?",
        answer=answer,
        context=CONTEXT,
        expected_answer="142 euros",
        key_facts=key_facts,
        language="es",
        timeout_seconds=5,
    )


def test_scores_are_shares_of_claims_and_facts_and_relevance_over_ten(ollama_server, judge) -> None:  # noqa: F811
    ollama_server.reply = by_field(claims=verdicts(True, False), score='{"score": 7}', facts=verdicts(True))

    assert judged(judge) == Judgement(groundedness=0.5, answer_relevance=0.7, key_facts_covered=1.0)


def test_groundedness_is_judged_on_the_answerer_s_context_at_temperature_zero(ollama_server, judge) -> None:  # noqa: F811
    ollama_server.reply = by_field(claims=verdicts(True, True), score='{"score": 10}', facts=verdicts(True))

    judged(judge)

    first = ollama_server.bodies("/api/chat")[0]
    assert json.loads(first["messages"][-1]["content"]) == {
        "sources": json.loads(CONTEXT),
        "claims": [{"id": 1, "text": "La inyección costó 142 euros."}, {"id": 2, "text": "Nora lloraba."}],
    }
    assert all(body["options"]["temperature"] == 0 for body in ollama_server.bodies("/api/chat"))


def test_without_key_facts_they_are_not_asked_for_and_undefined(ollama_server, judge) -> None:  # noqa: F811
    ollama_server.reply = by_field(claims=verdicts(True, True), score='{"score": 10}', facts="never asked")

    assert judged(judge, key_facts=()).key_facts_covered is None
    assert len(ollama_server.bodies("/api/chat")) == 2


def test_one_score_that_fails_spoils_no_other(ollama_server, judge) -> None:  # noqa: F811
    ollama_server.reply = by_field(claims="Todo bien, 10/10", score='{"score": 8}', facts=verdicts(False))

    assert judged(judge) == Judgement(
        groundedness=None, answer_relevance=0.8, key_facts_covered=0.0, failures=("groundedness",)
    )


@pytest.mark.parametrize("fault", ["garbage", "status", "drop", "truncate", "not_an_object"])
def test_a_judge_that_misbehaves_is_counted_and_never_an_error(ollama_server, judge, fault) -> None:  # noqa: F811
    ollama_server.misbehave(fault, path="/api/chat")

    assert judged(judge) == Judgement(failures=("groundedness", "answer_relevance", "key_facts_by_meaning"))


@pytest.mark.parametrize(
    "answer",
    ["8/10", "8", '{"score": "8"}', '{"score": "8/10"}', '{"score": NaN}', '{"score": 11}', '{"score": -1}',
     '{"score": 3, "score": 10}',
     '{"score": true}', '{"score": null}', '{"score": 8, "why": "…"}', "[8]", "", "{", 'Score: {"score": 8}'],
)  # fmt: skip
def test_only_a_number_from_0_to_10_in_the_json_asked_for_is_a_score(answer: str) -> None:
    with pytest.raises(ChatError, match="expected"):
        parse_score(answer)


def test_bounds_of_a_score_are_scores() -> None:
    assert [parse_score(f'{{"score": {score}}}') for score in (0, 2.5, 10)] == [0, 0.25, 1]


@pytest.mark.parametrize(
    "answer",
    [
        verdicts(True),
        verdicts(True, True, True),
        '{"verdicts": [{"id": 1, "supported": true}, {"id": 1, "supported": false}]}',
        '{"verdicts": [{"id": 0, "supported": true}, {"id": 1, "supported": true}]}',
        '{"verdicts": [{"id": 1, "supported": "yes"}, {"id": 2, "supported": true}]}',
        '{"verdicts": [{"id": 1, "supported": 1}, {"id": 2, "supported": true}]}',
        '{"verdicts": [{"id": 1, "supported": false, "supported": true}, {"id": 2, "supported": true}]}',
        '{"verdicts": {}}',
        "sí, no",
    ],
)
def test_verdicts_are_one_for_each_claim_or_none_is_used(answer: str) -> None:
    with pytest.raises(ChatError, match="expected"):
        parse_verdicts(answer, 2)


def test_verdicts_come_in_the_order_of_the_claims() -> None:
    answer = '{"verdicts": [{"id": 2, "supported": true}, {"id": 1, "supported": false}]}'

    assert parse_verdicts(answer, 2) == [False, True]


def test_a_model_that_judges_its_own_answers_says_so(judge) -> None:
    assert judge.name == "chat:juez@1"
    assert ChatJudge(chat=judge.chat, is_own=True).name == "chat:juez@1 (judges its own answers)"
