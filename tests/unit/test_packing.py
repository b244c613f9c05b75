"""Packing of sentences into chunks: limits, overlap, oversized sentences, the tail.

A token is four characters, so the texts are drawn to a ruler: every sentence length is a literal.
"""

import pytest

from rag_core.chunking import ChunkSpan, chunk_spans, count_tokens, estimate_tokens, sentence_spans
from rag_core.model.note import Span


def spans_of(*sentences: str) -> list[Span]:
    ends = [sum(map(len, sentences[: count + 1])) for count in range(len(sentences))]
    return list(zip([0, *ends], ends, strict=False))


def packed(*sentences: str, max_tokens: int, overlap_tokens: int = 0, min_tokens: int = 0) -> list[str]:
    """The chunks' texts of a text made of these sentences."""
    text = "".join(sentences)
    chunks = chunk_spans(
        text,
        spans_of(*sentences),
        max_tokens=max_tokens,
        overlap_tokens=overlap_tokens,
        min_tokens=min_tokens,
    )
    return [text[chunk.start : chunk.end] for chunk in chunks]


@pytest.mark.parametrize(("characters", "tokens"), [(0, 0), (1, 1), (4, 1), (5, 2), (8, 2), (2_048, 512)])
def test_a_token_is_four_characters_and_a_started_token_counts(characters: int, tokens: int) -> None:
    assert estimate_tokens(characters) == tokens


def test_the_tokens_of_a_text_are_those_of_its_length() -> None:
    assert (count_tokens(""), count_tokens("hola mundo")) == (0, 3)


def test_an_empty_text_has_no_chunk() -> None:
    assert chunk_spans("", [], max_tokens=8, overlap_tokens=2, min_tokens=1) == []


def test_white_space_alone_is_one_chunk() -> None:
    chunks = chunk_spans(" \n ", [(0, 3)], max_tokens=8, overlap_tokens=2, min_tokens=4)

    assert chunks == [ChunkSpan(start=0, end=3, token_count=1)]


def test_a_text_that_fits_is_one_chunk_however_small() -> None:
    assert packed("Uno. ", "Dos.", max_tokens=8, min_tokens=8) == ["Uno. Dos."]


def test_sentences_are_added_while_they_fit() -> None:
    # 12 characters each: two make 6 tokens, three would make 9.
    assert packed("Uno cuatro. ", "Dos cuatro. ", "Tres fin ya.", max_tokens=8) == [
        "Uno cuatro. Dos cuatro. ",
        "Tres fin ya.",
    ]


def test_tokens_are_measured_on_the_slice_not_summed_over_sentences() -> None:
    # Five characters are two tokens each, twenty together are five.
    assert packed("Uno. ", "Dos. ", "Tre. ", "Cua. ", max_tokens=5) == ["Uno. Dos. Tre. Cua. "]


def test_the_overlap_is_the_longest_suffix_of_whole_sentences_that_fits() -> None:
    sentences = ("Aaaa. ", "Bbbb. ", "Cccc. ", "Dddd. ", "Eeee. ")  # 6 characters each

    # 24 characters a chunk, 12 of overlap: two sentences.
    assert packed(*sentences, max_tokens=6, overlap_tokens=3) == [
        "Aaaa. Bbbb. Cccc. Dddd. ",
        "Cccc. Dddd. Eeee. ",
    ]


def test_without_overlap_a_chunk_starts_where_the_last_one_ended() -> None:
    assert packed("Aaaa. ", "Bbbb. ", "Cccc. ", max_tokens=3) == ["Aaaa. Bbbb. ", "Cccc. "]


def test_the_overlap_is_a_clause_when_no_sentence_fits() -> None:
    assert packed("Fue a casa de Eva, que dormía. ", "Luego no.", max_tokens=8, overlap_tokens=5) == [
        "Fue a casa de Eva, que dormía. ",
        "que dormía. Luego no.",
    ]


def test_the_overlap_is_a_word_when_no_clause_fits() -> None:
    assert packed("Fue a casa de su hermana Eva. ", "Luego no.", max_tokens=8, overlap_tokens=2) == [
        "Fue a casa de su hermana Eva. ",
        "Eva. Luego no.",
    ]


def test_the_overlap_shrinks_until_the_next_sentence_fits() -> None:
    # 8 tokens are 32 characters; the next sentence has 26 and leaves 6 of the 16 allowed.
    assert packed("Aaaa bbbb cccc. ", "Dddd. ", "Eeee eeee eeee eeee eeee. ", max_tokens=8, overlap_tokens=4) == [
        "Aaaa bbbb cccc. Dddd. ",
        "Dddd. Eeee eeee eeee eeee eeee. ",
    ]


def test_the_overlap_is_dropped_when_the_next_sentence_leaves_no_room() -> None:
    assert packed("Aaaa. ", "Bbbb. ", "Eeee eeee eeee eeee eeee eeee.", max_tokens=8, overlap_tokens=4) == [
        "Aaaa. Bbbb. ",
        "Eeee eeee eeee eeee eeee eeee.",
    ]


def test_the_limit_wins_over_the_minimum() -> None:
    # The first is below the minimum, and with the second above the maximum.
    assert packed("Uno. ", "Dos tres cuatro cinco seis siete.", max_tokens=9, min_tokens=5) == [
        "Uno. ",
        "Dos tres cuatro cinco seis siete.",
    ]


def test_a_sentence_above_the_limit_is_parted_at_its_clauses() -> None:
    assert packed("Llegó tarde; cenó con nosotros, leyó un rato.", max_tokens=5) == [
        "Llegó tarde; ",
        "cenó con nosotros, ",
        "leyó un rato.",
    ]


def test_a_clause_above_the_limit_is_parted_before_its_connectors() -> None:
    assert packed("Llegó tarde de Jaca pero cenó con nosotros.", max_tokens=7) == [
        "Llegó tarde de Jaca ",
        "pero cenó con nosotros.",
    ]


def test_without_a_clause_a_sentence_is_parted_at_white_space() -> None:
    assert packed("uno dos tres cuatro cinco", max_tokens=3) == ["uno dos ", "tres cuatro ", "cinco"]


def test_a_decimal_comma_is_no_clause() -> None:
    assert packed("mide 3,5 metros", max_tokens=2) == ["mide ", "3,5 ", "metros"]


def test_a_word_above_the_limit_is_parted_between_characters() -> None:
    assert packed("abcdefghij", max_tokens=1) == ["abcd", "efgh", "ij"]


@pytest.mark.parametrize(
    "cluster",
    [
        "👨\u200d👩\u200d👧",
        "👍🏽",
        "🇪🇸",
        "n\u0303",
        "o\u0308\u0301",
        "\r\n",
        "❤\ufe0f",
        "\u1100\u1161\u11a8",
        "\u0915\u094d\u0937",
    ],
    ids=["family", "skin tone", "flag", "tilde", "two marks", "line end", "heart", "jamo", "conjunct"],
)
def test_no_grapheme_cluster_is_parted(cluster: str) -> None:
    # At one token of four code points the cut falls inside whatever the offset.
    word = "".join(f"{cluster}{filler}" for filler in ("", "x", "", "xy", "", "x"))

    chunks = packed(word, max_tokens=2)

    assert "".join(chunks) == word
    assert sum(chunk.count(cluster) for chunk in chunks) == 6


def test_flags_in_a_row_are_counted_in_pairs() -> None:
    assert packed("🇪🇸🇩🇪🇬🇧", max_tokens=1) == ["🇪🇸🇩🇪", "🇬🇧"]


def test_a_cluster_above_the_limit_is_parted_because_the_limit_wins() -> None:
    assert packed("e" + "\u0301" * 9, max_tokens=2) == ["e" + "\u0301" * 7, "\u0301\u0301"]


def test_a_small_tail_joins_its_predecessor_whose_overlap_gives_way() -> None:
    sentences = ("Aaaa aaaa. ", "Bbbb. ", "Cccc ccc. ", "Dddd. ")  # 11, 6, 10 and 6 characters

    # 20 characters a chunk, 8 of overlap: the second chunk repeats "Bbbb. " and leaves "Dddd. " over. Without
    # the repetition "Cccc ccc. Dddd. " fits.
    without_minimum = packed(*sentences, max_tokens=5, overlap_tokens=2)
    with_minimum = packed(*sentences, max_tokens=5, overlap_tokens=2, min_tokens=4)

    assert without_minimum == ["Aaaa aaaa. Bbbb. ", "Bbbb. Cccc ccc. ", "ccc. Dddd. "]
    assert with_minimum == ["Aaaa aaaa. Bbbb. ", "Cccc ccc. Dddd. "]


def test_a_small_tail_stays_when_it_does_not_fit_its_predecessor() -> None:
    assert packed("Aaaa aaaa aaaa aaa. ", "Bbbb.", max_tokens=5, min_tokens=4) == [
        "Aaaa aaaa aaaa aaa. ",
        "Bbbb.",
    ]


def test_a_note_of_eight_thousand_characters_in_one_sentence_is_parted_under_the_limit() -> None:
    text = "palabra " * 1_000

    chunks = chunk_spans(text, [(0, 8_000)], max_tokens=512, overlap_tokens=50, min_tokens=100)

    assert [(chunk.start, chunk.end) for chunk in chunks] == [
        (0, 2_048),
        (1_848, 3_896),
        (3_696, 5_744),
        (5_544, 7_592),
        (7_392, 8_000),
    ]


def test_chunks_end_where_the_text_ends() -> None:
    text = "Una frase con espacios.  \n\nOtra frase.   " * 90

    chunks = chunk_spans(text, sentence_spans(text, "es"), max_tokens=64, overlap_tokens=8, min_tokens=16)

    assert (chunks[0].start, chunks[-1].end) == (0, 3_690)


@pytest.mark.parametrize(("max_tokens", "overlap_tokens", "min_tokens"), [(0, 0, 0), (8, 8, 0), (8, -1, 0), (8, 2, -1)])
def test_limits_that_do_not_fit_each_other_are_refused(max_tokens: int, overlap_tokens: int, min_tokens: int) -> None:
    with pytest.raises(ValueError, match="expected 0 <= overlap_tokens < max_tokens"):
        chunk_spans("Uno.", [(0, 4)], max_tokens=max_tokens, overlap_tokens=overlap_tokens, min_tokens=min_tokens)


@pytest.mark.parametrize("sentences", [[], [(0, 3)], [(1, 4)]])
def test_sentences_of_another_text_are_refused(sentences: list[Span]) -> None:
    with pytest.raises(ValueError, match="expected 0 to 4"):
        chunk_spans("Uno.", sentences, max_tokens=8, overlap_tokens=2, min_tokens=1)
