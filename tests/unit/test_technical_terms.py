"""Technical terms by their shape, and words that only look like some."""

import pytest

from rag_core.language.technical_terms import technical_terms


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("¿Cuándo se abrió la cuenta en PostgreSQL con pgvector y HNSW?", ["PostgreSQL", "HNSW"]),
        ("Welche API nutzt der Server für GPT-4?", ["API", "GPT-4"]),
        ("¿Dónde está max_chunk_size en src/main.py o notes.jsonl?", ["max_chunk_size", "src/main.py", "notes.jsonl"]),
        ("vitamina B12, CO2 y K8s", ["B12", "CO2", "K8s"]),
        ("C++ oder C#?", ["C++", "C#"]),
    ],
)
def test_what_is_written_as_no_ordinary_word_is_a_term(text: str, expected: list[str]) -> None:
    assert technical_terms(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "¿Cuándo murió Enrique VIII?",
        "el 3.º día a las 18h de los 1990s",
        "Viajé a EE. UU. con el Sr. Ferrer a las 9 a.m.",
        "¿QUÉ DIJO EL MÉDICO?",
        "pan y/o vino, p.ej. tinto",
        "the 24-yard pass in the 3rd quarter",
        "el 2024-03-01 a las 10:30",
        "",
    ],
)
def test_numerals_ordinals_abbreviations_and_shouting_are_no_terms(text: str) -> None:
    assert technical_terms(text) == []
