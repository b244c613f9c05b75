"""Golden queries answered as anybody's question is: by the whole path, with its gate, its checks and its refusals.

What is scored is what would have been shown. A mark of no source is taken out before, an answer without a citation is a refusal, and
a question whose sources hold too little is not answered; so ``citation_existence`` is 1 by construction.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from rag_core.answering.answer import answer_events
from rag_core.answering.events import AnswerFinished, AnswerRequest, SourcesFound
from rag_core.answering.generation import build_answerer
from rag_core.answering.sources.context import as_context
from rag_core.answering.sources.search_configuration import answer_config, default_options
from rag_core.answering.verification.citations import parse_citations
from rag_core.configuration.schema import RetrievalConfig
from rag_core.model.answer import Answer, GeneratedAnswer, PromptContext
from rag_core.model.note import Language, TenantId
from rag_core.model.retrieval import Hit
from rag_core.runtime.engine import Engine

_NOTHING = PromptContext(sources=(), text="[]")


@dataclass(frozen=True, slots=True, kw_only=True)
class ServedAnswers:
    """The path as ``brain ask`` uses it, with this configuration; nothing is written down, and no time but the path's own holds.

    ``override`` is what whoever evaluates changes of the configuration that is served.
    """

    engine: Engine
    tenant: TenantId
    config: RetrievalConfig
    override: Mapping[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Writer of the answers; where a chat model failed, sentences were quoted instead."""
        return build_answerer(self.engine.chat).name

    def answer(
        self,
        query: str,
        hits: Sequence[Hit],  # noqa: ARG002  an evaluation looks deeper than an answer does: the path searches by itself
        *,
        language: Language,
        timeout_seconds: float,  # noqa: ARG002  the settings say it
    ) -> GeneratedAnswer:
        """Return the answer that a reader would get, without its disclaimer.

        Raises:
            RagError: the question was blocked, nothing could be found out, or the model broke off.
        """
        request = AnswerRequest(
            question=query,
            contract="command",
            user_hash="",
            language=language,
            config=answer_config(
                self.engine.served(self.tenant), self.engine.settings, config=self.config, override=self.override
            ),
            options=default_options(self.engine.settings),
            is_recorded=False,
        )
        context = _NOTHING
        for event in answer_events(self.engine, self.tenant, request):
            if isinstance(event, SourcesFound):
                context = event.context
            elif isinstance(event, AnswerFinished):
                return _given(event.answer, context)
        raise AssertionError("the path ended without an answer and without an error")


def _given(answer: Answer, context: PromptContext) -> GeneratedAnswer:
    text = answer.text.removesuffix(answer.disclaimer or "").rstrip()
    return GeneratedAnswer(
        text=text,
        language=answer.language,
        context=replace(context, sources=answer.sources, text=as_context(answer.sources).text),
        citations=parse_citations(text),
        is_refusal=answer.refusal is not None,
    )
