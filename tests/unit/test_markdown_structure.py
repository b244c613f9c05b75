"""Headings and tables of Markdown, and the regions that chunks respect."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag_core.chunking import CHUNKERS, estimate_tokens, parse_choice, sentence_spans
from rag_core.chunking.breaks import far_from_previous, parse_threshold
from rag_core.chunking.structure import cells_of, row_text, structure_of
from rag_core.errors import ConfigurationError
from rag_core.model.note import TenantId
from rag_core.settings import Settings

for name in CHUNKERS.names():
    CHUNKERS.get(name)

TABLE = "| Fecha | Importe |\n|:--|--:|\n| 3 de mayo | 12 |\n| 4 de mayo | 15 |\n"
PIECES = st.sampled_from(
    [
        TABLE,
        "# Uno\n",
        "\n",
        "\n\n",
        "## Dos\n\n",
        "Una frase corta. ",
        "Otra frase que es algo más larga que la de antes. ",
        "```\n",
        "| a | b |\n",
        "|---|---|\n",
        "- punto\n",
    ]
)


def tables(text: str) -> list[str]:
    return [text[table.start : table.end] for table in structure_of(text).tables]


def test_a_table_runs_from_its_header_to_its_last_row() -> None:
    text = f"Antes.\n\n{TABLE}Después."

    (table,) = structure_of(text).tables

    assert text[table.start : table.end] == TABLE
    assert table.headers == ("Fecha", "Importe")
    assert [text[start:end] for start, end in table.rows] == ["| 3 de mayo | 12 |\n", "| 4 de mayo | 15 |\n"]
    assert text[table.start : table.header_end] == "| Fecha | Importe |\n|:--|--:|\n"


def test_bars_at_the_sides_are_optional() -> None:
    assert tables("Fecha | Importe\n--- | ---\n3 | 12\n\nfin") == ["Fecha | Importe\n--- | ---\n3 | 12\n"]


@pytest.mark.parametrize(
    "text",
    [
        "a | b\nc | d\n",
        "| a | b |\n|---|\n",
        "a | b\n\n---|---\n",
        "```\n| a |\n|---|\n| 1 |\n```\n",
        "| a |\n| - x |\n",
        "uno\n---\ndos",
    ],
    ids=["no dashes", "other columns", "a line between", "code", "words", "a heading"],
)
def test_what_only_looks_like_a_table_is_none(text) -> None:
    assert tables(text) == []


def test_headings_within_code_are_none_and_a_fence_ends_with_its_own_mark() -> None:
    text = "# A\n````\n# B\n```\n# C\n````\n## D\n#no\n"

    assert [text[start:].split("\n", maxsplit=1)[0] for start in structure_of(text).heading_starts] == ["# A", "## D"]


def test_a_bar_in_a_cell_is_escaped() -> None:
    assert cells_of("| a \\| b | | c |\n") == ("a | b", "", "c")


def test_a_row_is_told_with_its_headers_but_for_empty_cells_and_numbers_of_columns() -> None:
    assert row_text(("Fecha", "2", "", "Importe"), ("3 de mayo", "Ruedas", "ok", "", "de más")) == (
        "Fecha: 3 de mayo; Ruedas; ok; de más"
    )


@settings(max_examples=60)
@given(
    text=st.lists(PIECES, max_size=30).map("".join),
    name=st.sampled_from(["sentence", "fixed", "semantic", "hierarchical", "table", "late"]),
    max_tokens=st.integers(8, 60),
)
def test_every_chunker_covers_the_text_in_rising_chunks_within_the_limit(text, name, max_tokens) -> None:
    sentences = sentence_spans(text, "es")
    chunker = CHUNKERS.get(name)
    breaks = {"breaks": [start for start, _ in sentences[1::3]]} if chunker.needs_breaks else {}

    spans = chunker.spans(text, sentences, max_tokens=max_tokens, overlap_tokens=4, min_tokens=6, **breaks)

    assert all(one.start < other.start <= one.end < other.end for one, other in itertools.pairwise(spans))
    assert (spans[0].start, spans[-1].end) == (0, len(text)) if text else spans == []
    assert all(span.token_count == estimate_tokens(span.end - span.start) <= max_tokens for span in spans)


@settings(max_examples=60)
@given(text=st.lists(PIECES, max_size=30).map("".join), name=st.sampled_from(["sentence", "table", "hierarchical"]))
def test_no_chunk_has_rows_of_a_table_and_prose_after_it(text, name) -> None:
    found = structure_of(text).tables
    spans = CHUNKERS.get(name).spans(text, sentence_spans(text, "es"), max_tokens=40, overlap_tokens=4, min_tokens=6)

    for span in spans:
        inside = [table for table in found if table.start < span.end and span.start < table.end]
        assert len(inside) <= 1
        assert (span.kind == "text") == (not inside)
        assert not inside or (not text[inside[0].end : span.end].strip() and span.table.headers == inside[0].headers)


def test_what_stands_before_a_table_is_prose_where_the_header_does_not_fit_beside_it() -> None:
    text = "Gastos de mayo, en euros. " * 5 + f"\n{TABLE}"

    spans = CHUNKERS.get("sentence").spans(
        text, sentence_spans(text, "es"), max_tokens=36, overlap_tokens=0, min_tokens=6
    )

    assert [(span.kind, text[span.start : span.end]) for span in spans] == [
        ("text", "Gastos de mayo, en euros. " * 5 + "\n"),
        ("table", TABLE),
    ]


def test_a_section_begins_a_chunk_once_the_one_before_is_long_enough() -> None:
    text = "# Uno\n\n" + "Una frase de la primera parte. " * 6 + "\n\n# Dos\n\n" + "Una frase de la segunda parte. " * 6

    spans = CHUNKERS.get("sentence").spans(
        text, sentence_spans(text, "es"), max_tokens=512, overlap_tokens=0, min_tokens=20
    )

    assert [text[span.start :].split("\n", maxsplit=1)[0] for span in spans] == ["# Uno", "# Dos"]


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("", ("sentence", "hierarchical", "hierarchical")),
        ("late", ("late", "late", "late")),
        ("document=fixed", ("sentence", "fixed", "fixed")),
        ("late, ana/=table, ana/document=fixed", ("late", "late", "fixed")),
    ],
)
def test_the_narrowest_that_is_said_decides(written, expected) -> None:
    choice = parse_choice(written)
    ana, eva = TenantId("ana"), TenantId("eva")

    assert (choice.of(eva, "note"), choice.of(eva, "document"), choice.of(ana, "document")) == expected


def test_the_default_of_the_setting_is_the_default_choice() -> None:
    assert parse_choice(Settings.model_fields["chunker"].default) == parse_choice("")


@pytest.mark.parametrize("written", ["late, fixed", "book=fixed", "ana/book=fixed", "=fixed", "document=", "ana=late"])
def test_a_choice_that_says_nothing_or_two_things_is_refused(written) -> None:
    with pytest.raises(ConfigurationError, match="BRAIN_CHUNKER"):
        parse_choice(written)


@pytest.mark.parametrize("written", ["percentile:0", "percentile:101", "percentile", "mean:3", "interquartile:x", ""])
def test_a_threshold_that_is_none_is_refused(written) -> None:
    with pytest.raises(ConfigurationError, match="BRAIN_CHUNKER_BREAKS"):
        parse_threshold(written)


@pytest.mark.parametrize(
    ("threshold", "expected"),
    [
        ("percentile:95", [3]),
        ("percentile:60", [3, 5]),
        ("standard_deviation:1", [3]),
        ("standard_deviation:3", []),
        ("interquartile:1.5", []),
    ],
)
def test_a_break_is_where_the_distance_exceeds_the_threshold_over_all(threshold, expected) -> None:
    """Distances 0, 0, 1, 0, 0.4, 0: mean .233, deviation .373; quartiles 0 and .3, so 1.5 ranges above the mean are .683."""
    import numpy as np

    angles = np.cumsum([0, 0, 0, np.arccos(0), 0, np.arccos(0.6), 0])
    vectors = np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)

    assert far_from_previous(vectors, parse_threshold(threshold)) == (
        [3] if threshold.startswith("inter") else expected
    )


def test_one_sentence_has_no_break() -> None:
    import numpy as np

    assert far_from_previous(np.ones((1, 2), dtype=np.float32), parse_threshold("percentile:95")) == []


def cut(name: str, text: str, *, max_tokens: int = 512, min_tokens: int = 0, **others) -> list[str]:
    spans = CHUNKERS.get(name).spans(
        text, sentence_spans(text, "es"), max_tokens=max_tokens, overlap_tokens=0, min_tokens=min_tokens, **others
    )
    return [text[span.start : span.end] for span in spans]


@pytest.mark.parametrize("name", CHUNKERS.names())
def test_an_empty_text_has_no_chunk(name) -> None:
    assert cut(name, "") == []


def test_words_are_counted_whatever_the_text_is() -> None:
    assert cut("fixed", "# Uno\n\nDos tres. Cuatro", max_tokens=3) == ["# Uno\n\nDos ", "tres. Cuatro"]


def test_a_row_a_chunk_and_one_above_the_limit_is_parted() -> None:
    long = f"| 5 de mayo | {'palabra ' * 12}|\n"

    assert cut("table", TABLE + long, max_tokens=20) == [
        "| Fecha | Importe |\n|:--|--:|\n",
        "| 3 de mayo | 12 |\n",
        "| 4 de mayo | 15 |\n",
        "| 5 de mayo ",
        f"| {'palabra ' * 6}",
        f"{'palabra ' * 6}|\n",
    ]


def test_paragraphs_are_chunks_and_a_short_one_before_a_heading_goes_with_the_one_before_it() -> None:
    first, second, short = "Uno dos tres. " * 8 + "\n\n", "Cuatro cinco. " * 8 + "\n\n", "Corto.\n\n"

    assert cut("hierarchical", f"{first}{second}{short}# Otro\n\n{first}") == [
        first,
        second + short,
        f"# Otro\n\n{first}",
    ]


def test_a_break_in_meaning_begins_a_chunk() -> None:
    one, other = "Una frase de barcos. " * 3, "Una frase de pan. " * 3

    assert cut("semantic", one + other, breaks=[len(one)]) == [one, other]


def test_a_table_right_at_the_start_after_another_and_far_below_its_heading() -> None:
    far = "# Gastos\n" + "Texto del apartado sin líneas en blanco. " * 8 + "\n"

    assert cut("sentence", f"{TABLE}\nPie:\n\n{TABLE}\n{far}{TABLE}") == [
        f"{TABLE}\n",
        f"Pie:\n\n{TABLE}\n",
        far,
        TABLE,
    ]


def test_a_header_without_rows_is_a_table_of_none() -> None:
    head = "| Fecha | Importe |\n|:--|--:|\n"

    assert cut("table", f"{head}\nfin") == [f"{head}\n", "fin"]
    assert tables("```\ntexto") == []


def test_a_header_above_the_limit_is_parted_and_a_short_last_section_stays_with_the_one_before() -> None:
    assert cut("table", "| Fecha | Importe |\n|:--|--:|\n", max_tokens=5) == ["| Fecha | Importe |\n", "|:--|--:|\n"]
    assert cut("sentence", "# Uno\n\nUna frase larga.\n\n# Dos\n\nFin.", min_tokens=6) == [
        "# Uno\n\nUna frase larga.\n\n# Dos\n\nFin."
    ]
    assert cut("sentence", f"{'Una frase. ' * 9}\n\n## Gastos\n\n{TABLE}")[-1] == f"## Gastos\n\n{TABLE}"
