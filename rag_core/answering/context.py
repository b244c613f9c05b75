"""The sources of an answer: numbered, dated, and no more than a prompt holds. Pure."""

import json
from collections.abc import Sequence

from rag_core.answering import PromptContext, Source
from rag_core.chunking import count_tokens, sentence_spans
from rag_core.model import Hit

MAX_CONTEXT_TOKENS = 3_000
"""Of a chat model's 8,192 tokens: the rest is for instructions, question and answer, and for estimates that are too low."""
LEAST_SOURCE_TOKENS = 32
"""A source with less room is left out rather than cut."""


def build_context(hits: Sequence[Hit], *, max_tokens: int = MAX_CONTEXT_TOKENS) -> PromptContext:
    """Number the hits' windows from 1, best first, as far as ``max_tokens`` reach; a repeated text is one source.

    The last one is cut after a sentence. No hits give no sources.
    """
    sources: list[Source] = []
    left, seen = max_tokens, set[str]()
    for hit in hits:
        if hit.expanded_content in seen:
            continue
        seen.add(hit.expanded_content)
        text = _fitting(hit, left - count_tokens(hit.title or ""))
        if not text:
            break
        sources.append(_source(hit, len(sources) + 1, text))
        left -= count_tokens(shown_text(sources[-1]))
    return PromptContext(sources=tuple(sources), text=_as_json(sources))


def shown_text(source: Source) -> str:
    """All that a prompt holds of a source: its title, its date and its text."""
    return "\n".join([source.title or "", source.created_at.date().isoformat(), source.text]).strip()


def _source(hit: Hit, number: int, text: str) -> Source:
    return Source(
        number=number,
        note_id=hit.note_id,
        chunk_id=hit.chunk_id,
        external_id=hit.external_id,
        title=hit.title,
        created_at=hit.created_at,
        language=hit.language,
        text=text,
        original=hit.expanded_content,
        start_char=hit.start_char,
        chunk_index=hit.chunk_index,
        score=hit.score,
    )


def _fitting(hit: Hit, max_tokens: int) -> str:
    """The window, or its first sentences that fit; '' when there is no room worth using."""
    text = hit.expanded_content.strip()
    if count_tokens(text) <= max_tokens:
        return text
    if max_tokens < LEAST_SOURCE_TOKENS:
        return ""
    ends = [end for _, end in sentence_spans(text, hit.language) if count_tokens(text[:end]) <= max_tokens]
    return text[: ends[-1]].strip() if ends else ""


def _as_json(sources: Sequence[Source]) -> str:
    """JSON, which no text can break out of."""
    shown = [
        {
            "id": source.number,
            "title": source.title or "",
            "date": source.created_at.date().isoformat(),
            "text": source.text,
        }
        for source in sources
    ]
    return json.dumps(shown, ensure_ascii=False)
