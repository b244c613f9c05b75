"""Charts as drawings: where values come to lie, what is said of them, and that any text may stand in them."""

import re
from datetime import UTC, datetime, timedelta
from xml.etree import ElementTree as ET

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rag_core.evaluation.report.charts.bars import BarGroup, Effect, bar_chart, effects_chart
from rag_core.evaluation.report.charts.drawing import Frame, for_both_widths
from rag_core.evaluation.report.charts.histogram import binned, histogram
from rag_core.evaluation.report.charts.history import Event, Point, Series, clusters, history_chart
from rag_core.evaluation.report.charts.intervals import IntervalRow, interval_chart
from rag_core.evaluation.report.charts.scales import Scale, round_bounds, round_step, ticks

SVG = "{http://www.w3.org/2000/svg}"
NOON = datetime(2026, 11, 22, 12, tzinfo=UTC)
finite = st.floats(-1e6, 1e6, allow_nan=False)


def frame(width: int = 720) -> Frame:
    return Frame(name="prueba", title="Un título", description="Lo que se ve", width=width)


def plain(value: float) -> str:
    return f"{value:g}"


def parsed(drawing: str) -> ET.Element:
    return ET.fromstring(drawing)


def of_kind(svg: ET.Element, kind: str) -> list[ET.Element]:
    return [element for element in svg.iter() if kind in (element.get("class") or "").split()]


class TestScales:
    def test_a_value_in_the_middle_lies_in_the_middle(self) -> None:
        assert Scale(low=0, high=1, start=100, stop=300).place(0.5) == 200

    def test_what_lies_outside_is_put_at_the_edge(self) -> None:
        scale = Scale(low=0, high=1, start=100, stop=300)

        assert (scale.place(-5), scale.place(7)) == (100, 300)

    def test_a_scale_without_length_puts_everything_at_its_start(self) -> None:
        assert Scale(low=3, high=3, start=10, stop=20).place(3) == 10

    def test_ticks_are_round(self) -> None:
        assert ticks(0, 1, most=4) == [0, 0.25, 0.5, 0.75, 1]
        assert ticks(-0.13, 0.08, most=5) == [-0.1, -0.05, 0, 0.05]

    def test_a_span_of_nothing_cannot_be_parted(self) -> None:
        with pytest.raises(ValueError, match="cannot part 0"):
            round_step(0, most=3)

    @given(st.lists(finite, min_size=1), st.floats(1e-3, 10))
    @example([250_001.0, -6.103515625e-05], 1.0)
    def test_round_bounds_hold_all_values(self, values: list[float], least: float) -> None:
        low, high = round_bounds(values, least=least)

        assert low <= min(values) + 1e-6
        assert high >= max(values) - 1e-6
        assert high - low >= least * (1 - 1e-6)

    @given(st.floats(-1e3, 1e3), st.floats(1e-3, 1e3), st.integers(1, 12))
    def test_there_are_never_more_ticks_than_wanted_and_one(self, low: float, span: float, most: int) -> None:
        assert len(ticks(low, low + span, most=most)) <= most + 1


class TestEveryDrawing:
    def test_it_names_and_describes_itself_to_screen_readers(self) -> None:
        svg = parsed(interval_chart(frame(), [], bounds=(0, 1), show=plain))

        named = {element.get("id"): element.text for element in svg if element.get("id")}
        assert svg.get("role") == "img"
        assert [named[name] for name in svg.get("aria-labelledby").split()] == ["Un título", "Lo que se ve"]

    def test_text_of_users_is_text_and_no_markup(self) -> None:
        rows = [IntervalRow(label="<script>&\"'", value=0.5, low=0.4, high=0.6)]

        drawing = interval_chart(frame(), rows, bounds=(0, 1), show=plain)

        assert "<script" not in drawing
        assert "<script>&\"'" in [element.text for element in parsed(drawing).iter(f"{SVG}text")]

    def test_both_widths_have_ids_of_their_own(self) -> None:
        drawn = for_both_widths(
            lambda one: interval_chart(one, [], bounds=(0, 1), show=plain), name="x", title="t", description="d"
        )

        ids = re.findall(r'id="([^"]+)"', drawn)
        assert len(ids) == len(set(ids)) == 4

    def test_it_has_no_style_of_its_own_that_the_content_policy_would_refuse(self) -> None:
        drawing = bar_chart(
            frame(), [BarGroup(label="a", values=(0.5,))], legend=["x"], high=1, show=plain, show_tick=plain
        )

        assert "style=" not in drawing


class TestIntervals:
    def test_the_dot_lies_within_its_whisker(self) -> None:
        svg = parsed(
            interval_chart(
                frame(), [IntervalRow(label="MRR", value=0.5, low=0.25, high=0.75)], bounds=(0, 1), show=plain
            )
        )

        whisker, dot = of_kind(svg, "whisker")[0], of_kind(svg, "dot")[0]
        assert float(whisker.get("x1")) < float(dot.get("cx")) < float(whisker.get("x2"))

    def test_a_difference_of_nothing_stands_on_the_zero_line(self) -> None:
        rows = [IntervalRow(label="MRR", value=0, low=-0.1, high=0.1)]

        svg = parsed(interval_chart(frame(), rows, bounds=(-0.2, 0.2), show=plain, has_zero=True))

        assert of_kind(svg, "zero")[0].get("x1") == of_kind(svg, "dot")[0].get("cx")


class TestBars:
    def test_a_bar_twice_as_long_is_twice_as_much(self) -> None:
        groups = [BarGroup(label="a", values=(0.2,)), BarGroup(label="b", values=(0.4,))]

        svg = parsed(bar_chart(frame(), groups, legend=["x"], high=1, show=plain, show_tick=plain))

        short, long = (float(bar.get("width")) for bar in of_kind(svg, "column"))
        assert long == pytest.approx(2 * short, abs=0.2)

    def test_what_is_undefined_has_no_bar_and_a_dash(self) -> None:
        svg = parsed(
            bar_chart(frame(), [BarGroup(label="a", values=(None,))], legend=["x"], high=1, show=plain, show_tick=plain)
        )

        assert of_kind(svg, "column") == []
        assert "—" in [element.text for element in of_kind(svg, "tick")]

    def test_effects_go_from_the_greatest_gain_to_the_greatest_loss(self) -> None:
        effects = [
            Effect(label="pierde", difference=-0.5),
            Effect(label="igual", difference=0),
            Effect(label="gana", difference=0.3),
        ]

        svg = parsed(effects_chart(frame(), effects, show=plain))

        bars = sorted(of_kind(svg, "effect"), key=lambda bar: float(bar.get("x")))
        assert [bar.get("class") for bar in bars] == ["effect better", "effect worse"]
        assert [bar[0].text for bar in bars] == ["gana: 0.3", "pierde: -0.5"]


class TestHistogram:
    @given(st.lists(st.floats(0, 1e5), max_size=200), st.integers(2, 30))
    @example([5e-324], 2)
    def test_every_value_is_counted_once(self, values: list[float], most: int) -> None:
        width, counts = binned(values, most=most)

        assert sum(counts) == len(values)
        assert len(counts) <= most
        assert width * len(counts) >= max(values, default=0) * (1 - 1e-9)

    def test_values_are_counted_in_the_bin_they_lie_in(self) -> None:
        assert binned([0, 4, 10, 19, 20], most=4) == (5, [2, 0, 1, 2])

    def test_a_negative_value_is_refused(self) -> None:
        with pytest.raises(ValueError, match="negative"):
            binned([-1.0], most=3)

    def test_each_percentile_has_its_line(self) -> None:
        svg = parsed(histogram(frame(), [10, 20, 40], marks=[("p50", 20), ("p95", 40)], show=plain))

        lines = [float(line.get("x1")) for line in of_kind(svg, "mark")]
        assert lines == sorted(lines)
        assert len(lines) == 2


class TestHistory:
    def test_a_line_goes_through_all_points_of_a_series(self) -> None:
        points = tuple(Point(moment=NOON + timedelta(days=day), value=0.5 + day / 10, label="") for day in range(3))

        svg = parsed(
            history_chart(frame(), [Series(name="a", number=1, points=points)], [], show=plain, show_day=plain)
        )

        (line,) = of_kind(svg, "line")
        places = [tuple(map(float, place.split(","))) for place in line.get("points").split()]
        assert len(places) == 3
        assert places == sorted(places)
        assert [y for _, y in places] == sorted((y for _, y in places), reverse=True)

    def test_a_single_point_is_a_marker_without_a_line(self) -> None:
        series = Series(name="a", number=2, points=(Point(moment=NOON, value=0.5, label=""),))

        svg = parsed(history_chart(frame(), [series], [], show=plain, show_day=plain))

        assert (len(of_kind(svg, "marker")), len(of_kind(svg, "line"))) == (1, 0)

    def test_no_points_give_an_empty_frame(self) -> None:
        svg = parsed(history_chart(frame(), [], [], show=plain, show_day=plain))

        assert of_kind(svg, "grid") == []

    def test_an_alert_among_events_that_stand_together_is_seen(self) -> None:
        points = tuple(Point(moment=NOON + timedelta(days=day), value=0.5, label="") for day in (0, 10))
        events = [
            Event(moment=NOON + timedelta(days=5, minutes=minute), number=minute + 1, label="x", kind=kind)
            for minute, kind in enumerate(("served", "alert"))
        ]

        svg = parsed(
            history_chart(frame(), [Series(name="a", number=1, points=points)], events, show=plain, show_day=plain)
        )

        (event,) = of_kind(svg, "event")
        assert event.get("class") == "event alert"
        assert [element.text for element in of_kind(svg, "number")] == ["1-2"]

    @given(st.lists(st.integers(0, 1000), max_size=40))
    def test_no_event_is_lost_in_clusters(self, minutes: list[int]) -> None:
        events = [
            Event(moment=NOON + timedelta(minutes=minute), number=number, label="", kind="set")
            for number, minute in enumerate(minutes)
        ]
        scale = Scale(low=NOON.timestamp(), high=NOON.timestamp() + 60_000, start=0, stop=600)

        found = clusters(events, scale)

        assert sorted(event.number for cluster in found for event in cluster) == list(range(len(minutes)))
