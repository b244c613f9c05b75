"""Search from the terminal."""

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rag_core.cli.answering import answer_events_of
from rag_core.cli.app import JsonOption, TenantOption, app, command, facts_of, print_json, say
from rag_core.cli.messages import label, language, localised, tr
from rag_core.language import LANGUAGES
from rag_core.model.enrichment import DOCUMENT_TYPES
from rag_core.terminal.requests import TerminalSearch

if TYPE_CHECKING:
    from rag_core.configuration.schema import RetrievalConfig
    from rag_core.terminal.requests import Event

_INDENTED = (0, 0, 0, 4)
_STRATEGIES = ("semantic", "fulltext", "hybrid", "hybrid+rerank", "routed")


def _strategy(value: str | None) -> str | None:
    if value is not None and value not in _STRATEGIES:
        raise typer.BadParameter(f"{value!r} is not one of {', '.join(_STRATEGIES)}")
    return value


StrategyOption = Annotated[
    str | None,
    typer.Option(callback=_strategy, help="semantic, fulltext, hybrid, hybrid+rerank (the default) or routed."),
]
ConfigOption = Annotated[
    Path | None, typer.Option("--config", help="A JSON file with the values that differ from what is served.")
]


def read_config(
    file: Path | None, *, strategy: str | None, top_k: int | None = None, base: "RetrievalConfig"
) -> "RetrievalConfig":
    """The configuration of a command: the file over ``base``, which is what is served, the options over the file.

    Raises:
        ConfigurationError: no such file, not JSON, or a value out of bounds.
    """
    from rag_core.configuration.schema import configure, of_search

    override = {} if file is None else read_override(file)
    return configure(of_search(override), strategy=strategy, top_k=top_k, base=base)  # type: ignore[arg-type]


def read_override(file: Path) -> dict[str, Any]:
    """The values that a file gives.

    Raises:
        ConfigurationError: no such file, or no JSON object in it.
    """
    from rag_core.errors import ConfigurationError

    try:
        override = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ConfigurationError(f"--config {file}: {error}; give a file with a JSON object") from error
    if not isinstance(override, dict):
        raise ConfigurationError(f"--config {file}: expected a JSON object")
    return override


def _one_of(*choices: str) -> Callable[[list[str] | None], list[str] | None]:
    def check(values: list[str] | None) -> list[str] | None:
        for value in values or ():
            if value not in choices:
                raise typer.BadParameter(f"{value!r} is not one of {', '.join(choices)}")
        return values

    return check


_WHICH = "Which notes (what is repeated means any of these)"
FromOption = Annotated[
    str | None, typer.Option("--from", metavar="DATE", help="Notes of this day or later.", rich_help_panel=_WHICH)
]
ToOption = Annotated[
    str | None,
    typer.Option("--to", metavar="DATE", help="Notes up to this day, the day included.", rich_help_panel=_WHICH),
]
KindOption = Annotated[
    list[str] | None,
    typer.Option("--kind", callback=_one_of("note", "document"), help="note or document.", rich_help_panel=_WHICH),
]
SourceOption = Annotated[
    list[str] | None, typer.Option("--source", help="Where notes come from.", rich_help_panel=_WHICH)
]
TypeOption = Annotated[
    list[str] | None,
    typer.Option(
        "--type", callback=_one_of(*DOCUMENT_TYPES), help="What texts are, such as invoice.", rich_help_panel=_WHICH
    ),
]
LanguageOption = Annotated[
    list[str] | None,
    typer.Option("--language", callback=_one_of(*LANGUAGES), help="es, de or en.", rich_help_panel=_WHICH),
]
TagOption = Annotated[
    list[str] | None, typer.Option("--tag", help="A tag or one above it, in any case.", rich_help_panel=_WHICH)
]
DocumentOption = Annotated[
    list[str] | None,
    typer.Option("--document", metavar="NOTE", help="Id, external id or source:id.", rich_help_panel=_WHICH),
]


@app.command("search")
def search(
    query: Annotated[str, typer.Argument(help="What you look for, in your own words.")],
    strategy: StrategyOption = None,
    top_k: Annotated[int | None, typer.Option("--top-k", min=1, max=50, help="Results at most; default 5.")] = None,
    since: FromOption = None,
    until: ToOption = None,
    kinds: KindOption = None,
    types: TypeOption = None,
    sources: SourceOption = None,
    languages: LanguageOption = None,
    tags: TagOption = None,
    documents: DocumentOption = None,
    config: ConfigOption = None,
    tenant: TenantOption = None,
    is_json: JsonOption = False,
) -> None:
    """Find the passages of your notes that answer a query.

    A question in your own words is enough, and a time in it counts:

    - `brain search "¿por qué dormí mal la semana pasada?"`

    Narrow it down; every condition must hold:

    - `brain search "reuniones con Rosa" --from 2025-03-01 --to 2025-03-31 --tag trabajo`

    - `brain search "vuelos" --source diario --source cartas --language es --top-k 10`

    - `brain search "fiebre" --document 2025-03-03 --json`

    A DATE is an ISO date or date-time (2025-03-01, 2025-03-01T09:00, 2025-03-01T09:00Z), without a zone in
    BRAIN_TIMEZONE. With a time, --to means before that moment.
    """
    conditions = {"from": since, "to": until, "kinds": kinds, "sources": sources, "languages": languages}
    conditions |= {"tags": tags, "documentTypes": types, "documentIds": documents}
    with command(is_json=is_json):
        asked = TerminalSearch(
            query=query,
            strategy=strategy,
            top_k=top_k,
            conditions=conditions,
            override={} if config is None else read_override(config),
            tenant=tenant,
            language=language(),
            is_json=is_json,
        )
        _answer(asked)


def _answer(asked: TerminalSearch) -> None:
    with closing(answer_events_of(asked)) as events:
        (found,) = events
    if asked.is_json:
        print_json(found["document"])
    else:
        _show(found)


def _show(found: "Event") -> None:
    if found["understood"] is not None:
        say(tr("Understood: {line}\n", line=localised(found["understood"])))
    _print_hits(found["hits"])
    if not found["hits"]:
        say(_nothing_found(is_filtered=found["isFiltered"]))
    for warning in found["warnings"]:
        say(f"({localised(warning)})")
    say(
        tr(
            "results: {hits}, strategy: {strategy}, {latency_ms:.0f} ms",
            hits=len(found["hits"]),
            strategy=found["strategy"],
            latency_ms=found["latencyMs"],
        )
    )


def _nothing_found(*, is_filtered: bool) -> str:
    if is_filtered:
        return tr("Nothing found among the notes that meet the conditions; leave one out.")
    return tr("Nothing found. `brain status` shows how many notes there are and how many are indexed.")


def _print_hits(hits: Sequence[Mapping[str, Any]]) -> None:
    from rich.console import Console
    from rich.padding import Padding

    console = Console(highlight=False, emoji=False)
    for number, hit in enumerate(hits, 1):
        heading = f"[bold]\\[{number}] {_plain(hit['title'])}[/bold]"
        ways = ", ".join(map(label, hit["foundBy"]))
        console.print(f"{heading}  [dim]{_plain(facts_of(hit))}  {ways}[/dim]")
        if hit["chain"]:
            console.print(Padding(f"[green]{_plain(' → '.join(hit['chain']))}[/green]", _INDENTED, expand=False))
        console.print(Padding(_plain(hit["snippet"]), _INDENTED, expand=False))
        console.print()


def _plain(text: str) -> str:
    from rich.markup import escape

    return escape(text)
