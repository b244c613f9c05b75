"""Which searches a query asks for, and how their rankings are weighed."""

from datetime import UTC, datetime
from typing import ClassVar
from uuid import UUID

import pytest

from rag_core.model.note import ChunkId
from rag_core.model.retrieval import NO_FILTERS, Filters, TimeExpression, TransformedQuery
from rag_core.retrieval.candidates import by_spread, fuse, prefer_time, weigh
from rag_core.retrieval.expansion import Fused
from rag_core.retrieval.plan import TextSearch, asks_for_time, interval_of, plan_searches

A, B, C = (ChunkId(UUID(int=number)) for number in (1, 2, 3))


def moment(day: int, month: int = 3) -> datetime:
    return datetime(2025, month, day, tzinfo=UTC)


def named(since: datetime, until: datetime, *, is_relative: bool = True) -> TimeExpression:
    return TimeExpression(span=(0, 5), text="antes", since=since, until=until, is_relative=is_relative)


def transformed(*parts: str, times: tuple[TimeExpression, ...] = (), without_time: str = "") -> TransformedQuery:
    return TransformedQuery(
        original_query="pregunta",
        intent="factual",
        sub_queries=parts or ("pregunta",),
        timestamp=moment(1),
        times=times,
        without_time=without_time,
    )


def test_a_plain_query_is_one_search() -> None:
    assert plan_searches(transformed(), "pregunta", NO_FILTERS) == [
        TextSearch(suffix="", text="pregunta", filters=NO_FILTERS)
    ]


def test_every_part_of_a_double_question_is_searched_beside_the_whole() -> None:
    found = plan_searches(transformed("¿Quién?", "¿Dónde?"), "¿Quién? ¿Dónde?", NO_FILTERS)

    assert [(search.suffix, search.text) for search in found] == [
        ("", "¿Quién? ¿Dónde?"),
        (":1", "¿Quién?"),
        (":2", "¿Dónde?"),
    ]


def test_a_query_for_a_time_is_searched_without_the_words_that_name_it() -> None:
    times = (named(moment(3), moment(10)),)

    whole, timed = plan_searches(transformed(times=times, without_time="¿Qué hice?"), "¿Qué hice ayer?", NO_FILTERS)

    assert (whole.text, whole.filters) == ("¿Qué hice?", NO_FILTERS)
    assert (timed.text, timed.filters.since, timed.filters.until) == ("¿Qué hice?", moment(3), moment(10))


def test_a_bare_year_stays_a_word_of_the_query() -> None:
    times = (named(datetime(2019, 1, 1, tzinfo=UTC), datetime(2020, 1, 1, tzinfo=UTC), is_relative=False),)

    whole, timed = plan_searches(transformed(times=times, without_time="¿Qué pasó?"), "¿Qué pasó en 2019?", NO_FILTERS)

    assert (whole.text, timed.text) == ("¿Qué pasó en 2019?", "¿Qué pasó?")


@pytest.mark.parametrize(
    ("since", "until", "is_relative", "expected"),
    [
        ((2025, 3, 1), (2025, 4, 1), False, True),
        ((2024, 1, 1), (2025, 1, 1), False, False),
        ((2024, 1, 1), (2025, 1, 1), True, True),
    ],
    ids=["en marzo de 2025", "en 2024", "el año pasado"],
)
def test_a_query_asks_for_a_time_counted_from_now_or_finer_than_a_year(since, until, is_relative, expected) -> None:
    times = [named(datetime(*since, tzinfo=UTC), datetime(*until, tzinfo=UTC), is_relative=is_relative)]

    assert asks_for_time(times) is expected


def test_a_query_that_names_no_time_asks_for_none() -> None:
    assert not asks_for_time([])


class TestPreferringTime:
    def candidate(self, chunk: ChunkId, score: float, *legs: str) -> Fused:
        return Fused(chunk_id=chunk, score=score, fusion_score=score, ranks=dict.fromkeys(legs, 1))

    def test_all_of_the_time_asked_for_come_first_however_little_they_say(self) -> None:
        inside, outside = self.candidate(A, 0.0, "semantic:time"), self.candidate(B, 1.0, "fulltext")

        ranked = prefer_time([outside, inside], [named(moment(3), moment(10))])

        assert [(item.chunk_id, item.score) for item in ranked] == [(A, 0.5), (B, 0.5)]

    def test_a_year_only_lifts(self) -> None:
        year = named(datetime(2019, 1, 1, tzinfo=UTC), datetime(2020, 1, 1, tzinfo=UTC), is_relative=False)
        inside, outside = self.candidate(A, 0.1, "fulltext:time"), self.candidate(B, 0.9, "fulltext")

        ranked = prefer_time([inside, outside], [year])

        assert [item.chunk_id for item in ranked] == [B, A]
        assert ranked[0].score == pytest.approx(0.81)

    def test_nothing_found_in_that_time_changes_nothing(self) -> None:
        outside = [self.candidate(B, 0.9, "fulltext")]

        assert prefer_time(outside, [named(moment(3), moment(10))]) == outside


def test_a_time_outside_the_filters_is_not_searched() -> None:
    filters = Filters(since=moment(1, month=5))

    assert len(plan_searches(transformed(times=(named(moment(3), moment(10)),)), "ayer", filters)) == 1


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [((1, 20), (10, 25), (10, 20)), ((1, 5), (10, 15), (1, 15))],
    ids=["their overlap", "their hull when apart"],
)
def test_several_times_mean_one_interval(first, second, expected) -> None:
    times = [named(moment(first[0]), moment(first[1])), named(moment(second[0]), moment(second[1]))]

    assert interval_of(times) == (moment(expected[0]), moment(expected[1]))


LEGS = {"semantic": 0.25, "fulltext": 0.75}


class TestWeighing:
    def test_a_leg_of_the_query_that_found_nothing_keeps_its_say(self) -> None:
        weighted = weigh({"semantic": [(A, 0.5)], "fulltext": []}, {"": 1.0}, legs=LEGS, graph=0.5)

        assert [(item.leg, item.weight) for item in weighted] == [("semantic", 0.25), ("fulltext", 0.75)]

    def test_a_leg_that_failed_has_none(self) -> None:
        weighted = weigh({"semantic": [(A, 0.5)]}, {"": 1.0}, legs=LEGS, graph=0.5)

        assert [item.leg for item in weighted] == ["semantic"]

    def test_a_part_that_found_nothing_does_not_lower_the_scores_of_the_rest(self) -> None:
        rankings = {"fulltext": [(A, 2.0)], "fulltext:1": [], "fulltext:2": [(B, 1.0)]}

        weighted = weigh(rankings, {"": 1.0, ":1": 1.0, ":2": 1.0}, legs={"fulltext": 1.0}, graph=0.5)

        assert [item.leg for item in weighted] == ["fulltext", "fulltext:2"]

    def test_a_hypothetical_answer_shares_the_semantic_weight(self) -> None:
        rankings = {"semantic": [(A, 0.5)], "fulltext": [(B, 1.0)], "semantic:hyde": [(C, 0.7)]}

        weighted = weigh(rankings, {"": 1.0}, legs=LEGS, graph=0.5)

        assert {item.leg: item.weight for item in weighted} == {
            "semantic": 0.125,
            "fulltext": 0.75,
            "semantic:hyde": 0.125,
        }

    def test_the_graph_is_a_ranking_of_its_own(self) -> None:
        weighted = weigh({"fulltext": [(A, 1.0)], "graph": [(B, 0.8)]}, {"": 1.0}, legs={"fulltext": 0.75}, graph=0.5)

        assert [(item.leg, item.weight) for item in weighted] == [("fulltext", 0.75), ("graph", 0.5)]

    def test_weights_of_nothing_but_zero_count_alike(self) -> None:
        weighted = weigh({"semantic": [(A, 0.5)]}, {"": 1.0}, legs={"semantic": 0.0, "fulltext": 1.0}, graph=0.0)

        assert [item.weight for item in weighted] == [1.0]


class TestFusing:
    weighted = weigh(
        {"semantic": [(A, 0.8), (B, 0.4)], "fulltext": [(B, 10.0), (C, 5.0)]},
        {"": 1.0},
        legs={"semantic": 0.5, "fulltext": 0.5},
        graph=0.5,
    )

    @pytest.mark.parametrize("method", ["rrf", "relative_score", "convex", "weighted"])
    def test_every_method_puts_what_both_legs_found_first(self, method) -> None:
        fused = fuse(self.weighted, method=method, k=60, coverage={"fulltext": 0.8})

        assert fused[0].chunk_id == B
        assert fused[0].ranks == {"semantic": 2, "fulltext": 1}
        assert all(0 <= candidate.score <= 1 for candidate in fused)

    def test_recency_lifts_a_fresh_note_over_an_equal_old_one(self) -> None:
        weighted = weigh({"fulltext": [(A, 3.0), (B, 3.0)]}, {"": 1.0}, legs={"fulltext": 0.25}, graph=0.5)

        fused = fuse(weighted, method="weighted", k=60, recency={A: 0.1, B: 0.9}, recency_weight=0.15)

        assert [candidate.chunk_id for candidate in fused] == [B, A]
        assert fused[0].score == pytest.approx((0.25 + 0.15 * 0.9) / 0.4)

    def test_a_single_ranking_keeps_its_own_scores(self) -> None:
        weighted = weigh({"fulltext": [(A, 8.0), (B, 2.0)]}, {"": 1.0}, legs={"fulltext": 1.0}, graph=0.5)

        fused = fuse(weighted, method="rrf", k=60)

        assert [(candidate.score, candidate.fusion_score) for candidate in fused] == [(1.0, 8.0), (0.25, 2.0)]

    def test_nothing_found_is_nothing_fused(self) -> None:
        assert fuse([], method="rrf", k=60) == []


class TestConvexFusion:
    legs: ClassVar = {"semantic": 0.88, "fulltext": 0.12}
    rankings: ClassVar = {"semantic": [(A, 0.95), (B, 0.90), (C, 0.85)], "fulltext": [(C, 12.0), (B, 6.0)]}

    def test_weights_are_shared_by_how_far_the_scores_tell_candidates_apart(self) -> None:
        weighted = weigh(self.rankings, {"": 1.0}, legs=self.legs, graph=0.5)

        semantic, fulltext = by_spread(weighted, {"fulltext": 0.5})

        assert semantic.weight == pytest.approx(0.088 / (0.088 + 0.03))
        assert fulltext.weight == pytest.approx(0.03 / (0.088 + 0.03))
        assert [round(score, 9) for _, score in semantic.ranking] == [0.1, 0.05, 0.0]
        assert fulltext.ranking == self.rankings["fulltext"]

    def test_words_that_no_note_has_leave_the_decision_to_meaning(self) -> None:
        weighted = weigh(self.rankings, {"": 1.0}, legs=self.legs, graph=0.5)

        covered, foreign = (
            [item.chunk_id for item in fuse(weighted, method="convex", k=60, coverage={"fulltext": coverage})]
            for coverage in (0.9, 0.05)
        )

        assert covered == [C, B, A]
        assert foreign == [A, B, C]

    def test_vectors_to_which_all_notes_look_alike_leave_the_decision_to_words(self) -> None:
        alike = self.rankings | {"semantic": [(A, 0.9), (B, 0.9), (C, 0.9)]}
        weighted = weigh(alike, {"": 1.0}, legs=self.legs, graph=0.5)

        fused = fuse(weighted, method="convex", k=60, coverage={"fulltext": 0.3})

        assert [item.chunk_id for item in fused] == [C, B, A]

    def test_legs_that_tell_nothing_apart_keep_their_weights(self) -> None:
        weighted = weigh({"semantic": [(A, 0.9)], "fulltext": []}, {"": 1.0}, legs=self.legs, graph=0.5)

        assert by_spread(weighted, {"fulltext": 0.0}) == weighted

    def test_each_searched_text_shares_its_own_weights_and_the_graph_keeps_its_weight(self) -> None:
        rankings = {leg + suffix: ranking for leg, ranking in self.rankings.items() for suffix in ("", ":1")}
        weighted = weigh({**rankings, "graph": [(B, 0.7)]}, {"": 1.0, ":1": 0.25}, legs=self.legs, graph=0.5)

        weights = {item.leg: item.weight for item in by_spread(weighted, {"fulltext": 0.5, "fulltext:1": 0.0})}

        assert weights["semantic"] + weights["fulltext"] == pytest.approx(1.0)
        assert (weights["semantic:1"], weights["fulltext:1"]) == pytest.approx((0.25, 0.0))
        assert weights["graph"] == 0.5
