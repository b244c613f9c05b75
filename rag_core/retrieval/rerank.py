"""Re-ranking: the best candidates scored against the query by whatever re-ranker is in use, and put in that order."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace

from rag_core.errors import DeadlineExceededError, RerankingError
from rag_core.language.stemming import query_words
from rag_core.model.note import ChunkId, TenantId
from rag_core.reranking import Candidate, Reranker, is_calibrated
from rag_core.resilience.cancellation import Cancellation
from rag_core.retrieval.deadline import Deadline
from rag_core.retrieval.expansion import Fused
from rag_core.storage.database import Database
from rag_core.storage.rerankers import CandidateText, fetch_candidate_texts

MAX_CANDIDATES = 30
_GRAPH_ALONE = {"graph"}


def rerank(
    database: Database,
    tenant: TenantId,
    query: str,
    candidates: Sequence[Fused],
    *,
    leg_scores: Mapping[str, Mapping[ChunkId, float]],
    reranker: Reranker,
    top_k: int,
    deadline: Deadline,
    timeout_ms: int,
    hybrid_weight: float = 0,
    score_threshold: float | None = None,
    cancellation: Cancellation | None = None,
) -> list[Fused]:
    """The best ``top_k`` by the re-ranker's scores, which are in [0, 1] and never rise down the list; ties by chunk id.

    score = hybrid_weight · score before + (1 - hybrid_weight) · re-ranker's, both in [0, 1], of a re-ranker that is calibrated; of
    others it is the re-ranker's alone. With a ``score_threshold``, 0 included, passages of a lower score are left out.

    At most ``MAX_CANDIDATES`` are scored, by their own text; the others keep their order below them. What the causal graph
    found need not share a word with the query, so re-ranking may raise it but not lower it: it keeps at least its place,
    with a score between its neighbours'. Chunks deleted meanwhile are left out. No candidates gives [].

    Raises:
        RerankingError: a passage was not scored; no score is used, so that two scales never mix.
        DeadlineExceededError: no time is left, or reading the texts took what was.
        DatabaseUnavailableError, QueryFailedError: the texts could not be read.
        SearchCancelledError: it was cancelled while a model was asked.
    """
    limit = min(timeout_ms, deadline.remaining_ms)
    if limit <= 0:
        raise DeadlineExceededError("no time was left for re-ranking; the order of the search is kept")
    began = time.monotonic()
    head, tail = list(candidates[:MAX_CANDIDATES]), list(candidates[MAX_CANDIDATES:])
    texts, statistics = fetch_candidate_texts(
        database, tenant, [item.chunk_id for item in head], words=query_words(query), timeout_ms=limit
    )
    left = limit / 1000 - (time.monotonic() - began)
    passages = to_score(head, texts, leg_scores)
    if passages and left <= 0:
        raise DeadlineExceededError(f"reading {len(head)} passages took the {limit} ms of re-ranking")
    scores: list[float] = []
    if passages:
        scores = reranker.score(query, passages, statistics=statistics, timeout_seconds=left, cancellation=cancellation)
    _check(reranker.name, scores, len(passages))
    present = [item for item in head if item.chunk_id in texts]
    by_chunk = {item.chunk_id: score for item, score in zip(passages, scores, strict=True)}
    ranked = by_score(present, by_chunk, tail, hybrid_weight=hybrid_weight if is_calibrated(reranker.name) else 0)
    return [item for item in ranked if score_threshold is None or item.score >= score_threshold][:top_k]


def to_score(
    head: Sequence[Fused],
    texts: Mapping[ChunkId, CandidateText],
    leg_scores: Mapping[str, Mapping[ChunkId, float]],
) -> list[Candidate]:
    """The passages that a re-ranker is given, in the order of the search: those that are still there and not the graph's alone."""
    return [
        _candidate(item, texts[item.chunk_id], leg_scores)
        for item in head
        if item.chunk_id in texts and set(item.ranks) != _GRAPH_ALONE
    ]


def by_score(
    present: Sequence[Fused], scores: Mapping[ChunkId, float], tail: Sequence[Fused], *, hybrid_weight: float = 0
) -> list[Fused]:
    """The candidates in the order of their scores, those without one in their place, then the tail."""
    scored = [item for item in present if item.chunk_id in scores]
    return placed(present, _best_first(scored, [scores[item.chunk_id] for item in scored], hybrid_weight), tail)


def _candidate(item: Fused, text: CandidateText, leg_scores: Mapping[str, Mapping[ChunkId, float]]) -> Candidate:
    return Candidate(
        chunk_id=item.chunk_id,
        note_id=text.note_id,
        title=text.title,
        content=text.content,
        language=text.language,
        classification=text.classification,
        score=item.score,
        leg_scores={leg: scores[item.chunk_id] for leg, scores in leg_scores.items() if item.chunk_id in scores},
        ranks=item.ranks,
    )


def _check(name: str, scores: Sequence[float], expected: int) -> None:
    if len(scores) != expected:
        raise RerankingError(f"{name} gave {len(scores)} scores for {expected} passages; none is used")
    wrong = [score for score in scores if not 0 <= score <= 1]
    if wrong:
        raise RerankingError(f"{name} gave the score {wrong[0]!r}; expected numbers in [0, 1], so none is used")


def _best_first(items: Sequence[Fused], scores: Sequence[float], hybrid_weight: float) -> list[Fused]:
    judged = [
        replace(
            item,
            score=hybrid_weight * item.score + (1 - hybrid_weight) * score,
            original_score=item.score,
            rerank_score=score,
        )
        for item, score in zip(items, scores, strict=True)
    ]
    return sorted(judged, key=lambda item: (-item.score, item.chunk_id))


def placed(present: Sequence[Fused], judged: Sequence[Fused], tail: Sequence[Fused]) -> list[Fused]:
    """The judged candidates, each that the graph found no lower than it was, then the tail.

    From the top every place goes to the best that waits, unless it is the last one that the graph's candidate may have.
    ``present`` is the order of the search, ``judged`` those of it that were scored, best first. Scores never rise down the
    list when those of ``judged`` and of ``tail`` do not. Nothing gives [].
    """
    waiting = {item.chunk_id: item for item in judged}
    ordered: list[Fused] = []
    kept: set[ChunkId] = set()
    for item in present:
        best = next(iter(waiting), None)
        is_due = "graph" in item.ranks and all(item.chunk_id != other.chunk_id for other in ordered)
        if best is None or (is_due and item.chunk_id != best):
            kept.add(item.chunk_id)
            ordered.append(waiting.pop(item.chunk_id, item))
        else:
            ordered.append(waiting.pop(best))
    settled = _between_neighbours(ordered, kept)
    return [*settled, *below(settled[-1].score if settled else 1.0, tail)]


def _between_neighbours(ordered: Sequence[Fused], kept: set[ChunkId]) -> list[Fused]:
    """The list with each kept candidate's score within those of the nearest judged ones above and below it."""
    placed: list[Fused] = []
    for at, item in enumerate(ordered):
        if item.chunk_id in kept:
            ceiling = placed[-1].score if placed else 1.0
            floor = next((below.score for below in ordered[at + 1 :] if below.chunk_id not in kept), 0.0)
            score = min(ceiling, max(floor, item.score))
            before = item.score if item.original_score is None else item.original_score
            placed.append(replace(item, score=score, original_score=before))
        else:
            placed.append(item)
    return placed


def below(ceiling: float, tail: Sequence[Fused]) -> list[Fused]:
    """The tail in its order, its scores scaled down until the first is not above the ceiling."""
    factor = min(1.0, ceiling / tail[0].score) if tail and tail[0].score > 0 else 1.0
    # a / b * b may be more than a, by the last bit
    return [replace(item, score=min(ceiling, item.score * factor), original_score=item.score) for item in tail]
