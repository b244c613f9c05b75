"""``GET /api/v2/evaluation/compare``: two evaluations held against each other, with RAG V2's three figures."""

from typing import Any

from fastapi import APIRouter

from rag_core.api.access import Context
from rag_core.api.brain_sync.schemas_comparison import ComparisonV2
from rag_core.api.comparing import (
    NamedRuns,
    answer_difference,
    comparison_to_wire,
    explained_comparison,
    find_comparison,
)
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
def compare_evaluations(context: Context, named: NamedRuns) -> dict[str, Any]:
    """As ``GET /api/retrieve/compare``, with the differences of retrieval, generation and latency."""
    with explained_comparison(incomparable=INCOMPARABLE, unknown=NO_SUCH_RUN, unnamed=WHICH):
        found = find_comparison(context, named)
    return comparison_to_wire(found) | {"comparisonToBaseline": comparison_to_baseline(found)}


def comparison_to_baseline(found: RunComparison) -> dict[str, float | None]:
    """Differences of nDCG@10, of judged groundedness, and of p95 in milliseconds."""
    return {
        "retrievalImprovement": found.comparison.metrics["ndcg_at_10"].difference,
        "generationImprovement": answer_difference("faithfulness", found.baseline, found.candidate),
        "latencyChange": found.candidate.latency_ms.p95 - found.baseline.latency_ms.p95,
    }
