"""Golden spans in notes and in passages, and how far a reader has to read."""

from dataclasses import replace
from datetime import UTC, datetime
from uuid import UUID

import pytest
from builders import make_hit

from rag_core.evaluation.runs.passages import anchor, notes_to_read, passage_of, read_through
from rag_core.model.golden import GoldenQuery, GoldenSpan, Relevance
from rag_core.model.note import NoteId, Span
from rag_core.model.retrieval import Hit

NOTE, OTHER = NoteId(UUID(int=1)), NoteId(UUID(int=2))


def asked(*relevance: Relevance, answer: str = "") -> GoldenQuery:
    return GoldenQuery(
        id=UUID(int=9),
        external_id=None,
        query="¿?",
        relevance=relevance or (Relevance(note_id=NOTE),),
        expected_answer=answer,
        category="factual",
        difficulty=3,
        tags=(),
        created_at=datetime(2026, 1, 1, tzinfo=UTC),
        updated_at=datetime(2026, 1, 1, tzinfo=UTC),
    )


def spans_of(query: GoldenQuery, contents: dict[NoteId, str]) -> dict[NoteId, list[Span]]:
    return {note: list(spans) for note, spans in anchor([query], contents).of(query.id).items()}


def passage(note: NoteId, window: str, *chunks: Span) -> Hit:
    """A hit whose best chunk is the first one given."""
    best = chunks[0] if chunks else (0, len(window))
    return make_hit(
        note_id=note,
        content=window[best[0] : best[1]],
        expanded_content=window,
        bounds=best,
        matched_spans=chunks or (best,),
    )


class TestAnchors:
    def test_a_span_of_the_golden_set_is_where_it_says(self) -> None:
        query = asked(Relevance(note_id=NOTE, spans=(GoldenSpan(start=3, end=8, quote="perro"),)))

        assert spans_of(query, {NOTE: "un perro ladra"}) == {NOTE: [(3, 8)]}

    def test_in_an_edited_note_it_is_found_by_its_quote_at_the_nearest_place(self) -> None:
        query = asked(Relevance(note_id=NOTE, spans=(GoldenSpan(start=12, end=17, quote="perro"),)))

        # "perro" now stands at 0 and at 15
        assert spans_of(query, {NOTE: "perro, y luego perro"}) == {NOTE: [(15, 20)]}

    def test_a_span_whose_quote_is_gone_is_lost_and_counted(self) -> None:
        query = asked(
            Relevance(
                note_id=NOTE,
                spans=(GoldenSpan(start=0, end=4, quote="gato"), GoldenSpan(start=5, end=10, quote="perro")),
            )
        )

        anchors = anchor([query], {NOTE: "solo un perro"})

        assert (anchors.lost, dict(anchors.of(query.id))) == (1, {NOTE: [(8, 13)]})

    def test_a_query_whose_spans_are_all_lost_has_none(self) -> None:
        query = asked(Relevance(note_id=NOTE, spans=(GoldenSpan(start=0, end=4, quote="gato"),)), answer="perro")

        anchors = anchor([query], {NOTE: "solo un perro"})

        assert (anchors.lost, anchors.of(query.id)) == (1, {})

    def test_without_spans_the_expected_answer_is_one_where_it_stands_once(self) -> None:
        assert spans_of(asked(answer="30 días"), {NOTE: "Son 30 días de permiso"}) == {NOTE: [(4, 11)]}

    @pytest.mark.parametrize(
        "content", ["Son 130 días", "Son 30 díasporas", "30 días y otros 30 días", "Son treinta", "SON 30 DÍAS", ""]
    )
    def test_part_of_a_word_several_places_and_other_words_are_no_place(self, content: str) -> None:
        assert spans_of(asked(answer="30 días"), {NOTE: content}) == {}

    def test_an_answer_in_two_relevant_notes_is_no_place(self) -> None:
        query = asked(Relevance(note_id=NOTE), Relevance(note_id=OTHER), answer="Lima")

        assert spans_of(query, {NOTE: "Lima", OTHER: "En Lima"}) == {}

    def test_only_notes_that_are_needed_are_read(self) -> None:
        with_span = asked(
            Relevance(note_id=NOTE, spans=(GoldenSpan(start=0, end=1, quote="a"),)),
            Relevance(note_id=OTHER),
            answer="x",
        )

        assert notes_to_read([with_span]) == {NOTE}
        assert notes_to_read([asked(answer="x")]) == {NOTE}
        assert notes_to_read([asked(answer="")]) == set()


class TestPassages:
    def test_a_hit_gives_its_best_chunk_to_read_and_then_what_the_others_add(self) -> None:
        hit = passage(NOTE, "aaaabbbbccccdddd", (4, 8), (2, 6), (10, 14))

        found = passage_of(hit, "__aaaabbbbccccdddd__")

        # the best one, then what (2, 6) has before it, then (10, 14); the window stands at 2
        assert (found.length, found.places) == (10, (((6, 10), (4, 6), (12, 16)),))

    def test_a_window_that_the_note_no_longer_has_stands_nowhere(self) -> None:
        found = passage_of(passage(NOTE, "viejo"), "nuevo")

        assert (found.length, found.places) == (5, ())


class TestReading:
    def test_it_is_worth_the_less_the_further_it_has_to_be_read(self) -> None:
        content = "x" * 990 + "respuesta."
        hits = [passage(OTHER, "y" * 1000), passage(NOTE, content)]

        reading = read_through(hits, {NOTE: [(990, 1000)]}, {NOTE: content})

        # 1,000 characters of another note, 1,000 of this one: 1 - 2,000 / 10,000
        assert reading is not None
        assert (reading.u_measure, reading.first_passage_rank) == (0.8, 2)

    def test_a_passage_twice_as_long_costs_twice_as_much(self) -> None:
        content = "x" * 1990 + "respuesta."
        span = {NOTE: [(1990, 2000)]}

        short = read_through([passage(NOTE, content[1000:])], span, {NOTE: content})
        long = read_through([passage(NOTE, content)], span, {NOTE: content})

        assert (short.u_measure, long.u_measure) == (0.9, 0.8)

    def test_what_comes_after_ten_thousand_characters_is_worth_nothing(self) -> None:
        reading = read_through(
            [passage(OTHER, "y" * 10_000), passage(NOTE, "respuesta")], {NOTE: [(0, 9)]}, {NOTE: "respuesta"}
        )

        assert (reading.u_measure, reading.first_passage_rank) == (0.0, 2)

    def test_a_span_that_no_passage_holds_gives_nothing(self) -> None:
        reading = read_through([passage(OTHER, "y" * 10)], {NOTE: [(0, 4)]}, {NOTE: "aquí"})

        assert (reading.u_measure, reading.first_passage_rank) == (0.0, None)

    def test_the_right_note_at_the_wrong_place_does_not_answer(self) -> None:
        content = "principio. " + "relleno. " * 50 + "respuesta."

        reading = read_through(
            [passage(NOTE, "principio.")], {NOTE: [(len(content) - 10, len(content))]}, {NOTE: content}
        )

        assert reading.first_passage_rank is None

    @pytest.mark.parametrize(("end", "rank"), [(14, None), (15, 1), (20, 1)])
    def test_half_of_a_span_is_needed(self, end: int, rank: int | None) -> None:
        content = "0123456789abcdefghij"

        reading = read_through([passage(NOTE, content[:end])], {NOTE: [(10, 20)]}, {NOTE: content})

        assert reading.first_passage_rank == rank

    def test_several_spans_count_the_same(self) -> None:
        content = "uno" + "x" * 997 + "dos" + "x" * 997
        hits = [passage(NOTE, content[:1000]), passage(NOTE, content[1000:])]

        reading = read_through(hits, {NOTE: [(0, 3), (1000, 1003)]}, {NOTE: content})

        # read to 3 and to 1,003
        assert reading.u_measure == pytest.approx((0.9997 + 0.8997) / 2)
        assert reading.first_passage_rank == 1

    def test_without_spans_it_is_undefined(self) -> None:
        assert read_through([passage(NOTE, "texto")], {}, {}) is None

    def test_without_hits_it_is_nothing(self) -> None:
        reading = read_through([], {NOTE: [(0, 4)]}, {NOTE: "aquí"})

        assert (reading.u_measure, reading.first_passage_rank) == (0.0, None)

    def test_a_note_that_says_the_same_twice_is_read_at_either_place(self) -> None:
        content = "lo mismo. " * 2
        hit = replace(passage(NOTE, "lo mismo. "))

        reading = read_through([hit], {NOTE: [(10, 18)]}, {NOTE: content})

        assert reading.first_passage_rank == 1
