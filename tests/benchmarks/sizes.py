"""Amount that is measured: the whole, or as little as shows that it works."""

import os
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """Counts and bounds of all benchmarks; a time bound ends a measurement early, never its first thirty rounds."""

    import_notes: int = 3_000
    noop_notes: int = 10_000
    rounds: int = 3
    search_chunks: tuple[int, ...] = (1_000, 10_000, 100_000)
    warmup_queries: int = 200
    max_warmup_seconds: float = 10.0
    queries: int = 300
    max_query_seconds: float = 45.0
    clients: int = 50
    load_seconds: float = 6.0
    load_warmup_seconds: float = 3.0
    backfill_batches: int = 20
    batches_per_run: int = 10
    followed_files: tuple[int, ...] = (60, 1_000)
    follow_rounds: int = 3
    is_durable: bool = True


QUICK = Sizes(
    import_notes=120,
    noop_notes=100,
    rounds=1,
    search_chunks=(150,),
    warmup_queries=10,
    max_warmup_seconds=2.0,
    queries=30,
    max_query_seconds=5.0,
    clients=8,
    load_seconds=1.0,
    load_warmup_seconds=0.5,
    backfill_batches=2,
    batches_per_run=1,
    followed_files=(60,),
    follow_rounds=1,
    is_durable=False,
)


def chosen_sizes(*, is_quick: bool) -> Sizes:
    """The sizes of a run; ``BRAIN_BENCH_CHUNKS`` such as ``1000,100000`` replaces the corpora of a whole one.

    Raises:
        ValueError: the variable is not a list of positive numbers.
    """
    named = os.environ.get("BRAIN_BENCH_CHUNKS", "")
    if is_quick or not named:
        return QUICK if is_quick else Sizes()
    chunks = tuple(int(number) for number in named.split(","))
    if min(chunks) < 1:
        raise ValueError(f"BRAIN_BENCH_CHUNKS is {named!r}; expected positive numbers such as 1000,10000")
    return replace(Sizes(), search_chunks=chunks)
