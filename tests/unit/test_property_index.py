"""The forty properties: each is tested, listed in ``tests/README.md``, and has a defect that its tests must catch."""

import ast
import re
from collections import defaultdict
from functools import cache
from pathlib import Path

import pytest
from mutants.defects import MUTANTS
from mutants.planting import Mutant, is_stale, outcome_of, planted

TESTS = Path(__file__).parents[1]
NUMBERS = range(1, 41)
ROW = re.compile(r"^\| (\d+) \| ([^|]+) \| ([^|]+) \|$", re.MULTILINE)
INDEX = {
    int(number): (sentence, cell) for number, sentence, cell in ROW.findall((TESTS / "README.md").read_text("utf-8"))
}


@cache
def property_tests(folder: Path) -> dict[int, set[str]]:
    """The names of the tests marked with each property."""
    found = defaultdict(set)
    for module in folder.rglob("test_*.py"):
        if "mark.property" not in (source := module.read_text("utf-8")):
            continue
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.FunctionDef):
                for number in filter(None, map(marked_property, node.decorator_list)):
                    found[number].add(node.name)
    return found


def marked_property(decorator: ast.expr) -> int | None:
    """The number in ``@pytest.mark.property(number)``."""
    is_mark = isinstance(decorator, ast.Call) and ast.unparse(decorator.func) == "pytest.mark.property"
    return ast.literal_eval(decorator.args[0]) if is_mark else None


def test_each_of_the_forty_properties_is_tested() -> None:
    found = property_tests(TESTS / "properties")

    assert sorted(found) == list(NUMBERS)


def test_no_test_holds_a_property_that_there_is_not() -> None:
    assert set(property_tests(TESTS)) <= set(NUMBERS)


def test_the_index_lists_the_forty_with_a_sentence_each() -> None:
    assert list(INDEX) == list(NUMBERS)
    assert len({sentence for sentence, _ in INDEX.values()}) == 40


@pytest.mark.parametrize("number", NUMBERS)
def test_the_index_names_the_tests_of_each_property(number: int) -> None:
    named = {name for name in re.findall(r"`(\w+)`", INDEX[number][1]) if name.startswith("test_")}

    assert named == property_tests(TESTS / "properties")[number]


def test_no_property_is_tried_on_fewer_than_a_hundred_examples() -> None:
    for module in (TESTS / "properties").glob("*.py"):
        counts = re.findall(r"max_examples=(\d+)", module.read_text("utf-8"))

        assert all(int(count) >= 100 for count in counts), module.name


def test_each_property_has_a_planted_defect_in_order() -> None:
    assert [mutant.property for mutant in MUTANTS] == list(NUMBERS)


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: f"P{mutant.property:02}")
def test_the_place_of_a_planted_defect_is_there_and_the_only_one(mutant: Mutant) -> None:
    assert not is_stale(mutant)
    assert mutant.old != mutant.new


def test_a_defect_is_planted_in_a_copy_and_nowhere_else() -> None:
    mutant = MUTANTS[0]

    with planted(mutant) as copy:
        text = (copy / mutant.file).read_text("utf-8")

    assert mutant.new in text
    assert not is_stale(mutant)


@pytest.mark.parametrize(
    ("returncode", "output", "outcome"),
    [
        (1, "F\n1 failed, 2 passed in 3.01s\n", "caught"),
        (0, ".\n3 passed in 3.01s\n", "missed"),
        (1, "E\n1 error in 0.50s\n", "broken"),
        (2, "ERROR tests/x.py\n1 error in 0.50s\n", "broken"),
        (1, "1 failed, 1 error in 0.50s\n", "broken"),
        (5, "no tests ran in 0.01s\n", "broken"),
        (4, "", "broken"),
    ],
)
def test_only_a_failed_test_catches_a_defect(returncode: int, output: str, outcome: str) -> None:
    assert outcome_of(returncode, output) == outcome
