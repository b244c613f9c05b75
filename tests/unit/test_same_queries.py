"""The form in which two queries are the same."""

import pytest

from rag_core.model.golden import normalise_query


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("¿Qué  pasó?", "¿qué pasó?"),
        ("man\u0303ana", "ma\u00f1ana"),
        ("STRASSE", "straße"),
        ("\u00a0uno\n\tdos ", "uno dos"),
    ],
)
def test_queries_that_differ_in_case_accent_form_or_space_are_the_same(one: str, other: str) -> None:
    assert normalise_query(one) == normalise_query(other)


def test_an_accent_makes_a_query_another_one() -> None:
    assert normalise_query("¿cuando?") != normalise_query("¿cuándo?")
