"""Quoted sentences as the answer to a golden question."""

from collections.abc import Sequence

from rag_core.answering.quoting.extractive import ExtractiveAnswerer
from rag_core.answering.sources.context import build_context
from rag_core.answering.verification.citations import parse_citations
from rag_core.answering.verification.refusals import is_refusal
from rag_core.model.answer import GeneratedAnswer
from rag_core.model.note import Language
from rag_core.model.retrieval import Hit


class QuotedAnswers:
    """A ``GoldenAnswerer`` that quotes the sentences of the hits."""

    name = ExtractiveAnswerer().name

    def answer(
        self, query: str, hits: Sequence[Hit], *, language: Language, timeout_seconds: float = 1
    ) -> GeneratedAnswer:
        context = build_context(hits)
        said = ExtractiveAnswerer().stream(query, context, language=language, timeout_seconds=timeout_seconds)
        text = "".join(said)
        return GeneratedAnswer(
            text=text,
            language=language,
            context=context,
            citations=parse_citations(text),
            is_refusal=is_refusal(text, language),
        )
