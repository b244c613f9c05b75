"""Phone numbers: the findings of ``phonenumbers``, without its work on what cannot be one."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from phonenumbers import Leniency, PhoneNumberMatcher, phonenumbermatcher

from rag_core.errors import DeadlineExceededError
from rag_core.guardrails.outgoing import redact
from rag_core.guardrails.phones import phone_spans

BEGINNINGS = [
    "",
    "",
    "0",
    "00",
    "0034 ",
    "011 44",
    "+34 ",
    "+49",
    "49",
    "34",
    "6",
    "7",
    "9",
    "(0",
    "800",
    "1 212",
    "07",
]
numbers = st.builds(
    lambda beginning, groups, sign: beginning + sign.join(groups),
    st.sampled_from(BEGINNINGS),
    st.lists(st.text("0123456789", min_size=2, max_size=5), min_size=1, max_size=5),
    st.sampled_from([" ", "", "-", ".", "/", " - ", ") "]),
)
texts = st.lists(st.tuples(st.sampled_from(["tel. ", "", "x", "€", "ext. 12 "]), numbers), max_size=12).map(
    lambda parts: " ".join(word + number for word, number in parts)
)


@settings(max_examples=300)
@given(text=texts, region=st.sampled_from(["ES", "DE", "GB", "US"]), is_strict=st.booleans())
def test_the_same_is_found_as_by_the_library_alone(text: str, region: str, is_strict: bool) -> None:
    leniency = Leniency.STRICT_GROUPING if is_strict else Leniency.VALID
    expected = [(match.start, match.end) for match in PhoneNumberMatcher(text, region, leniency=leniency)]

    assert list(phone_spans(text, region, is_strict=is_strict, least_digits=0)) == expected


def test_numbers_that_nobody_can_dial_are_not_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[str] = []
    parse = phonenumbermatcher.parse
    monkeypatch.setattr(
        phonenumbermatcher, "parse", lambda number, *a, **more: (parsed.append(number), parse(number, *a, **more))[1]
    )

    redact("1234567890 " * 1000, "es")

    assert parsed == []


def test_whoever_has_no_time_left_ends_the_search_within_a_text() -> None:
    calls = 0

    def check() -> None:
        nonlocal calls
        calls += 1
        if calls == 50:
            raise DeadlineExceededError("over")

    with pytest.raises(DeadlineExceededError):
        redact("Llama al 1234567890. " * 1000, "es", check=check)
