"""Answers as OpenAI's clients read them: whole, or as chunks. Pure.

The text of an answer ends with its sources, because most clients show nothing else. ``without_sources`` takes them away again where
a client sends the answer back as a part of the conversation.
"""

import re
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rag_core.answering.events import AnswerEvent, AnswerFinished, SentenceReady, SourcesFound
from rag_core.answering.sources.labels import plain
from rag_core.api.openai.models import MODEL
from rag_core.guardrails import RedactionPolicy
from rag_core.model.answer import Answer, Source
from rag_core.wire.answers import query_body, sentence_text

_LISTED = re.compile(r"- \[\d+\] .*: \S+/notas/[0-9a-f-]{36}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """Facts that all parts of an answer share; ``page`` is the address that links begin with."""

    id: str
    created: int
    page: str
    policy: RedactionPolicy

    def whole(self, answer: Answer) -> dict[str, Any]:
        """The answer in one body."""
        body = query_body(answer, policy=self.policy)
        message = {
            "role": "assistant",
            "content": body["answer"] + self._listed(body["citations"]),
            "refusal": None,
            "annotations": self._annotations(body["citations"]),
        }
        return {
            **self._part("chat.completion"),
            "choices": [{"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}],
            "usage": _usage(answer),
            **_facts(body),
        }

    def chunks(self, events: Iterable[AnswerEvent], *, has_usage: bool) -> Generator[dict[str, Any], None, None]:
        """The answering path's events as chunks; the last with a choice has what the whole answer has beside its text.

        An answer that the end made another of follows what was shown, because nothing can be taken back.
        """
        sources: Sequence[Source] = ()
        shown = ""
        for event in events:
            if isinstance(event, SourcesFound):
                sources = event.context.sources
                yield self._chunk({"role": "assistant", "content": ""})
            elif isinstance(event, SentenceReady):
                text = sentence_text(event, sources, "numbered")
                shown += text
                yield self._chunk({"content": text})
            elif isinstance(event, AnswerFinished):
                yield from self._ending(event.answer, shown, has_usage=has_usage)

    def _ending(self, answer: Answer, shown: str, *, has_usage: bool) -> Iterator[dict[str, Any]]:
        body = query_body(answer, policy=self.policy)
        shown = shown.rstrip()
        rest = body["answer"].removeprefix(shown) if body["answer"].startswith(shown) else f"\n\n{body['answer']}"
        yield self._chunk({"content": rest + self._listed(body["citations"])})
        last = self._chunk({"annotations": self._annotations(body["citations"])}, finish_reason="stop")
        yield {**last, **_facts(body)}
        if has_usage:
            yield {**self._part("chat.completion.chunk"), "choices": [], "usage": _usage(answer)}

    def _chunk(self, delta: Mapping[str, Any], *, finish_reason: str | None = None) -> dict[str, Any]:
        choice = {"index": 0, "delta": dict(delta), "finish_reason": finish_reason, "logprobs": None}
        return {**self._part("chat.completion.chunk"), "choices": [choice]}

    def _part(self, kind: str) -> dict[str, Any]:
        return {"id": self.id, "object": kind, "created": self.created, "model": MODEL}

    def _listed(self, citations: Sequence[Mapping[str, Any]]) -> str:
        """The cited sources in lines at the end of a text; a title can neither be markup nor lead elsewhere."""
        lines = [
            f"\n- {cited['id']} {plain(cited['documentTitle'])}: {self.page}{cited['documentUrl']}"
            for cited in citations
        ]
        return "\n" + "".join(lines) if lines else ""

    def _annotations(self, citations: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        return [
            {
                "type": "url_citation",
                "url_citation": {
                    "start_index": start,
                    "end_index": end,
                    "title": plain(cited["documentTitle"]),
                    "url": f"{self.page}{cited['documentUrl']}",
                },
            }
            for cited in citations
            for start, end in dict.fromkeys((span["answer"]["start"], span["answer"]["end"]) for span in cited["spans"])
        ]


def without_sources(text: str) -> str:
    """An earlier answer without the sources at its end."""
    lines = text.rstrip().split("\n")
    length = len(lines)
    while length and _LISTED.fullmatch(lines[length - 1]):  # a pattern over all lines would be tried at each of them
        length -= 1
    return text if length == len(lines) else "\n".join(lines[:length]).rstrip()


def _facts(body: Mapping[str, Any]) -> dict[str, Any]:
    return {"citations": body["citations"], "metadata": body["metadata"]}


def _usage(answer: Answer) -> dict[str, int]:
    return {
        "prompt_tokens": answer.prompt_tokens,
        "completion_tokens": answer.answer_tokens,
        "total_tokens": answer.prompt_tokens + answer.answer_tokens,
    }
