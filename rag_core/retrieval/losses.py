"""Losses of a search: the stage at which a note fell out of what one search gave, and what would have to differ. Pure."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from math import inf
from typing import Literal

from rag_core.model.note import ChunkId, NoteId
from rag_core.retrieval.candidates import is_in_time
from rag_core.retrieval.expansion import Fused
from rag_core.retrieval.look import Look
from rag_core.retrieval.plan import asks_for_time, interval_of
from rag_core.retrieval.ranking import pool_size
from rag_core.retrieval.windows import Window, fill_windows

Stage = Literal["found", "filter", "leg", "fusion", "reranking", "names", "window", "topK", "routing"]
"""The stage at which a note is lost; ``routing`` where tables of a routed search took its place."""
Value = float | str | bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """The note, its chunks, the fields of the filters that it fails, and when it was written."""

    note_id: NoteId
    chunks: Collection[ChunkId]
    failing: Sequence[str]
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """Place of the note after a stage, from 1, with its score there; None where it is not among the ``candidates``.

    The first ``passing`` go on.
    """

    stage: Stage
    place: int | None
    score: float | None
    candidates: int
    passing: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Remedy:
    """A value that would have to differ: a key of the configuration, a filter or a score; ``needed`` None: any other or none."""

    key: str
    now: Value
    needed: Value = None


def place_of(candidates: Sequence[Fused], chunks: Collection[ChunkId]) -> int | None:
    """Place of the first candidate among the chunks, from 1."""
    return next((place for place, item in enumerate(candidates, 1) if item.chunk_id in chunks), None)


def window_place(look: Look, note: NoteId) -> int | None:
    """Place that the note's first window would have if there were room for all."""
    windows = _windows(look)
    return next((place for place, window in enumerate(windows, 1) if window.best.note_id == note), None)


def lost_at(look: Look, facts: Facts) -> Stage:
    """The stage at which a note that is no result was lost: the first after which it stood outside of what is served."""
    fused, ordered, linked = (inf if place is None else place for place in _places(look, facts.chunks))
    pool, final = pool_size(look.plan.config), look.plan.config.top_k.final
    is_found = fused < inf
    lost: dict[Stage, bool] = {
        "filter": bool(facts.failing),
        "leg": not is_found and linked == inf,
        "fusion": is_found and fused > pool,
        "reranking": is_found and (ordered > look.served or fused <= final < ordered),
        "names": ordered <= final < linked,
        "routing": (window_place(look, facts.note_id) or inf) <= final,
        "window": _notes_before(look, facts.note_id) < final,
    }
    return next((stage for stage, is_lost in lost.items() if is_lost), "topK")


def steps_of(look: Look, facts: Facts) -> list[Step]:
    """Places of the note after each stage that it may have come to."""
    config, windows = look.plan.config, window_place(look, facts.note_id)
    lists: list[tuple[Stage, Sequence[Fused], int]] = [("fusion", look.fused, pool_size(config))]
    lists += [("reranking", look.ordered, look.served)] if look.plan.reranker else []
    lists += [("names", look.linked, look.served)] if look.linked != look.ordered else []
    steps = [_step(stage, candidates, passing, facts.chunks) for stage, candidates, passing in lists]
    count, final = len(_windows(look)), config.top_k.final
    return [*steps, Step(stage="window", place=windows, score=None, candidates=count, passing=final)]


def changes_of(
    stage: Stage, look: Look, facts: Facts, legs: Mapping[str, tuple[float | None, float | None]]
) -> list[Remedy]:
    """The values that would have to differ for the note to be among the results; ``legs`` has its score and the least one by leg."""
    if stage == "leg":
        return [Remedy(key=f"{leg}.score", now=score, needed=least) for leg, (score, least) in legs.items()]
    return _CHANGES[stage](look, facts)


def _of_filters(look: Look, facts: Facts) -> list[Remedy]:
    filters = look.plan.filters
    return [Remedy(key=f"filters.{name}", now=_told(getattr(filters, name))) for name in facts.failing]


def _of_fusion(look: Look, facts: Facts) -> list[Remedy]:
    config, place = look.plan.config, place_of(look.fused, facts.chunks)
    wider = Remedy(key="topK.retrieval", now=config.top_k.retrieval, needed=place)
    return [
        *_score("score", look.fused, place, pool_size(config)),
        wider,
        *_of_final(look, facts),
        *_of_time(look, facts),
    ]


def _of_reranking(look: Look, facts: Facts) -> list[Remedy]:
    config, place = look.plan.config, place_of(look.ordered, facts.chunks)
    if place is None:
        return [Remedy(key="reranking.scoreThreshold", now=config.reranking.score_threshold)]
    wider = Remedy(key="topK.reranking", now=config.top_k.reranking, needed=place)
    return [
        *_score("rerankScore", look.ordered, place, config.top_k.final),
        *([wider] if place > look.served else []),
        *_of_final(look, facts),
        *_of_time(look, facts),
    ]


def _of_names(look: Look, facts: Facts) -> list[Remedy]:
    return [Remedy(key="graphRAG.enabled", now=True, needed=False), *_of_final(look, facts)]


def _of_windows(look: Look, facts: Facts) -> list[Remedy]:
    size = look.plan.config.context_expansion.max_window_size
    return [*_of_final(look, facts), Remedy(key="contextExpansion.maxWindowSize", now=size)]


def _of_top_k(look: Look, facts: Facts) -> list[Remedy]:
    place = place_of(look.linked, facts.chunks)
    score = _score("score", look.linked, place, look.plan.config.top_k.final)
    return [*score, *_of_final(look, facts), *_of_time(look, facts)]


def _of_final(look: Look, facts: Facts) -> list[Remedy]:
    final = look.plan.config.top_k.final
    return [Remedy(key="topK.final", now=final, needed=window_place(look, facts.note_id))]


def _of_time(look: Look, facts: Facts) -> list[Remedy]:
    """The time that the query asks for, where the note is of another."""
    times, place = look.plan.transformed.times, place_of(look.fused, facts.chunks)
    interval = interval_of(times)
    if interval is None or place is None or not asks_for_time(times) or is_in_time(look.fused[place - 1]):
        return []
    since, until = (moment.isoformat() for moment in interval)
    return [Remedy(key="createdAt", now=facts.created_at.isoformat(), needed=f"{since}/{until}")]


_CHANGES: dict[Stage, Callable[[Look, Facts], list[Remedy]]] = {
    "found": lambda _look, _facts: [],
    "filter": _of_filters,
    "fusion": _of_fusion,
    "reranking": _of_reranking,
    "names": _of_names,
    "window": _of_windows,
    "topK": _of_top_k,
    "routing": lambda _look, _facts: [Remedy(key="strategy", now="routed")],
}


def _step(stage: Stage, candidates: Sequence[Fused], passing: int, chunks: Collection[ChunkId]) -> Step:
    place = place_of(candidates, chunks)
    score = None if place is None else candidates[place - 1].score
    return Step(stage=stage, place=place, score=score, candidates=len(candidates), passing=passing)


def _places(look: Look, chunks: Collection[ChunkId]) -> tuple[int | None, int | None, int | None]:
    return place_of(look.fused, chunks), place_of(look.ordered, chunks), place_of(look.linked, chunks)


def _windows(look: Look) -> list[Window]:
    matched = {match.chunk_id for match in look.matches}
    return fill_windows(
        look.matches,
        served=sum(item.chunk_id in matched for item in look.linked[: look.served]),
        limit=len(look.matches),
        depth=None,
        max_tokens=look.plan.config.context_expansion.max_window_size,
    )


def _notes_before(look: Look, note: NoteId) -> int:
    """Number of other notes whose windows stand above the note's first."""
    notes = list(dict.fromkeys(window.best.note_id for window in _windows(look)))
    return notes.index(note) if note in notes else len(notes)


def _score(key: str, candidates: Sequence[Fused], place: int | None, passing: int) -> list[Remedy]:
    """The score of the last candidate that passes, beside the note's."""
    if place is None or len(candidates) < passing or place <= passing:
        return []
    return [Remedy(key=key, now=candidates[place - 1].score, needed=candidates[passing - 1].score)]


def _told(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)
