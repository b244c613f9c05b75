"""The text of an API key, what it may allow, and when it ends."""

import re
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_core.access.keys import check_grant, make_key, parse_expiry, parse_key
from rag_core.errors import InvalidInputError
from rag_core.model.access import ApiKey, KeyGrant
from rag_core.model.note import TenantId

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
MADRID = ZoneInfo("Europe/Madrid")


def grant(**changes: object) -> KeyGrant:
    return KeyGrant(**{"tenant": TenantId("casa"), "name": "ana", "scopes": ("read",), **changes})  # type: ignore[arg-type]


def key(**changes: object) -> ApiKey:
    fields = {
        "key_id": "a" * 12,
        "tenant": TenantId("casa"),
        "name": "ana",
        "scopes": frozenset({"read"}),
        "departments": None,
        "questions_per_minute": None,
        "questions_per_hour": None,
        "expires_at": None,
        "revoked_at": None,
    }
    return ApiKey(**{**fields, **changes})  # type: ignore[arg-type]


class TestText:
    def test_a_key_has_twelve_characters_that_name_it_and_256_random_bits(self) -> None:
        made = make_key()

        assert re.fullmatch(r"brain_[a-z0-9]{12}_[A-Za-z0-9_-]{43}", made.text)
        assert made.text.split("_")[1] == made.presented.key_id

    def test_what_was_made_is_read_again(self) -> None:
        made = make_key()

        assert parse_key(made.text) == made.presented
        assert parse_key(f"  {made.text}\n") == made.presented

    def test_no_two_keys_are_the_same(self) -> None:
        assert len({make_key().text for _ in range(100)}) == 100

    def test_neither_secret_nor_text_is_in_what_python_prints(self) -> None:
        made = make_key()

        assert made.text not in repr(made)
        assert str(made.presented.secret_hash) not in repr(made)

    @given(place=st.integers(6, 61), other=st.characters())
    def test_a_key_changed_at_any_place_is_another_or_none(self, place: int, other: str) -> None:
        text = "brain_abcdefghijkl_" + "A" * 43
        if text[place] == other:
            return

        changed = parse_key(text[:place] + other + text[place + 1 :])

        assert changed != parse_key(text)

    @pytest.mark.parametrize(
        "text",
        [
            "",
            "brain_",
            "nada",
            "brain_abcdefghijkl_" + "A" * 42,
            "brain_abcdefghijkl_" + "A" * 44,
            "BRAIN_abcdefghijkl_" + "A" * 43,
            "brain_ABCDEFGHIJKL_" + "A" * 43,
            "brain_abcdefghijkl_" + "A" * 42 + "é",
            "brain_abcdefghijkl_" + "A" * 42 + "\0",
        ],
    )
    def test_what_has_not_the_form_is_no_key(self, text: str) -> None:
        assert parse_key(text) is None

    @given(st.text())
    def test_any_text_is_read_without_an_error(self, text: str) -> None:
        assert parse_key(text) is None


class TestUse:
    def test_a_key_without_end_is_usable(self) -> None:
        assert key().is_usable(NOW)

    def test_a_key_ends_at_its_moment(self) -> None:
        assert key(expires_at=NOW).is_usable(NOW - timedelta(microseconds=1))
        assert not key(expires_at=NOW).is_usable(NOW)

    def test_a_revoked_key_is_not(self) -> None:
        assert not key(revoked_at=NOW).is_usable(NOW)


class TestGrant:
    def test_scopes_stand_in_their_order_and_the_name_is_trimmed(self) -> None:
        checked = check_grant(grant(name=" ana ", scopes=("write", "read", "write")), now=NOW)

        assert (checked.name, checked.scopes) == ("ana", ("read", "write"))

    @pytest.mark.parametrize("name", ["", "  ", "a\nb", "a\0b", "x" * 101])
    def test_a_name_must_be_readable(self, name: str) -> None:
        with pytest.raises(InvalidInputError, match="is no name for a key"):
            check_grant(grant(name=name), now=NOW)

    def test_a_key_that_opens_nothing_is_refused(self) -> None:
        with pytest.raises(InvalidInputError, match="choose from read, write, evaluate, admin"):
            check_grant(grant(scopes=()), now=NOW)

    def test_an_end_that_has_passed_is_refused(self) -> None:
        with pytest.raises(InvalidInputError, match="would have expired on 2026-03-01"):
            check_grant(grant(expires_at=NOW), now=NOW)

    def test_who_sees_some_departments_may_send_documents(self) -> None:
        assert check_grant(grant(departments=("ventas",), scopes=("read", "write")), now=NOW).scopes == (
            "read",
            "write",
        )

    @pytest.mark.parametrize("scope", ["evaluate", "admin"])
    def test_who_sees_some_departments_reads_and_writes_only(self, scope: str) -> None:
        with pytest.raises(InvalidInputError, match="leave one of the two out"):
            check_grant(grant(departments=("ventas",), scopes=("read", scope)), now=NOW)

    def test_departments_are_trimmed_and_each_stands_once(self) -> None:
        assert check_grant(grant(departments=(" ventas", "ventas")), now=NOW).departments == ("ventas",)

    @pytest.mark.parametrize("name", ["", " ", "a\tb", "x" * 101])
    def test_a_department_must_have_a_readable_name(self, name: str) -> None:
        with pytest.raises(InvalidInputError, match="is no name for a department"):
            check_grant(grant(departments=(name,)), now=NOW)


class TestExpiry:
    @pytest.mark.parametrize(
        ("text", "end"),
        [
            ("90d", "2026-05-30T12:00:00+00:00"),
            ("12h", "2026-03-02T00:00:00+00:00"),
            (" 1d ", "2026-03-02T12:00:00+00:00"),
            ("2026-07-15", "2026-07-15T22:00:00+00:00"),  # summer in Madrid: UTC+2
            ("2026-12-31", "2026-12-31T23:00:00+00:00"),
        ],
    )
    def test_days_and_hours_count_from_now_and_a_day_counts_whole(self, text: str, end: str) -> None:
        assert parse_expiry(text, now=NOW, zone=MADRID) == datetime.fromisoformat(end)

    @pytest.mark.parametrize(
        "text", ["", "0d", "-1d", "1.5d", "90", "90 d", "tomorrow", "2026-02-30", "9999-12-31", "99999d9"]
    )
    def test_what_is_no_end_is_refused_with_the_forms_there_are(self, text: str) -> None:
        with pytest.raises(InvalidInputError, match="such as 90d or 12h, or a day such as 2027-01-31"):
            parse_expiry(text, now=NOW, zone=MADRID)

    @given(st.text(max_size=12))
    def test_any_text_is_an_end_or_refused(self, text: str) -> None:
        with suppress(InvalidInputError):
            assert parse_expiry(text, now=NOW, zone=MADRID).tzinfo is not None
