"""The list of conversations: what the rules must not fall below, on those they were written with and on those held back."""

from benchmarks.follow_ups import Figures, figures_of, outcome_of, read_conversations


def figures(*, is_held_back: bool) -> Figures:
    listed = [conversation for conversation in read_conversations() if conversation.is_held_back == is_held_back]
    return figures_of([outcome_of(conversation) for conversation in listed])


def test_further_questions_are_told_from_new_ones() -> None:
    found = figures(is_held_back=False)

    assert found.precision >= 0.98
    assert found.recall >= 0.95
    assert found.worded >= 0.92


def test_so_are_those_that_the_rules_were_not_written_with() -> None:
    found = figures(is_held_back=True)

    assert found.precision >= 0.95
    assert found.recall >= 0.9
    assert found.worded >= 0.85


def test_the_list_holds_both_kinds_in_each_language() -> None:
    kinds = [(conversation.language, conversation.is_follow_up) for conversation in read_conversations()]

    assert {kind for kind in kinds if kinds.count(kind) >= 20} == {
        (language, is_follow_up) for language in ("es", "de", "en") for is_follow_up in (True, False)
    }
