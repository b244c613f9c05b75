"""Expansion: from ranked chunks to passages with the sentences around them, in two batched queries."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from rag_core.chunking import CHUNKERS, estimate_tokens, window_bounds
from rag_core.configuration.schema import RetrievalConfig
from rag_core.model.document import place_of
from rag_core.model.graph import Relation
from rag_core.model.note import ChunkId, Span, TenantId
from rag_core.model.retrieval import Hit, RetrievalMethod
from rag_core.retrieval.deadline import Deadline
from rag_core.retrieval.hit_pages import page_of_hit
from rag_core.retrieval.passages import best_passage
from rag_core.retrieval.windows import Match, Window, fill_windows, within
from rag_core.runtime.cache import Found
from rag_core.storage.database import Database
from rag_core.storage.search import ChunkBounds, WindowText, fetch_spans


@dataclass(frozen=True, slots=True, kw_only=True)
class Fused:
    """A candidate: its public score in [0, 1], the fusion's own score, and its rank and score in each leg that found it.

    After re-ranking ``score`` is the re-ranker's and ``original_score`` what it was before. ``path`` leads from the
    entity asked for to this one, by ids, when the causal graph found it.
    """

    chunk_id: ChunkId
    score: float
    fusion_score: float
    ranks: Mapping[str, int]
    leg_scores: Mapping[str, float] = field(default_factory=dict)
    original_score: float | None = None
    rerank_score: float | None = None
    path: tuple[str, ...] | None = None
    path_names: tuple[str, ...] | None = None
    relations: tuple[Relation, ...] = ()


_METHODS: tuple[RetrievalMethod, ...] = ("semantic", "fulltext", "graph")


@dataclass(frozen=True, slots=True, kw_only=True)
class Expanded:
    """Hits, and whether everything that was found was still there to be read: a note may be published anew meanwhile.

    ``matches`` are the candidates with their windows, in their order.
    """

    hits: list[Hit]
    is_current: bool
    matches: Sequence[Match] = ()


def expand(
    database: Database,
    tenant: TenantId,
    query: str,
    candidates: Sequence[Fused],
    *,
    found: Sequence[ChunkId],
    served: int,
    depth: int | None,
    config: RetrievalConfig,
    deadline: Deadline,
    read_windows: Callable[[Sequence[Found]], Mapping[int, WindowText]],
) -> Expanded:
    """The best ``topK.final`` of the candidates as hits; those whose windows overlap are one hit, and the next takes the free place.

    The first ``served`` candidates are preferred. With a ``depth`` others follow, so many hits in all. ``found`` is what
    the legs found, candidates or not. ``read_windows`` gives the texts of windows by their position, without those whose note
    changed meanwhile.
    """
    if not found:
        return Expanded(hits=[], is_current=True)
    before, after = _sentences(config)
    spans = fetch_spans(
        database,
        tenant,
        found,
        before=before,
        after=after,
        timeout_ms=reading_ms(deadline),
    )
    by_chunk = {candidate.chunk_id: candidate for candidate in candidates}
    matches = [_match(spans[chunk], config) for chunk in by_chunk if chunk in spans]
    windows = fill_windows(
        matches,
        served=sum(candidate.chunk_id in spans for candidate in candidates[:served]),
        limit=config.top_k.final,
        depth=depth,
        max_tokens=config.context_expansion.max_window_size,
    )
    texts = read_windows([(window.best.note_id, window.best.content_hash, window.span) for window in windows])
    return Expanded(
        hits=[
            _hit(windows[at], text, by_chunk[windows[at].best.chunk_id], query, config) for at, text in texts.items()
        ],
        is_current=len(spans) == len(set(found)) and len(texts) == len(windows),
        matches=matches,
    )


def _sentences(config: RetrievalConfig) -> tuple[int, int]:
    expansion = config.context_expansion
    return (expansion.sentences_before, expansion.sentences_after) if expansion.enabled else (0, 0)


def reading_ms(deadline: Deadline) -> int:
    """Reading what was found is worth a little more time than none: without it there is no result at all."""
    return max(250, deadline.remaining_ms)


def _match(found: ChunkBounds, config: RetrievalConfig) -> Match:
    low, high = found.low or 0, found.high or found.last_end
    window = _window(found, low, high, config) if config.context_expansion.enabled else found.span
    return Match(
        chunk_id=found.chunk_id,
        note_id=found.note_id,
        chunk_index=found.chunk_index,
        span=found.span,
        window=window,
        content_hash=found.content_hash,
        is_whole_note=found.is_whole_note,
        table=found.table,
        section=found.section,
        is_whole=window[0] <= low and high <= window[1],
    )


def _window(found: ChunkBounds, low: int, high: int, config: RetrievalConfig) -> Span:
    """The section or table that a chunk is in, where that is wanted and fits; else sentences around it, within that."""
    before, after = _sentences(config)
    most = config.context_expansion.max_window_size
    is_wanted = config.context_expansion.sections or _shows_section(found.chunking_method)
    if is_wanted and estimate_tokens(high - low) <= most:
        return low, high
    start, end = window_bounds(
        found.sentence_starts,
        found.span[1] if found.note_length is None else found.note_length,
        found.span,
        before=before,
        after=after,
        max_tokens=most,
    )
    return max(start, low), end if found.high is None else min(end, found.high)


def _shows_section(chunking_method: str) -> bool:
    chunker = CHUNKERS.find(chunking_method)
    return chunker is not None and chunker.shows_section


def _hit(window: Window, text: WindowText, candidate: Fused, query: str, config: RetrievalConfig) -> Hit:
    if window.best.is_whole_note:
        window, text = _narrowed(window, text, query, config)
    start, end = within(window.best.span, window.span)
    page = page_of_hit(text.blocks, text.text[start:end], window.best.span, query=query, language=text.language)
    place = place_of(text.blocks, window.best.span, page=page)
    return Hit(
        chunk_id=candidate.chunk_id,
        note_id=window.best.note_id,
        external_id=text.external_id,
        source=text.source,
        title=text.title,
        created_at=text.created_at,
        language=text.language,
        content=text.text[start:end],
        expanded_content=text.text,
        start_char=window.span[0],
        bounds=(start, end),
        matched_spans=tuple(within(span, window.span) for span in window.matched),
        chunk_index=window.best.chunk_index,
        score=candidate.score,
        fusion_score=candidate.fusion_score,
        method=_method(candidate.ranks),
        ranks=candidate.ranks,
        leg_scores=candidate.leg_scores,
        original_score=candidate.original_score,
        rerank_score=candidate.rerank_score,
        causal_path=candidate.path,
        causal_path_names=candidate.path_names,
        causal_relations=candidate.relations,
        is_dated=text.is_dated,
        page=place.page,
        page_unit=text.page_unit,
        table=window.best.table,
        section=window.best.section,
        is_whole=window.best.is_whole,
        block=place.block,
        box=place.box,
        blocks=text.blocks,
    )


def _narrowed(window: Window, text: WindowText, query: str, config: RetrievalConfig) -> tuple[Window, WindowText]:
    """The best passage instead of the whole note."""
    before, after = _sentences(config)
    chosen, around = best_passage(
        text.text,
        query,
        language=text.language,
        sizes=config.chunking,
        before=before,
        after=after,
        max_tokens=config.context_expansion.max_window_size,
    )
    shown: Span = around if config.context_expansion.enabled else chosen
    best = Match(
        chunk_id=window.best.chunk_id,
        note_id=window.best.note_id,
        chunk_index=window.best.chunk_index,
        span=chosen,
        window=shown,
    )
    cut = replace(text, text=text.text[shown[0] : shown[1]])
    return Window(best=best, span=shown, matched=(chosen,)), cut


def _method(ranks: Mapping[str, int]) -> RetrievalMethod:
    legs = {leg.split(":")[0] for leg in ranks if leg != "names"} or {"graph"}
    if len(legs) > 1:
        return "hybrid"
    return next((method for method in _METHODS if method in legs), "hybrid")
