"""``GET /api/v2/evaluation/compare``: two evaluations held against each other, with RAG V2's three figures."""

from typing import Any

from fastapi import APIRouter

from rag_core.api.access import EngineOf
from rag_core.api.brain_sync.comparison import (
    CommonQuery,
    ConfigQuery,
    RunQuery,
    answer_difference,
    comparison_to_wire,
    find_comparison,
    told,
)
from rag_core.api.brain_sync.schemas_comparison import ComparisonV2
from rag_core.api.schemas import failures
from rag_core.evaluation.comparison.stored import RunComparison

WHICH = "Bitte `baseline` und `candidate` (Kennungen von Auswertungen) oder `config1` und `config2` (Hashes) angeben"
INCOMPARABLE = (
    "Die Auswertungen haben nicht dasselbe gefragt (Datensatz, Version oder Kategorie). Bitte neu auswerten, oder mit `common=1` "
    "die gemeinsamen Fragen vergleichen"
)
NO_SUCH_RUN = "Diese Auswertung gibt es nicht"

router = APIRouter(prefix="/api/v2/evaluation", tags=["rag v2"])


@router.get("/compare", response_model=ComparisonV2, responses=failures(400, 404, 409, 503))
def compare_evaluations(
    engine: EngineOf,
    *,
    baseline: RunQuery = None,
    candidate: RunQuery = None,
    config1: ConfigQuery = None,
    config2: ConfigQuery = None,
    common: CommonQuery = False,
) -> dict[str, Any]:
    """As ``GET /api/retrieve/compare``, with the differences of retrieval, generation and latency."""
    with told(incomparable=INCOMPARABLE, unknown=NO_SUCH_RUN, unnamed=WHICH):
        found = find_comparison(
            engine, baseline=baseline, candidate=candidate, config1=config1, config2=config2, common_only=common
        )
    return comparison_to_wire(found) | {"comparisonToBaseline": comparison_to_baseline(found)}


def comparison_to_baseline(found: RunComparison) -> dict[str, float | None]:
    """Differences of nDCG@10, of judged groundedness, and of p95 in milliseconds."""
    return {
        "retrievalImprovement": found.comparison.metrics["ndcg_at_10"].difference,
        "generationImprovement": answer_difference("faithfulness", found.baseline, found.candidate),
        "latencyChange": found.candidate.latency_ms.p95 - found.baseline.latency_ms.p95,
    }
