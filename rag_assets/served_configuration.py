"""Promotion of the served configuration: the proposals of the last tuning, where they prove no worse."""

from collections.abc import Mapping
from typing import Any

import dagster as dg
from pydantic import Field

from rag_assets.stages import OUTAGES, OWNERS, Materialized, Stopwatch, outages_retried, table
from rag_assets.tuned_configuration import PROPOSALS, tuned_configuration
from rag_core.configuration.served import served_configuration as fetch_served_configuration
from rag_core.errors import RagError
from rag_core.model.embedding import EmbeddingModel
from rag_core.model.golden import DEFAULT_SET
from rag_core.model.note import TenantId
from rag_core.promotion.promote import promote_configuration
from rag_core.promotion.trial import trial_bench
from rag_core.runtime.engine import Engine
from rag_core.settings import Settings
from rag_core.storage.batches import list_tenants
from rag_core.storage.configurations import ConfigurationPromotion, list_promotions
from rag_core.storage.database import Database

WEEKLY = "30 6 * * 0"
"""On Sundays, an hour after the verification began."""


class PromotionConfig(dg.Config):
    """Configuration of a run."""

    golden_set: str = Field(
        default=DEFAULT_SET, description="The golden set that the proposals are tried on once more."
    )


@dg.asset(
    deps=[tuned_configuration],
    group_name="tuning",
    owners=OWNERS,
    tags={"brain/scope": "all-tenants"},
    kinds={"python", "postgres"},
    code_version="1",
    description=(
        "What searches get that ask for nothing else, by tenant. Promotes what the last tuning proposed, after one more trial against "
        "what is served at that moment; without a proposal nothing changes. `brain promote --back` takes it back."
    ),
)
def served_configuration(
    context: dg.AssetExecutionContext, config: PromotionConfig, engine: dg.ResourceParam[Engine]
) -> Materialized:
    """Promote the proposals of the last tuning."""
    clock = Stopwatch()
    with outages_retried(context):
        promoted, refused = _promote(engine, _proposals(context.instance), config.golden_set, context.run.run_id)
        told = {
            "promoted": len(promoted),
            "served": _served_table(engine.database, engine.model),
            **_pages(engine.settings, promoted),
            "seconds": clock.seconds,
        }
    if refused:
        raise dg.Failure(
            description="\n".join(f"{tenant}: {reason}" for tenant, reason in refused.items()),
            metadata=told,
            allow_retries=False,
        )
    return dg.MaterializeResult(metadata=told)


def _proposals(instance: dg.DagsterInstance) -> Mapping[str, int]:
    """Proposals of the last tuning; empty when there was none."""
    event = instance.get_latest_materialization_event(tuned_configuration.key)
    if event is None or event.asset_materialization is None:
        return {}
    found: Any = event.asset_materialization.metadata[PROPOSALS].value
    return dict(found)


def _promote(
    engine: Engine, proposals: Mapping[str, int], golden_set: str, run_id: str
) -> tuple[dict[TenantId, ConfigurationPromotion], dict[TenantId, str]]:
    """The promotions made, and of the others why not: what is wrong with one tenant's keeps no other from being promoted.

    A configuration that was served before is not promoted again unasked.

    Raises:
        RagError: one of ``OUTAGES``; what was promoted by then stays.
    """
    promoted: dict[TenantId, ConfigurationPromotion] = {}
    refused: dict[TenantId, str] = {}
    for name, number in proposals.items():
        tenant = TenantId(name)
        if _was_promoted(engine.database, tenant, number):
            continue
        reason = f"tuned and promoted by Dagster, run {run_id}"
        try:
            promoted[tenant] = promote_configuration(
                trial_bench(engine, tenant), number, set_name=golden_set, reason=reason
            )
        except OUTAGES:
            raise
        except RagError as error:
            refused[tenant] = str(error)
    return promoted, refused


def _was_promoted(database: Database, tenant: TenantId, number: int) -> bool:
    with database.transaction(tenant) as connection:
        return any(one.configuration == number for one in list_promotions(connection, tenant))


def _served_table(database: Database, model: EmbeddingModel) -> dg.MetadataValue[Any]:
    rows = []
    for tenant in list_tenants(database):
        served = fetch_served_configuration(database, tenant, model)
        rows.append(
            {
                "tenant": tenant,
                "configuration": served.number,
                "override": str(dict(served.override)),
                "reranker": served.weights.version,
                "problems": "; ".join(served.problems),
            }
        )
    return table(rows) if rows else dg.MetadataValue.md("*no notes yet*")


def _pages(settings: Settings, promoted: Mapping[TenantId, ConfigurationPromotion]) -> dict[str, Any]:
    return {
        f"tuning_{tenant}": dg.MetadataValue.url(f"{settings.api_url}/evaluation/tuning/{promotion.configuration}")
        for tenant, promotion in promoted.items()
    }


tune_and_promote = dg.define_asset_job(
    "tune_and_promote",
    selection=dg.AssetSelection.assets(tuned_configuration, served_configuration),
    owners=OWNERS,
    tags={"brain/purpose": "tuning"},
    description=(
        "Look for a better configuration on every tenant's golden set and serve it if it proves no worse; to be launched by hand. "
        "`brain tune` and `brain promote` do the same for one tenant."
    ),
)


def tuning_schedule(timezone: str) -> dg.ScheduleDefinition:
    """The schedule that tunes and promotes every week; stopped until somebody starts it, for it changes what is served."""
    return dg.ScheduleDefinition(
        name="weekly_tuning",
        job=tune_and_promote,
        cron_schedule=WEEKLY,
        execution_timezone=timezone,
        default_status=dg.DefaultScheduleStatus.STOPPED,
        tags={"brain/purpose": "tuning", "dagster/priority": "1"},
        description=(
            "Every Sunday, once it is started: tune on every tenant's golden set, and serve what proves better. Stopped by default, "
            "because it changes what searches get."
        ),
    )
