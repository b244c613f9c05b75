"""Places of answers in notes: given by quote or by offsets, found again after an edit."""

import pytest

from rag_core.errors import InvalidGoldenError
from rag_core.evaluation.golden.query import GivenSpan
from rag_core.evaluation.golden.spans import find_span, is_covered, nearest_occurrence, place_spans
from rag_core.model.golden import GoldenSpan

NOTE = "El gato duerme. El perro corre. El gato come."
FIRST = GoldenSpan(start=3, end=7, quote="gato")
LAST = GoldenSpan(start=35, end=39, quote="gato")


def placed(*given: GivenSpan, kept: frozenset[GoldenSpan] = frozenset()) -> tuple[GoldenSpan, ...]:
    return place_spans(given, NOTE, note="n1", kept=kept)


class TestPlaceSpans:
    def test_a_quote_that_stands_once_is_its_own_place(self) -> None:
        assert placed(GivenSpan(quote="perro")) == (GoldenSpan(start=19, end=24, quote="perro"),)

    def test_offsets_alone_cut_the_quote_out(self) -> None:
        assert placed(GivenSpan(start=3, end=7)) == (FIRST,)

    def test_a_quote_with_offsets_is_the_nearest_of_its_places(self) -> None:
        assert placed(GivenSpan(start=30, end=34, quote="gato")) == (LAST,)

    def test_a_place_given_twice_is_there_once_and_places_ascend(self) -> None:
        assert placed(
            GivenSpan(start=35, end=39), GivenSpan(start=3, end=7), GivenSpan(start=3, end=7, quote="gato")
        ) == (FIRST, LAST)

    def test_a_kept_span_stays_though_the_note_no_longer_has_its_quote(self) -> None:
        lost = GoldenSpan(start=3, end=8, quote="zorro")

        assert placed(GivenSpan(start=3, end=8, quote="zorro"), kept=frozenset({lost})) == (lost,)

    @pytest.mark.parametrize(
        ("given", "problem"),
        [
            (GivenSpan(quote="zorro"), "absent_quote"),
            (GivenSpan(start=3, end=8, quote="zorro"), "absent_quote"),
            (GivenSpan(quote="gato"), "ambiguous_quote"),
            (GivenSpan(start=3), "half_span"),
            (GivenSpan(end=3, quote="gato"), "half_span"),
            (GivenSpan(), "half_span"),
            (GivenSpan(quote=""), "half_span"),
            (GivenSpan(start=7, end=3), "span_outside"),
            (GivenSpan(start=-1, end=3), "span_outside"),
            (GivenSpan(start=40, end=46), "span_outside"),
            (GivenSpan(start=3, end=7, quote=""), "absent_quote"),
        ],
    )
    def test_what_names_no_place_is_refused_with_its_reason(self, given: GivenSpan, problem: str) -> None:
        with pytest.raises(InvalidGoldenError) as refused:
            placed(given)

        assert refused.value.problem == problem

    def test_quotes_that_overlap_each_other_are_two_places(self) -> None:
        with pytest.raises(InvalidGoldenError, match="several times"):
            place_spans([GivenSpan(quote="aa")], "aaa", note="n1")


class TestFindSpan:
    def test_a_span_moves_with_the_text_before_it(self) -> None:
        moved = find_span(f"Nota. {NOTE}", LAST)

        assert moved == GoldenSpan(start=41, end=45, quote="gato")

    def test_a_span_whose_quote_is_gone_is_lost(self) -> None:
        assert find_span("El perro corre.", FIRST) is None

    def test_a_span_beyond_the_end_of_a_shortened_note_is_found_before_it(self) -> None:
        assert find_span("Un gato.", LAST) == GoldenSpan(start=3, end=7, quote="gato")

    def test_of_two_places_equally_near_it_is_the_earlier_one(self) -> None:
        assert nearest_occurrence("ab..ab", "ab", 2) == 0


@pytest.mark.parametrize(
    ("start", "end", "is_held"), [(0, 5, True), (5, 20, True), (0, 12, True), (6, 20, False), (10, 20, False)]
)
def test_a_passage_holds_a_span_when_it_has_half_of_it(start: int, end: int, is_held: bool) -> None:
    span = GoldenSpan(start=0, end=10, quote="0123456789")

    assert is_covered(span, start, end) is is_held
