"""Embedding models side by side: what they find and what they cost."""

from typing import TYPE_CHECKING, Annotated

import typer

from rag_core.cli.app import JsonOption, TenantOption, command, measuring, models_app, print_json, say, shown_p, table
from rag_core.cli.messages import headings, localised, tr

if TYPE_CHECKING:
    from rag_core.model_change.benchmark_report import Benchmark, ModelBenchmark, QualityReport

_BYTES_PER_MEGABYTE = 1024 * 1024
_SOME = {"German", "technical"}
"""Columns that stay out where no query is such."""


@models_app.command("benchmark")
def benchmark(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[NAME]...", help="Models; default: all whose vectors are complete. The active one is always there."
        ),
    ] = None,
    sets: Annotated[
        list[str] | None, typer.Option("--set", help="A golden set, also repeated; default: every one of the tenant's.")
    ] = None,
    tenant: TenantOption = None,
    is_json: JsonOption = False,
) -> None:
    """Set embedding models side by side on your golden sets: what each finds, how fast it is, and what room it takes.

    Every model asks by meaning alone and as it would be served, by category, difficulty and language, and is compared with the
    active one by a paired randomisation test. Every run is stored. A model needs its vectors first: `brain models backfill`.

    Example: brain models benchmark nomic-embed-text bge-m3 --set default
    """
    from rag_core.model_change.benchmark import benchmark_models
    from rag_core.runtime.engine import open_engine
    from rag_core.settings import read_settings

    with command(is_json=is_json):
        with open_engine(read_settings()) as engine, measuring() as show:
            found = benchmark_models(
                engine, engine.named_tenant(tenant), names=names or None, set_names=sets or None, on_progress=show
            )
        if is_json:
            print_json(found.to_json())
        else:
            _show(found)


def _show(found: "Benchmark") -> None:
    measured = [model for model in found.models if model.failure is None]
    places = [(quality.set_name, quality.strategy) for quality in found.models[0].quality]
    for place in places:
        rows = [
            _quality_row(model, quality) for model in measured for quality in model.quality if _is_at(quality, place)
        ]
        headers = [
            tr("model"),
            "n",
            "P@5",
            "P@10",
            "R@20",
            "MRR",
            "nDCG",
            tr("German"),
            tr("technical"),
            tr("vs active"),
        ]
        shown = [at for at, name in enumerate(headers) if name not in _SOME or any(row[at] != "-" for row in rows)]
        title = tr("Quality, set {name}, {strategy}; recall at 20, nDCG at 10", name=place[0], strategy=place[1])
        table(title, [headers[at] for at in shown], [[row[at] for at in shown] for row in rows], whole=range(7))
    table(
        tr("Cost"),
        headings("model", "query p50", "query p95", "chunks/s", "memory", "vectors", "index"),
        [_cost_row(model) for model in measured],
        whole=(0,),
    )
    for model in found.models:
        if model.failure is not None:
            say(tr("{name} was not measured: {failure}", name=model.name, failure=localised(model.failure)))
    for name, reason in found.left_out.items():
        say(tr("{name} was left out: {reason}", name=name, reason=localised(reason)))


def _is_at(quality: "QualityReport", place: tuple[str, str]) -> bool:
    return (quality.set_name, quality.strategy) == place


def _quality_row(model: "ModelBenchmark", quality: "QualityReport") -> list[str]:
    overall, german, compared = quality.overall, quality.by_language.get("de"), quality.comparison
    technical = quality.technical
    beside = tr("active") if model.is_active else "-"
    if compared is not None and quality.p_adjusted is not None:
        figures = compared.metrics["ndcg_at_10"]
        p = shown_p(quality.p_adjusted)
        beside = f"{figures.difference:+.3f}, p {p if p.startswith('<') else f'= {p}'}"
    return [
        model.name,
        str(overall.queries),
        *(f"{value:.3f}" for value in (overall.precision_at_5, overall.precision_at_10, overall.recall_at_20)),
        *(f"{value:.3f}" for value in (overall.mrr, overall.ndcg_at_10)),
        "-" if german is None else tr("{share:.3f} of {queries}", share=german.hit_rate_at_10, queries=german.queries),
        "-"
        if technical is None
        else tr("{share:.3f} of {queries}", share=technical.hit_rate_at_10, queries=technical.queries),
        beside,
    ]


def _cost_row(model: "ModelBenchmark") -> list[str]:
    cost = model.cost
    assert cost is not None  # a model without failure has its costs
    storage = cost.storage
    return [
        model.name,
        _number(cost.query_p50_ms, " ms"),
        _number(cost.query_p95_ms, " ms"),
        _number(cost.chunks_per_second, ""),
        f"{_number(cost.memory_mb, ' MB')}, {cost.memory_of}",
        _number(storage.vector_bytes / _BYTES_PER_MEGABYTE, " MB"),
        tr("none") if storage.index_bytes is None else _number(storage.index_bytes / _BYTES_PER_MEGABYTE, " MB"),
    ]


def _number(value: float | None, unit: str) -> str:
    return "-" if value is None else f"{value:,.2f}{unit}"
