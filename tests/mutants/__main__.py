"""Plant every defect, two at a time, and print one line each; exit 1 when one is not caught."""

import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))  # as pytest does for the modules beside the tests

from databases import begin_run, end_run, ensure_template, run_server  # noqa: E402

from .defects import MUTANTS  # noqa: E402
from .planting import Mutant, Verdict, judged  # noqa: E402

AT_A_TIME = 2


def main(numbers: Sequence[str]) -> int:
    """Judge all defects, or those of the properties named by number."""
    wanted = [mutant for mutant in MUTANTS if not numbers or str(mutant.property) in numbers]
    verdicts = list(_told(_judged(wanted), len(wanted)))
    failed = [verdict for verdict in verdicts if verdict.outcome != "caught"]
    for verdict in failed:
        sys.stderr.write(f"\n== P{verdict.mutant.property:02} {verdict.outcome}\n{verdict.said[-3000:]}\n")
    return 1 if failed or not verdicts else 0


def _judged(mutants: Sequence[Mutant]) -> Iterator[Verdict]:
    """The verdicts in order; all runs share one server and one template database."""
    run = begin_run(None)
    try:
        with run_server(run) as server, ThreadPoolExecutor(AT_A_TIME) as threads:
            ensure_template(run, server)
            yield from threads.map(partial(judged, run_folder=run.folder), mutants)
    finally:
        end_run(run)


def _told(verdicts: Iterator[Verdict], total: int) -> Iterator[Verdict]:
    began = time.monotonic()
    for done, verdict in enumerate(verdicts, 1):
        sys.stdout.write(f"P{verdict.mutant.property:02} {verdict.outcome:<7} {verdict.mutant}\n")
        sys.stdout.flush()
        sys.stderr.write(f"{done} of {total} after {time.monotonic() - began:.0f} s\n")
        yield verdict


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
