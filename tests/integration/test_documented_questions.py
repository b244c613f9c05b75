"""The questions that the documents ask of the demo, asked of it."""

import json
import re
import shlex
from pathlib import Path

import pytest

from rag_core.answering.answer import answer_events
from rag_core.answering.events import AnswerFinished, AnswerRequest
from rag_core.configuration.schema import DEFAULT_RETRIEVAL_CONFIG
from rag_core.model.answer import Answer
from rag_core.model.note import TenantId
from rag_core.notes.importing import import_lines
from rag_core.operation.demo_corpus import ANSWERABLE, demo_file
from rag_core.retrieval.retrieve import retrieve
from rag_core.runtime.engine import Engine

ROOT = Path(__file__).resolve().parents[2]
ASKED = {
    "¿cuánto costó la caldera nueva?": "1.480 €",
    "¿por qué se paró el ascensor?": "por culpa de una gotera en el cuarto de máquinas",
    "¿qué hice el 8 de agosto de 2025?": "dejaron de entrar datos de todos los campos a la vez",
    "¿cuánto nos costó el camping en total?": "555,05 €",
    "¿por qué el técnico del ayuntamiento obligó a andoni a aplazar el estreno?": "a 1,80 m de la ventana de una vecina",
    "¿cuántas migrañas tuve en julio de 2025?": "Migrañas en julio: cero",
    "¿cuántas migrañas tuve en abril de 2025?": "abril 2 (los días 7",
    "¿por qué se inundó la parcela 14 en junio de 2024?": "el sistema ha abierto la compuerta de la 14",
}
"""What the answer to each holds."""
FOUND = {
    "reuniones": "reunión",
    "¿por qué se inundó la parcela 14 en junio de 2024?": "compuerta de la 14",
    "¿cuánto nos costó el camping en total?": "555,05 €",
    "wer leitet das projekt acequia?": "Yo coordino",
}
"""What one of the first five passages holds; the words of a question are there in lower case."""
_BLOCK = re.compile(r"^```\w*\n(.*?)^```", re.MULTILINE | re.DOTALL)
_ASKING = re.compile(r"(?:\$ )?brain (ask|search) (\"[^\"]+\")")
_POSTED = re.compile(r"curl .*?(/[\w/]+) .*-d ('[^']+')")
_SEARCHES = ("/api/retrieve", "/api/v2/rag/search")
_GOES_ON = "¿y en "


def documented(*names: str) -> dict[str, set[str]]:
    """The questions in the code blocks of the documents, in lower case: those that are asked, and those that are searched for."""
    found: dict[str, set[str]] = {"ask": set(), "search": set()}
    for name in names:
        for block in _BLOCK.findall((ROOT / name).read_text(encoding="utf-8")):
            for verb, quoted in _ASKING.findall(block):
                found[verb].update(word.lower() for word in shlex.split(quoted))
            for route, body in _POSTED.findall(block):
                posted = json.loads(shlex.split(body)[0])
                asked = posted.get("query") or posted.get("message")
                if asked:
                    found["search" if route.endswith(_SEARCHES) else "ask"].add(asked.lower())
    return {verb: {one for one in questions if not one.startswith(_GOES_ON)} for verb, questions in found.items()}


@pytest.fixture
def diary(engine: Engine, tenant: TenantId, index_notes) -> Engine:
    """An engine on the demo's notes, indexed."""
    with demo_file("notes.jsonl").open("rb") as lines:
        import_lines(
            engine.database,
            tenant,
            lines,
            source="demo",
            language=None,
            zone=engine.settings.zone,
            max_characters=engine.settings.max_note_characters,
        )
    index_notes()
    return engine


def answer_to(engine: Engine, tenant: TenantId, question: str) -> Answer:
    request = AnswerRequest(question=question, contract="command", user_hash="", is_recorded=False)
    *_, last = answer_events(engine, tenant, request)
    assert isinstance(last, AnswerFinished)
    return last.answer


def test_every_question_of_the_documents_has_a_sensible_answer_on_the_demo(diary: Engine, tenant: TenantId) -> None:
    questions = documented("README.md", "docs/api.md", "docs/answers.md")

    answers = {asked: answer_to(diary, tenant, asked) for asked in questions["ask"]}
    passages = {
        asked: " ".join(
            hit.content
            for hit in retrieve(diary, tenant, asked, config=DEFAULT_RETRIEVAL_CONFIG, timeout_ms=10_000).hits[:5]
        )
        for asked in questions["search"]
    }

    assert len(questions["ask"]) >= 5
    assert questions["ask"] <= set(ASKED)
    assert questions["search"] <= set(FOUND)
    assert {asked: ASKED[asked] in answer.text for asked, answer in answers.items()} == dict.fromkeys(answers, True)
    assert {asked: FOUND[asked] in text for asked, text in passages.items()} == dict.fromkeys(passages, True)


@pytest.mark.parametrize("question", ANSWERABLE)
def test_the_first_sentence_of_each_demo_answer_answers(diary: Engine, tenant: TenantId, question: str) -> None:
    answer = answer_to(diary, tenant, question)

    assert ASKED[question.lower()] in answer.text.partition("[1]")[0]
