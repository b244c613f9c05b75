"""Ranges of partitions, and which batches are none yet."""

import dagster as dg
from pipeline_runs import TENANT, ImportTexts

from rag_assets.definitions import build_definitions
from rag_assets.partitions import PARTITIONS_NAME, BatchRange, add_missing_keys, merge_ranges, missing_keys_since
from rag_core.model.note import TenantId
from rag_core.runtime.engine import Engine
from rag_core.storage.batches import register_batches

ORDER = ["a", "b", "c", "d", "e", "f"]


def test_nothing_wanted_gives_no_range() -> None:
    assert merge_ranges(ORDER, [], max_gap=1, max_wanted=10) == []


def test_neighbours_are_one_range() -> None:
    assert merge_ranges(ORDER, ["c", "b"], max_gap=0, max_wanted=10) == [BatchRange(start="b", end="c", wanted=2)]


def test_a_gap_within_bounds_is_run_over() -> None:
    assert merge_ranges(ORDER, ["a", "c"], max_gap=1, max_wanted=10) == [BatchRange(start="a", end="c", wanted=2)]


def test_a_wider_gap_divides() -> None:
    found = merge_ranges(ORDER, ["a", "d"], max_gap=1, max_wanted=10)

    assert found == [BatchRange(start="a", end="a", wanted=1), BatchRange(start="d", end="d", wanted=1)]


def test_a_gap_that_may_not_be_touched_divides() -> None:
    found = merge_ranges(ORDER, ["a", "c"], passable=["a", "c"], max_gap=5, max_wanted=10)

    assert [batch_range.start for batch_range in found] == ["a", "c"]


def test_a_range_ends_when_it_has_enough() -> None:
    found = merge_ranges(ORDER, ORDER, max_gap=5, max_wanted=4)

    assert found == [BatchRange(start="a", end="d", wanted=4), BatchRange(start="e", end="f", wanted=2)]


def test_keys_that_are_no_partition_are_left_out() -> None:
    assert merge_ranges(ORDER, ["z"], max_gap=1, max_wanted=10) == []


def test_batches_are_compared_only_after_one_was_made_or_in_another_hour(
    engine: Engine, instance: dg.DagsterInstance, import_texts: ImportTexts
) -> None:
    import_texts(["Riego el huerto los martes."])
    register_batches(engine.database, TENANT)
    first, unsettled = missing_keys_since(instance, engine.database, mark=None, hour="10")
    instance.add_dynamic_partitions(PARTITIONS_NAME, first)
    none, mark = missing_keys_since(instance, engine.database, mark=unsettled, hour="10")
    instance.delete_dynamic_partition(PARTITIONS_NAME, first[0])

    unseen = missing_keys_since(instance, engine.database, mark=mark, hour="10")
    healed, _ = missing_keys_since(instance, engine.database, mark=mark, hour="11")

    assert (first, unsettled, none) == (["pruebas-000000"], None, [])
    assert unseen == ([], mark)
    assert healed == ["pruebas-000000"]


def test_a_new_batch_is_seen_within_the_hour(
    engine: Engine, instance: dg.DagsterInstance, import_texts: ImportTexts
) -> None:
    import_texts(["Riego el huerto los martes."])
    register_batches(engine.database, TENANT)
    add_missing_keys(instance, engine.database)
    _, mark = missing_keys_since(instance, engine.database, mark=None, hour="10")
    import_texts(["Otra persona escribe."], owner=TenantId("otra"))
    register_batches(engine.database, TenantId("otra"))

    keys, _ = missing_keys_since(instance, engine.database, mark=mark, hour="10")

    assert keys == ["otra-000000"]


def test_one_backfill_of_all_stages_is_one_run_a_range() -> None:
    graph = build_definitions().resolve_asset_graph()

    policies = {
        graph.get(key).backfill_policy for key in graph.materializable_asset_keys if graph.get(key).is_partitioned
    }

    assert policies == {dg.BackfillPolicy.multi_run(max_partitions_per_run=10)}
