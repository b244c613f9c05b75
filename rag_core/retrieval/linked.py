"""Passages linked to the best ones by names: a random walk of two steps, from passages to their names and on to others'.

"In which city was the author of the book born?" finds the passage on the book. It names the author, and the passage on the author
says the city. Source: personalised PageRank over passages and entities as in Gutiérrez et al., HippoRAG, 2024, cut off
after the first expansion, which measured no worse (docs/decisions/0053).
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from math import log

from rag_core.configuration.schema import RetrievalConfig, served_strategy
from rag_core.errors import DatabaseUnavailableError, DeadlineExceededError, QueryFailedError, RagError
from rag_core.graph.names import names_in
from rag_core.model.note import ChunkId
from rag_core.model.retrieval import TimeExpression
from rag_core.retrieval.expansion import Fused
from rag_core.retrieval.plan import asks_for_time
from rag_core.retrieval.request import PlannedSearch
from rag_core.storage.database import Database
from rag_core.storage.names import find_names
from rag_core.storage.rerankers import CandidateText, fetch_candidate_texts

LEG = "names"
KEPT = 3
"""First places that stay as the search has them: the answer to a question of one hop is mostly there."""
SEEDS = 5
MOST_NAMES = 20
MOST_LINKED = 2
"""As many as the first five have room for. A third pushes the search's own down: single-hop sets lose up to .003 nDCG@10."""
_TIME_SHARE = 0.5
_SHARPNESS = 4
"""Exponent of the seeds' scores: passages well below the best start few walks."""
_ASKED = 0.3
"""Share of the walks that start at the question's own names."""
_STAYING = 0.6
"""Weight of the walks that have not begun, beside those that have arrived. At 0.3 seeds fourth and fifth give way too often."""


def linked(
    request: PlannedSearch, candidates: Sequence[Fused], *, database: Database, failures: dict[str, RagError]
) -> list[Fused]:
    """The candidates with ``follow_names``; where the passages cannot be read, ``failures`` holds the error and the order stays."""
    if database.departments is not None or not follows_names(request.config, request.transformed.times):
        return list(candidates)  # who sees a part of the notes would have whole posting lists read for nothing
    deadline = request.deadline.share(_TIME_SHARE)
    seeds = [item.chunk_id for item in candidates[:SEEDS]]
    try:
        texts, _ = fetch_candidate_texts(
            database, request.tenant, seeds, words=[], timeout_ms=max(1, deadline.remaining_ms)
        )
        return follow_names(
            candidates,
            texts,
            names_in(request.query, language=request.language),
            find=lambda names: find_names(
                database, request.tenant, names, filters=request.filters, timeout_ms=max(1, deadline.remaining_ms)
            ),
        )
    except (DatabaseUnavailableError, DeadlineExceededError, QueryFailedError) as error:
        failures[LEG] = error
        return list(candidates)


def follows_names(config: RetrievalConfig, times: Sequence[TimeExpression]) -> bool:
    """Test whether names are followed.

    They are not for a query that asks for a time, as what is linked is of any, nor where a score is asked for that nothing gives it.
    """
    is_on = config.graph_rag.enabled and config.reranking.score_threshold is None
    return is_on and served_strategy(config).startswith("hybrid") and not asks_for_time(times)


def follow_names(
    candidates: Sequence[Fused],
    texts: Mapping[ChunkId, CandidateText],
    asked: Mapping[str, int],
    *,
    find: Callable[[Sequence[str]], Sequence[Collection[ChunkId]]],
) -> list[Fused]:
    """Put ``MOST_LINKED`` passages linked to the best ones behind the first ``KEPT``; then come the others as they were.

    ``texts`` has those of the first ``SEEDS``, ``asked`` the query's names; ``find`` gives the chunks of each name. Places keep their
    scores, so that these never rise down the list. A passage that no leg found has a rank in ``names`` alone.
    """
    if len(candidates) < KEPT:
        return list(candidates)
    seeds = _shares({item.chunk_id: item.score for item in candidates[:SEEDS]})
    named = {chunk: names_of(texts[chunk]) for chunk in seeds if chunk in texts}
    walkers = _walkers(asked, named, seeds)
    names = sorted(walkers, key=lambda name: (-walkers[name], name))[:MOST_NAMES]
    found = dict(zip(names, find(names), strict=True)) if names else {}
    return placed(candidates, walk(asked, named, seeds, found=found)) if found else list(candidates)


def names_of(passage: CandidateText) -> Counter[str]:
    """The names in a passage and its title."""
    return names_in(f"{passage.title or ''}\n{passage.content}", language=passage.language)


def walk(
    asked: Mapping[str, int],
    named: Mapping[ChunkId, Mapping[str, int]],
    seeds: Mapping[ChunkId, float],
    *,
    found: Mapping[str, Collection[ChunkId]],
) -> dict[ChunkId, float]:
    """Where the walks end: each name's are shared by the chunks that have it; of these the seeds keep some that have not begun.

    ``asked`` are the question's names, ``named`` those of the seeds, with their counts; ``seeds`` has shares that add up to 1. A
    seed's name in one chunk leads nowhere and does not count.
    """
    leading = {name for name, chunks in found.items() if len(chunks) > (name not in asked)}
    ended = defaultdict[ChunkId, float](float)
    for name, walkers in _walkers(asked, named, seeds, among=leading).items():
        for chunk in found[name]:
            ended[chunk] += walkers / len(found[name])
    return {chunk: share + _STAYING * seeds.get(chunk, 0.0) for chunk, share in ended.items() if share > 0}


def placed(candidates: Sequence[Fused], ended: Mapping[ChunkId, float]) -> list[Fused]:
    """The candidates anew in order: the first ``KEPT``, where most walks ended, the rest."""
    known = {item.chunk_id: item for item in candidates}
    first = list(known)[:KEPT]
    linked = sorted((chunk for chunk in ended if chunk not in first), key=lambda chunk: (-ended[chunk], chunk))[
        :MOST_LINKED
    ]
    order = dict.fromkeys([*first, *linked, *known])
    scores = [item.score for item in candidates] + [candidates[-1].score] * (len(order) - len(candidates))
    ranks = {chunk: rank for rank, chunk in enumerate(linked, 1)}
    return [_at(known.get(chunk), chunk, score, ranks) for chunk, score in zip(order, scores, strict=True)]


def _at(item: Fused | None, chunk: ChunkId, score: float, ranks: Mapping[ChunkId, int]) -> Fused:
    if item is None:
        return Fused(chunk_id=chunk, score=score, fusion_score=0.0, ranks={LEG: ranks[chunk]})
    rank = {LEG: ranks[chunk]} if chunk in ranks else {}
    return replace(item, score=score, ranks={**item.ranks, **rank})


def _walkers(
    asked: Mapping[str, int],
    named: Mapping[ChunkId, Mapping[str, int]],
    seeds: Mapping[ChunkId, float],
    *,
    among: Collection[str] | None = None,
) -> dict[str, float]:
    """The share of the walks at each name, from the question and from the seeds that have it; ``among`` are those that count."""
    walkers = defaultdict[str, float](float)
    starts = [name for name in asked if among is None or name in among]
    for name in starts:
        walkers[name] += _ASKED / len(starts)
    for chunk, counts in named.items():
        weights = {name: 1 + log(count) for name, count in counts.items() if among is None or name in among}
        for name, weight in weights.items():
            walkers[name] += (1 - _ASKED) * seeds[chunk] * weight / sum(weights.values())
    return walkers


def _shares(scores: Mapping[ChunkId, float]) -> dict[ChunkId, float]:
    best = max(scores.values())
    if best <= 0:
        return dict.fromkeys(scores, 1 / len(scores))
    sharp = {chunk: (max(score, 0.0) / best) ** _SHARPNESS for chunk, score in scores.items()}
    return {chunk: share / sum(sharp.values()) for chunk, share in sharp.items()}
