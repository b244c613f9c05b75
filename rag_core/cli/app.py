"""The command line's frame: the application object, the shared options, errors and output."""

import json
import logging
import signal
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rag_core.cli.help import LocalisedGroup
from rag_core.cli.messages import localised, tr

if TYPE_CHECKING:
    from rag_assets.indexing import IndexEvent
    from rag_core.model.note import TenantId
    from rag_core.settings import Settings

_HELP = (
    "Search your notes and ask them questions.\n\n"
    "First steps: `brain import ~/Notas` (a folder of notes and documents), `brain index`, "
    '`brain ask "¿qué decidimos sobre el piso?"`. `brain up` starts the page. `brain doctor` says what is missing, '
    "`brain COMMAND --help` shows examples."
)

app = typer.Typer(
    name="brain",
    cls=LocalisedGroup,
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
golden_app = typer.Typer(no_args_is_help=True, help="Golden sets: queries with the notes that answer them.")
app.add_typer(golden_app, name="golden")
models_app = typer.Typer(no_args_is_help=True, help="Embedding models, and the change from one to another.")
app.add_typer(models_app, name="models")

_FREQUENT: Mapping[str, str] = {"ask": "asking", "search": "searching", "serve": "serving", "mcp": "mcp"}
"""Modules of the commands that start with their own module alone."""

JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON document on stdout.")]


def _tenant_name(value: str | None) -> str | None:
    if value is None:
        return None
    import re

    from rag_core.settings import TENANT_NAME

    if not re.fullmatch(TENANT_NAME, value):
        raise typer.BadParameter(
            f"{value!r} is no name for a tenant; use lower-case letters, digits, - and _, at most 63"
        )
    return value


TenantOption = Annotated[
    str | None,
    typer.Option(
        "--tenant",
        callback=_tenant_name,
        help="Whose notes; default: BRAIN_TENANT, then `default` (reading: the demo while that is empty).",
    ),
]


def own_tenant(settings: "Settings", named: str | None) -> "TenantId":
    """Tenant of a writer's command: the one it names, else the setting's, else the default one."""
    from rag_core.model.note import TenantId
    from rag_core.runtime.engine import DEFAULT_TENANT

    return TenantId(named or settings.tenant or DEFAULT_TENANT)


def names_like(tenant: "TenantId", known: Iterable["TenantId"], settings: "Settings") -> list[str]:
    """Tenants that may be meant by a name, the likest first; none for whoever runs as one tenant, who is not told of others."""
    import difflib

    others = [name for name in known if name != tenant]
    return [] if settings.tenant else difflib.get_close_matches(tenant, others)


def _show_version(is_wanted: bool) -> None:
    if is_wanted:
        from importlib.metadata import version

        print(f"brain-sync {version('brain-sync')}")
        raise typer.Exit


@app.callback(help=_HELP)
def options(
    is_version_wanted: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=_show_version, help="Print the version.")
    ] = False,
) -> None:
    """Options of the program itself."""


class _LocalisedFormatter(logging.Formatter):
    """Log lines of the terminal in the reader's language, with the part that they are about and its error."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802  the name in logging
        about = [str(getattr(record, name)) for name in ("component", "error") if hasattr(record, name)]
        record.message = ": ".join([localised(record.message), *about])
        return super().formatMessage(record)


def _terminal_handler() -> logging.Handler:
    """Log lines on stderr, but those on failures of which the result has a warning."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_LocalisedFormatter("%(name)s: %(message)s"))
    handler.addFilter(lambda record: not getattr(record, "is_told", False))
    return handler


def main() -> None:
    """Run the command line; the console script `brain`."""
    logging.basicConfig(handlers=[_terminal_handler()], level=logging.WARNING)
    logging.getLogger("psycopg").setLevel(
        logging.CRITICAL
    )  # a line for each failed attempt; the command tells the outcome
    signal.signal(signal.SIGTERM, lambda _number, _frame: sys.exit(143))  # so that the embedded server is let go
    _register(sys.argv[1:])
    app()


def _register(words: Sequence[str]) -> None:
    """Import the modules of the commands: of a frequent one its own alone, as all of them take a quarter of a second."""
    alone = _FREQUENT.get(next(iter(words), ""))
    package = __name__.rpartition(".")[0]
    for name in (alone,) if alone else _every_module():
        import_module(f"{package}.{name}")


def _every_module() -> list[str]:
    return sorted(found.name for found in iter_modules([str(Path(__file__).parent)]))


@contextmanager
def command(*, is_json: bool) -> Iterator[None]:
    """Turn the project's errors into a message with its remedy and exit status 1, or 2 for wrong usage; others are defects and show."""
    from rag_core.errors import InvalidPeriodError, RagError

    try:
        yield
    except RagError as error:
        if is_json:
            print_json({"error": localised(str(error))})
        say(f"brain: {localised(str(error))}")
        raise typer.Exit(2 if isinstance(error, InvalidPeriodError) else 1) from None
    except KeyboardInterrupt:
        say(tr("brain: stopped; what was finished is kept"))
        raise typer.Exit(130) from None
    except BrokenPipeError:
        sys.stderr.close()
        raise typer.Exit(1) from None


def print_json(document: Any) -> None:
    """The one JSON document of a command."""
    print(json.dumps(document, ensure_ascii=False, default=str))


def iso_moment(moment: datetime | None) -> str | None:
    """A time as JSON holds it; null where there is none."""
    return None if moment is None else moment.isoformat()


def say(text: str) -> None:
    """A line for people, on stderr."""
    print(text, file=sys.stderr)


def say_waiting(seconds: float) -> None:
    """Print that the command waits for PostgreSQL."""
    say(tr("PostgreSQL does not answer; waiting up to {seconds:.0f} s for it to come back", seconds=seconds))


@contextmanager
def progress(description: str, total: float | None) -> Iterator[Callable[[float], None]]:
    """A progress bar on a terminal, silence elsewhere; yields the function to advance it."""
    if not sys.stderr.isatty():
        yield lambda _amount: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    what = TextColumn("{task.description}", markup=False)
    columns = (what, BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(description, total=total)
        yield lambda amount: bar.advance(task, amount)


@contextmanager
def measuring() -> Iterator[Callable[[str, int, int], None]]:
    """A progress bar over what is measured in turn; yields the function that is told what, how much is done, of how much."""
    if not sys.stderr.isatty():
        yield lambda _what, _done, _total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(tr("measuring"), total=None, visible=False)  # until it is known how much there is
        yield lambda what, done, total: bar.update(
            task, description=localised(what), completed=done, total=total, visible=True
        )


@contextmanager
def batch_progress(description: str) -> Iterator[Callable[["IndexEvent"], None]]:
    """A progress bar over batches; messages that come before the first batch is done are said."""
    with _bar(description) as bar:

        def show(event: "IndexEvent") -> None:
            if event.batches:
                bar(event.done, event.batches)
            if event.message and not event.done:
                say(localised(event.message))

        yield show


@contextmanager
def _bar(description: str) -> Iterator[Callable[[int, int], None]]:
    if not sys.stderr.isatty():
        yield lambda _done, _total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(description, total=None, visible=False)  # until it is known how much there is
        yield lambda done, total: bar.update(task, completed=done, total=total, visible=True)


def progress_bar(percent: float, *, cells: int = 30) -> str:
    """Progress bar of so many per cent."""
    filled = int(cells * percent / 100)
    return "█" * filled + "░" * (cells - filled)


def facts_of(shown: Mapping[str, Any]) -> str:
    """Day, page and external id of a note as a result or an answer names it; a day or page that is not known is left out."""
    page = shown.get("page")
    place = {
        "page": tr("page {page}", page=page),
        "slide": tr("slide {page}", page=page),
        "sheet": tr("sheet {page}", page=page),
        "section": tr("section {page}", page=page),
    }
    parts = (shown["written"], shown["externalId"], "" if page is None else place[shown.get("pageUnit") or "page"])
    return "  ".join(part for part in parts if part)


def shown_p(p: float) -> str:
    """A p-value with as many digits as tell something."""
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def table(title: str, headers: list[str], rows: list[list[str]], *, whole: Collection[int] = ()) -> None:
    """A table for people, on stdout; the columns numbered by ``whole`` keep their lines, so that they can be copied.

    Every cell and the title are shown as they are: a question or a name may hold what rich reads as mark-up.
    """
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    drawn = Table(title=Text(title, style="table.title"), title_justify="left", header_style="bold")
    for place, header in enumerate(headers):
        drawn.add_column(Text(header), overflow="fold", no_wrap=place in whole)
    for row in rows:
        drawn.add_row(*map(Text, row))
    Console().print(drawn)
