"""``python -m tests.benchmarks``: progress on stderr, one JSON object as the last line of stdout."""

import argparse
import importlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import FrameType
from typing import Any, cast

import psutil

from .corpus import Corpus, read_corpus
from .limits import broken_limits
from .measuring import fsync_ms
from .scratch import forget_environment
from .sizes import Sizes, chosen_sizes

ROOT = Path(__file__).parents[2]
Benchmark = Callable[[Corpus, Sizes], Any]
BENCHMARKS = ("import", "index", "noop_index", "search", "backfill", "chunking", "follow")


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the benchmarks asked for, all unless some are named."""
    options = _parser().parse_args(arguments)
    signal.signal(signal.SIGTERM, _leave)
    forget_environment()
    sizes, corpus = chosen_sizes(is_quick=options.quick), read_corpus()
    figures = {name: _benchmark(name)(corpus, sizes) for name in options.only}
    print(json.dumps({**figures, **_circumstances(corpus)}, ensure_ascii=False), flush=True)
    if options.check and (broken := broken_limits(figures)):
        sys.exit("\n".join(broken))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    parser.add_argument("--only", type=_names, default=BENCHMARKS, help=f"some of {','.join(BENCHMARKS)}; default: all")
    parser.add_argument("--quick", action="store_true", help="tiny sizes: shows that it works, measures nothing")
    parser.add_argument(
        "--check", action="store_true", help="exit 1 where searches or followed folders are slower than allowed"
    )
    return parser


def _names(value: str) -> tuple[str, ...]:
    names = tuple(value.split(","))
    if unknown := [name for name in names if name not in BENCHMARKS]:
        raise argparse.ArgumentTypeError(f"no benchmark {unknown[0]!r}; expected some of {','.join(BENCHMARKS)}")
    return names


def _benchmark(name: str) -> Benchmark:
    """The benchmark of that name; only what is run is imported, Dagster takes seconds."""
    module, function = {
        "import": ("imports", "run"),
        "index": ("indexing", "run"),
        "noop_index": ("indexing", "run_noop"),
        "search": ("searching", "run"),
        "backfill": ("backfilling", "run"),
        "chunking": ("chunking", "run"),
        "follow": ("following", "run"),
    }[name]
    return cast("Benchmark", getattr(importlib.import_module(f"{__package__}.{module}"), function))


def _circumstances(corpus: Corpus) -> dict[str, Any]:
    return {
        "machine": {
            "cpus": len(os.sched_getaffinity(0)),
            "memory_gb": round(psutil.virtual_memory().total / 2**30, 1),
            "fsync_ms": fsync_ms(),
        },
        "commit": _commit(),
        "data": corpus.name,
    }


def _commit() -> str | None:
    """The commit of the checkout, with a mark if files differ from it; none outside a checkout."""
    described = subprocess.run(
        ["git", "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    return described.stdout.strip() or None


def _leave(_signal: int, _frame: FrameType | None) -> None:
    """Leave through every ``finally``: servers are stopped and folders removed."""
    sys.exit(128 + signal.SIGTERM)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(128 + signal.SIGINT)
