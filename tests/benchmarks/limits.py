"""Limits of a search: a ratio to its floor, the bare statements in the same run, and the requirements' milliseconds; of a followed
folder the requirement's seconds.

The ratio holds on any machine, because both sides are measured in turns.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

MAX_OVER_FLOOR = 3.0
"""Median of hybrid search by HTTP over the median of its bare statements, twice what is usual (docs/quality.md)."""
LEAST_CHUNKS = 10_000
"""In smaller corpora what HTTP and Python add, some 7 ms whatever the size, is most of the time: the ratio says nothing."""
MAX_P50_MS = 500.0
MAX_P95_MS = 2000.0
MAX_FOLLOW_SECONDS = 5.0
"""From saving a file of a followed folder, the slowest round."""


def broken_limits(figures: Mapping[str, Any]) -> list[str]:
    """A line for each limit that the searches and followed folders of a run do not keep; figures without them break none."""
    searches: Sequence[Mapping[str, Any]] = figures.get("search", ())
    folders: Sequence[Mapping[str, Any]] = figures.get("follow", ())
    return [line for search in searches for line in _broken(search)] + [
        f"{name} of {folder['files']} files is {seconds:.1f} s; {MAX_FOLLOW_SECONDS:.1f} s is the limit"
        for folder in folders
        for name, seconds in folder.items()
        if name.endswith("_max_seconds") and seconds > MAX_FOLLOW_SECONDS
    ]


def _broken(search: Mapping[str, Any]) -> Iterator[str]:
    name = f"hybrid search of {search['chunks']} chunks"
    if search["chunks"] >= LEAST_CHUNKS and search["hybrid_over_floor"] > MAX_OVER_FLOOR:
        yield f"{name} takes {search['hybrid_over_floor']:.2f} times its floor; {MAX_OVER_FLOOR:.2f} is the limit"
    if search["hybrid_p50_ms"] > MAX_P50_MS:
        yield f"{name} takes {search['hybrid_p50_ms']:.0f} ms at p50; {MAX_P50_MS:.0f} ms is the limit"
    if search["hybrid_p95_ms"] > MAX_P95_MS:
        yield f"{name} takes {search['hybrid_p95_ms']:.0f} ms at p95; {MAX_P95_MS:.0f} ms is the limit"
