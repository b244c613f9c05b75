"""Nights over the demo corpus, and what their reports say."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import dagster as dg

from rag_assets.evaluation_checks import QUALITY_CHECK
from rag_assets.evaluation_report import evaluation_report
from rag_core.errors import EmbeddingUnavailableError
from rag_core.indexing.publishing import maintain, publish_staged
from rag_core.indexing.staging import embed_staged, stage_notes
from rag_core.runtime.engine import DEMO_TENANT, Engine

Night = Callable[..., dg.ExecuteInProcessResult]
BATCHES = ["demo-000000", "demo-000001"]


class DownEmbedder:
    """An embedder whose server is down."""

    name = "down"
    dimensions = 768

    def embed(self, texts: Sequence[str], *, role: str) -> object:
        raise EmbeddingUnavailableError("no answer at 127.0.0.1:9")


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstNight:
    """A database after its first night, and how that went."""

    database: str
    result: dg.ExecuteInProcessResult


def run_night(engine: Engine) -> dg.ExecuteInProcessResult:
    """Make the report."""
    return dg.materialize(
        [evaluation_report],
        resources={"engine": engine},
        instance=dg.DagsterInstance.ephemeral(),
        selection=[evaluation_report],
    )


def index(engine: Engine) -> None:
    """Chunk, embed and publish every note anew."""
    stage_notes(engine.database, DEMO_TENANT, BATCHES, engine.pipeline, is_full=True)
    embed_staged(engine.database, DEMO_TENANT, BATCHES, engine.pipeline)
    publish_staged(engine.database, DEMO_TENANT, BATCHES, engine.pipeline)
    maintain(engine.database, DEMO_TENANT, engine.pipeline)


def check(result: dg.ExecuteInProcessResult) -> Any:
    (found,) = [e for e in result.get_asset_check_evaluations() if e.check_name == QUALITY_CHECK]
    return found


def compared(result: dg.ExecuteInProcessResult) -> dict[str, Any]:
    """The check's table of comparisons, by strategy."""
    return {record.data["strategy"]: record.data for record in check(result).metadata["comparisons"].records}


def verdicts(result: dg.ExecuteInProcessResult) -> dict[str, str]:
    return {strategy: row["verdict"] for strategy, row in compared(result).items()}


def metadata(result: dg.ExecuteInProcessResult) -> dict[str, Any]:
    (event,) = result.get_asset_materialization_events()
    return dict(event.materialization.metadata)
