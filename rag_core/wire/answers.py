"""Answers as other programs read them, a body for each contract: JSON-ready, camelCase, marks as the contract writes them.

AuroraNotes (``POST /chat``, ``brain ask``) cites "[N1]", Hybrid (``POST /api/query``, conversations) "[1]", RAG V2 "[Quelle: Titel]".
Spans are code points of the answer as it stands in the body; those of ``evidence`` are of the note. Every contract says the same
of a citation: whether the source holds what it stands behind, who found that, and where in the note.
What stands beside an answer is shown under the same policy as the answer: with "redact" titles and snippets have placeholders too.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, TypeVar, cast

from rag_core.answering.events import SentenceReady
from rag_core.answering.rendering import CitationStyle, render
from rag_core.answering.sources.places import in_order_of_citation
from rag_core.guardrails import RedactionPolicy
from rag_core.guardrails.policies import Hiding, hiding
from rag_core.model.answer import Answer, CheckedCitation, CheckedText, Source
from rag_core.model.conversation import CitedSource, Session, Turn
from rag_core.model.note import Language, Span
from rag_core.model.retrieval import Retrieval, Strategy
from rag_core.wire.values import moment_to_wire, place_to_wire, span_to_wire

SNIPPET_CHARACTERS = 240
"""Characters of a source that are shown at most."""

Cited = Source | CitedSource
"""A source that an answer was made from, or what a conversation keeps of one."""
_Cited = TypeVar("_Cited", Source, CitedSource)

_STRATEGIES: Mapping[Strategy, str] = {
    "hybrid+rerank": "hybrid_reranked",
    "hybrid": "hybrid",
    "semantic": "semantic",
    "fulltext": "fulltext",
}


def shown_sources(sources: Sequence[_Cited], *, policy: RedactionPolicy, language: Language) -> tuple[_Cited, ...]:
    """The sources of an answer in that language as they may be shown."""
    hide = hiding(policy, language)
    return tuple(_shown_source(source, hide) for source in sources)


def _shown_source(source: _Cited, hide: Hiding) -> _Cited:
    named = replace(
        source,
        title=None if source.title is None else hide(source.title),
        external_id=hide(source.external_id),  # it stands where a title is missing
    )
    return replace(named, text=hide(named.text)) if isinstance(named, Source) else named


def _shown_citations(
    citations: Sequence[CheckedCitation], *, policy: RedactionPolicy, language: Language
) -> tuple[CheckedCitation, ...]:
    hide = hiding(policy, language)
    return tuple(replace(citation, quote=hide(citation.quote)) for citation in citations)


def _shown(answer: Answer, policy: RedactionPolicy) -> Answer:
    """The answer with what stands beside its text as it may be shown; the text itself was made under the policy."""
    return replace(
        answer,
        sources=shown_sources(answer.sources, policy=policy, language=answer.language),
        citations=_shown_citations(answer.citations, policy=policy, language=answer.language),
    )


def chat_body(answer: Answer, *, policy: RedactionPolicy) -> dict[str, Any]:
    """The body of ``POST /chat``: sources by their cids, those cited alone, in the order of citation."""
    answer = _shown(answer, policy)
    rendered = render(answer.checked, answer.sources, "notes")
    return {
        "answer": rendered.text,
        "citations": [_chat_citation(source, uses) for source, uses in _by_source(rendered.citations, answer.sources)],
        "meta": {
            "model": answer.answerer,
            "retrieval": {
                "k": len(answer.sources),
                "strategy": strategy_of(answer),
                "candidateCount": 0 if answer.retrieval is None else answer.retrieval.candidates,
                "rerankCount": _reranked(answer.retrieval),
                "timeMs": answer.stages.get("retrieval", 0.0),
            },
            **_outcome(answer),
        },
    }


def _chat_citation(source: Cited, uses: Sequence[CheckedCitation]) -> dict[str, Any]:
    return {
        "cid": f"N{source.number}",
        "noteId": str(source.note_id),
        "chunkId": f"{source.note_id}_{source.chunk_index:03d}",
        **place_to_wire(source),
        "createdAt": milliseconds_to_wire(source.created_at),
        "title": source.title,
        "snippet": snippet_of(source, uses),
        "score": source.score,
        **_verified(uses),
    }


def query_body(answer: Answer, *, policy: RedactionPolicy) -> dict[str, Any]:
    """The body of ``POST /api/query``."""
    answer = _shown(answer, policy)
    text, citations = _numbered(answer.checked, answer.sources)
    return {
        "queryId": str(answer.query_id),
        "answer": text,
        "citations": citations,
        "confidence": answer.confidence,
        "metadata": query_metadata(answer),
    }


def query_metadata(answer: Answer) -> dict[str, Any]:
    """Build the metadata of ``POST /api/query``; result counts are of the chunks that each leg found."""
    return {
        "totalTokens": answer.prompt_tokens + answer.answer_tokens,
        "citationCount": len({citation.number for citation in answer.citations}),
        "vectorResultCount": 0 if answer.retrieval is None else answer.retrieval.figures.semantic_hits or 0,
        "graphResultCount": 0 if answer.retrieval is None else answer.retrieval.figures.graph_hits or 0,
        "latencyMs": answer.stages.get("total", 0.0),
        "strategy": strategy_of(answer),
        "model": answer.answerer,
        "sessionId": None if answer.session_id is None else str(answer.session_id),
        "standaloneQuery": answer.standalone,
        **_outcome(answer),
    }


def _numbered(checked: CheckedText, sources: Sequence[Cited]) -> tuple[str, list[dict[str, Any]]]:
    """An answer with marks such as "[1]", and what they name."""
    rendered = render(checked, cast("Sequence[Source]", sources), "numbered")  # of a source it takes the number alone
    return rendered.text, [_query_citation(source, uses) for source, uses in _by_source(rendered.citations, sources)]


def _query_citation(source: Cited, uses: Sequence[CheckedCitation]) -> dict[str, Any]:
    return {
        "id": f"[{source.number}]",
        "chunkId": str(source.chunk_id),
        "noteId": str(source.note_id),
        "documentTitle": source.title or source.external_id,
        "documentUrl": f"/notas/{source.note_id}",
        **place_to_wire(source),
        "createdAt": moment_to_wire(source.created_at),
        "snippet": snippet_of(source, uses),
        "relevanceScore": source.score,
        **_verified(uses),
    }


def german_body(answer: Answer, *, policy: RedactionPolicy) -> dict[str, Any]:
    """Build the body of ``POST /api/v2/rag/chat`` for a finished answer."""
    answer = _shown(answer, policy)
    rendered = render(answer.checked, in_order_of_citation(answer.sources, answer.citations), "german")
    outcome = _outcome(answer)
    return {
        "success": True,
        "answer": rendered.text,
        "sources": _german_sources(answer),
        "citations": [
            {"mark": _cut(rendered.text, uses[0].mark), **german_source(source), **_verified(uses)}
            for source, uses in _by_source(rendered.citations, answer.sources)
        ],
        "metrics": {"groundedness": answer.groundedness, "latency": answer.stages.get("total", 0.0)},
        "model": answer.answerer,
        **outcome,
    }


def _german_sources(answer: Answer) -> list[dict[str, Any]]:
    """Return the sources read for the answer: the cited ones first, then the rest, each by its number."""
    cited = {citation.number for citation in answer.citations}
    ordered = sorted(answer.sources, key=lambda source: (source.number not in cited, source.number))
    return [{**german_source(source), "cited": source.number in cited} for source in ordered]


def german_source(source: Cited) -> dict[str, Any]:
    """A source, as it may be shown, with RAG V2's names; its page is known of documents alone."""
    return {
        "number": source.number,
        "documentId": str(source.note_id),
        "documentTitle": source.title or source.external_id,
        "chunkId": str(source.chunk_id),
        **place_to_wire(source),
        "createdAt": moment_to_wire(source.created_at),
        "snippet": snippet_of(source),
        "score": source.score,
    }


def sentence_text(sentence: SentenceReady, sources: Sequence[Source], style: CitationStyle) -> str:
    """A sentence of an answer that is being made, with the contract's marks; joined they are the answer's beginning.

    Marks may name titles and pages, so the sources are those of ``shown_sources``, placed and in order of citation for "german".
    """
    citations = tuple(_moved(citation, -sentence.start) for citation in sentence.citations)
    checked = CheckedText(text=sentence.text, citations=citations, uncited=(), removed=0)
    return render(checked, sources, style).text


def _moved(citation: CheckedCitation, by: int) -> CheckedCitation:
    mark, claim = citation.mark, citation.claim
    return replace(citation, mark=(mark[0] + by, mark[1] + by), claim=(claim[0] + by, claim[1] + by))


def session_to_wire(session: Session) -> dict[str, Any]:
    """A conversation as its owner's list has it."""
    return {
        "id": str(session.id),
        "startedAt": moment_to_wire(session.started_at),
        "lastAt": moment_to_wire(session.last_at),
        "endedAt": None if session.ended_at is None else moment_to_wire(session.ended_at),
        "questions": session.questions,
        "title": session.title,
    }


def turn_to_wire(turn: Turn, *, policy: RedactionPolicy) -> dict[str, Any]:
    """A question of a conversation with its answer, as ``POST /api/query`` gave it."""
    language, checked = turn.answer.language, turn.answer.checked
    text, citations = _numbered(
        replace(checked, citations=_shown_citations(checked.citations, policy=policy, language=language)),
        shown_sources(turn.answer.sources, policy=policy, language=language),
    )
    return {
        "queryId": str(turn.query_id),
        "askedAt": moment_to_wire(turn.asked_at),
        "question": turn.question,
        "standaloneQuery": turn.standalone,
        "answer": text,
        "citations": citations,
        "confidence": turn.answer.confidence,
        "language": turn.answer.language,
        "refusal": turn.answer.refusal,
        "warnings": list(turn.answer.warnings),
        "rating": turn.rating,
        "comment": turn.comment,
    }


def strategy_of(answer: Answer) -> str:
    """Return the way the sources were found: the fallback where there was one, "none" where nothing was searched."""
    if answer.fallback is not None:
        return answer.fallback
    return "none" if answer.retrieval is None else _STRATEGIES[answer.retrieval.strategy]


def snippet_of(source: Cited, uses: Sequence[CheckedCitation] = ()) -> str:
    """The sentence that is cited, else the beginning of what was read; '' of a kept source that no sentence was found in."""
    quotes = [use.quote for use in uses if use.quote]
    text = quotes[0] if quotes else source.text if isinstance(source, Source) else ""
    text = " ".join(text.split())
    if len(text) <= SNIPPET_CHARACTERS:
        return text
    return f"{text[: SNIPPET_CHARACTERS - 1].rsplit(' ', 1)[0]}…"


def milliseconds_to_wire(moment: datetime) -> str:
    """ISO 8601 in UTC with three decimals always: ``2024-01-15T10:30:00.000Z``."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _by_source(
    citations: Sequence[CheckedCitation], sources: Sequence[Cited]
) -> list[tuple[Cited, list[CheckedCitation]]]:
    """The sources that are cited, by their numbers, each with where."""
    uses = {source.number: [use for use in citations if use.number == source.number] for source in sources}
    return [(source, uses[source.number]) for source in sources if uses[source.number]]


def _verified(uses: Sequence[CheckedCitation]) -> dict[str, Any]:
    """Tell whether a source supports all that it is cited for, and where; of several uses the weakest counts."""
    weakest = min(uses, key=lambda use: (use.is_supported, use.support))
    return {
        "verification": {
            "supported": weakest.is_supported,
            "support": weakest.support,
            "verifiedBy": weakest.verified_by,
        },
        "spans": [
            {
                "answer": span_to_wire(use.mark),
                "claim": span_to_wire(use.claim),
                "evidence": None if use.evidence is None else span_to_wire(use.evidence),
                "supported": use.is_supported,
            }
            for use in uses
        ],
    }


def _outcome(answer: Answer) -> dict[str, Any]:
    return {
        "queryId": str(answer.query_id),
        "confidence": answer.confidence,
        "language": answer.language,
        "groundedness": answer.groundedness,
        "refusal": answer.refusal,
        "warnings": list(answer.warnings),
        "disclaimer": answer.disclaimer,
    }


def _reranked(retrieval: Retrieval | None) -> int:
    """Return the number of hits kept by re-ranking; 0 where nothing was re-ranked."""
    return len(retrieval.hits) if retrieval is not None and retrieval.strategy == "hybrid+rerank" else 0


def _cut(text: str, span: Span) -> str:
    return text[span[0] : span[1]]
