"""Loading of plugins: modules outside this project that register entries when they are imported."""

import os
from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from importlib.metadata import entry_points
from threading import RLock

from rag_core.errors import ConfigurationError

ENTRY_POINTS = "brain_sync.plugins"
VARIABLE = "BRAIN_PLUGINS"


class PluginLoader:
    """Imports all plugins once: those of installed packages, then the modules that ``BRAIN_PLUGINS`` names."""

    def __init__(self) -> None:
        self._lock = RLock()
        self._has_begun = False
        self._failure: str | None = None

    def load(self) -> None:
        """Import the plugins unless that was done; a plugin that looks up a registry meanwhile finds what is registered so far.

        Raises:
            ConfigurationError: a plugin cannot be imported; the same at every call.
        """
        with self._lock:
            if not self._has_begun:
                self._has_begun = True
                self._failure = _import_all()
        if self._failure is not None:
            raise ConfigurationError(self._failure)


PLUGINS = PluginLoader()


def _import_all() -> str | None:
    for source, load in _plugins():
        try:
            load()
        except (Exception, SystemExit) as error:  # noqa: BLE001  a module may raise anything while it is imported
            return f"{source} cannot be imported: {type(error).__name__}: {error}. Repair or remove it."
    return None


def _plugins() -> Iterator[tuple[str, Callable[[], object]]]:
    for point in sorted(entry_points(group=ENTRY_POINTS), key=lambda point: point.name):
        yield f"plugin {point.name} ({point.value}, entry point of {ENTRY_POINTS})", point.load
    for module in filter(None, map(str.strip, os.environ.get(VARIABLE, "").split(","))):
        yield f"plugin {module} ({VARIABLE})", partial(import_module, module)
