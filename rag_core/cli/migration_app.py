"""Common parts of the commands of a migration: their group, an option, the engine, and one line of figures."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rag_core.cli.app import app, print_json
from rag_core.cli.messages import label, tr

if TYPE_CHECKING:
    from rag_core.runtime.engine import Engine

migration_app = typer.Typer(
    no_args_is_help=True,
    help=(
        "Take over the notes of another program: attach its table or file, chunk it batch by batch while everything stays "
        "found, and finish. `brain rollback` is the way back. The whole way is in docs/operations/migrate.md."
    ),
)
app.add_typer(migration_app, name="migration")

EveryOption = Annotated[
    int | None,
    typer.Option("--evaluate-every", min=1, metavar="N", help="Measure retrieval after so many batches; at first 10."),
]


@contextmanager
def opened_engine() -> Iterator["Engine"]:
    """The installation's engine, for a command."""
    from rag_core.runtime.engine import open_engine
    from rag_core.settings import read_settings

    with open_engine(read_settings()) as engine:
        yield engine


def tell(document: dict[str, Any], *, is_json: bool) -> None:
    """Print the result of a command: as JSON, or on one line for people."""
    if is_json:
        print_json(document)
    else:
        print("  ".join(f"{label(name)} {_in_words(value)}" for name, value in document.items()))


def _in_words(value: object) -> str:
    if isinstance(value, bool):
        return tr("yes") if value else tr("no")
    if isinstance(value, list | tuple | dict):
        return ", ".join(map(str, value)) or tr("none")
    return tr("none") if value is None else label(str(value))
