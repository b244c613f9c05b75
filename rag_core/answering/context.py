"""The sources of an answer: numbered, dated, made harmless, and no more than a prompt holds. Pure."""

import json
import re
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from zoneinfo import ZoneInfo

from rag_core.answering import PromptContext, Source
from rag_core.answering.citations import CLOSING, OPENING, find_marks
from rag_core.chunking import count_tokens, estimate_tokens, sentence_spans
from rag_core.guardrails.injection import scan
from rag_core.guardrails.neutral import neutralised
from rag_core.model import Hit, Language
from rag_core.zones import in_zone

MAX_CONTEXT_TOKENS = 3_000
"""12,000 characters. Of a chat model's 8,192 tokens the rest is for instructions, conversation, question and answer."""
MAX_SOURCES = 12
LEAST_SOURCE_TOKENS = 32
"""A source that is cut to less is left out."""
MAX_TITLE_CHARACTERS = 200
_BRACKETS = str.maketrans(OPENING + CLOSING, "(" * len(OPENING) + ")" * len(CLOSING))
_EMPTY, _SEPARATOR = "[]", ", "


def build_context(
    hits: Sequence[Hit], *, max_tokens: int = MAX_CONTEXT_TOKENS, max_sources: int = MAX_SOURCES
) -> PromptContext:
    """Number the hits' windows from 1, best first, as many as fit; a repeated text is one source.

    ``max_tokens`` holds for all of the context's text, by ``count_tokens``. What does not fit whole is cut after a sentence, and
    numbered after cutting. No hits give no sources.
    """
    return renumbered(fit_sources(make_sources(hits, max_sources=max_sources), max_tokens=max_tokens))


def dated_in(hits: Sequence[Hit], zone: ZoneInfo) -> tuple[Hit, ...]:
    """The hits with ``created_at`` in the zone by whose days a reader counts; sources that are made of them have it from there."""
    return tuple(replace(hit, created_at=in_zone(hit.created_at, zone)) for hit in hits)


def make_sources(hits: Sequence[Hit], *, max_sources: int = MAX_SOURCES) -> list[Source]:
    """The hits as sources that a model may read, whole, each text once, numbered from 1."""
    distinct: dict[str, Hit] = {}
    for hit in hits:
        if hit.expanded_content.strip():
            distinct.setdefault(hit.expanded_content, hit)
    return [_source(hit, number) for number, hit in enumerate([*distinct.values()][:max_sources], 1)]


def fit_sources(sources: Sequence[Source], *, max_tokens: int) -> PromptContext:
    """As many of the sources as fit, in their order and with their numbers, the last ones cut after a sentence or left out.

    ``count_tokens(context.text) <= max_tokens`` wherever "[]" fits. Of a first source none of whose sentences fits, words are kept.
    """
    kept: list[Source] = []
    used = len(_EMPTY)
    for source in sources:
        used_before = used + len(_SEPARATOR) * bool(kept)
        text = _fitting(source, used_before, max_tokens, is_first=not kept)
        if text:
            kept.append(replace(source, text=text))
            used = used_before + len(_record(kept[-1]))
    return as_context(kept)


def renumbered(context: PromptContext) -> PromptContext:
    """The same sources, numbered from 1."""
    return as_context([replace(source, number=number) for number, source in enumerate(context.sources, 1)])


def as_context(sources: Sequence[Source]) -> PromptContext:
    """The sources and what a prompt holds of them: JSON, which no text can break out of."""
    return PromptContext(sources=tuple(sources), text=f"[{_SEPARATOR.join(map(_record, sources))}]")


def context_tokens(sources: Sequence[Source]) -> int:
    """What a prompt that holds the sources has of them, brackets and commas included."""
    return count_tokens(as_context(sources).text)


def shown_text(source: Source) -> str:
    """All that a prompt holds of a source: its title, its date and its text."""
    return "\n".join([source.title or "", source.created_at.date().isoformat(), source.text]).strip()


def without_marks(text: str) -> str:
    """The text with round brackets in place of those that read as a citation ("[1]", "[Quelle: …]"), every offset as it was."""
    while marks := list(find_marks(text, {})):
        pieces, end = [], 0
        for mark, _ in marks:
            pieces += [text[end : mark.span[0]], text[slice(*mark.span)].translate(_BRACKETS)]
            end = mark.span[1]
        text = "".join([*pieces, text[end:]])
    return text


def _source(hit: Hit, number: int) -> Source:
    return Source(
        number=number,
        note_id=hit.note_id,
        chunk_id=hit.chunk_id,
        external_id=hit.external_id,
        title=hit.title,
        created_at=hit.created_at,
        language=hit.language,
        text=make_harmless(hit.expanded_content.strip(), hit.language),
        original=hit.expanded_content,
        start_char=hit.start_char,
        chunk_index=hit.chunk_index,
        score=hit.score,
    )


@lru_cache(maxsize=1024)
def make_harmless(text: str, language: Language) -> str:
    """Without what would command a model, and without marks that it could take for its own."""
    return without_marks(neutralised(text, scan(text, profile="note"), language=language))


def _fitting(source: Source, used: int, max_tokens: int, *, is_first: bool) -> str:
    """The source's text, or its first sentences that fit beside ``used`` characters; '' when too few do."""

    def is_too_long(text: str) -> bool:
        return estimate_tokens(used + len(_record(replace(source, text=text)))) > max_tokens

    if not is_too_long(source.text):
        return source.text
    ends = [end for _, end in sentence_spans(source.text, source.language)]
    text = _longest(source.text, ends, is_too_long)
    if not text and is_first:
        text = _longest(source.text, [match.end() for match in re.finditer(r"\S+", source.text)], is_too_long)
    return text if is_first or count_tokens(text) >= LEAST_SOURCE_TOKENS else ""


def _longest(text: str, ends: Sequence[int], is_too_long: Callable[[str], bool]) -> str:
    fitting = bisect_left(ends, 1, key=lambda end: int(is_too_long(text[:end].strip())))
    return text[: ends[fitting - 1]].strip() if fitting else ""


def _record(source: Source) -> str:
    shown: dict[str, str | int] = {
        "id": source.number,
        "title": make_harmless((source.title or "")[:MAX_TITLE_CHARACTERS], source.language),
        "date": source.created_at.date().isoformat(),
        "text": source.text,
    }
    return json.dumps(shown if source.page is None else shown | {"page": source.page}, ensure_ascii=False)
