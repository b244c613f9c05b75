"""The pools bound what several runs do at once, in the one process of a run too."""

import threading
import time
from collections.abc import Callable, Iterator

import dagster as dg
import pytest
from pipeline_runs import ImportTexts, RunJob

OTHER_RUN = "another-run"


@pytest.fixture
def instance() -> Iterator[dg.DagsterInstance]:
    """An instance on disk with our settings of the pools, which a second thread may use too."""
    pools = {"concurrency": {"pools": {"granularity": "op", "default_limit": 2}}}
    with dg.instance_for_test(overrides=pools) as opened:
        yield opened


@pytest.mark.parametrize(("pool", "step"), [("embedding", "embeddings"), ("database_writes", "fulltext_index")])
def test_a_step_waits_until_another_run_leaves_its_place(
    instance: dg.DagsterInstance, run_job: RunJob, import_texts: ImportTexts, pool: str, step: str
) -> None:
    import_texts(["Riego el huerto los martes."])
    storage = instance.event_log_storage
    storage.set_concurrency_slots(pool, 1)
    storage.claim_concurrency_slot(pool, OTHER_RUN, "elsewhere")
    results: list[dg.ExecuteInProcessResult] = []
    running = threading.Thread(target=lambda: results.append(run_job("update_index")))

    running.start()
    _wait_for(lambda: _pending(instance, pool) == {step}, running)
    made_meanwhile = instance.get_latest_materialization_event(dg.AssetKey(step))
    storage.free_concurrency_slots_for_run(OTHER_RUN)
    running.join()

    assert made_meanwhile is None
    assert results[0].success
    assert instance.get_latest_materialization_event(dg.AssetKey(step)) is not None


def test_a_run_that_is_over_holds_no_place(
    instance: dg.DagsterInstance, run_job: RunJob, import_texts: ImportTexts
) -> None:
    import_texts(["Riego el huerto los martes."])

    run_job("update_index")

    info = [instance.event_log_storage.get_concurrency_info(pool) for pool in ("embedding", "database_writes")]
    assert [(one.slot_count, one.active_slot_count) for one in info] == [(2, 0), (2, 0)]


def _pending(instance: dg.DagsterInstance, pool: str) -> set[str]:
    return {one.step_key for one in instance.event_log_storage.get_concurrency_info(pool).pending_steps} - {"elsewhere"}


def _wait_for(condition: Callable[[], bool], running: threading.Thread) -> None:
    while not condition():
        assert running.is_alive(), "the run did not wait"
        time.sleep(0.05)
