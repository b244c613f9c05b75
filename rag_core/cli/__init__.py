"""The `brain` command: one module a group of commands, all of them thin.

`--json` prints exactly one JSON document on stdout; everything else (progress, logs, errors for people) goes to stderr.
Exit status: 0 done, 1 failed, 2 wrong usage. Imports of the core are inside the commands, so `--help` is quick.
"""

from rag_core.cli.app import main

__all__ = ["main"]
