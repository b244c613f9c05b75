"""Search from the terminal, and the API in the foreground."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rag_core.cli.app import JsonOption, TenantOption, app, command, print_json, say

if TYPE_CHECKING:
    from rag_core.configuration import RetrievalConfig
    from rag_core.model import Retrieval

CLI_TIMEOUT_MS = 30_000
_STRATEGIES = ("semantic", "fulltext", "hybrid", "hybrid+rerank")


def _strategy(value: str | None) -> str | None:
    if value is not None and value not in _STRATEGIES:
        raise typer.BadParameter(f"{value!r} is not one of {', '.join(_STRATEGIES)}")
    return value


StrategyOption = Annotated[
    str | None, typer.Option(callback=_strategy, help="semantic, fulltext, hybrid or hybrid+rerank (the default).")
]
ConfigOption = Annotated[
    Path | None, typer.Option("--config", help="A JSON file with the values that differ from the defaults.")
]


def read_config(file: Path | None, *, strategy: str | None, top_k: int | None = None) -> "RetrievalConfig":
    """The configuration of a command: the file over the defaults, the options over the file.

    Raises:
        ConfigurationError: no such file, not JSON, or a value out of bounds.
    """
    from rag_core.configuration import configure
    from rag_core.errors import ConfigurationError

    override: object = {}
    if file is not None:
        try:
            override = json.loads(file.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise ConfigurationError(f"--config {file}: {error}; give a file with a JSON object") from error
    if not isinstance(override, dict):
        raise ConfigurationError(f"--config {file}: expected a JSON object")
    return configure(override, strategy=strategy, top_k=top_k)  # type: ignore[arg-type]


@app.command("search")
def search(
    query: Annotated[str, typer.Argument(help="What you look for, in your own words.")],
    strategy: StrategyOption = None,
    top_k: Annotated[int | None, typer.Option("--top-k", min=1, max=50, help="Results at most; default 5.")] = None,
    config: ConfigOption = None,
    tenant: TenantOption = None,
    is_json: JsonOption = False,
) -> None:
    """Find the passages of your notes that answer a query.

    Example: brain search "¿por qué dormí mal?" --top-k 3
    """
    from rag_core.engine import open_engine
    from rag_core.retrieval.retrieve import retrieve
    from rag_core.settings import read_settings
    from rag_core.wire import retrieval_to_wire

    with command(is_json=is_json):
        wanted = read_config(config, strategy=strategy, top_k=top_k)
        with open_engine(read_settings()) as engine:
            owner = engine.named_tenant(tenant)
            found = retrieve(engine, owner, query, config=wanted, timeout_ms=CLI_TIMEOUT_MS)
        if is_json:
            print_json(retrieval_to_wire(found))
        else:
            _show(found, is_strategy_asked_for=strategy is not None or config is not None)


def _show(found: "Retrieval", *, is_strategy_asked_for: bool) -> None:
    from rag_core.retrieval.retrieve import WITHOUT_RERANKING

    _print_hits(found)
    if not found.hits:
        say("Nothing found. `brain status` shows how many notes there are and how many are indexed.")
    for warning in found.warnings:
        if is_strategy_asked_for or warning != WITHOUT_RERANKING:
            say(f"({warning})")
    say(f"results: {len(found.hits)}, strategy: {found.strategy}, {found.latency_ms:.0f} ms")


def show_answer(found: "Retrieval") -> None:
    """A question and the snippets that answer it, each with the note it is from."""
    from rich.console import Console

    Console(highlight=False).print(f"\n[bold cyan]{_plain(found.query)}[/bold cyan]\n")
    _print_hits(found)


def _print_hits(found: "Retrieval") -> None:
    from rich.console import Console

    from rag_core.retrieval.passages import best_snippet
    from rag_core.settings import read_settings

    console, zone = Console(highlight=False), read_settings().zone
    for number, hit in enumerate(found.hits, 1):
        heading = f"[bold]\\[{number}] {_plain(hit.title or hit.external_id)}[/bold]"
        console.print(
            f"{heading}  [dim]{hit.created_at.astimezone(zone):%Y-%m-%d}  {hit.external_id}  score {hit.score:.2f} ({hit.method})[/dim]"
        )
        console.print("    " + _plain(best_snippet(hit.content, found.query, language=hit.language)) + "\n")


def _plain(text: str) -> str:
    from rich.markup import escape

    return escape(text)


@app.command("serve")
def serve() -> None:
    """Serve the API and the page on 127.0.0.1 (BRAIN_API_PORT, 8000) until Ctrl-C."""
    from rag_core.api.app import serve as run
    from rag_core.settings import read_settings

    with command(is_json=False):
        run(read_settings())
