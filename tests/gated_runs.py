"""Runs of three strategies written down, for the gate's checks."""

from collections.abc import Sequence
from uuid import UUID

from builders import make_query_result, make_run

from rag_core.evaluation.comparison.compare import compare
from rag_core.evaluation.comparison.gate import GateCheck, GateTargets, judge_gate
from rag_core.evaluation.runs.results import EvaluationRun
from rag_core.model.evaluation import QueryResult
from rag_core.model.note import NoteId
from rag_core.model.retrieval import Strategy

TARGETS = GateTargets(hit_rate_at_10=0.85, latency_p95_ms=2000)
NOTES = tuple(NoteId(UUID(int=number)) for number in range(1, 41))
RELEVANT = NOTES[0]
OTHERS = NOTES[1:]


def queries(ranks: Sequence[int], *, others: Sequence[NoteId] = OTHERS, latency_ms: float = 5.0) -> list[QueryResult]:
    """A query a rank, its one relevant note found there among the others in their order; 0 is not found."""
    return [
        make_query_result(
            number,
            relevant_note_ids=(RELEVANT,),
            ranked_note_ids=tuple(others[:20])
            if rank == 0
            else (*others[: rank - 1], RELEVANT, *others[rank - 1 : 19]),
            latency_ms=latency_ms,
        )
        for number, rank in enumerate(ranks)
    ]


def run(
    found: list[QueryResult], *, baseline: list[QueryResult] | None = None, changed: tuple[str, ...] | None = None
) -> EvaluationRun:
    """A run of these queries, compared with a baseline of those; ``changed`` is what it searched that is another."""
    return make_run(
        found, comparison=None if baseline is None else compare(UUID(int=6), baseline, found, changed_inputs=changed)
    )


FULLTEXT = queries([2] * 20, others=OTHERS)
SEMANTIC = queries([3] * 20, others=OTHERS[5:])
HYBRID = queries([1] * 20, others=OTHERS[2:])
GOOD: dict[Strategy, EvaluationRun] = {
    "fulltext": run(FULLTEXT, baseline=FULLTEXT, changed=()),
    "semantic": run(SEMANTIC, baseline=SEMANTIC, changed=()),
    "hybrid": run(HYBRID, baseline=HYBRID, changed=()),
    "hybrid+rerank": run(HYBRID, baseline=HYBRID, changed=()),
}


def check(name: str, runs: dict[Strategy, EvaluationRun], targets: GateTargets = TARGETS) -> GateCheck:
    return next(found for found in judge_gate(runs, targets).checks if found.name == name)
