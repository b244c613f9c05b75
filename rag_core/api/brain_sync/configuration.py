"""``GET /api/configuration``: what searches get that ask for nothing else, and what was served before."""

from datetime import datetime
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query
from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from rag_core.api.access import Context
from rag_core.api.schemas import failures
from rag_core.configuration.served import served_configuration
from rag_core.storage.configurations import ConfigurationPromotion, list_promotions
from rag_core.wire.values import moment_to_wire

router = APIRouter(prefix="/api", tags=["configuration"])


class _Response(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel, frozen=True)


class ServedConfigurationOut(_Response):
    """The configuration that is served; `number` is null for the program's defaults."""

    number: int | None
    config: dict[str, Any] = Field(description="The whole configuration, as a request's `config` is merged over it.")
    override: dict[str, Any] = Field(description="The promoted values; the others are the program's defaults.")
    reranker: str = Field(description="Version of the embedded re-ranker's weights.")
    embedding_model: str | None = Field(
        description="The model that its values were chosen for, where they depend on one."
    )
    is_model_dependent_left_out: bool = Field(
        description="Whether these values are left out because another model is active."
    )
    problems: list[str]


class PromotionEntry(_Response):
    """From this moment on a configuration was served; `configuration` is null for the program's defaults."""

    number: int
    configuration: int | None
    action: Literal["promote", "return", "reset"]
    reason: str | None
    promoted_at: datetime
    metric: str | None = Field(description="The metric that decided, where it was measured.")
    difference: float | None = Field(description="The promoted one's mean - that of what was served before.")
    p_value: float | None
    is_forced: bool


class ServedAndHistory(_Response):
    """The configuration that is served, and the promotions, newest first."""

    served: ServedConfigurationOut
    history: list[PromotionEntry]


@router.get("/configuration", response_model=ServedAndHistory, responses=failures(400, 503))
def show_configuration(
    context: Context, limit: Annotated[int, Query(ge=1, le=100, description="Promotions at most.")] = 20
) -> dict[str, Any]:
    """The configuration that searches without one of their own get, and what was served before.

    It is changed with `brain promote`; a change is served ten seconds later.
    """
    tenant = context.tenant
    served = served_configuration(context.database, tenant, context.engine.model, timeout_ms=context.timeout_ms)
    with context.transaction() as connection:
        history = list_promotions(connection, tenant, limit=limit)
    return {
        "served": {
            "number": served.number,
            "config": served.config.to_wire(),
            "override": dict(served.override),
            "reranker": served.weights.version,
            "embeddingModel": served.embedding_model,
            "isModelDependentLeftOut": served.is_model_dependent_left_out,
            "problems": list(served.problems),
        },
        "history": [_entry(promotion) for promotion in history],
    }


def _entry(promotion: ConfigurationPromotion) -> dict[str, Any]:
    compared = promotion.evidence.get("comparison") or {}
    return {
        "number": promotion.number,
        "configuration": promotion.configuration,
        "action": promotion.action,
        "reason": promotion.reason,
        "promotedAt": moment_to_wire(promotion.promoted_at),
        "metric": compared.get("metric"),
        "difference": compared.get("difference"),
        "pValue": compared.get("p_value"),
        "isForced": bool(promotion.evidence.get("is_forced")),
    }
