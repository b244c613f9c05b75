"""Scores of answers to golden queries, and their means over a run."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from rag_core.model.metrics.registry import AnswerMetric, answer_metrics
from rag_core.model.note import NoteId

QUOTATIONS = "quotations"
"""Judge of quoted sentences where no chat model is: the notes they are quoted from, and the expected answers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerSource:
    """A passage that the answerer read, and whether the answer cites it."""

    number: int
    note_id: NoteId
    is_cited: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerRecord:
    """The answer to one golden query and its scores by metric, each in [0, 1] or None.

    ``text`` is None when the answerer failed, and ``error`` then names the failure. ``judge_failures`` are the scores that
    the judge was asked for and did not give. Lower is better for forbidden content and hallucination.
    """

    answerer: str
    judge: str | None
    text: str | None
    error: str | None
    is_refusal: bool
    latency_ms: float
    sources: tuple[AnswerSource, ...] = ()
    scores: Mapping[str, float | None] = field(default_factory=dict)
    missing_key_facts: tuple[str, ...] = ()
    forbidden_content: tuple[str, ...] = ()
    judge_failures: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The record as a run's row keeps it."""
        return {
            "answerer": self.answerer,
            "judge": self.judge,
            "text": self.text,
            "error": self.error,
            "is_refusal": self.is_refusal,
            "latency_ms": self.latency_ms,
            "sources": [
                {"number": source.number, "note_id": str(source.note_id), "is_cited": source.is_cited}
                for source in self.sources
            ],
            "scores": dict(self.scores),
            "missing_key_facts": list(self.missing_key_facts),
            "forbidden_content": list(self.forbidden_content),
            "judge_failures": list(self.judge_failures),
        }


def parse_answer_record(stored: Mapping[str, Any]) -> AnswerRecord:
    """The record of ``AnswerRecord.to_json``."""
    return AnswerRecord(
        answerer=stored["answerer"],
        judge=stored["judge"],
        text=stored["text"],
        error=stored["error"],
        is_refusal=stored["is_refusal"],
        latency_ms=stored["latency_ms"],
        sources=tuple(
            AnswerSource(number=source["number"], note_id=NoteId(UUID(source["note_id"])), is_cited=source["is_cited"])
            for source in stored["sources"]
        ),
        scores=stored["scores"],
        missing_key_facts=tuple(stored["missing_key_facts"]),
        forbidden_content=tuple(stored["forbidden_content"]),
        judge_failures=tuple(stored["judge_failures"]),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerMetrics:
    """Means over the answers of a run; ``counts`` says over how many answers each mean is taken, the others undefined.

    ``failed`` answers are in no mean. ``judge`` is None when nobody judged; what a judge says then has no mean.
    """

    answerer: str
    judge: str | None
    answers: int
    refusals: int
    failed: int
    judge_failures: int
    means: Mapping[str, float | None]
    counts: Mapping[str, int]

    @property
    def by_construction(self) -> tuple[str, ...]:
        """The metrics that are 1 whatever the answers say, as the answerer quotes and cites what it quotes."""
        if not self.answerer.startswith("extractive@"):
            return ()
        return tuple(name for name, metric in answer_metrics().items() if metric.is_one_of_quotations)

    @property
    def undefined(self) -> dict[str, str]:
        """Reason for each registered metric that has no mean."""
        return {name: self._reason(metric) for name, metric in answer_metrics().items() if self.means.get(name) is None}

    def _reason(self, metric: AnswerMetric) -> str:
        if self.answers in (self.failed, 0):
            return "no query was answered"
        if metric.is_judged and self.judge is None:
            return "nobody judged: there is no chat model"
        if metric.name not in self.means:
            return "not measured when the run was made"
        if metric.needs is not None and not self._has(metric.needs):
            return f"no answered query has {metric.needs}"
        return metric.undefined

    def _has(self, need: str) -> bool:
        """True when an answered query has what a metric needs: any metric of the same need is defined for it."""
        return any(self.counts.get(name) for name, metric in answer_metrics().items() if metric.needs == need)

    @property
    def judged_by(self) -> str | None:
        """Origin of ``faithfulness`` and ``answer_relevance``: the judge, the quoted text, or none."""
        return self.judge or (QUOTATIONS if self.answerer.startswith("extractive@") else None)

    @property
    def faithfulness(self) -> float | None:
        """The judge's mean groundedness; of quotations the share of citations whose note says what is quoted."""
        return self.means.get("citation_support" if self.judged_by == QUOTATIONS else "groundedness")

    @property
    def answer_relevance(self) -> float | None:
        """The judge's mean relevance of the answers to their questions; of quotations their overlap with the expected answers."""
        return self.means.get("expected_answer_overlap" if self.judged_by == QUOTATIONS else "answer_relevance")

    def to_json(self) -> dict[str, Any]:
        """The metrics as a run keeps and prints them."""
        return {
            "answerer": self.answerer,
            "judge": self.judge,
            "answers": self.answers,
            "refusals": self.refusals,
            "failed": self.failed,
            "judge_failures": self.judge_failures,
            "means": dict(self.means),
            "counts": dict(self.counts),
        }


def parse_answer_metrics(stored: Mapping[str, Any]) -> AnswerMetrics:
    """The metrics of ``AnswerMetrics.to_json``."""
    return AnswerMetrics(
        answerer=stored["answerer"],
        judge=stored["judge"],
        answers=stored["answers"],
        refusals=stored["refusals"],
        failed=stored["failed"],
        judge_failures=stored["judge_failures"],
        means=stored["means"],
        counts=stored["counts"],
    )
