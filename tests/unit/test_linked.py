import itertools
import uuid

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_core.model.note import ChunkId
from rag_core.retrieval.expansion import Fused
from rag_core.retrieval.linked import KEPT, LEG, placed, walk

A, B, C, D, E = (ChunkId(uuid.UUID(int=number)) for number in range(1, 6))


def candidates(*chunks: ChunkId) -> list[Fused]:
    return [
        Fused(chunk_id=chunk, score=1 - at / 10, fusion_score=0.5, ranks={"fulltext": at + 1})
        for at, chunk in enumerate(chunks)
    ]


def test_walks_go_by_names_to_the_chunks_that_share_them() -> None:
    ended = walk({}, {A: {"Ana": 1}}, {A: 1.0}, found={"Ana": [A, D]})

    assert ended == pytest.approx({A: 0.6 + 0.35, D: 0.35})


def test_a_name_of_one_chunk_takes_nothing_from_the_others() -> None:
    alone = walk({}, {A: {"Ana": 1}}, {A: 1.0}, found={"Ana": [A, D]})

    assert walk({}, {A: {"Ana": 1, "Eva": 1}}, {A: 1.0}, found={"Ana": [A, D], "Eva": [A]}) == pytest.approx(alone)


def test_chunks_that_no_name_leads_to_are_not_linked() -> None:
    assert walk({}, {A: {"Ana": 1}, B: {}}, {A: 0.5, B: 0.5}, found={"Ana": [A]}) == {}


def test_the_questions_own_names_lead_to_a_single_chunk_too() -> None:
    ended = walk({"Eva": 1}, {A: {}}, {A: 1.0}, found={"Eva": [D]})

    assert ended == pytest.approx({D: 0.3})


def test_what_is_linked_comes_behind_the_first_and_before_the_rest() -> None:
    order = placed(candidates(A, B, C, E), {A: 0.5, D: 0.3})

    assert [item.chunk_id for item in order] == [A, B, C, D, E]
    assert order[KEPT].ranks == {LEG: 1}


@given(
    st.lists(st.integers(1, 30), unique=True, min_size=KEPT),
    st.dictionaries(st.integers(1, 60), st.floats(0, 1), max_size=50),
)
def test_nothing_is_lost_the_first_stay_and_scores_never_rise(known, ended) -> None:
    ids = [ChunkId(uuid.UUID(int=number)) for number in known]
    order = placed(candidates(*ids), {ChunkId(uuid.UUID(int=number)): share for number, share in ended.items()})

    found = [item.chunk_id for item in order]
    assert found[:KEPT] == ids[:KEPT]
    assert set(ids) <= set(found)
    assert len(set(found)) == len(found)
    assert all(above.score >= under.score for above, under in itertools.pairwise(order))
