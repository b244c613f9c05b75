"""Notices that a home is given once."""

from pathlib import Path

from rag_core.home.notices import is_new_notice


def test_a_notice_is_new_once_in_each_home(tmp_path: Path) -> None:
    homes = [tmp_path / "a", tmp_path / "b"]
    for home in homes:
        home.mkdir()

    assert [is_new_notice(home, "model") for home in (*homes, *homes)] == [True, True, False, False]
    assert is_new_notice(homes[0], "other")
