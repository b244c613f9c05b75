"""Spanish texts as people paste them: for any property test that needs a note's text.

Import with ``from properties.strategies import spanish_text``.
"""

import unicodedata

from hypothesis import strategies as st

WORDS = (
    *("casa", "perro", "ayer", "niña", "corazón", "pingüino", "mañana", "está", "bien", "que", "y", "pero"),
    *("porque", "el", "los", "María", "Pamplona", "no", "mar", "según", "vergüenza", "EE. UU.", "Sr. Paz"),
)
ABBREVIATED = (
    *(
        "Sr.",
        "Dra.",
        "p. ej.",
        "EE. UU.",
        "núm.",
        "etc.",
        "D.",
        "a. C.",
        "Ud.",
        "n.º 5",
        "M.ª",
        "S. A.",
        "pág. 3",
    ),
    *("J. L. Borges", "aprox.", "vitamina C", "art. 5", "C/ Mayor, 3 A."),
)
NUMBERS = ("3.5", "3,5", "12.05.2024", "10.30 h.", "1.000.000", "5 %", "20 kg.", "1.ª", "-4 °C", "2/3")
SYMBOLS = (
    *(
        "😀",
        "👨\u200d👩\u200d👧\u200d👦",
        "🇪🇸",
        "👍🏽",
        "❤\ufe0f",
        "🏴\U000e0067\U000e0062\U000e007f",
        ":)",
        "→",
    ),
    *("www.x.com", "https://a.es/b.html?q=1", "yo@x.es", "#tema", "ASP.NET", "°", "«", '"', "(", "5'"),
)
SPACES = (" ", " ", " ", " ", "\n", "  ", "\u00a0", "\t", ", ", "; ", ": ", " — ", " y ", "-")
ENDS = (". ", ". ", ".", "? ", "! ", "… ", "... ", ".» ", ".) ", ".\n", " ", ".[1] ", '." ', "?! ", ".\u00a0")
BREAKS = ("\n\n", "\n", "\n\n\n", "\r\n\r\n", "\n  \n", " ", "\u2029", "\n---\n")
MARKERS = ("- ", "* ", "• ", "1. ", "2) ", "a) ", "– ", "— ", "# ", "## ", "- [ ] ", "| ", "(1) ", "> ")


def decomposed(text: str) -> str:
    """Text in NFD: an accent is a code point of its own."""
    return unicodedata.normalize("NFD", text)


LONG_WORDS = (
    "a" * 70,
    "ñandú" * 12,
    "e\u0301" * 40,
    "🇪🇸" * 21,
    "👨\u200d👩\u200d👧" * 9,
    "abc." * 15,
    "1" * 33,
    "\u0301" * 9,
)
FRAGMENTS = (*WORDS * 2, *ABBREVIATED, *NUMBERS, *SYMBOLS, *map(decomposed, WORDS), *LONG_WORDS)
"""Words twice over, so that most of a text is words."""


@st.composite
def sentences(draw: st.DrawFn) -> str:
    """Words with what stands between them, opened and ended as Spanish sentences are, or not ended at all."""
    clauses = draw(st.lists(st.lists(st.sampled_from(FRAGMENTS), min_size=1, max_size=5), min_size=1, max_size=3))
    body = draw(st.sampled_from(SPACES)).join(" ".join(clause) for clause in clauses)
    opener = draw(st.sampled_from(("", "", "¿", "¡", "«", "“", "(", "—")))
    return opener + body[:1].upper() + body[1:] + draw(st.sampled_from(ENDS))


@st.composite
def spanish_text(draw: st.DrawFn, *, min_blocks: int = 0, max_blocks: int = 4) -> str:
    """Paragraphs, list items, headings with what stands between them; '' only when ``min_blocks`` is 0."""
    block = st.tuples(
        st.sampled_from(("", "", "", *MARKERS)),
        st.lists(sentences(), min_size=1, max_size=3).map("".join),
        st.one_of(st.sampled_from(BREAKS), st.text(max_size=4)),
    )
    blocks = draw(st.lists(block, min_size=min_blocks, max_size=max_blocks))
    return "".join(marker + paragraph + gap for marker, paragraph, gap in blocks)
