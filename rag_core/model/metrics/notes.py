"""Metrics of a query's ranking of unique notes against its relevant notes."""

from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import TYPE_CHECKING

from rag_core.model.metrics.registry import Metric, register
from rag_core.model.note import NoteId
from rag_core.model.ranking_metrics import (
    all_found_at,
    average_precision,
    hit_rate_at,
    ndcg_at,
    precision_at,
    r_precision,
    recall_at,
    reciprocal_rank,
)

if TYPE_CHECKING:
    from rag_core.model.evaluation import QueryResult

HIT_RATE_DEPTHS = (1, 3, 5, 10)
RANKING_DEPTH = 20
"""Unique notes of a query's hits that are ranked; an evaluated search must return as many."""
_FIRST = {
    1: "la primera",
    3: "las tres primeras",
    5: "las cinco primeras",
    10: "las diez primeras",
    20: "las veinte primeras",
}
"""In Spanish, of notes."""


def _of_ranking(
    formula: Callable[[Sequence[NoteId], Collection[NoteId]], float | None],
) -> "Callable[[QueryResult], float | None]":
    return lambda result: formula(result.ranked_note_ids, result.relevant_note_ids)


def _ndcg(result: "QueryResult", *, k: int) -> float | None:
    return ndcg_at(result.ranked_note_ids, result.relevant_note_ids, k, grades=result.grades)


for k in (10, 5, 20):
    register(
        Metric(
            name=f"ndcg_at_{k}",
            titles={"en": f"nDCG@{k}"},
            formula=f"DCG / ideal DCG, DCG = Σ grade / log₂(rank + 1) over ranks 1 to {k}",
            figure=partial(_ndcg, k=k),
            meanings={
                "es": f"calidad del orden de {_FIRST[k]} notas; 1 es el mejor orden posible",
                "en": f"quality of the order of the first {k} notes; 1 is the best possible",
                "de": f"Güte der Reihenfolge der ersten {k} Notizen; 1 ist die bestmögliche",
            },
            is_shown=k == 10,
            compared_as="ndcg_at_10" if k == 10 else None,
            is_decisive=k == 10,
        )
    )
register(
    Metric(
        name="mrr",
        titles={"en": "MRR"},
        formula="1 / rank of the first relevant note, 0 without one",
        figure=_of_ranking(reciprocal_rank),
        meanings={
            "es": "1 entre el puesto de la primera nota buena",
            "en": "1 divided by the rank of the first relevant note",
            "de": "1 geteilt durch den Rang der ersten relevanten Notiz",
        },
        is_shown=True,
        compared_as="mrr",
    )
)
for k in HIT_RATE_DEPTHS:
    register(
        Metric(
            name=f"hit_rate_at_{k}",
            titles={"en": f"hit rate @{k}", "es": f"Acierto@{k}", "de": f"Trefferquote@{k}"},
            formula=f"1 if a relevant note has a rank of {k} or better, else 0",
            figure=_of_ranking(partial(hit_rate_at, k=k)),
            meanings={
                "es": "la primera nota es buena" if k == 1 else f"hay una nota buena entre {_FIRST[k]}",
                "en": "the first note is relevant" if k == 1 else f"a relevant note is among the first {k}",
                "de": "die erste Notiz ist relevant" if k == 1 else f"unter den ersten {k} ist eine relevante Notiz",
            },
            is_shown=True,
            compared_as=f"hit_rate_at_{k}" if k in {1, 10} else None,
        )
    )
for k in (1, 3, 5, 10, RANKING_DEPTH):
    register(
        Metric(
            name=f"recall_at_{k}",
            titles={"en": f"recall@{k}", "es": f"Exhaust.@{k}", "de": f"Recall@{k}"},
            formula=f"relevant notes at ranks 1 to {k} / relevant notes",
            figure=_of_ranking(partial(recall_at, k=k)),
            meanings={
                "es": f"exhaustividad: parte de las notas buenas que está entre {_FIRST[k]}",
                "en": f"share of the relevant notes that are among the first {k}",
                "de": f"Anteil der relevanten Notizen, die unter den ersten {k} sind",
            },
            is_shown=k >= 10,
            compared_as="recall_at_20" if k == RANKING_DEPTH else None,
        )
    )
for k in (10, 20):
    register(
        Metric(
            name=f"map_at_{k}",
            titles={"en": f"MAP@{k}"},
            formula=f"Σ precision at each relevant note's rank, ranks 1 to {k} / relevant notes",
            figure=_of_ranking(partial(average_precision, k=k)),
            meanings={
                "es": "media de la precisión en cada nota buena",
                "en": "mean precision at each relevant note",
                "de": "mittlere Precision an jeder relevanten Notiz",
            },
            is_shown=k == 20,
            compared_as="map_at_20" if k == 20 else None,
        )
    )
for k in (1, 3, 5, 10, 20):
    register(
        Metric(
            name=f"precision_at_{k}",
            titles={"en": f"precision@{k}", "es": f"Precisión@{k}", "de": f"Precision@{k}"},
            formula=f"relevant notes at ranks 1 to {k} / {k}",
            figure=_of_ranking(partial(precision_at, k=k)),
            meanings={
                "es": f"parte de {_FIRST[k]} que es buena; con una sola nota buena, {f'{1 / k:g}'.replace('.', ',')} como mucho",
                "en": f"share of the first {k} that are relevant; with one relevant note at most {1 / k:g}",
                "de": f"Anteil der relevanten unter den ersten {k}; bei einer relevanten höchstens {f'{1 / k:g}'.replace('.', ',')}",
            },
            is_shown=k == 5,
        )
    )
register(
    Metric(
        name="r_precision",
        titles={"en": "R-precision", "es": "Precisión R", "de": "R-Precision"},
        formula="precision@R, R = number of relevant notes",
        figure=_of_ranking(r_precision),
        meanings={
            "es": "precisión a tantas notas como buenas hay",
            "en": "precision at as many notes as are relevant",
            "de": "Precision bei so vielen Notizen, wie relevant sind",
        },
        is_shown=True,
    )
)
for k in (5, 10):
    register(
        Metric(
            name=f"all_found_at_{k}",
            titles={"en": f"all found @{k}", "es": f"Todas@{k}", "de": f"alle gefunden @{k}"},
            formula=f"1 if every relevant note has a rank of {k} or better, else 0",
            figure=_of_ranking(partial(all_found_at, k=k)),
            meanings={
                "es": f"todas las notas buenas están entre {_FIRST[k]}",
                "en": f"all relevant notes are among the first {k}",
                "de": f"alle relevanten Notizen sind unter den ersten {k}",
            },
            is_shown=k == 5,
        )
    )
