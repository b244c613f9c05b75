"""Metrics of a query's passages against its golden spans; undefined without spans."""

from functools import partial
from typing import TYPE_CHECKING

from rag_core.model.metrics.notes import HIT_RATE_DEPTHS
from rag_core.model.metrics.registry import Metric, register

if TYPE_CHECKING:
    from rag_core.model.evaluation import QueryResult


def _passage_hit(result: "QueryResult", *, k: int) -> float | None:
    if result.u_measure is None:
        return None
    return float(result.first_passage_rank is not None and result.first_passage_rank <= k)


def _passage_reciprocal_rank(result: "QueryResult") -> float | None:
    if result.u_measure is None:
        return None
    return 0.0 if result.first_passage_rank is None else 1 / result.first_passage_rank


register(
    Metric(
        name="u_measure",
        titles={"en": "U-measure", "es": "Medida U", "de": "U-Maß"},
        formula="1 - characters read until the answer is read / 10,000, 0 beyond",
        figure=lambda result: result.u_measure,
        meanings={
            "es": "cuánto hay que leer hasta el pasaje que responde; 1 es nada",
            "en": "how much to read until the passage that answers; 1 is nothing",
            "de": "wie viel bis zur Textstelle mit der Antwort zu lesen ist; 1 ist nichts",
        },
        is_partial=True,
        is_shown=True,
        compared_as="u_measure",
        is_decisive=True,
    )
)
for k in HIT_RATE_DEPTHS:
    register(
        Metric(
            name=f"passage_hit_rate_at_{k}",
            titles={"en": f"passage hit rate @{k}", "es": f"Pasaje@{k}", "de": f"Textstelle@{k}"},
            formula=f"1 if a passage with half of a golden span has a rank of {k} or better, else 0",
            figure=partial(_passage_hit, k=k),
            meanings={
                "es": f"el pasaje que responde está entre los {k} primeros",
                "en": f"the passage that answers is among the first {k}",
                "de": f"die Textstelle mit der Antwort ist unter den ersten {k}",
            },
            is_partial=True,
            is_shown=k == 5,
        )
    )
register(
    Metric(
        name="passage_mrr",
        titles={"en": "passage MRR", "es": "MRR de pasajes", "de": "MRR der Textstellen"},
        formula="1 / rank of the first passage with half of a golden span, 0 without one",
        figure=_passage_reciprocal_rank,
        meanings={
            "es": "1 entre el puesto del primer pasaje que responde",
            "en": "1 divided by the rank of the first passage that answers",
            "de": "1 geteilt durch den Rang der ersten Textstelle mit der Antwort",
        },
        is_partial=True,
        is_shown=True,
    )
)
