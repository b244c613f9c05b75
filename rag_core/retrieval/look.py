"""Values that every stage of one search gave, kept for whoever asks why a note was found or lost."""

from collections.abc import Sequence
from dataclasses import dataclass

from rag_core.retrieval.expansion import Fused
from rag_core.retrieval.legs import LegResults
from rag_core.retrieval.request import PlannedSearch
from rag_core.retrieval.windows import Match


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """Values of a search in the order of the stages.

    ``fused`` are the candidates after the fusion, ``ordered`` after re-ranking, ``linked`` with those that names lead to; the
    first ``served`` are preferred for the ``matches`` that results are made of.
    """

    plan: PlannedSearch
    legs: LegResults
    fused: Sequence[Fused]
    ordered: Sequence[Fused]
    linked: Sequence[Fused]
    served: int
    matches: Sequence[Match]
