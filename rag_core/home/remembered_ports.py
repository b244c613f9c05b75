"""The ports that `brain up` was given last, kept in the home, so that commands in other shells find what it runs."""

import json
from pathlib import Path

from rag_core.home.private_files import open_private

FILE_NAME = "ports.json"
NAMES = ("api_port", "dagster_port")


def remember_ports(home: Path, **ports: int) -> None:
    """Write the ports down; the keywords are names of settings."""
    path = home / FILE_NAME
    fresh = path.with_suffix(".new")
    with open_private(fresh, "w") as file:
        json.dump({name: ports[name] for name in NAMES}, file)
    fresh.replace(path)


def remembered_ports(home: Path) -> dict[str, int]:
    """The ports written down; none where there is no file, or none of ours."""
    try:
        found = json.loads((home / FILE_NAME).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    if not isinstance(found, dict):
        return {}
    return {name: found[name] for name in NAMES if type(found.get(name)) is int and 0 < found[name] <= 65_535}
