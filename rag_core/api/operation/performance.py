"""``GET /api/performance`` and ``/metrics``: what the requests of this process took, and how its caches, pool and breakers stand."""

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from rag_core.api.access import ProcessEngineOf
from rag_core.runtime.performance import PATH, performance
from rag_core.telemetry.metrics import Stage

EXPOSITION = "/metrics"
router = APIRouter(tags=["operation"])

Count = Annotated[int, Field(ge=0)]
Milliseconds = Annotated[float, Field(ge=0)]
Rate = Annotated[float, Field(ge=0, le=1)]


class _Figures(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, frozen=True)


class StageFigures(_Figures):
    """Milliseconds of one stage; the average and the percentiles are of its last 1,000 runs."""

    count: Count
    avg: Milliseconds
    p50: Milliseconds
    p95: Milliseconds
    p99: Milliseconds


class RequestCounts(_Figures):
    """Requests since the process began."""

    total: Count
    degraded: Count
    errors: dict[str, Count]
    removed_citations: Count = Field(description="Taken out of answers because no such source exists.")


class HitRates(_Figures):
    """Look-ups that found something, as shares."""

    query_hit_rate: Rate
    embedding_hit_rate: Rate
    context_hit_rate: Rate


class CacheCounts(_Figures):
    """One cache's look-ups and entries."""

    hits: Count
    misses: Count
    size: Count


class DatabaseFigures(_Figures):
    """The pool of connections; a transaction counts as one query."""

    connection_pool_size: Count
    active_connections: Count
    waiting_requests: Count
    query_count: Count
    avg_query_time: Milliseconds


class ResourceFigures(_Figures):
    """Resources that the process uses; 100 % is one core, since the last measurement."""

    memory_usage_mb: float = Field(alias="memoryUsageMB", ge=0)
    cpu_usage_percent: float = Field(ge=0)


class PerformanceResponse(_Figures):
    """Measurements of this process, in bounded memory."""

    latency: dict[Stage, Milliseconds] = Field(description="Average milliseconds of each stage.")
    stages: dict[Stage, StageFigures]
    requests: RequestCounts
    cache: HitRates
    caches: dict[str, CacheCounts]
    database: DatabaseFigures
    resources: ResourceFigures
    breakers: dict[str, Literal["closed", "open", "half_open"]] = Field(description="Circuit breakers by dependency.")
    home: str = Field(description="Tells this home's API from another's.")


@router.get(PATH, response_model=PerformanceResponse)
def read_performance(engine: ProcessEngineOf) -> dict[str, Any]:
    """Latency by stage, hit rates, pool, memory and breakers of this process since it began, of all tenants together.

    Asks the database nothing. With keys it is for `admin` alone.
    """
    return performance(
        engine.metrics,
        caches=engine.caches,
        pool=engine.database.figures,
        breakers={"database": engine.database.breaker, **engine.breakers},
        home=engine.settings.home,
    )


@router.get(EXPOSITION, include_in_schema=False)
def read_exposition(engine: ProcessEngineOf, request: Request) -> Response:
    """Figures of this process for Prometheus. With keys they are for `admin` alone."""
    from rag_core.runtime.exposition import exposition

    return Response(
        exposition(engine, request.app.state.backlog), media_type="text/plain; version=0.0.4; charset=utf-8"
    )
