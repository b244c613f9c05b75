"""Properties of chat models: the bits of a stream are the answer at once."""

from hypothesis import example, given
from hypothesis import strategies as st

from rag_core.chat.control_tokens import without_control_tokens
from rag_core.chat.thoughts import SpokenStream, spoken

# A closing tag on a line of its own without an opening one is told by the model's template alone: see the tests of streaming.
PIECES = st.sampled_from(
    ["<think>", "</think>", "<thi", "nk>", "<", "/", ">", "Sí", " ", "\n", "\n\n", "\u00a0", "{", "[1]", "."]
)
BITS = st.lists(PIECES, max_size=12)


def streamed(bits: list[str], *, begins_in_thought: bool) -> list[str]:
    stream = SpokenStream(begins_in_thought=begins_in_thought)
    return [*(stream.feed(bit) for bit in bits), stream.end()]


@given(BITS)
@example(["<thi", "nk>", "a", "</think", ">", "b"])
@example(["a", " ", "\n", "b", " "])
def test_bits_joined_are_the_answer_at_once(bits: list[str]) -> None:
    text = "".join(bits)
    begins = text.lstrip().startswith("<think>")

    if begins or "</think>" not in text:
        assert "".join(streamed(bits, begins_in_thought=False)) == spoken(text)


@given(BITS)
@example(["a ver", "\n</think>", "\n", "\n", "Sí", " "])
def test_they_are_where_the_thought_has_no_opening_tag(bits: list[str]) -> None:
    assert "".join(streamed(bits, begins_in_thought=True)) == spoken("".join(bits))


@given(st.lists(PIECES, max_size=8), st.lists(PIECES, max_size=8))
def test_what_was_said_is_never_taken_back(before: list[str], after: list[str]) -> None:
    said = "".join(streamed(before, begins_in_thought=False)[:-1])

    assert "".join(streamed([*before, *after], begins_in_thought=False)).startswith(said)


@given(
    st.lists(
        st.sampled_from(["<|", "|>", "im_end", "<", ">", "s", "/", "[", "INST", "]", " ", "a < b"]), max_size=12
    ).map("".join)
)
@example("<|<|im_end|>|>")
@example("[[INST]]")
def test_no_control_token_is_left_and_no_offset_moves(text: str) -> None:
    plain = without_control_tokens(text)

    assert not any(token in plain for token in ("<|im_end|>", "<s>", "</s>", "[INST]", "[/INST]"))
    assert len(plain) == len(text)
    assert without_control_tokens("a < b > c, <b>[x]</b>") == "a < b > c, <b>[x]</b>"
