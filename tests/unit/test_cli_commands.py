"""Form of the commands."""

import ast
from pathlib import Path

CLI = Path(__file__).resolve().parents[2] / "rag_core/cli"
MOST_LINES = 50


def test_no_function_of_the_command_line_is_longer_than_fifty_lines() -> None:
    """Options that need many words have a name of their own; what a command does after its options is a function beside it."""
    too_long = [
        f"{path.name}: {node.name}, {lines} lines"
        for path in sorted(CLI.glob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef)
        and (lines := (node.end_lineno or node.lineno) - node.lineno + 1) > MOST_LINES
    ]

    assert too_long == []
