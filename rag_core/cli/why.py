"""Why a search finds a note or does not: `brain why`."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rag_core.cli.app import JsonOption, TenantOption, app, command, print_json, say, table
from rag_core.cli.messages import headings, label, language, localised, tr
from rag_core.cli.searching import (
    ConfigOption,
    DocumentOption,
    FromOption,
    KindOption,
    LanguageOption,
    SourceOption,
    StrategyOption,
    TagOption,
    ToOption,
    TypeOption,
    read_config,
)

if TYPE_CHECKING:
    from pathlib import Path

    from rag_core.retrieval.explaining import Explanation

MOST_FEATURES = 6


@app.command("why")
def why(
    query: Annotated[str, typer.Argument(help="What you look for, in your own words.")],
    note: Annotated[str, typer.Argument(help="Id, external id, source:id or title of a note.")],
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
    """Show at which stage a search loses a note, or how the note came to its place, and what would have to differ.

    Example: brain why "¿cuánto costó la caldera?" 2025-03-03
    """
    conditions = {"from": since, "to": until, "kinds": kinds, "sources": sources, "languages": languages}
    conditions |= {"tags": tags, "documentTypes": types, "documentIds": documents}
    with command(is_json=is_json):
        found, understood = _explained(query, note, conditions, tenant, config, strategy, top_k)
        if is_json:
            from rag_core.wire.explaining import explanation_to_wire

            print_json(explanation_to_wire(found))
        else:
            _show(found, understood)


def _explained(
    query: str,
    note: str,
    conditions: Mapping[str, Any],
    tenant: str | None,
    config: "Path | None",
    strategy: str | None,
    top_k: int | None,
) -> "tuple[Explanation, str | None]":
    from rag_core.retrieval.explaining import explain
    from rag_core.retrieval.filters import fetch_filters
    from rag_core.runtime.engine import open_engine
    from rag_core.runtime.homes import read_settings_to_read
    from rag_core.terminal.requests import COMMAND_TIMEOUT_MS
    from rag_core.wire.understood import understood

    with open_engine(read_settings_to_read()) as engine:
        owner, zone = engine.named_tenant(tenant), engine.settings.zone
        asked = read_config(config, strategy=strategy, top_k=top_k, base=engine.served_config(owner))
        filters = fetch_filters(engine.database, owner, conditions, zone=zone, timeout_ms=COMMAND_TIMEOUT_MS)
        found = explain(engine, owner, query, note, config=asked, filters=filters, timeout_ms=COMMAND_TIMEOUT_MS)
        said = understood(found.retrieval, zone=zone, language=language())
        return found, None if said is None else said.line


def _show(found: "Explanation", understood: str | None) -> None:
    told = {
        "filter": tr("It does not meet the conditions."),
        "leg": tr("No leg of the search finds it."),
        "fusion": tr("The fusion of the legs puts it too far down to be re-ranked."),
        "reranking": tr("Re-ranking puts it too far down or leaves it out."),
        "names": tr("Passages linked by names take its place."),
        "window": tr("Several passages of other notes take the places."),
        "topK": tr("It stands below the last result."),
        "routing": tr("Tables take its place."),
    }
    print(f"{found.note.title or found.note.external_id}  ({found.note.source}:{found.note.external_id})")
    print(tr("Found: place {place}.", place=found.place) if found.stage == "found" else told[found.stage])
    if understood is not None:
        print(tr("Understood: {line}\n", line=localised(understood)).rstrip())
    if not found.is_indexed:
        print(tr("The note is not indexed yet: `brain index`."))
    _show_places(found)
    _show_features(found)
    if found.changes:
        rows = [[one.key, _figure(one.now), _figure(one.needed)] for one in found.changes]
        table(tr("To be found"), headings("value", "now", "needed"), rows)
    for warning in found.retrieval.warnings:
        say(f"({localised(warning)})")


def _show_places(found: "Explanation") -> None:
    legs = [
        [one.leg, _of(one.place, one.given), _figure(one.score), _figure(one.needed), " ".join(one.words)]
        for one in found.legs
    ]
    table(tr("Legs"), headings("leg", "place", "score", "needed", "shared words"), legs)
    names = {"fusion": label("fusion"), "reranking": tr("re-ranking"), "names": tr("names"), "window": tr("windows")}
    steps = [
        [names[one.stage], _of(one.place, one.candidates), str(one.passing), _figure(one.score)] for one in found.steps
    ]
    table(tr("Stages"), headings("stage", "place", "passing", "score"), steps)


def _show_features(found: "Explanation") -> None:
    """The features that part the note most from the passage that came first."""
    telling = [one for one in found.features if one.weight * (one.first - one.note)]
    apart = sorted(telling, key=lambda one: -abs(one.weight * (one.first - one.note)))[:MOST_FEATURES]
    if apart:
        rows: Sequence[list[str]] = [[one.name, _figure(one.note), _figure(one.first)] for one in apart]
        table(tr("Re-ranking"), headings("feature", "note", "first"), list(rows))


def _of(place: int | None, count: int) -> str:
    return f"{'–' if place is None else place} / {count}"  # noqa: RUF001


def _figure(value: float | str | bool | None) -> str:
    if value is None:
        return ""
    return f"{value:.3f}" if isinstance(value, float) else str(value)
