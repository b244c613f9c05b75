"""Embedding models: which there are, and the steps from one to another while searches go on."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from rag_core.cli.app import (
    JsonOption,
    TenantOption,
    batch_progress,
    command,
    models_app,
    print_json,
    progress,
    say,
    table,
)
from rag_core.cli.messages import amount, headings, label, localised, tr

if TYPE_CHECKING:
    from rag_core.model.embedding import EmbeddingModel, WantedModel
    from rag_core.model_change.model_comparison import ModelComparison
    from rag_core.storage.models import RegisteredModel

NameArgument = Annotated[str, typer.Argument(help="Name of the model, as in `brain models list`.")]
_HOW = "How it is used (what is not given is usual for the provider)"
DimensionsOption = Annotated[int | None, typer.Option(min=1, max=4096, help="Default: what the model gives.")]
VersionOption = Annotated[
    str | None, typer.Option(help="mrl-N: the model gives N numbers, of which the first --dimensions stand alone.")
]
QueryPrefixOption = Annotated[
    str | None, typer.Option(help="Put before a query; default: the model's usual, if known.", rich_help_panel=_HOW)
]
DocumentPrefixOption = Annotated[
    str | None, typer.Option(help="Put before a text that is searched.", rich_help_panel=_HOW)
]
ContextOption = Annotated[
    int | None, typer.Option(min=1, help="Longest text; default: the model's, at most 8192.", rich_help_panel=_HOW)
]
ThresholdOption = Annotated[
    float | None,
    typer.Option(min=0, max=1, help="Least similarity of a result; default: none.", rich_help_panel=_HOW),
]
FusionOption = Annotated[
    Literal["relative_score", "convex", "rrf"] | None,
    typer.Option(
        help="How both legs' results become one list; default: relative_score; e5 convex.", rich_help_panel=_HOW
    ),
]
SemanticWeightOption = Annotated[
    float | None, typer.Option(min=0, max=1, help="Default: 0.5; hashing 0.25.", rich_help_panel=_HOW)
]
FulltextWeightOption = Annotated[
    float | None, typer.Option(min=0, max=1, help="Default: 0.5; hashing 0.75.", rich_help_panel=_HOW)
]


def _provider_name(value: str) -> str:
    from rag_core.embedding import EMBEDDING_PROVIDERS
    from rag_core.errors import ConfigurationError

    try:
        is_known = EMBEDDING_PROVIDERS.find(value) is not None
    except ConfigurationError as error:
        raise typer.BadParameter(str(error)) from error
    if not is_known:
        raise typer.BadParameter(f"{value!r} is not one of: {', '.join(EMBEDDING_PROVIDERS.names())}")
    return value


@models_app.command("list")
def list_registered(is_json: JsonOption = False) -> None:
    """Show the models, which one is active, and how complete the others' vectors are for every tenant."""
    from rag_core.settings import read_settings
    from rag_core.storage.database import open_database
    from rag_core.storage.models import count_vectors_by_tenant, list_models

    with command(is_json=is_json), open_database(read_settings()) as database:
        with database.owner() as connection:
            found = [(known, count_vectors_by_tenant(connection, known.model.id)) for known in list_models(connection)]
        documents = [
            _registered(known)
            | {
                "missing": sum(count.missing for count in counts.values()),
                "tenants": {tenant: asdict(count) for tenant, count in counts.items()},
            }
            for known, counts in found
        ]
        if is_json:
            print_json({"models": documents})
        else:
            _show_models(documents)


def _registered(known: "RegisteredModel") -> dict[str, Any]:
    dates = {"promoted_at": known.promoted_at, "retired_at": known.retired_at}
    return _described(known.model) | {
        name: None if moment is None else moment.isoformat() for name, moment in dates.items()
    }


def _described(model: "EmbeddingModel") -> dict[str, Any]:
    return {
        "name": model.name,
        "provider": model.provider,
        "version": model.version,
        "dimensions": model.dimensions,
        "state": model.state,
        "is_active": model.state == "active",
        "query_prefix": model.query_prefix,
        "document_prefix": model.document_prefix,
        "context_tokens": model.context_tokens,
        "similarity_threshold": model.similarity_threshold,
        "fusion": {
            "method": model.fusion_method,
            "semantic_weight": model.semantic_weight,
            "fulltext_weight": model.fulltext_weight,
        },
    }


def _show_models(documents: list[dict[str, Any]]) -> None:
    rows = [
        [
            document["name"],
            label(document["state"]),
            f"{document['dimensions']}, {document['provider']}",
            "{method} {semantic_weight:g}/{fulltext_weight:g}".format(**document["fusion"]),
            ", ".join(f"{tenant} {_share(counts)}" for tenant, counts in document["tenants"].items()) or tr("no notes"),
        ]
        for document in documents
    ]
    headers = [tr("model"), tr("state"), tr("dimensions"), label("fusion"), tr("vectors")]
    table(tr("Embedding models"), headers, rows)
    for document in documents:
        if (step := _next_step(document)) is not None:
            say(step)


def _share(counts: dict[str, int]) -> str:
    """Share of the vectors that exist, rounded down: 100 % is all."""
    return f"{100 * (counts['standard'] + counts['contextual']) // (2 * counts['chunks'])} %"


def _next_step(document: dict[str, Any]) -> str | None:
    name = document["name"]
    steps = {
        "candidate": tr("{name}: `brain models backfill {name}` computes its vectors.", name=name),
        "backfilling": tr("{name}: `brain models backfill {name}` continues with its vectors.", name=name),
        "ready": tr(
            "{name}: `brain models evaluate {name}` compares it, `brain models promote {name}` makes it the active one.",
            name=name,
        ),
    }
    return steps.get(document["state"])


@models_app.command("add")
def add(
    name: Annotated[str, typer.Argument(help="Ollama's name of the model, or any name for a hashing one.")],
    provider: Annotated[
        str,
        typer.Option(
            callback=_provider_name, help="Provider of the model: `ollama`, `e5`, `use`, `hashing` or a plugin's."
        ),
    ] = "ollama",
    dimensions: DimensionsOption = None,
    version: VersionOption = None,
    query_prefix: QueryPrefixOption = None,
    document_prefix: DocumentPrefixOption = None,
    context_tokens: ContextOption = None,
    similarity_threshold: ThresholdOption = None,
    fusion_method: FusionOption = None,
    semantic_weight: SemanticWeightOption = None,
    fulltext_weight: FulltextWeightOption = None,
    is_json: JsonOption = False,
) -> None:
    """Register an embedding model as a candidate, after asking it for a vector. Searches go on by the active one.

    What is not given is asked of Ollama (dimensions, context) or usual for the model (prefixes). The same again changes
    nothing.

    Examples: brain models add nomic-embed-text · brain models add qwen3-embedding:8b --version mrl-4096 --dimensions 1536
    """
    from rag_core.model.embedding import WantedModel

    wanted = WantedModel(
        name=name,
        provider=provider,
        dimensions=dimensions,
        version=version,
        query_prefix=query_prefix,
        document_prefix=document_prefix,
        context_tokens=context_tokens,
        similarity_threshold=similarity_threshold,
        fusion_method=fusion_method,
        semantic_weight=semantic_weight,
        fulltext_weight=fulltext_weight,
    )
    with command(is_json=is_json):
        _register(wanted, is_json=is_json)


def _register(wanted: "WantedModel", *, is_json: bool) -> None:
    from rag_core.model_change.registration import register_model
    from rag_core.settings import read_settings
    from rag_core.storage.database import open_database

    settings = read_settings()
    with open_database(settings) as database:
        registration = register_model(database, wanted, settings=settings)
    document = _described(registration.model) | {"is_new": registration.is_new}
    if is_json:
        print_json(document)
    else:
        _show_registration(document)


def _show_registration(document: dict[str, Any]) -> None:
    rows = [[label(key), repr(value)] for key, value in document.items() if key not in {"fusion", "is_new"}]
    rows += [[label(key), repr(value)] for key, value in document["fusion"].items()]
    table(
        tr("Registered") if document["is_new"] else tr("Unchanged: already registered"),
        headings("what", "value"),
        rows,
    )
    if (step := _next_step(document)) is not None:
        say(step)


@models_app.command("backfill")
def backfill(name: NameArgument, is_json: JsonOption = False) -> None:
    """Make a model's vectors of all notes of every tenant, through the Dagster pipeline. Broken off, it goes on when run again.

    Searches and new notes are not disturbed. A retired model is taken into work again. Exits 1 when the model gave nothing for
    some chunks.

    Example: brain models backfill nomic-embed-text
    """
    from rag_assets.model_backfill import run_backfill
    from rag_core.runtime.engine import open_engine
    from rag_core.settings import read_settings

    with command(is_json=is_json):
        with (
            open_engine(read_settings(), model_name=name) as engine,
            batch_progress(tr("vectors of {name}", name=name)) as show,
        ):
            report = run_backfill(engine, name, on_event=show)
        if is_json:
            print_json(asdict(report))
        else:
            counts = {key: value for key, value in asdict(report).items() if key != "failures"}
            print("  ".join(f"{label(key)} {value}" for key, value in counts.items()))
            for failure in report.failures:
                say(f"  {failure['note']}: {localised(failure['reason'])}")
            if report.state == "ready":
                say(
                    tr(
                        "`brain models evaluate {name}` compares it, `brain models promote {name}` makes it the active one.",
                        name=name,
                    )
                )
        if report.failed:
            raise typer.Exit(1)


@models_app.command("evaluate")
def evaluate(
    name: NameArgument,
    set_name: Annotated[
        str | None, typer.Option("--set", help="A golden set; default: every one of the tenant's.")
    ] = None,
    tenant: TenantOption = None,
    is_json: JsonOption = False,
) -> None:
    """Ask the golden sets by the active model and by another, and tell the difference from chance. Every run is stored.

    Example: brain models evaluate nomic-embed-text --tenant demo
    """
    from rag_core.model_change.model_comparison import compare_models
    from rag_core.runtime.engine import open_engine
    from rag_core.settings import read_settings

    with command(is_json=is_json):
        with open_engine(read_settings()) as engine:
            owner = engine.named_tenant(tenant)
            names = None if set_name is None else [set_name]
            found = compare_models(engine, owner, name, set_names=names, on_progress=say)
            active = engine.model.name
        if is_json:
            document = {"tenant": owner, "active": active, "candidate": name}
            print_json(document | {"comparisons": [comparison.to_json() for comparison in found]})
        else:
            _show_comparisons(found, active=active, candidate=name)


def _show_comparisons(found: "list[ModelComparison]", *, active: str, candidate: str) -> None:
    rows = [
        [
            each.set_name,
            each.strategy,
            str(each.comparison.queries),
            f"{each.comparison.baseline:.4f}",
            f"{each.comparison.current:.4f}",
            f"{each.comparison.difference:+.4f}",
            f"{each.comparison.p_value:.4f}",
            localised(each.comparison.objection) or ("" if each.comparison.is_significant else tr("may be chance")),
        ]
        for each in found
    ]
    headers = [tr("set"), tr("strategy"), tr("queries"), active, candidate, tr("difference"), "p", ""]
    table(tr("nDCG@10, on the queries that both were asked"), headers, rows)


@models_app.command("promote")
def promote_candidate(
    name: NameArgument,
    is_waiting: Annotated[
        bool, typer.Option("--wait", help="Finish its backfill first, if need be, however long that takes.")
    ] = False,
    is_json: JsonOption = False,
) -> None:
    """Make a model the active one, in one transaction. No search fails, none mixes two models; the API follows within a second.

    What was written since the backfill is made up for first. The former model stays ready: promote it to go back at once.

    Example: brain models promote nomic-embed-text
    """
    from rag_core.model_change.promotion import promote
    from rag_core.runtime.engine import open_engine
    from rag_core.settings import read_settings

    with command(is_json=is_json):
        with (
            open_engine(read_settings(), model_name=name) as engine,
            progress(tr("vectors of {name}", name=name), None) as advance,
        ):
            report = promote(engine, name, is_waiting=is_waiting, on_progress=advance)
        if is_json:
            counts = {"embedded": report.caught_up.embedded, "reused": report.caught_up.reused}
            facts = {"notes": report.notes, "rounds": report.rounds, "seconds": report.seconds}
            names = {"active": report.model.name, "former": report.former.name}
            print_json(names | {"is_changed": report.is_changed} | counts | facts)
        elif report.is_changed:
            print(
                tr(
                    "{name} is active, {former} is ready to go back to; {seconds:g} s",
                    name=name,
                    former=report.former.name,
                    seconds=report.seconds,
                )
            )
        else:
            print(tr("{name} is active already", name=name))


@models_app.command("retire")
def retire_former(name: NameArgument, is_json: JsonOption = False) -> None:
    """Remove the vectors and the index of a model that is not active. It stays registered and can be backfilled anew.

    Example: brain models retire hashing
    """
    from rag_core.model_change.retirement import retire
    from rag_core.settings import read_settings
    from rag_core.storage.database import open_database

    with command(is_json=is_json):
        with open_database(read_settings()) as database, progress(tr("vectors of {name}", name=name), None) as advance:
            report = retire(database, name, on_progress=advance)
        if is_json:
            print_json(asdict(report))
        else:
            print(
                tr(
                    "{name} is retired: {vectors} and {cached} cached ones removed",
                    name=name,
                    vectors=amount(report.vectors, "vector"),
                    cached=report.cached,
                )
            )
