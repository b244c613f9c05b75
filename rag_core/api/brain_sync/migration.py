"""``GET /api/migration/status``: how far the takeover of legacy notes is."""

from typing import Annotated, Any, Literal

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from rag_core.api.access import Context, time_left_ms
from rag_core.api.errors import explained
from rag_core.api.schemas import Moment, failures
from rag_core.errors import DeadlineExceededError
from rag_core.migration.status import read_migration_status

TOO_SLOW = "El estado de la migración no se pudo contar a tiempo. Por favor, intenta de nuevo."

router = APIRouter(prefix="/api/migration", tags=["operation"])

Count = Annotated[int, Field(ge=0)]


class _Body(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel, frozen=True)


class MigrationFailure(_Body):
    """A note or row that could not be taken, chunked, embedded or published."""

    note_id: str | None = Field(description="Null while it is no note, because it could not be attached.")
    source: str
    external_id: str
    stage: Literal["attachment", "chunking", "embedding", "publication"]
    attempts: int = Field(ge=1, description="After three it is passed over until `brain migration retry`.")
    error: str
    last_failed_at: Moment


class LegacyCounts(_Body):
    """Legacy notes."""

    attached: Count = Field(description="Notes taken over and not deleted since.")
    pending: Count = Field(description="Of them, those found whole, that are not chunked yet.")
    migrated: Count


class BatchCounts(_Body):
    """Batches of legacy notes."""

    total: Count
    done: Count = Field(description="Those without a pending note.")


class MeasuredRetrieval(_Body):
    """Figures of an evaluation of retrieval."""

    hit_rate_k10: float = Field(alias="hitRateK10", ge=0, le=1)
    avg_latency_ms: float | None = Field(ge=0, description="The mean over the queries.")
    at: Moment


class MigrationStatusResponse(_Body):
    """Progress of the migration; totals are of all the notes."""

    state: Literal["not_started", "running", "stopped", "rolled_back", "finished"]
    reason: str | None = Field(description="Why it was stopped or rolled back.")
    total_notes: Count
    migrated_notes: Count = Field(description="Notes that are chunked.")
    remaining_notes: Count
    progress_percentage: float = Field(ge=0, le=100, description="100 when there are no notes.")
    error_count: Count
    errors: list[MigrationFailure] = Field(description="The latest 20.")
    last_batch_timestamp: Moment | None = Field(description="When notes were last chunked.")
    notes_per_second: float | None = Field(
        ge=0, description="Over the last ten minutes; null until notes were chunked at two moments of them."
    )
    estimated_completion_time: Moment | None = Field(
        description="Null without a rate, when nothing remains, and unless the migration runs."
    )
    legacy: LegacyCounts
    batches: BatchCounts
    chunks: Count
    current_metrics: MeasuredRetrieval | None = Field(description="The last evaluation by night or by the migration.")
    baseline_metrics: MeasuredRetrieval | None = Field(description="The baseline it is compared with.")


@router.get("/status", response_model=MigrationStatusResponse, responses=failures(503, 504))
def migration_status(context: Context) -> dict[str, Any]:
    """Progress, errors, rate and estimated end of the migration, and how retrieval does compared with before."""
    with explained(DeadlineExceededError, TOO_SLOW):
        timeout_ms = max(1, time_left_ms(context.timeout_ms))
        status = read_migration_status(context.database, context.tenant, timeout_ms=timeout_ms)
    return status.to_wire()
