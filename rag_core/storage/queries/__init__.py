"""Named queries: the SQL of the project, read from the ``.sql`` files beside this one.

A query begins with ``-- name: its_name``; the comment lines after it say what it does. Python holds parameters only.
"""

from functools import cache
from importlib.resources import files
from typing import LiteralString

_MARK = "-- name: "


@cache
def query(name: str) -> LiteralString:
    """The text of a named query.

    Raises:
        KeyError: no query has that name.
    """
    return _all()[name]


@cache
def _all() -> dict[str, LiteralString]:
    found: dict[str, LiteralString] = {}
    for file in sorted(files(__name__).iterdir(), key=lambda entry: entry.name):
        if file.name.endswith(".sql"):
            for block in file.read_text(encoding="utf-8").split(_MARK)[1:]:
                name, _, text = block.partition("\n")
                found[name.strip()] = text.strip().removesuffix(";")
    return found
