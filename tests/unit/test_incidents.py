"""Who is told what of a trouble over time, however it comes and goes."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_core.alerting.incidents import RuleVerdict, advance, due, settle, tell
from rag_core.model.incident import SEVERITIES, Incident, Kind, Severity, Trouble

NOON = datetime(2025, 3, 2, 12, 0, tzinfo=UTC)
COOLDOWN = timedelta(hours=6)
TROUBLE = Trouble(rule="run_failed", subject="index_notes", severity="warning", title="A run failed", message="…")


@dataclass
class World:
    """One trouble, the addresses told of it, and everything they were told."""

    addresses: Sequence[str] = ("a",)
    least_severity: Severity = "warning"
    now: datetime = NOON
    incidents: dict[object, Incident] = field(default_factory=dict)
    sent: list[tuple[datetime, str, Kind]] = field(default_factory=list)
    told: dict[tuple[object, str], list[datetime]] = field(default_factory=dict)

    def tick(self, severity: Severity | None, *, minutes: float = 1, down: Sequence[str] = ()) -> list[Kind]:
        """Some minutes later the trouble is there with a severity, or not; what was told to addresses that are not down."""
        self.now += timedelta(minutes=minutes)
        before = len(self.sent)
        troubles = [] if severity is None else [replace(TROUBLE, severity=severity)]
        known = [
            one
            for one in self.incidents.values()
            if one.is_firing or not one.is_settled or self.now - (one.resolved_at or self.now) <= COOLDOWN
        ]
        for incident in advance(
            known, RuleVerdict(rule="run_failed", troubles=troubles), now=self.now, cooldown=COOLDOWN
        ):
            self.incidents[incident.id] = incident
        for incident in list(self.incidents.values()):
            self._deliver(incident, down)
        return [kind for _, _, kind in self.sent[before:]]

    def _deliver(self, incident: Incident, down: Sequence[str]) -> None:
        for address in self.addresses:
            kind = due(incident, address, now=self.now, cooldown=COOLDOWN, least_severity=self.least_severity)
            if kind is not None and address not in down:
                incident = tell(incident, address, kind, now=self.now)
                self.sent.append((self.now, address, kind))
                if kind in {"alert", "reminder"}:
                    self.told.setdefault((incident.id, address), []).append(self.now)
        self.incidents[incident.id] = settle(
            incident, self.addresses, now=self.now, cooldown=COOLDOWN, least_severity=self.least_severity
        )

    @property
    def only(self) -> Incident:
        (incident,) = self.incidents.values()
        return incident


def test_a_trouble_is_told_once_and_its_end_once() -> None:
    world = World()

    told = [world.tick(severity) for severity in ("warning", "warning", "warning", None, None)]

    assert told == [["alert"], [], [], ["resolution"], []]
    assert (world.only.times_seen, world.only.is_settled) == (3, True)


def test_after_the_cooldown_people_are_reminded() -> None:
    world = World()
    world.tick("warning")

    told = [world.tick("warning", minutes=minutes) for minutes in (359, 1, 1, 359)]

    assert told == [[], ["reminder"], [], ["reminder"]]


def test_what_comes_back_within_the_cooldown_is_the_same_incident_and_told_nobody() -> None:
    world = World()

    told = [world.tick(severity) for severity in ("warning", None, "warning", None, "warning", None)]

    assert told == [["alert"], ["resolution"], [], [], [], []]
    assert world.only.times_seen == 3


def test_what_comes_back_and_stays_is_told_when_the_cooldown_is_over_and_so_is_its_end() -> None:
    world = World()
    for severity in ("warning", None, "warning"):
        world.tick(severity)

    told = [world.tick("warning", minutes=360), world.tick(None)]

    assert told == [["reminder"], ["resolution"]]


def test_what_comes_back_later_is_another_incident() -> None:
    world = World()
    world.tick("warning")
    world.tick(None)

    told = world.tick("warning", minutes=361)

    assert told == ["alert"]
    assert len(world.incidents) == 2


def test_a_delivery_that_fails_is_tried_again_at_the_next_tick() -> None:
    world = World()

    told = [world.tick("warning", down=["a"]), world.tick("warning"), world.tick("warning")]

    assert told == [[], ["alert"], []]


def test_an_address_that_was_told_is_not_told_again_for_another_ones_failure() -> None:
    world = World(addresses=("a", "b"))

    world.tick("warning", down=["b"])
    world.tick("warning")

    assert [(address, kind) for _, address, kind in world.sent] == [("a", "alert"), ("b", "alert")]


def test_what_is_over_before_it_could_be_told_is_told_as_that() -> None:
    world = World()
    world.tick("warning", down=["a"])

    told = [world.tick(None), world.tick(None)]

    assert told == [["over"], []]


def test_an_end_that_could_not_be_told_is_told_however_late() -> None:
    world = World()
    world.tick("warning")
    world.tick(None, down=["a"])

    told = [world.tick(None, minutes=10_000), world.tick(None)]

    assert told == [["resolution"], []]


def test_what_gets_worse_is_told_at_once() -> None:
    world = World()

    told = [world.tick(severity) for severity in ("warning", "critical", "warning", "critical", None)]

    assert told == [["alert"], ["alert"], [], [], ["resolution"]]


def test_what_is_less_severe_than_wanted_is_recorded_only() -> None:
    world = World(least_severity="critical")

    told = [world.tick("warning"), world.tick("warning", minutes=1000), world.tick(None)]

    assert told == [[], [], []]
    assert world.only.is_settled


def test_without_addresses_everything_is_recorded_and_nothing_waits() -> None:
    world = World(addresses=())
    world.tick("critical")
    world.tick(None)

    world.addresses = ("a",)

    assert world.tick(None) == []
    assert world.only.is_settled


def test_an_address_that_is_new_learns_what_is_firing_and_nothing_that_is_over() -> None:
    world = World()
    world.tick("warning")
    world.addresses = ("a", "b")

    told = [world.tick("warning"), world.tick(None), world.tick(None)]

    assert told == [["alert"], ["resolution", "resolution"], []]


def test_a_judgement_of_events_leaves_alone_what_it_does_not_name() -> None:
    firing = advance([], RuleVerdict(rule="run_failed", troubles=[TROUBLE]), now=NOON, cooldown=COOLDOWN)

    nothing_new = RuleVerdict(rule="run_failed", over={})
    mended = RuleVerdict(rule="run_failed", over={"index_notes": None})

    assert advance(firing, nothing_new, now=NOON, cooldown=COOLDOWN) == []
    (ended,) = advance(firing, mended, now=NOON, cooldown=COOLDOWN)
    assert ended.resolved_at == NOON


def test_what_failed_and_was_mended_between_two_looks_is_one_incident_that_is_over() -> None:
    mended = replace(TROUBLE, scope=frozenset())
    judgement = RuleVerdict(rule="run_failed", troubles=[mended], over={"index_notes": None})

    (incident,) = advance([], judgement, now=NOON, cooldown=COOLDOWN)

    assert incident.resolved_at == NOON
    assert due(incident, "a", now=NOON, cooldown=COOLDOWN, least_severity="warning") == "over"


def failing(*parts: str) -> RuleVerdict:
    return RuleVerdict(rule="run_failed", troubles=[replace(TROUBLE, scope=frozenset(parts))], over={})


def passing(*parts: str) -> RuleVerdict:
    return RuleVerdict(rule="run_failed", over={"index_notes": frozenset(parts)})


PASSING = RuleVerdict(rule="run_failed", over={"index_notes": None})


@pytest.mark.parametrize(
    ("judgements", "is_over"),
    [
        ([failing("b1"), passing("b2")], False),
        ([failing("b1"), passing()], False),
        ([failing("b1", "b2"), passing("b1"), passing("b2", "b3")], True),
        ([failing("b1"), failing("b2"), passing("b2")], False),
        ([failing("b1"), failing("b2"), PASSING], True),
        ([RuleVerdict(rule="run_failed", troubles=[TROUBLE]), passing("b1")], False),
        ([failing("b1"), passing("b1"), failing("b2"), passing("b2")], True),
    ],
    ids=[
        "another part",
        "nothing",
        "all parts, one by one",
        "one of two that failed",
        "everything",
        "a part of everything",
        "a part that failed after the end of another",
    ],
)
def test_a_trouble_is_over_when_every_part_of_it_is(judgements: list[RuleVerdict], is_over: bool) -> None:
    incidents: list[Incident] = []
    for judgement in judgements:
        incidents = advance(incidents, judgement, now=NOON, cooldown=COOLDOWN) or incidents

    (incident,) = incidents
    assert incident.is_firing is not is_over


def test_what_was_not_seen_again_is_no_reason_for_a_reminder() -> None:
    (seen,) = advance([], failing("b1"), now=NOON, cooldown=COOLDOWN)
    told = tell(seen, "a", "alert", now=NOON)
    later = NOON + 2 * COOLDOWN

    (seen_again,) = advance([told], failing("b1"), now=later, cooldown=COOLDOWN)

    kinds = [due(one, "a", now=later, cooldown=COOLDOWN, least_severity="warning") for one in (told, seen_again)]
    assert kinds == [None, "reminder"]


def test_something_critical_that_is_there_again_ten_minutes_after_its_end_was_told_is_told_again() -> None:
    world = World()

    told = [world.tick(severity) for severity in ("critical", None)]
    told += [world.tick("critical", minutes=minutes) for minutes in (5, 4, 1, 60)]
    told += [world.tick(None)]

    assert told == [["alert"], ["resolution"], [], [], ["alert"], [], ["resolution"]]


def test_another_rules_incidents_are_left_alone() -> None:
    other = advance([], RuleVerdict(rule="run_failed", troubles=[TROUBLE]), now=NOON, cooldown=COOLDOWN)

    assert advance(other, RuleVerdict(rule="check_failed"), now=NOON, cooldown=COOLDOWN) == []


ticks = st.lists(
    st.tuples(
        st.booleans(),
        st.sampled_from([1, 5, 60, 200, 360, 361, 1000]),
        st.sets(st.sampled_from(["a", "b"])),
    ),
    max_size=25,
)


def played(plan: list[tuple[bool, int, set[str]]]) -> World:
    world = World(addresses=("a", "b"))
    for is_there, minutes, down in plan:
        world.tick("warning" if is_there else None, minutes=minutes, down=sorted(down))
    return world


@given(ticks)
def test_no_address_is_told_twice_of_an_incident_within_the_cooldown(plan: list[tuple[bool, int, set[str]]]) -> None:
    world = played(plan)

    assert all(later - earlier >= COOLDOWN for told in world.told.values() for earlier, later in pairwise(told))


@given(ticks)
def test_an_incident_begins_no_sooner_than_a_cooldown_after_the_last_one_ended(
    plan: list[tuple[bool, int, set[str]]],
) -> None:
    world = played(plan)

    in_order = sorted(world.incidents.values(), key=lambda incident: incident.first_seen_at)
    assert all(
        earlier.resolved_at is not None and later.first_seen_at - earlier.resolved_at >= COOLDOWN
        for earlier, later in pairwise(in_order)
    )


@given(ticks)
def test_every_alert_that_was_told_is_followed_by_one_end_and_no_end_comes_alone(
    plan: list[tuple[bool, int, set[str]]],
) -> None:
    world = played(plan)
    world.tick(None)

    for address in world.addresses:
        is_open = False
        for _, to, kind in world.sent:
            if to == address:
                assert kind != "resolution" or is_open
                assert kind != "over" or not is_open
                is_open = kind in {"alert", "reminder"}
        assert not is_open
    assert all(incident.is_settled for incident in world.incidents.values())


@given(ticks)
def test_at_most_one_incident_fires_at_a_time(plan: list[tuple[bool, int, set[str]]]) -> None:
    world = World(addresses=("a", "b"))

    for is_there, minutes, down in plan:
        world.tick("warning" if is_there else None, minutes=minutes, down=sorted(down))
        assert sum(incident.is_firing for incident in world.incidents.values()) == is_there


@pytest.mark.parametrize("severity", SEVERITIES)
def test_a_message_counts_as_told_with_its_severity(severity: Severity) -> None:
    (incident,) = advance(
        [],
        RuleVerdict(rule="run_failed", troubles=[replace(TROUBLE, severity=severity)]),
        now=NOON,
        cooldown=COOLDOWN,
    )

    told = tell(incident, "a", "alert", now=NOON)

    assert told.told["a"].severity == severity
    assert told.notified_at == NOON
