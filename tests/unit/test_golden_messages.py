"""Why a golden query is not taken can be told, in either language, wherever it is found out."""

import ast
from collections.abc import Iterator
from pathlib import Path
from string import Formatter

import pytest

import rag_core.evaluation
from rag_core.api.messages import german, spanish
from rag_core.api.messages.golden import PROBLEMS, told
from rag_core.errors import InvalidGoldenError, InvalidInputError
from rag_core.evaluation.golden.line import parse_golden_line
from rag_core.evaluation.golden.query import parse_difficulty

MODEL = Path(rag_core.evaluation.__file__).parents[1] / "model"
SOURCES = [*sorted(Path(rag_core.evaluation.__file__).parent.glob("golden/*.py")), MODEL / "golden.py"]


def calls(name: str) -> Iterator[tuple[str, ast.Call]]:
    """Every call of a function in the modules of golden sets, with where it stands."""
    for source in SOURCES:
        for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name:
                yield f"{source.name}:{node.lineno}", node


def literal(node: ast.expr) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def test_every_place_that_refuses_gives_what_its_message_names() -> None:
    missing = []
    seen = set()
    for place, call in calls("InvalidGoldenError"):
        given = {keyword.arg: keyword.value for keyword in call.keywords}
        problem = literal(given["problem"])
        if problem is None:
            continue
        seen.add(problem)
        named = {field for text in PROBLEMS[problem].values() for _, field, _, _ in Formatter().parse(text) if field}
        missing += [(place, problem, field) for field in sorted(named - set(given))]

    assert missing == []
    assert {"half_span", "absent_quote", "no_notes", "unknown_chunk"} <= seen
    assert set(PROBLEMS) - seen == {"difficulty_number", "difficulty_word"}


@pytest.mark.parametrize("vocabulary", ["brain_sync", "rag_v2"])
@pytest.mark.parametrize("difficulty", [0, 2, "hard", "schwer"])
def test_a_difficulty_of_the_other_vocabulary_is_told_without_english(vocabulary, difficulty) -> None:
    if (vocabulary, difficulty) in {("brain_sync", 2), ("rag_v2", "hard")}:
        return

    with pytest.raises(InvalidGoldenError) as refused:
        parse_difficulty(difficulty, vocabulary)

    expected = {"brain_sync": "un entero de 1 a 5", "rag_v2": "easy, medium o hard"}[vocabulary]
    assert told(refused.value, "es") == f"difficulty: valor no admitido en este conjunto; se espera {expected}"
    assert told(refused.value, "de").startswith("difficulty: hier nicht zulässig; erwartet wird ")


def test_every_field_of_a_golden_query_has_a_name_in_both_languages() -> None:
    fields = {literal(call.args[1]) for name in ("checked_name", "checked_text") for _, call in calls(name)}
    phrases = {f"a phrase of {literal(call.args[1])}" for _, call in calls("parse_phrases")}
    people = {literal(call.args[1]) for _, call in calls("_parse_person")}
    moments = {literal(call.args[1]) for _, call in calls("_parse_moment")}

    named = (fields | phrases | people | moments) - {None}

    assert {"query", "a phrase of key_facts", "verified_by", "verified_at"} <= named
    assert named - set(spanish.SUBJECTS) == set()
    assert named - set(german.SUBJECTS) == set()


@pytest.mark.parametrize(
    ("field", "spanish", "german_name"),
    [
        ("verified_at", "La fecha (verifiedAt) no es una fecha ISO 8601", "Das Datum (verifiedAt): kein Datum"),
        ("created_at", "La fecha (createdAt) no es una fecha ISO 8601", "Das Datum (createdAt): kein Datum"),
        ("updated_at", "La fecha (updatedAt) no es una fecha ISO 8601", "Das Datum (lastUpdated): kein Datum"),
    ],
)
def test_a_date_that_is_none_is_told_with_its_field(field: str, spanish: str, german_name: str) -> None:
    line = f'{{"query": "¿?", "relevant_ids": ["n1"], "verified_by": "Ana", "{field}": "ayer"}}'

    with pytest.raises(InvalidInputError) as refused:
        parse_golden_line(line)

    assert told(refused.value, "es").startswith(spanish)
    assert told(refused.value, "de").startswith(german_name)
