"""The gate's check that both legs take part: whose order hybrid search has."""

from dataclasses import replace

import pytest
from builders import make_hit
from gated_runs import FULLTEXT, GOOD, HYBRID, NOTES, OTHERS, SEMANTIC, check, queries, run

from rag_core.evaluation.runs.asking import linked_notes
from rag_core.evaluation.runs.results import EvaluationRun
from rag_core.model.retrieval import Strategy


@pytest.mark.parametrize(
    ("alone", "passed", "silent"), [(20, False, "semantic"), (19, False, "semantic"), (18, True, None)]
)
def test_hybrid_that_is_full_text_alone_on_nineteen_of_twenty_queries_lacks_a_leg(
    alone: int, passed: bool, silent: str | None
) -> None:
    hybrid = [FULLTEXT[number] if number < alone else HYBRID[number] for number in range(20)]

    found = check("both_legs_take_part", {**GOOD, "hybrid": run(hybrid)})

    assert found.passed == passed
    assert found.details["silent_leg"] == silent


def test_a_leg_that_brings_nothing_is_silent_whatever_follows_the_others_notes() -> None:
    nothing = [replace(query, ranked_note_ids=()) for query in SEMANTIC]
    filled = [replace(query, ranked_note_ids=(*query.ranked_note_ids[:12], *NOTES[30:38])) for query in FULLTEXT]

    found = check("both_legs_take_part", {**GOOD, "semantic": run(nothing), "hybrid": run(filled)})

    assert found.passed is False
    assert found.details["silent_leg"] == "semantic"


@pytest.mark.parametrize(("is_told", "passed"), [(True, False), (False, True)])
def test_notes_put_in_for_their_names_give_no_leg_a_say(is_told: bool, passed: bool) -> None:
    """Of no leg, and of both further down; unless told as such they are what another leg brings."""
    linked = (NOTES[35], NOTES[9])
    taken = [
        replace(
            query,
            ranked_note_ids=tuple(dict.fromkeys((*query.ranked_note_ids[:3], *linked, *query.ranked_note_ids[3:]))),
            linked_note_ids=frozenset(linked) if is_told else frozenset(),
        )
        for query in FULLTEXT
    ]

    assert check("both_legs_take_part", {**GOOD, "hybrid": run(taken)}).passed is passed


def test_a_note_is_linked_where_its_best_hit_was_placed_by_names() -> None:
    first, moved, added = NOTES[:3]
    hits = [
        make_hit(note_id=first, ranks={"fulltext": 1}),
        make_hit(note_id=moved, ranks={"semantic": 9, "names": 1}),
        make_hit(note_id=first, ranks={"names": 3}),
        make_hit(note_id=added, ranks={"names": 2}),
    ]

    assert linked_notes(hits) == {moved, added}


def test_legs_that_bring_the_same_note_first_tell_nothing_whatever_follows_it() -> None:
    first = queries([1] * 20)
    second = queries([1] * 20, others=OTHERS[5:])

    found = check("both_legs_take_part", {"fulltext": run(first), "semantic": run(second), "hybrid": run(second)})

    assert found.passed is None


@pytest.mark.parametrize(("other_first", "passed"), [(9, False), (5, False), (4, None)])
def test_legs_that_differ_mostly_further_down_show_a_silent_one_by_the_few_they_differ_in_first(
    other_first: int, passed: bool | None
) -> None:
    first = queries([1] * 30)
    second = queries([2] * other_first + [1] * (30 - other_first), others=OTHERS[5:])

    found = check("both_legs_take_part", {"fulltext": run(first), "semantic": run(second), "hybrid": run(first)})

    assert found.passed is passed
    assert found.details.get("silent_leg") == ("semantic" if passed is False else None)


def test_a_leg_that_changes_what_follows_the_first_note_takes_part() -> None:
    first = queries([1] * 30)
    second = queries([1] * 30, others=OTHERS[5:])
    both = queries([1] * 30, others=(*OTHERS[5:7], *OTHERS[:5], *OTHERS[7:]))

    found = check("both_legs_take_part", {"fulltext": run(first), "semantic": run(second), "hybrid": run(both)})

    assert found.passed is True


def test_a_leg_is_not_alone_where_the_others_notes_follow_its_few() -> None:
    short = [replace(query, ranked_note_ids=OTHERS[30:32]) for query in SEMANTIC]
    joined = [replace(query, ranked_note_ids=(*OTHERS[30:32], *query.ranked_note_ids[:10])) for query in SEMANTIC]

    found = check("both_legs_take_part", {"fulltext": run(short), "semantic": GOOD["semantic"], "hybrid": run(joined)})

    assert found.passed is True
    assert found.details["decided_alone_by"] == {"fulltext": 0.0, "semantic": 0.0}


def test_legs_that_agree_tell_nothing() -> None:
    same: dict[Strategy, EvaluationRun] = {
        "fulltext": run(FULLTEXT),
        "semantic": run(FULLTEXT),
        "hybrid": run(FULLTEXT),
    }

    assert check("both_legs_take_part", same).passed is None
