"""Replies of a chat model: text that can be stored and sent, and JSON in the form asked for or none at all."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from rag_core.chat.replies import ReplyText, legible, parse_reply
from rag_core.errors import ChatError
from rag_core.notes.validation import is_storable

ANY_TEXT = st.text(st.characters(exclude_categories=()))


class Said(BaseModel):
    number: float = 0
    text: ReplyText = ""


def parsed(reply: str) -> Said:
    return parse_reply(reply, Said, model="modelo", expected='{"number": 1}')


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Llovió\ten Sueca.\nY mucho.", "Llovió\ten Sueca.\nY mucho."),
        ("Llo\0vió [1\x07].", "Llovió [1]."),
        ("Llovió\ud83d.", "Llovió."),
        ("Uno.\r\nDos.\x0bTres.\x85Cuatro.", "Uno.\nDos.\nTres.\nCuatro."),
        ("\x00\x1b\ud800", ""),
        ("Familia 👨\u200d👩\u200d👧", "Familia 👨\u200d👩\u200d👧"),
    ],
)
def test_what_nobody_can_read_or_store_is_dropped(text: str, shown: str) -> None:
    assert legible(text) == shown


@given(ANY_TEXT)
def test_what_is_left_can_be_stored_and_sent(text: str) -> None:
    shown = legible(text)

    assert is_storable(shown)
    assert shown.encode().decode() == shown


@given(ANY_TEXT, ANY_TEXT)
def test_bits_one_by_one_are_as_the_whole(begun: str, ended: str) -> None:
    assert legible(begun) + legible(ended) == legible(begun + ended)


@given(st.floats(allow_nan=False, allow_infinity=False), ANY_TEXT)
def test_a_reply_in_its_form_is_read_and_its_texts_are_legible(number: float, text: str) -> None:
    said = parsed(json.dumps({"number": number, "text": text}))

    assert (said.number, said.text) == (number, legible(text))


@pytest.mark.parametrize(
    "reply",
    [
        *("", "null", "[]", "3", "uno", '{"number": 1} y nada más', "\ud800", "{'number': 1}"),
        *('{"number": "1"}', '{"number": true}', '{"number": NaN}', '{"number": Infinity}', '{"text": 3}'),
        '{"number": 1, "number": 2}',
        '{"number": ' + "9" * 5000 + "}",
        *("[" * 100_000, '{"number": ' * 100_000),
    ],
    ids=lambda reply: ascii(reply[:20]),
)
def test_a_reply_in_another_form_is_an_error_of_the_model(reply: str) -> None:
    with pytest.raises(ChatError):
        parsed(reply)


@given(ANY_TEXT)
def test_whatever_is_replied_nothing_else_is_raised(reply: str) -> None:
    try:
        parsed(reply)
    except ChatError as error:
        assert "modelo" in str(error)


def test_the_error_tells_nothing_of_what_was_replied() -> None:
    with pytest.raises(ChatError) as raised:
        parsed('{"text": "El pin de Ana es 4471"')

    assert "4471" not in str(raised.value)
