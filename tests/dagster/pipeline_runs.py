"""What the pipeline's tests share beside their fixtures."""

from collections.abc import Callable

import dagster as dg

from rag_core.model import TenantId

TENANT = TenantId("pruebas")
RunJob = Callable[..., dg.ExecuteInProcessResult]
ImportTexts = Callable[..., None]


def range_tags(start: str, end: str) -> dict[str, str]:
    """The tags of a run over a range of partitions."""
    return {"dagster/asset_partition_range_start": start, "dagster/asset_partition_range_end": end}
