"""A recorded search ranked again for another configuration, by the functions that serve. No I/O."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from rag_core.configuration.schema import RetrievalConfig, served_strategy
from rag_core.evaluation.runs.served import DEPTH
from rag_core.evaluation.tuning.record import RecordedQuery, Recording
from rag_core.graph.names import names_in
from rag_core.language import LANGUAGES
from rag_core.model.evaluation import NDCG_DEPTH
from rag_core.model.metrics.notes import RANKING_DEPTH
from rag_core.model.note import ChunkId, NoteId
from rag_core.model.ranking_metrics import ndcg_at, reciprocal_rank
from rag_core.query.transformation import query_language
from rag_core.reranking import Candidate
from rag_core.reranking.features import FeatureMatrix, PassageReading, feature_rows, read_passages
from rag_core.reranking.fitting import JudgedList
from rag_core.reranking.weights import Weights
from rag_core.retrieval.candidates import prefer_time
from rag_core.retrieval.expansion import Fused
from rag_core.retrieval.legs import LegResults, checked, keep_near
from rag_core.retrieval.linked import follow_names, follows_names
from rag_core.retrieval.ranking import (
    final_candidates,
    fuse_legs,
    fusion_method,
    graph_depth,
    in_order,
    leg_depth,
    parted,
    recency_by_chunk,
    rerank_query,
    similarity_threshold,
)
from rag_core.retrieval.rerank import MAX_CANDIDATES, by_score, to_score

Vector = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """Per query, in the recording's order, nDCG@10 and reciprocal rank; shape (queries,) each, in [0, 1]."""

    ndcg_at_10: Vector
    reciprocal_rank: Vector


@dataclass(frozen=True, slots=True, kw_only=True)
class _Scored:
    """Candidates as they go to the re-ranker: those that it scores with their features, and the rest."""

    present: list[Fused]
    tail: list[Fused]
    passages: list[Candidate]
    rows: FeatureMatrix


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """A recording that can be ranked by any configuration; passages that were read for one are remembered for the next."""

    recording: Recording
    _readings: dict[tuple[int, ChunkId], PassageReading] = field(default_factory=dict)

    def candidates(self, at: int, config: RetrievalConfig, *, weights: Weights) -> list[Fused]:
        """The chunks of the query at a position, best first, as an evaluation of this configuration ranks them: to ``DEPTH``.

        Re-ranking is the embedded re-ranker's with ``weights``. Nothing found gives [].
        """
        recorded = self.recording.queries[at]
        legs = replayed_legs(recorded, config, self.recording)
        pool, beyond = parted(self._fused(recorded, legs, config), config)
        ordered = pool
        if served_strategy(config) == "hybrid+rerank" and pool:
            scored = self._to_score(at, pool, legs)
            scores = weights.probabilities(scored.rows)
            by_chunk = {item.chunk_id: score for item, score in zip(scored.passages, scores, strict=True)}
            ordered = prefer_time(by_score(scored.present, by_chunk, scored.tail), recorded.transformed.times)
        ranked = self._linked(recorded, in_order(ordered, beyond), config)
        return ranked[: max(final_candidates(config), DEPTH)]

    def notes(self, at: int, config: RetrievalConfig, *, weights: Weights) -> tuple[NoteId, ...]:
        """The notes of these chunks, each once, to ``RANKING_DEPTH``.

        An evaluation may have more: where joined windows leave a page short, it is filled from below ``DEPTH``.
        """
        note_of = self.recording.note_of
        ranked = self.candidates(at, config, weights=weights)
        found = dict.fromkeys(note_of[item.chunk_id] for item in ranked if item.chunk_id in note_of)
        return tuple(islice(found, RANKING_DEPTH))

    def figures(self, config: RetrievalConfig, *, weights: Weights, only: Sequence[int] | None = None) -> Figures:
        """Figures of the configuration for every query, or for those at some positions."""
        places = range(len(self.recording.queries)) if only is None else only
        rankings = [(self.notes(at, config, weights=weights), self.recording.queries[at].golden) for at in places]
        return Figures(
            ndcg_at_10=np.array(
                [
                    ndcg_at(
                        notes,
                        golden.relevant_note_ids,
                        NDCG_DEPTH,
                        grades={one.note_id: one.grade for one in golden.relevance},
                    )
                    for notes, golden in rankings
                ],
                dtype=float,
            ),
            reciprocal_rank=np.array(
                [reciprocal_rank(notes, golden.relevant_note_ids) for notes, golden in rankings], dtype=float
            ),
        )

    def judged_list(self, at: int, config: RetrievalConfig) -> JudgedList | None:
        """Candidates that the re-ranker gets for a query; None when nothing is found."""
        recorded = self.recording.queries[at]
        legs = replayed_legs(recorded, config, self.recording)
        scored = self._to_score(at, parted(self._fused(recorded, legs, config), config)[0], legs)
        if not scored.passages:
            return None
        return JudgedList(
            query=recorded.query,
            notes=tuple(candidate.note_id for candidate in scored.passages),
            features=scored.rows,
            relevant=frozenset(recorded.golden.relevant_note_ids),
            unit=recorded.unit,
        )

    def _linked(self, recorded: RecordedQuery, ranked: list[Fused], config: RetrievalConfig) -> list[Fused]:
        if not follows_names(config, recorded.transformed.times):
            return ranked
        asked = names_in(recorded.query, language=query_language(recorded.query, known=LANGUAGES))
        named = self.recording.named
        return follow_names(ranked, self.recording.texts, asked, find=lambda names: [named[name] for name in names])

    def _fused(self, recorded: RecordedQuery, legs: LegResults, config: RetrievalConfig) -> list[Fused]:
        return fuse_legs(
            legs,
            recorded.searches,
            times=recorded.transformed.times,
            config=config,
            model=self.recording.model,
            recency=self._recency(legs, config),
        )

    def _recency(self, legs: LegResults, config: RetrievalConfig) -> dict[ChunkId, float]:
        if fusion_method(config, self.recording.model) != "weighted":
            return {}
        chunks = {chunk for ranking in legs.rankings.values() for chunk, _ in ranking}
        written = {chunk: self.recording.written[chunk] for chunk in chunks if chunk in self.recording.written}
        half_life = config.hybrid_search.recency_half_life_days
        return recency_by_chunk(written, now=self.recording.now, half_life_days=half_life)

    def _to_score(self, at: int, fused: list[Fused], legs: LegResults) -> _Scored:
        head, texts = fused[:MAX_CANDIDATES], self.recording.texts
        passages = to_score(head, texts, {leg: dict(ranking) for leg, ranking in legs.rankings.items()})
        return _Scored(
            present=[item for item in head if item.chunk_id in texts],
            tail=fused[MAX_CANDIDATES:],
            passages=passages,
            rows=feature_rows(passages, self._read(at, passages)),
        )

    def _read(self, at: int, passages: Sequence[Candidate]) -> list[PassageReading]:
        unread = [passage for passage in passages if (at, passage.chunk_id) not in self._readings]
        if unread:
            recorded = self.recording.queries[at]
            query = rerank_query(recorded.transformed, recorded.query)
            found = read_passages(query, unread, recorded.statistics)
            self._readings.update(
                ((at, passage.chunk_id), reading) for passage, reading in zip(unread, found, strict=True)
            )
        return [self._readings[at, passage.chunk_id] for passage in passages]


def replayed_legs(recorded: RecordedQuery, config: RetrievalConfig, recording: Recording) -> LegResults:
    """The legs as a search with this configuration would have found them: those of its strategy, as deep, above its threshold."""
    strategy, results = served_strategy(config), LegResults()
    depth, threshold = leg_depth(config), similarity_threshold(config, recording.model)
    for leg, ranking in recorded.rankings.items():
        if leg.startswith("semantic") and strategy != "fulltext":
            keep_near(results, leg.removeprefix("semantic"), ranking[:depth], threshold=threshold)
        elif leg.startswith("fulltext") and strategy != "semantic":
            results.rankings[leg] = ranking[:depth]
            results.coverage[leg] = recorded.coverage[leg]
    graph = config.graph_rag
    if strategy.startswith("hybrid") and graph.enabled and graph.weight and "graph" in recorded.rankings:
        ranking = recorded.rankings["graph"][: graph_depth(config)]
        results.rankings["graph"] = ranking
        results.graph = {chunk: recorded.graph[chunk] for chunk, _ in ranking}
    return checked(results)
