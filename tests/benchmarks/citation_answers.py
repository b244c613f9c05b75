"""Share of the citations of quoted sentences that exist and hold, on the demo's golden queries and samples of question sets."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from quoted_answers import QuotedAnswers

from rag_core.answering.events import AnswerRequest
from rag_core.answering.sources.fallbacks import find_sources
from rag_core.answering.verification.check import check_citations
from rag_core.answering.verification.citations import parse_citations
from rag_core.model.answer import CheckedText
from rag_core.runtime.engine import Engine

from .corpus import EXAMPLES, _rows, _stored
from .fit_reranking import import_corpus
from .indexing import index_all
from .progress import step
from .scratch import TENANT, forget_environment, scratch_engine

SETS = ("xquad-es", "squad-es-mt")
SAMPLE = 300
TIMEOUT_MS = 30_000


def answered(folder: Path) -> dict[str, dict[str, float]]:
    """By set: questions, answers, marks written, marks of a source that exists, citations that hold, sentences without any."""
    forget_environment()
    figures = {"demo": _answered("demo", list(_rows(EXAMPLES / "notes.jsonl")), list(_rows(EXAMPLES / "golden.jsonl")))}
    for name in SETS:
        corpus, questions = (list(_rows(_stored(folder / name / f"{part}.jsonl"))) for part in ("corpus", "queries"))
        figures[name] = _answered(name, corpus, questions[:: max(1, len(questions) // SAMPLE)])
    return figures


def _answered(name: str, corpus: Sequence[Any], questions: Sequence[Any]) -> dict[str, float]:
    with step(f"answers to {len(questions)} questions of {name}"), scratch_engine(is_durable=False) as engine:
        import_corpus(engine, corpus, name, "es")
        index_all(engine)
        return _figures(len(questions), list(_answers(engine, questions)))


def _answers(engine: Engine, questions: Sequence[Any]) -> Iterator[tuple[int, CheckedText]]:
    """The numbers cited in each answer as it was written, and the answer once checked; refusals are left out."""
    for row in questions:
        question = row["query"]
        request = AnswerRequest(question=question, contract="command", user_hash="", is_recorded=False)
        found = find_sources(engine, TENANT, question, request, timeout_ms=TIMEOUT_MS)
        given = QuotedAnswers().answer(question, found.hits, language="es", timeout_seconds=1)
        if not given.is_refusal:
            checked = check_citations(given.text, given.context.sources, language="es")
            yield sum(len(mark.numbers) for mark in parse_citations(given.text)), checked


def _figures(questions: int, answers: Sequence[tuple[int, CheckedText]]) -> dict[str, float]:
    citations = [citation for _, checked in answers for citation in checked.citations]
    return {
        "questions": questions,
        "answers": len(answers),
        "cited": sum(written for written, _ in answers),
        "existing": len(citations),
        "supported": sum(citation.is_supported for citation in citations),
        "support_rate": round(sum(citation.is_supported for citation in citations) / max(1, len(citations)), 4),
        "uncited": sum(len(checked.uncited) for _, checked in answers),
    }
