"""Retrieval configurations that are wrong in one place, as they would come in over the wire."""

import math
from typing import Any

from hypothesis import strategies as st
from properties.strategies import sentences

NO_NUMBERS = st.text(max_size=5) | st.lists(st.integers(), max_size=2) | st.just({})
NO_INTEGERS = NO_NUMBERS | st.booleans() | st.floats(0.1, 0.9) | st.none()
NO_WEIGHTS = NO_NUMBERS | st.sampled_from((math.nan, math.inf, -math.inf, -1e-9, 1 + 1e-9, 2))
NO_FLAGS = st.text(max_size=5) | st.integers(2) | st.none()


def outside(least: int, most: int | None = None) -> st.SearchStrategy[int]:
    """Integers below the one or above the other."""
    below = st.integers(max_value=least - 1)
    return below if most is None else below | st.integers(min_value=most + 1)


def of(group: str, **values: st.SearchStrategy[Any]) -> list[st.SearchStrategy[dict[str, Any]]]:
    """One wrong value in a group."""
    return [st.fixed_dictionaries({group: st.fixed_dictionaries({name: value})}) for name, value in values.items()]


WRONG_VALUES = st.one_of(
    *of(
        "chunking",
        maxChunkSize=outside(8, 8192) | NO_INTEGERS,
        overlapSize=outside(0) | NO_INTEGERS | st.integers(min_value=512),
        minChunkSize=outside(0) | NO_INTEGERS | st.integers(min_value=513),
    ),
    *of(
        "hybridSearch",
        method=sentences(),
        rrfK=outside(1, 10_000) | NO_INTEGERS,
        semanticWeight=NO_WEIGHTS,
        fulltextWeight=NO_WEIGHTS,
        threshold=NO_WEIGHTS,
        enabled=NO_FLAGS,
    ),
    *of(
        "reranking",
        batchSize=outside(1, 100) | NO_INTEGERS,
        timeout=outside(1, 60_000) | NO_INTEGERS,
        enabled=NO_FLAGS,
        scoreThreshold=st.floats(max_value=-0.01) | st.floats(min_value=1.01),
        hybridWeight=st.floats(min_value=1.01),
    ),
    *of(
        "contextExpansion",
        sentencesBefore=outside(0, 50) | NO_INTEGERS,
        sentencesAfter=outside(0, 50) | NO_INTEGERS,
        maxWindowSize=outside(1, 16_384) | NO_INTEGERS,
    ),
    *of("topK", retrieval=outside(1, 50) | NO_INTEGERS, reranking=outside(1, 50) | NO_INTEGERS, final=outside(1, 50)),
    *of("graphRAG", maxDepth=outside(1, 10) | NO_INTEGERS, minRelevance=NO_WEIGHTS),
    st.fixed_dictionaries({"strategy": sentences() | st.none() | st.integers()}),
)
UNKNOWN_NAMES = st.one_of(
    st.fixed_dictionaries({"topk": st.integers(1, 5)}),
    *of("hybridSearch", rrf_constant=st.integers(1, 5), peso=st.floats(0, 1)),
    *of("topK", finals=st.integers(1, 5)),
    st.dictionaries(sentences(), st.integers(), min_size=1, max_size=2),
)
NOT_GROUPS = st.one_of(
    *(
        st.fixed_dictionaries({group: st.integers() | st.text() | st.lists(st.integers())})
        for group in ("chunking", "hybridSearch", "topK", "graphRAG", "reranking", "queryTransformation")
    )
)
CONTRADICTIONS = st.one_of(
    st.integers(8, 512).flatmap(
        lambda most: st.fixed_dictionaries(
            {"chunking": st.fixed_dictionaries({"maxChunkSize": st.just(most), "overlapSize": st.integers(most, 8192)})}
        )
    ),
    st.integers(8, 512).flatmap(
        lambda most: st.fixed_dictionaries(
            {
                "chunking": st.fixed_dictionaries(
                    {
                        "maxChunkSize": st.just(most),
                        "overlapSize": st.just(0),
                        "minChunkSize": st.integers(most + 1, 9000),
                    }
                )
            }
        )
    ),
    st.just({"hybridSearch": {"semanticWeight": 0.0, "fulltextWeight": 0.0}}),
    st.lists(st.integers(1, 50), min_size=3, max_size=3)
    .filter(lambda three: not three[0] >= three[1] >= three[2])
    .map(lambda three: {"topK": dict(zip(("retrieval", "reranking", "final"), three, strict=True))}),
)
INVALID_CONFIGURATIONS = WRONG_VALUES | UNKNOWN_NAMES | NOT_GROUPS | CONTRADICTIONS
