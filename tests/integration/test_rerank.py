import math
import uuid
from collections.abc import Callable, Sequence

import pytest

from rag_core.errors import DeadlineExceededError, RerankingError
from rag_core.model.note import ChunkId
from rag_core.model.retrieval import QueryStatistics
from rag_core.reranking import Candidate
from rag_core.reranking.providers.embedded import EmbeddedReranker
from rag_core.reranking.weights import shipped_weights
from rag_core.retrieval.deadline import Deadline
from rag_core.retrieval.expansion import Fused
from rag_core.retrieval.rerank import MAX_CANDIDATES, rerank
from rag_core.storage.rerankers import fetch_candidate_texts


class Planted:
    """Scores by what a test says of a passage's text, and remembers what it was given."""

    name = "planted@1"

    def __init__(self, rate: Callable[[str], float]) -> None:
        self.rate = rate
        self.candidates: Sequence[Candidate] = ()
        self.statistics: QueryStatistics | None = None
        self.timeout_seconds = 0.0

    def score(self, query, candidates, *, statistics, timeout_seconds, cancellation=None) -> list[float]:
        self.candidates, self.statistics, self.timeout_seconds = candidates, statistics, timeout_seconds
        return [self.rate(candidate.content) for candidate in candidates]


def fused(chunk: ChunkId, score: float, **ranks: int) -> Fused:
    return Fused(chunk_id=chunk, score=score, fusion_score=score, ranks=ranks or {"fulltext": 1})


def run(
    database, tenant, candidates, reranker, *, query="gato", top_k=50, ms=5000, leg_scores=None, **more
) -> list[Fused]:
    return rerank(
        database,
        tenant,
        query,
        candidates,
        leg_scores=leg_scores or {},
        reranker=reranker,
        top_k=top_k,
        deadline=Deadline.after_ms(30_000),
        timeout_ms=ms,
        **more,
    )


@pytest.fixture
def notes(make_note) -> list[ChunkId]:
    """Five notes, each one chunk with the note's own id; their texts are the digits 0 to 4 after a word."""
    return [ChunkId(make_note(f"nota {number}")) for number in range(5)]


def digit(text: str) -> float:
    return int(text[-1]) / 10


def test_candidates_come_in_the_order_of_their_scores_with_what_they_had(database, tenant, notes) -> None:
    candidates = [fused(chunk, 0.9 - at / 10) for at, chunk in enumerate(notes)]

    found = run(database, tenant, candidates, Planted(digit))

    assert [item.chunk_id for item in found] == notes[::-1]
    assert [item.score for item in found] == [0.4, 0.3, 0.2, 0.1, 0.0]
    assert [item.rerank_score for item in found] == [0.4, 0.3, 0.2, 0.1, 0.0]
    assert [item.original_score for item in found] == pytest.approx([0.5, 0.6, 0.7, 0.8, 0.9])


def test_only_the_best_are_given_back(database, tenant, notes) -> None:
    found = run(database, tenant, [fused(chunk, 0.5) for chunk in notes], Planted(digit), top_k=2)

    assert [item.chunk_id for item in found] == [notes[4], notes[3]]


def test_passages_below_the_threshold_are_left_out(database, tenant, notes) -> None:
    candidates = [fused(chunk, 0.9) for chunk in notes]

    found = run(database, tenant, candidates, Planted(digit), score_threshold=0.3)

    assert [item.chunk_id for item in found] == [notes[4], notes[3]]


@pytest.mark.parametrize("threshold", [None, 0.0])
def test_a_threshold_of_nothing_leaves_none_out(database, tenant, notes, threshold) -> None:
    found = run(database, tenant, [fused(chunk, 0.5) for chunk in notes], Planted(digit), score_threshold=threshold)

    assert len(found) == 5


def test_a_calibrated_score_is_weighed_with_the_one_before(database, tenant, notes) -> None:
    reranker = Planted(digit)
    reranker.name = "cross_encoder:planted"

    found = run(
        database, tenant, [fused(notes[1], 1.0), fused(notes[4], 0.0)], reranker, hybrid_weight=0.3, score_threshold=0.3
    )

    assert [(item.chunk_id, item.score, item.rerank_score) for item in found] == [
        (notes[1], pytest.approx(0.3 * 1.0 + 0.7 * 0.1), 0.1)
    ]


def test_any_other_score_counts_alone(database, tenant, notes) -> None:
    found = run(database, tenant, [fused(notes[1], 1.0)], Planted(digit), hybrid_weight=0.3)

    assert found[0].score == 0.1


def test_equal_scores_are_ordered_by_chunk_id(database, tenant, notes) -> None:
    found = run(database, tenant, [fused(chunk, 0.5) for chunk in notes], Planted(lambda _text: 0.5))

    assert [item.chunk_id for item in found] == sorted(notes)


def test_a_passage_is_its_chunk_with_title_note_and_leg_scores(database, tenant, make_note) -> None:
    note = make_note("El gato duerme.", title="Diario")
    reranker = Planted(lambda _text: 0.5)
    legs = {"fulltext": {ChunkId(note): 7.5}, "semantic": {ChunkId(uuid.uuid4()): 0.3}}

    run(database, tenant, [fused(ChunkId(note), 0.8, fulltext=1)], reranker, leg_scores=legs)

    (given,) = reranker.candidates
    assert (given.note_id, given.title, given.content, given.language) == (note, "Diario", "El gato duerme.", "es")
    assert (given.score, given.leg_scores, given.ranks) == (0.8, {"fulltext": 7.5}, {"fulltext": 1})


def test_what_only_the_graph_found_keeps_its_place(database, tenant, notes) -> None:
    candidates = [fused(chunk, 0.9 - at / 10) for at, chunk in enumerate(notes)]
    candidates[1] = fused(notes[1], 0.95, graph=1)

    found = run(database, tenant, candidates, Planted(digit))

    assert [item.chunk_id for item in found] == [notes[4], notes[1], notes[3], notes[2], notes[0]]
    assert [item.score for item in found] == [0.4, 0.4, 0.3, 0.2, 0.0]
    assert found[1].rerank_score is None
    assert found[1].original_score == 0.95


def test_a_graph_score_is_raised_to_the_one_below_it(database, tenant, notes) -> None:
    candidates = [fused(notes[4], 0.9), fused(notes[0], 0.01, graph=1), fused(notes[3], 0.8)]

    found = run(database, tenant, candidates, Planted(digit))

    assert [item.score for item in found] == [0.4, 0.3, 0.3]


def test_only_graph_candidates_need_no_re_ranker(database, tenant, notes) -> None:
    reranker = Planted(digit)

    found = run(database, tenant, [fused(notes[0], 0.7, graph=1), fused(notes[1], 0.6, graph=2)], reranker)

    assert [(item.chunk_id, item.score) for item in found] == [(notes[0], 0.7), (notes[1], 0.6)]
    assert reranker.candidates == ()


def test_more_than_thirty_are_left_below_in_their_order(database, tenant, make_note) -> None:
    chunks = [ChunkId(make_note(f"nota número {number}")) for number in range(MAX_CANDIDATES + 3)]
    reranker = Planted(lambda _text: 0.2)

    found = run(database, tenant, [fused(chunk, 0.9 - at / 100) for at, chunk in enumerate(chunks)], reranker)

    assert len(reranker.candidates) == 30
    assert [item.chunk_id for item in found[30:]] == chunks[30:]
    assert found[30].score == pytest.approx(0.2)
    assert found[31].score == pytest.approx(0.2 * 0.59 / 0.60)
    assert [item.rerank_score for item in found[30:]] == [None] * 3


def test_a_chunk_deleted_meanwhile_is_left_out(database, tenant, notes) -> None:
    gone = ChunkId(uuid.uuid4())

    found = run(database, tenant, [fused(gone, 0.9), fused(notes[1], 0.5)], Planted(digit))

    assert [item.chunk_id for item in found] == [notes[1]]


def test_no_candidates_give_nothing(database, tenant) -> None:
    assert run(database, tenant, [], Planted(digit)) == []


@pytest.mark.parametrize("wrong", [math.nan, math.inf, -0.1, 1.1])
def test_one_score_that_is_none_makes_all_unusable(database, tenant, notes, wrong) -> None:
    reranker = Planted(lambda text: wrong if text.endswith("3") else 0.5)

    with pytest.raises(RerankingError, match="none is used"):
        run(database, tenant, [fused(chunk, 0.5) for chunk in notes], reranker)


def test_a_score_too_few_makes_all_unusable(database, tenant, notes) -> None:
    class Short(Planted):
        def score(self, query, candidates, *, statistics, timeout_seconds, cancellation=None):
            return [0.5]

    with pytest.raises(RerankingError, match="1 scores for 5 passages"):
        run(database, tenant, [fused(chunk, 0.5) for chunk in notes], Short(digit))


def test_no_time_left_is_said_before_anything_is_read(database, tenant, notes) -> None:
    with pytest.raises(DeadlineExceededError):
        rerank(
            database,
            tenant,
            "gato",
            [fused(notes[0], 0.5)],
            leg_scores={},
            reranker=Planted(digit),
            top_k=5,
            deadline=Deadline.after_ms(0),
            timeout_ms=5000,
        )


def test_the_re_ranker_gets_the_shorter_of_its_time_and_the_requests(database, tenant, notes) -> None:
    reranker = Planted(digit)

    run(database, tenant, [fused(notes[0], 0.5)], reranker, ms=700)

    assert 0 < reranker.timeout_seconds <= 0.7


def test_statistics_count_chunks_by_language_and_leave_stop_words_out(database, tenant, make_note) -> None:
    notes = [make_note("el gato negro"), make_note("un gato"), make_note("the black cat", language="en")]

    _, known = fetch_candidate_texts(
        database, tenant, [ChunkId(notes[0])], words=["cat", "el", "gatos", "ornitorrinco"], timeout_ms=5000
    )

    assert known.documents == {"es": 2, "en": 1}
    assert known.frequencies["es"] == {"cat": 0, "gatos": 2, "ornitorrinco": 0}
    assert known.frequencies["en"]["cat"] == 1


def test_a_tenant_without_a_known_word_has_its_size_all_the_same(database, tenant, make_note) -> None:
    make_note("gato")

    _, known = fetch_candidate_texts(database, tenant, [], words=["de"], timeout_ms=5000)

    assert known == QueryStatistics(documents={"es": 1}, frequencies={"es": {}})


def test_the_embedded_one_puts_the_answer_first_on_real_statistics(database, tenant, make_note) -> None:
    about = ChunkId(make_note("Los trenes de Cádiz salen de la estación. Mi prima vive cerca y teje bufandas."))
    answer = ChunkId(make_note("En el tren a Cádiz perdí la bufanda de mi prima."))
    candidates = [fused(about, 0.9), fused(answer, 0.8)]

    found = run(
        database,
        tenant,
        candidates,
        EmbeddedReranker(weights=shipped_weights()),
        query="¿dónde perdí la bufanda de mi prima?",
    )

    assert found[0].chunk_id == answer
