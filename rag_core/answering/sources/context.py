"""The sources of an answer: numbered, dated, made harmless, and no more than a prompt holds. Pure."""

import json
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from zoneinfo import ZoneInfo

from rag_core.answering.verification.citations import CLOSING, OPENING, find_marks
from rag_core.chunking import count_tokens, estimate_tokens, sentence_spans
from rag_core.chunking.packing import part_end
from rag_core.chunking.structure import cells_of, row_text
from rag_core.guardrails.injection import scan
from rag_core.guardrails.neutral import neutralised, neutralised_position
from rag_core.model.answer import PromptContext, Source
from rag_core.model.injection import InjectionScan
from rag_core.model.note import Language, Span
from rag_core.model.retrieval import Hit
from rag_core.model.zones import in_zone

MAX_CONTEXT_TOKENS = 3_000
"""12,000 characters. Of a chat model's 8,192 tokens the rest is for instructions, conversation, question and answer."""
MAX_SOURCES = 12
LEAST_SOURCE_TOKENS = 32
"""A source that is cut to less is left out."""
MAX_TITLE_CHARACTERS = 200
_BRACKETS = str.maketrans(OPENING + CLOSING, "(" * len(OPENING) + ")" * len(CLOSING))
_VISIBLE = re.compile(r"\S")
_EMPTY, _SEPARATOR = "[]", ", "


def build_context(
    hits: Sequence[Hit], *, max_tokens: int = MAX_CONTEXT_TOKENS, max_sources: int = MAX_SOURCES
) -> PromptContext:
    """Number the hits' windows from 1, best first, as many as fit; a repeated text is one source.

    ``max_tokens`` holds for all of the context's text, by ``count_tokens``. Of what does not fit whole the sentences around the match
    are kept, and numbered after cutting. No hits give no sources.
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
    """As many of the sources as fit, in their order and with their numbers, the last ones cut to whole sentences or left out.

    A source is cut to the sentences around its match, of which the first ones are kept where not all of it fits.
    ``count_tokens(context.text) <= max_tokens`` wherever "[]" fits. Of a first source none of whose sentences fits, the
    beginning of the match is kept, up to a clause, a word or, within a word, a character.
    """
    kept: list[Source] = []
    used = len(_EMPTY)
    for source in sources:
        used_before = used + len(_SEPARATOR) * bool(kept)
        fitting = _fitting(source, used_before, max_tokens, is_first=not kept)
        if fitting is not None:
            kept.append(fitting)
            used = used_before + len(_record(kept[-1]))
    return as_context(kept)


def renumbered(context: PromptContext) -> PromptContext:
    """Number the sources from 1."""
    return as_context([replace(source, number=number) for number, source in enumerate(context.sources, 1)])


def as_context(sources: Sequence[Source]) -> PromptContext:
    """The sources and what a prompt holds of them: JSON, which no text can break out of."""
    return PromptContext(sources=tuple(sources), text=f"[{_SEPARATOR.join(map(_record, sources))}]")


def context_tokens(sources: Sequence[Source]) -> int:
    """Number of tokens of the sources in a prompt, brackets and commas included."""
    return count_tokens(as_context(sources).text)


def shown_text(source: Source) -> str:
    """All that a prompt holds of a source: its title, its date, caption and columns of its table, and its text."""
    shown = (source.title, source.day, *_table_and_columns(source), source.text)
    return "\n".join(part or "" for part in shown).strip()


def _table_and_columns(source: Source) -> tuple[str | None, str | None]:
    """The caption and the headers of rows that are shown without them; where a part of a shown row matched, its cells with theirs."""
    if source.table is None or source.table.kind != "table_segment":
        return None, None
    caption, headers, cells = source.table.caption, source.table.headers, _part_of_row(source)
    columns = " | ".join(headers)[:MAX_TITLE_CHARACTERS] if cells is None else row_text(headers, cells_of(cells))
    return caption and make_harmless(caption, source.language), make_harmless(columns, source.language)


def _part_of_row(source: Source) -> str | None:
    """The match, where more of its line is shown."""
    start, end = source.matched or (0, len(source.text))
    matched = source.text[start:end].rstrip()
    before = source.text[:start].rpartition("\n")[2]
    after = source.text[start + len(matched) :].partition("\n")[0]
    return matched if "\n" not in matched and (before + after).strip() else None


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
    text = hit.expanded_content.strip()
    harmless, scanned = _made_harmless(text, hit.language)
    before = hit.expanded_content.index(text)
    start, end = (
        neutralised_position(min(max(at - before, 0), len(text)), text, scanned, language=hit.language)
        for at in hit.bounds
    )
    return Source(
        number=number,
        note_id=hit.note_id,
        chunk_id=hit.chunk_id,
        external_id=hit.external_id,
        title=hit.title,
        created_at=hit.created_at,
        language=hit.language,
        text=harmless,
        original=hit.expanded_content,
        start_char=hit.start_char,
        chunk_index=hit.chunk_index,
        score=hit.score,
        matched=(start, end),
        likeness=hit.likeness,
        is_dated=hit.is_dated,
        page=hit.page,
        page_unit=hit.page_unit or "page",
        table=hit.table,
        is_whole=hit.is_whole,
        block=hit.block,
        box=hit.box,
        blocks=hit.blocks,
    )


def make_harmless(text: str, language: Language) -> str:
    """Without what would command a model, and without marks that it could take for its own."""
    return _made_harmless(text, language)[0]


@lru_cache(maxsize=1024)
def _made_harmless(text: str, language: Language) -> tuple[str, InjectionScan]:
    scanned = scan(text, profile="note")
    return without_marks(neutralised(text, scanned, language=language)), scanned


def _fitting(source: Source, used: int, max_tokens: int, *, is_first: bool) -> Source | None:
    """The source whole, or the sentences around its match that fit beside ``used`` characters; None when too few do."""

    def is_too_long(span: Span) -> bool:
        return estimate_tokens(used + len(_record(_cut(source, span)))) > max_tokens

    whole = (0, len(source.text))
    if not is_too_long(whole):
        return source
    matched = source.matched or whole
    span = _longest(_around(sentence_spans(source.text, source.language), matched), is_too_long)
    if span is None and is_first:
        span = _beginning(source.text, matched[0], is_too_long)
    if span is None:
        return None
    cut = _cut(source, span)
    return cut if cut.text and (is_first or count_tokens(cut.text) >= LEAST_SOURCE_TOKENS) else None


def _around(sentences: Sequence[Span], matched: Span) -> Iterator[Span]:
    """Ever longer runs of sentences: from the first of the match to its last, then with one after and one before in turn."""
    starts = [start for start, _ in sentences]
    left = max(0, bisect_right(starts, matched[0]) - 1)
    right = max(left, bisect_left(starts, matched[1]) - 1)
    yield from ((starts[left], sentences[at][1]) for at in range(left, right + 1))
    while left > 0 or right < len(sentences) - 1:
        if right < len(sentences) - 1:
            right += 1
            yield starts[left], sentences[right][1]
        if left > 0:
            left -= 1
            yield starts[left], sentences[right][1]


def _longest(growing: Iterable[Span], is_too_long: Callable[[Span], bool]) -> Span | None:
    spans = [*growing]
    fitting = bisect_left(spans, 1, key=lambda span: int(is_too_long(span)))
    return spans[fitting - 1] if fitting else None


def _beginning(text: str, start: int, is_too_long: Callable[[Span], bool]) -> Span | None:
    visible = _VISIBLE.search(text, start)
    if visible is None:
        return None
    start = visible.start()
    ends = range(start + 1, len(text) + 1)
    fitting = bisect_left(ends, 1, key=lambda end: int(is_too_long((start, end))))
    if fitting in (0, len(ends)):
        return (start, len(text)) if fitting else None
    return start, part_end(text, start, fitting)


def _cut(source: Source, span: Span) -> Source:
    kept = source.text[slice(*span)]
    start = span[0] + len(kept) - len(kept.lstrip())
    text = kept.strip()
    if source.matched is None:
        return replace(source, text=text)
    first, last = (min(max(at - start, 0), len(text)) for at in source.matched)
    return replace(source, text=text, matched=(first, last))


def _record(source: Source) -> str:
    table, columns = _table_and_columns(source)
    shown = {
        "id": source.number,
        "title": make_harmless((source.title or "")[:MAX_TITLE_CHARACTERS], source.language),
        "date": source.day,
        "table": table,
        "columns": columns,
        "text": source.text,
        "page": source.page,
    }
    return json.dumps({name: value for name, value in shown.items() if value is not None}, ensure_ascii=False)
