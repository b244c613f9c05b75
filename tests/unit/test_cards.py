"""Which results of a search are shown at once, and how a note of the list begins."""

from datetime import UTC, datetime
from math import nan
from uuid import UUID
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_core.api.pages.cards import recent_note, worth_reading
from rag_core.model.note import Note, NoteId


@pytest.mark.parametrize(
    ("scores", "shown"),
    [
        ([], 0),
        ([0.0, 0.0], 2),
        ([-1.0, -2.0], 2),
        ([1.0, -2.0], 1),
        ([nan, 1.0], 2),
        ([nan], 1),
        ([0.8, 0.01], 1),
        ([0.8, 0.33, 0.1, 0.1], 2),
        ([0.5, 0.4, 0.3, 0.2, 0.19], 4),
        ([0.9, 0.01, 0.01, 0.01, 0.37, 0.01], 5),  # notes of the time asked for stand before better ones of other times
    ],
)
def test_results_are_shown_up_to_the_last_that_comes_near_the_best(scores: list[float], shown: int) -> None:
    assert worth_reading(scores) == shown


@given(st.lists(st.floats(), min_size=1))
def test_one_result_is_always_shown(scores: list[float]) -> None:
    assert 1 <= worth_reading(scores) <= len(scores)


@given(st.lists(st.floats(min_value=0, max_value=1)))
def test_what_is_folded_away_scores_less_than_anything_near_the_best(scores: list[float]) -> None:
    shown = worth_reading(scores)

    assert min(1, len(scores)) <= shown <= len(scores)
    assert all(score < 0.4 * max(scores) for score in scores[shown:])


@given(st.lists(st.floats(min_value=0, max_value=1), min_size=1))
def test_better_scores_for_all_but_the_best_never_hide_one(scores: list[float]) -> None:
    best = max(scores)
    raised = [min(best, score * 1.5) for score in scores]

    assert worth_reading(raised) >= worth_reading(scores)


@pytest.mark.parametrize(
    ("content", "beginning"),
    [
        ("# Alergia\n\nSoy **alérgico** a la [[penicilina]].", "Soy alérgico a la penicilina."),
        ("# Otra cosa\n\n- [ ] Comprar pan", "Otra cosa Comprar pan"),
        ("Alergia\nal polen", "Alergia al polen"),
    ],
)
def test_a_note_of_the_list_begins_without_marks_and_without_its_title_again(content: str, beginning: str) -> None:
    note = Note(
        id=NoteId(UUID(int=1)),
        external_id="a",
        source="s",
        title="Alergia",
        content=content,
        language="es",
        created_at=datetime(2025, 3, 1, tzinfo=UTC),
        metadata={},
    )

    assert recent_note(note, zone=ZoneInfo("Europe/Madrid")).beginning == beginning
