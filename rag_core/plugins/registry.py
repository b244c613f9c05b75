"""The registry: entries by name, added with a decorator."""

import sys
from collections.abc import Callable, Mapping
from functools import cached_property
from importlib import import_module
from importlib.util import find_spec
from pkgutil import iter_modules
from types import MappingProxyType
from typing import Generic, TypeVar

from rag_core.errors import ConfigurationError
from rag_core.plugins.loading import PLUGINS

Entry = TypeVar("Entry")
Item = TypeVar("Item")


class Registry(Generic[Entry]):
    """Entries of one kind by name: our own and those of plugins, which are loaded when first needed.

    With a ``folder`` (a package, by its dotted name) each module in it registers one entry under the module's own name, and is
    imported when that entry is looked up.
    """

    def __init__(
        self, kind: str, *, folder: str | None = None, load_plugins: Callable[[], None] = PLUGINS.load
    ) -> None:
        self.kind = kind
        self._folder = folder
        self._load_plugins = load_plugins
        self._entries: dict[str, Entry] = {}

    def register(self, name: str) -> Callable[[Item], Item]:
        """Decorate an entry to add it under a name.

        Raises:
            ConfigurationError: the name is registered already.
        """

        def add(entry: Item) -> Item:
            is_anothers = name in self._files and self._module(name) not in sys.modules
            if name in self._entries or is_anothers:
                raise ConfigurationError(f"{self.kind} {name!r} is registered already; choose another name")
            self._entries[name] = entry  # type: ignore[assignment]  # a decorator keeps the type it was given
            return entry

        return add

    def find(self, name: str) -> Entry | None:
        """Look up an entry; None when there is none of that name.

        Raises:
            ConfigurationError: a plugin cannot be imported.
        """
        if name not in self._entries:
            if name in self._files:
                import_module(self._module(name))
            else:
                self._load_plugins()
        return self._entries.get(name)

    def get(self, name: str, *, given_by: str | None = None) -> Entry:
        """Look up an entry; ``given_by`` is the setting that holds the name.

        Raises:
            ConfigurationError: there is none of that name; the message lists those there are. Or see ``find``.
        """
        entry = self.find(name)
        if entry is None:
            found = (
                f"unknown {self.kind} {name!r}" if given_by is None else f"{given_by}={name!r} is no known {self.kind}"
            )
            raise ConfigurationError(f"{found}; expected one of: {', '.join(self.names())}")
        return entry

    def names(self) -> tuple[str, ...]:
        """The names of all entries, our own first; modules of the folder are not imported."""
        self._load_plugins()
        return tuple(dict.fromkeys((*self._files, *self._entries)))

    def all(self) -> Mapping[str, Entry]:
        """All entries by name, in the order of ``names``."""
        return MappingProxyType({name: self.get(name) for name in self.names()})

    @cached_property
    def _files(self) -> tuple[str, ...]:
        spec = find_spec(self._folder) if self._folder else None
        places = spec.submodule_search_locations if spec else None
        return tuple(sorted(module.name for module in iter_modules(places))) if places else ()

    def _module(self, name: str) -> str:
        return f"{self._folder}.{name}"
