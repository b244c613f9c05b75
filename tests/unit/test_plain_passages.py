"""Passages of search hits on the page: read without marks of Markdown, what was found still marked."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_core.answering.quoting.markup import plain_lines
from rag_core.api.pages.plain_passages import plain_passage

_NOTE = """# Averías

Llamé a la **fontanería** por la *fuga*, véase [la factura](https://ejemplo.es/f.pdf).

| Fecha | Importe |
|---|---|
| 3 de enero | 120 € |

- [ ] Pedir **presupuesto** a [[Notas/tejas|los tejados]]
> Nota `final`"""


@pytest.mark.parametrize(
    ("found", "marked"),
    [
        ("Llamé a la **fontanería**", "Llamé a la fontanería"),
        ("fontanería", "fontanería"),
        ("por la *fuga*, véase [la factura](https://ejemplo.es/f.pdf)", "por la fuga, véase la factura"),
        ("| 3 de enero | 120 € |", "3 de enero   120 €"),
        ("- [ ] Pedir **presupuesto** a [[Notas/tejas|los tejados]]", "Pedir presupuesto a los tejados"),
        ("# Averías\n\nLlamé", "Averías\n\nLlamé"),
        ("> Nota `final`", "Nota final"),
        ("|---|---|", ""),
        ("https://ejemplo.es", ""),
    ],
)
def test_what_was_found_is_told_in_the_plain_text(found: str, marked: str) -> None:
    start = _NOTE.index(found)

    plain, [(low, high)] = plain_passage(_NOTE, [(start, start + len(found))])

    assert plain == plain_lines(_NOTE)
    assert plain[low:high] == marked


def test_spans_within_others_keep_their_order() -> None:
    inner = _NOTE.index("fuga")

    plain, spans = plain_passage(_NOTE, [(0, len(_NOTE)), (inner, inner + 4), (0, len(_NOTE))])

    assert [plain[low:high] for low, high in spans] == [plain, "fuga", plain]


@pytest.mark.parametrize(
    "line", ["3. März war es kalt.", "- 5 grados", "+ 3 puntos", "- 3. Mai", "# 3. Titel", "1. Uno"]
)
def test_marks_are_the_same_wherever_a_span_begins(line: str) -> None:
    plain, [(low, high)] = plain_passage(f"Uno.\n{line}", [(5, 5 + len(line))])

    assert plain == plain_lines(f"Uno.\n{line}")
    assert plain[low:high] == plain_lines(line)


@given(st.text(alphabet="ab *_`|#>-[]()\n.1\U000f0000", max_size=40), st.data())
def test_any_span_lies_in_the_plain_text(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    stop = data.draw(st.integers(start, len(text)))

    plain, [(low, high)] = plain_passage(text, [(start, stop)])

    assert 0 <= low <= high <= len(plain)
    assert "\U000f0000" not in plain
