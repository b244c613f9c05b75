"""The vectors of embedding models that are not active: made beside the live ones, so that a model can be changed."""

from collections.abc import Sequence
from typing import Any

import dagster as dg
from pydantic import Field

from rag_assets.fulltext_index import fulltext_index
from rag_assets.stages import (
    EMBEDDING_POOL,
    OWNERS,
    Materialized,
    Stopwatch,
    batch_asset,
    outages_retried,
    ratio,
    table,
    total,
)
from rag_core.errors import EmbeddingError
from rag_core.model.embedding import EmbeddingModel
from rag_core.model_change.backfill import ModelBackfillReport, begin_backfill, fill_model, settle_model
from rag_core.runtime.engine import Engine, with_model
from rag_core.storage.batches import batches_by_tenant
from rag_core.storage.database import Database
from rag_core.storage.models import list_models


class ModelVectorsConfig(dg.Config):
    """Configuration of a run."""

    model: str | None = Field(
        default=None, description="The model to fill in; by default every one that is neither active nor retired."
    )


@batch_asset(
    deps=[fulltext_index],
    group="models",
    kinds={"python", "postgres"},
    pool=EMBEDDING_POOL,
    code_version="1",
    description=(
        "Both vectors of every live chunk by the embedding models that are registered and not active. A model is ready to be "
        "promoted once every chunk of every tenant has them and their index is there. Nothing that readers see changes."
    ),
)
def model_vectors(
    context: dg.AssetExecutionContext, config: ModelVectorsConfig, engine: dg.ResourceParam[Engine]
) -> Materialized:
    """Fill in the vectors that the batches' live chunks lack."""
    clock = Stopwatch()
    with outages_retried(context):
        batches = batches_by_tenant(engine.database, context.partition_keys)
        models = _models_in_work(engine.database, config.model)
        reports, problems = {}, []
        for model in models:
            try:
                reports[model.name] = fill_model(engine.database, model, with_model(engine, model).embedder, batches)
            except EmbeddingError as error:  # the other models' providers may answer
                problems.append(error)
        if problems:
            raise problems[0]
        settled = [settle_model(engine.database, model) for model in models]
        counts = {name: total(reports.values(), name) for name in ("embedded", "reused", "failed")}
        return dg.MaterializeResult(
            metadata={
                **counts,
                "vectors_per_second": ratio(counts["embedded"], clock.seconds),
                "batches": sum(len(keys) for keys in batches.values()),
                "models": _shown(settled, [reports[model.name] for model in settled]),
                "failures": dg.MetadataValue.json(_failures(list(reports.values()))),
                "seconds": clock.seconds,
            },
        )


fill_in_models = dg.define_asset_job(
    "fill_in_models",
    selection=dg.AssetSelection.assets(model_vectors),
    owners=OWNERS,
    tags={"brain/purpose": "model"},
    description=(
        "Make the vectors of embedding models that are not active yet, as `brain models backfill` does. Searches go on by the "
        "active one until another is promoted."
    ),
)


def _models_in_work(database: Database, name: str | None) -> list[EmbeddingModel]:
    """The models to fill in, each taken into work."""
    if name is not None:
        return [begin_backfill(database, name)]
    with database.owner() as connection:
        found = [registered.model for registered in list_models(connection)]
    return [begin_backfill(database, model.name) for model in found if model.state not in {"active", "retired"}]


def _shown(models: Sequence[EmbeddingModel], reports: Sequence[ModelBackfillReport]) -> dg.MetadataValue[Any]:
    rows = [
        {
            "model": model.name,
            "dimensions": model.dimensions,
            "state": model.state,
            "embedded": report.embedded,
            "reused": report.reused,
            "failed": report.failed,
        }
        for model, report in zip(models, reports, strict=True)
    ]
    return table(rows) if rows else dg.MetadataValue.md("*no model but the active one*")


def _failures(reports: Sequence[ModelBackfillReport]) -> list[dict[str, str]]:
    return [{"note": failure.note, "reason": failure.reason} for report in reports for failure in report.failures]
