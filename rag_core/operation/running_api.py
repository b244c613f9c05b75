"""State of the running API of this home, requested over loopback."""

import json
import urllib.request
from pathlib import Path
from typing import Any, Literal

from rag_core.operation.running_parts import read_parts
from rag_core.runtime.performance import PATH, home_mark

_TIMEOUT_SECONDS = 2.0


def fetch_performance(*, port: int, home: Path, key: str | None = None) -> dict[str, Any] | None:
    """The figures of the API that runs on this machine for this home; None when none does.

    ``key`` is shown to one that asks for keys.
    """
    found = _fetch(port, PATH, key)
    return found if found is not None and found.get("home") == home_mark(home) else None


def fetch_access(*, port: int, home: Path) -> Literal["open", "keys"] | None:
    """Return the access mode of the API that `brain up` runs for this home; None when none runs.

    Another home's API, or another program on the port, is not asked: its answer would not be about this home.
    """
    if (read_parts(home) or {}).get("api") != "runs":
        return None
    access = (_fetch(port, "/readyz") or {}).get("access")
    return access if access in {"open", "keys"} else None


def _fetch(port: int, path: str, key: str | None = None) -> dict[str, Any] | None:
    headers = {} if key is None else {"Authorization": f"Bearer {key}"}
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        asked = urllib.request.Request(f"http://127.0.0.1:{port}{path}", headers=headers)
        with opener.open(asked, timeout=_TIMEOUT_SECONDS) as answer:
            found = json.loads(answer.read())
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) else None
