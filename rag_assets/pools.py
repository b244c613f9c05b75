"""Limits of the pools of steps, set before a run asks for a place."""

from contextlib import suppress

import dagster as dg
from sqlalchemy.exc import DBAPIError

from rag_assets.stages import EMBEDDING_POOL, PARSING_POOL, WRITING_POOL

POOLS = frozenset({EMBEDDING_POOL, PARSING_POOL, WRITING_POOL})


def set_default_limits(instance: dg.DagsterInstance) -> None:
    """Give pools without a limit the one of dagster.yaml; what was set in Dagster's UI stays.

    Dagster does so when a step first asks for a place, and where two runs come at once the later one fails on PostgreSQL: it goes on in
    a transaction whose insert was refused (Dagster 1.13, ``initialize_concurrency_limit_to_default``).
    """
    storage = instance.event_log_storage
    for pool in POOLS - {limit.name for limit in storage.get_pool_limits()}:
        with suppress(DBAPIError):  # another process has set it meanwhile
            storage.initialize_concurrency_limit_to_default(pool)
