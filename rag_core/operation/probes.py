"""Probes of the parts of ``brain up``: whether each is ready."""

import json
import socket
import urllib.error
import urllib.request
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rag_core.access.pseudonyms import pseudonyms
from rag_core.settings import Settings

HOST = "127.0.0.1"
_HEALTH = """{
  workspaceOrError { ... on Workspace { locationEntries { locationOrLoadError { __typename } } } }
  instance { daemonHealth { allDaemonStatuses { required healthy } } }
}"""


def accepts(code_socket: Path) -> bool:
    """Test whether somebody listens at the socket."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        try:
            probe.connect(str(code_socket))
        except OSError:
            return False
    return True


def is_dagster_healthy(settings: Settings) -> bool:
    """True when the definitions are loaded and every daemon has reported; the guard admits the installation's own processes."""
    key = pseudonyms(settings.home, settings.secret).process_key if settings.access == "keys" else None
    answer = fetch_object(settings.dagster_port, "/graphql", body={"query": _HEALTH}, key=key)
    data = (answer or {}).get("data") or {}
    entries = (data.get("workspaceOrError") or {}).get("locationEntries") or []
    loaded = [(entry["locationOrLoadError"] or {}).get("__typename") for entry in entries]
    daemons = ((data.get("instance") or {}).get("daemonHealth") or {}).get("allDaemonStatuses") or []
    required = [daemon["healthy"] for daemon in daemons if daemon["required"]]
    return loaded == ["RepositoryLocation"] and bool(required) and all(required)


def fetch_object(
    port: int, path: str, *, body: Mapping[str, Any] | None = None, key: str | None = None
) -> dict[str, Any] | None:
    """The JSON object that a part answers; None while it does not. No proxy stands between us and loopback."""
    data = None if body is None else json.dumps(body).encode()
    headers = {"Content-Type": "application/json"} | ({"X-API-Key": key} if key else {})
    request = urllib.request.Request(f"http://{HOST}:{port}{path}", data=data, headers=headers)
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(request, timeout=10) as answer:
            found = json.loads(answer.read())
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) else None
