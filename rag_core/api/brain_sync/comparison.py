"""``GET /api/retrieve/compare``: two evaluations held against each other."""

from typing import Any

from fastapi import APIRouter

from rag_core.api.access import Context
from rag_core.api.brain_sync.schemas_comparison import ComparisonOut
from rag_core.api.comparing import (
    NamedRuns,
    comparison_to_wire,
    explained_comparison,
    find_comparison,
)
from rag_core.api.schemas import failures

WHICH = "Indica qué se compara: `baseline` y `candidate` (ids de evaluaciones), o `config1` y `config2` (hashes de configuración)"
INCOMPARABLE = (
    "Las evaluaciones no preguntaron lo mismo (conjunto, versión o categoría). Vuelve a evaluar, o añade `common=1` para comparar "
    "las consultas que tienen en común"
)
NO_SUCH_RUN = "No hay ninguna evaluación con ese identificador o esa configuración"

router = APIRouter(prefix="/api/retrieve", tags=["evaluation"])


@router.get("/compare", response_model=ComparisonOut, responses=failures(400, 404, 409, 503))
def compare_evaluations(context: Context, named: NamedRuns) -> dict[str, Any]:
    """Compare two evaluations, by run ids or by hashes of configurations, and test the differences for significance.

    Every metric has its difference with interval and p; p is corrected for the number of metrics.
    """
    with explained_comparison(incomparable=INCOMPARABLE, unknown=NO_SUCH_RUN, unnamed=WHICH):
        found = find_comparison(context, named)
    return comparison_to_wire(found)
