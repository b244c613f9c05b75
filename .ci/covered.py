"""Fail when the tests run too little: of everything, of the path that every answer takes, of the handling of errors.

Reads coverage.json, which ``make test REPORTS=json`` writes. Code that tests run in processes of its own is not
counted, nor what tests marked ``no_cover`` run.
"""

import json
import sys
from collections.abc import Iterator, Mapping
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

OVERALL_PERCENT = 90
ERRORS_PERCENT = 85
CRITICAL = (
    "rag_core/chunking/*.py",
    *(
        f"rag_core/retrieval/{name}.py"
        for name in (
            "retrieve",
            "request",
            "searching",
            "ordering",
            "reading",
            "legs_only",
            "ranking",
            "plan",
            "legs",
            "candidates",
            "fusion",
            "expansion",
            "windows",
        )
    ),
)
ERRORS = (
    "rag_core/errors.py",
    "rag_core/api/errors.py",
    "rag_core/resilience/bounded.py",
    "rag_core/resilience/circuit_breaker.py",
    *(f"rag_core/{kind}/guarded.py" for kind in ("chat", "embedding", "reranking")),
)


def main() -> int:
    """Print what is not reached."""
    report = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    problems = list(_problems(report["totals"], report["files"]))
    for problem in problems:
        print(problem)
    if not problems:
        print(f"coverage: {report['totals']['percent_covered']:.1f} % of lines and branches")
    return 1 if problems else 0


def _problems(totals: Mapping[str, Any], files: Mapping[str, Any]) -> Iterator[str]:
    if totals["percent_covered"] < OVERALL_PERCENT:
        yield f"coverage: {totals['percent_covered']:.1f} % of lines and branches, expected {OVERALL_PERCENT} %"
    for pattern in (*CRITICAL, *ERRORS):
        if not any(fnmatch(name, pattern) for name in files):
            yield f"{pattern}: not measured; was it moved?"
    for name, file in sorted(files.items()):
        if any(fnmatch(name, pattern) for pattern in CRITICAL) and file["missing_lines"]:
            lines = ", ".join(map(str, file["missing_lines"]))
            yield f"{name}: lines {lines} are not tested; every line of this path must be"
        if name in ERRORS and file["summary"]["percent_covered"] < ERRORS_PERCENT:
            yield f"{name}: {file['summary']['percent_covered']:.1f} %, expected {ERRORS_PERCENT} %"


if __name__ == "__main__":
    sys.exit(main())
