"""Whatever a model writes, in whatever bits: what comes out is plain text, the same for every way the bits fall, in linear time."""

import re

import pytest
from growth import MOST_GROWTH, growth
from hypothesis import example, given, settings
from hypothesis import strategies as st
from properties.test_answer_stream_properties import SOURCES, Saying, cut

from rag_core.answering.characters import INVISIBLE
from rag_core.answering.finishing import OutgoingGate
from rag_core.answering.plain_text import LONGEST, plain_bits, plain_text
from rag_core.answering.verification.held_links import held_links
from rag_core.answering.writing import Writing
from rag_core.guardrails.links import find_links
from rag_core.model.answer import PromptContext
from rag_core.resilience.cancellation import Cancellation

PIECES = st.sampled_from(
    [
        *(
            "![",
            "!",
            "[",
            "](",
            "]",
            "(",
            ")",
            "<",
            ">",
            "&lt;",
            "&#33;",
            "&amp;",
            "&#5",
            "&#56;",
            "&l",
            "&#116;",
            "&",
            ";",
            "]:",
            "\n",
            " ",
            ". ",
            "#",
            "*",
            '"',
        ),
        *(
            "[1]",
            "[9]",
            "[2]: ",
            "![a](b.c/d)",
            "[a](//b)",
            "<b>",
            "</b>",
            "<!--",
            "-->",
            "<img src=x>",
            "<https://b.example>",
        ),
        *(
            "https://",
            "http:",
            "//",
            "www.",
            "evil.example",
            "/x?y",
            "javascript:",
            "data:a/b,",
            "xn--a",
            "[.]",
            "@",
            "a",
            "1",
        ),
        *("\u200b", "\u200d", "\u202e", "\ufe0f", "\ufe0f\ufe0f", "\U000e0041", "😀", "ｈ", "．", "／"),
        *("El técnico cobró 180 euros", "Rosa cumplió 40 años", "<" * 3, "a" * 60),
    ]
)
TEXTS = st.lists(PIECES, max_size=30).map("".join)
WIDTHS = st.lists(st.integers(1, 9), min_size=1, max_size=8)
ACTIVE = re.compile(r"<[A-Za-z/!?]|!\[|\]\(|^[ \t>]{0,3}\[[^\[\]\n]+\]:|[\u200b\u202e\U000e0041]", re.MULTILINE)


@settings(max_examples=100)
@given(TEXTS, WIDTHS)
@example("![a](b.c/d) [1]: x", [1])
@example("&#33;" + "[a](b" * 300, [1])
@example("<" + "a" * 2 * LONGEST + ">", [7])
def test_how_the_bits_fall_changes_nothing(text: str, widths: list[int]) -> None:
    assert "".join(plain_bits(cut(text, widths))) == plain_text(text)


@settings(max_examples=100)
@given(TEXTS)
@example("<<b>script>")
@example("!<b>[a](b.c/d)")
@example("&amp;lt;&lt;<b>i>")
@example("[1](b.c/d): /e")
def test_nothing_in_it_can_be_loaded_followed_or_hidden(text: str) -> None:
    shown = plain_text(text)

    assert ACTIVE.search(shown) is None


SHOWN_OF_EMOJI = re.compile("(?<=[❤😀])\ufe0f|(?<=[❤😀\ufe0f])\u200d(?=[❤😀])")


@settings(max_examples=100)
@given(st.text(alphabet="a.❤😀\ufe0f\u200d\u200b\ufe01", max_size=30), WIDTHS)
@example("a\ufe0f\ufe0f\ufe0f\u200d\ufe0f\ufe0fb", [1])
@example("evil.\ufe0f\ufe0fexample ❤\ufe0f\u200d😀 ❤\u200d\u200d😀\u200d", [2])
def test_nothing_invisible_stays_but_what_joins_emoji(text: str, widths: list[int]) -> None:
    shown = "".join(plain_bits(cut(text, widths)))

    assert INVISIBLE.search(SHOWN_OF_EMOJI.sub("", shown)) is None
    assert plain_text(text) == shown
    assert plain_text(shown) == shown


def test_emoji_of_several_characters_stay() -> None:
    assert plain_text("👩\u200d❤\ufe0f\u200d👨 👍🏽") == "👩\u200d❤\ufe0f\u200d👨 👍🏽"


@settings(max_examples=100)
@given(TEXTS)
@example("&l&#116;;img src=x> R&D; &#5&#56; ; &#5<b>8; &#5\u200b8;")
@example("https&amp;#58;//evil&amp;amp;#46;example")
def test_plain_text_comes_back_as_it_is(text: str) -> None:
    once = plain_text(text)

    assert plain_text(once) == once


@given(st.text(max_size=200), WIDTHS)
def test_any_text_is_taken_in_any_bits(text: str, widths: list[int]) -> None:
    assert "".join(plain_bits(cut(text, widths))) == plain_text(text)


def written(bits: list[str]) -> tuple[str, str]:
    """An answer as it was shown sentence by sentence, and in the end."""
    writing = Writing(
        query="¿Cuánto cobró?",
        context=PromptContext(sources=SOURCES, text="[]"),
        language="es",
        answerer=Saying(bits),  # type: ignore[arg-type]
        timeout_seconds=1,
        cancellation=Cancellation(),
        gate=OutgoingGate(language="es", policy="warn", links=held_links(SOURCES)),
    )
    shown = "".join(event.text for event in writing.sentences())
    return shown, writing.checked.text


@settings(max_examples=100)
@given(TEXTS, WIDTHS)
@example("Ve a https://e[9]vil.example/x. Y a www.[9]evil.example", [3])
@example("[9][2]: a", [1])
@example("Ve a evil.\u200bexample/x? Y a jav<b>ascript:a", [1])
def test_no_foreign_address_is_in_an_answer_whole_or_streamed(text: str, widths: list[int]) -> None:
    shown, whole = written(cut(text, widths))

    assert shown.rstrip() == whole == written([text])[1]
    assert [whole[start:end] for start, end in find_links(whole)] == []
    assert ACTIVE.search(whole) is None


@pytest.mark.parametrize(
    "piece",
    [
        *("<a", "<a ", "![", "![a](", "[a](", "[", "](", "]:", "\n[a]:", "&", "&a", "\u200b", "<b>", "[1]", "a "),
        *("https://", "//", "a.", "a-", "www.", "x@y.", "(", "http://((", "evil.com/", "[.]", "data:a/"),
    ],
)
def test_time_is_linear_in_hostile_text(piece: str) -> None:
    assert growth(lambda text: find_links("".join(plain_bits(text))), piece, characters=60_000) < MOST_GROWTH


def test_so_much_is_held_back_at_most() -> None:
    begun = "Mira ![" + "a" * (LONGEST - 3)

    held = "".join(plain_bits_so_far(begun))
    given_up = "".join(plain_bits_so_far(begun + "aa"))

    assert held == "Mira "
    assert given_up.startswith("Mira ! [aaa")
    assert len(given_up) > LONGEST


def plain_bits_so_far(text: str) -> list[str]:
    """Bits that are given before the text has ended."""
    given: list[str] = []
    ended = False

    def bits():  # type: ignore[no-untyped-def]
        nonlocal ended
        yield text
        ended = True

    for bit in plain_bits(bits()):
        if ended:
            break
        given.append(bit)
    return given
