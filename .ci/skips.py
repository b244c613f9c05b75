"""Fail when a test was skipped for a reason that is not on this short list; prints the runner's closing line last."""

import re
import sys
from pathlib import Path

ALLOWED = (
    "only root can become another user",
    "BRAIN_TEST_DATA is not set",
    "mounting a file system is not permitted",
)


def main() -> int:
    """Read the output of pytest -ra and judge its SKIPPED lines."""
    lines = Path(sys.argv[1]).read_text(encoding="utf-8").splitlines()
    skipped = [line for line in lines if line.startswith("SKIPPED")]
    wrong = [line for line in skipped if not any(reason in line for reason in ALLOWED)]
    for line in wrong:
        print(f"skipped for a reason that is not allowed: {line}")
    closing = [line for line in lines if re.search(r"\d+ (passed|failed).* in [\d.]+s", line)]
    print(closing[-1] if closing else "no closing line of pytest found")
    return 1 if wrong or not closing else 0


if __name__ == "__main__":
    sys.exit(main())
