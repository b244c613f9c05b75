"""Default limits of pools on PostgreSQL: set at once, by two processes too, and never over what somebody set."""

from collections.abc import Iterator

import dagster as dg
import pytest
from sqlalchemy.exc import InternalError

from rag_assets.indexing import dagster_instance
from rag_assets.pools import POOLS, set_default_limits
from rag_core.runtime.engine import Engine


@pytest.fixture
def instance(engine: Engine) -> Iterator[dg.DagsterInstance]:
    with dagster_instance(engine.settings, engine.database, lambda event: pytest.fail(event.message)) as instance:
        yield instance


def limits(instance: dg.DagsterInstance) -> dict[str, int]:
    return {pool.name: pool.limit for pool in instance.event_log_storage.get_pool_limits()}


def test_pools_have_their_limits_before_any_run(instance: dg.DagsterInstance) -> None:
    assert limits(instance) == dict.fromkeys(POOLS, 2)


def test_a_limit_that_was_set_in_the_ui_stays(instance: dg.DagsterInstance) -> None:
    instance.event_log_storage.set_concurrency_slots("embedding", 5)

    set_default_limits(instance)

    assert limits(instance) == {**dict.fromkeys(POOLS, 2), "embedding": 5}


def test_what_another_process_set_meanwhile_is_no_failure(
    instance: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(instance.event_log_storage, "get_pool_limits", list)
        set_default_limits(instance)
        with pytest.raises(InternalError):  # as Dagster does it, which is why it is not left to runs
            instance.event_log_storage.initialize_concurrency_limit_to_default("embedding")

    assert limits(instance) == dict.fromkeys(POOLS, 2)
