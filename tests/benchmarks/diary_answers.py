"""Quality of quoted answers to a diary: questions as people ask them of the demo, asked as everything is served.

``python -m tests.benchmarks.diary_answers [--show] [--questions FILE]`` loads the demo into a scratch home and asks every
question of ``diary_questions.jsonl``. A line holds ``query``, ``kind``, ``must`` (substrings of notes; a good answer quotes one
of them), ``must_not`` (substrings it must not quote), ``notes`` (the notes that answer it) and, where it asks for a time counted from
now, ``now``. A question without ``must`` is one whose answer is not in the notes; the right answer to it is a refusal.
``diary_held_back.jsonl`` is of the same form, written from the notes alone by somebody who did not know the rules, and nothing is
fitted on it: what it gives is what to expect of other questions.

What is counted: good answers by kind; of all quoted sentences those on the point, which hold one of ``must`` or are of one of
``notes``; refusals, right and wrong; by confidence, how many answers are good. The last line of stdout is one JSON object;
``--show`` prints every answer to stderr before it.
"""

import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, tzinfo
from pathlib import Path
from typing import Any
from unittest.mock import patch

from rag_core.answering.answer import answer_events
from rag_core.answering.events import AnswerFinished, AnswerRequest
from rag_core.model.answer import Answer
from rag_core.model.note import TenantId
from rag_core.runtime.engine import Engine

from .corpus import EXAMPLES, _rows
from .fit_reranking import import_corpus
from .indexing import index_all
from .progress import step
from .scratch import TENANT, forget_environment, scratch_engine

QUESTIONS = Path(__file__).with_name("diary_questions.jsonl")
_CLOCKS = ("rag_core.retrieval.retrieve.datetime", "rag_core.answering.understanding.understand.datetime")


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A question's answer and what it is worth.

    ``sentences`` are the citations it quotes, ``on_the_point`` how many of them belong to the answer.
    """

    query: str
    kind: str
    confidence: str
    text: str
    is_answerable: bool
    is_refused: bool
    is_good: bool
    sentences: int
    on_the_point: int


def main() -> None:
    """Ask everything, print what came of it."""
    forget_environment(None)
    path = Path(sys.argv[sys.argv.index("--questions") + 1]) if "--questions" in sys.argv else QUESTIONS
    questions = list(_rows(path))
    with step(f"{len(questions)} questions to the demo"), scratch_engine(is_durable=False) as engine:
        import_corpus(engine, list(_rows(EXAMPLES / "notes.jsonl")), "demo", "es")
        index_all(engine)
        judged = [judge(row, ask(engine, TENANT, row)) for row in questions]
    if "--show" in sys.argv:
        for one in judged:
            print(_shown(one), file=sys.stderr)
    print(json.dumps(figures_of(judged), ensure_ascii=False))


def ask(engine: Engine, tenant: TenantId, row: Mapping[str, Any]) -> Answer:
    """The answer as it is served, with ``now`` for the present where the question has one."""
    request = AnswerRequest(question=row["query"], contract="command", user_hash="", is_recorded=False)
    with present(row.get("now")):
        *_, last = answer_events(engine, tenant, request)
    assert isinstance(last, AnswerFinished)
    return last.answer


def judge(row: Mapping[str, Any], answer: Answer) -> Judged:
    """Good is an answer that holds what it must and nothing that it must not, and a refusal where nothing answers."""
    is_refused, text = answer.refusal is not None, answer.text.casefold()
    of_source = {source.number: source.external_id for source in answer.sources}
    points = [
        of_source[citation.number] in row["notes"] or _holds(citation.quote.casefold(), row["must"])
        for citation in answer.citations
    ]
    is_right = not is_refused and _holds(text, row["must"]) and not _holds(text, row.get("must_not", ()))
    return Judged(
        query=row["query"],
        kind=row["kind"],
        confidence=answer.confidence,
        text=answer.text,
        is_answerable=bool(row["must"]),
        is_refused=is_refused,
        is_good=is_right if row["must"] else is_refused,
        sentences=len(points),
        on_the_point=sum(points),
    )


def figures_of(judged: Sequence[Judged]) -> dict[str, Any]:
    """All counts as ``[good, of]`` or plain numbers."""
    answered = [one for one in judged if not one.is_refused]
    answerable = [one for one in judged if one.is_answerable]
    return {
        "good": _good(answerable),
        "by_kind": {kind: _good(one for one in judged if one.kind == kind) for kind in _distinct(judged)},
        "sentences_on_the_point": [
            sum(one.on_the_point for one in answered),
            sum(one.sentences for one in answered),
        ],
        "refused_rightly": _good(one for one in judged if not one.is_answerable),
        "refused_wrongly": [sum(one.is_refused for one in answerable), len(answerable)],
        "by_confidence": {
            level: _good(one for one in answered if one.confidence == level) for level in ("high", "medium", "low")
        },
    }


def _good(judged: Iterable[Judged]) -> list[int]:
    verdicts = Counter(one.is_good for one in judged)
    return [verdicts[True], verdicts.total()]


def _distinct(judged: Sequence[Judged]) -> list[str]:
    return list(dict.fromkeys(one.kind for one in judged))


def _holds(text: str, parts: Iterable[str]) -> bool:
    return any(part.casefold() in text for part in parts)


@contextmanager
def present(now: str | None) -> Iterator[None]:
    """The clock of everything that reads a time in a question, set to ``now``."""
    if now is None:
        yield
        return
    moment = datetime.fromisoformat(now)

    class Clock(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> datetime:  # type: ignore[override]
            return moment.astimezone(tz)

    with patch(_CLOCKS[0], Clock), patch(_CLOCKS[1], Clock):
        yield


def _shown(one: Judged) -> str:
    verdict = "good" if one.is_good else "refused" if one.is_refused else "WRONG"
    return f"{verdict:8}{one.confidence:13}{one.kind:11}{one.query}\n        {one.text}"


if __name__ == "__main__":
    main()
