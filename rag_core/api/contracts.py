"""Contracts: what a folder of the API, or a plugin, registers to be served.

A contract is one value: its routers, what a key must allow at its addresses, and the language of its messages. Each folder beside this
module registers its own in ``contract``, a plugin when it is imported; everything else iterates over them.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any, TypeVar

from fastapi import APIRouter

from rag_core.errors import ConfigurationError
from rag_core.model.access import Scope
from rag_core.model.note import Language
from rag_core.plugins.registry import Registry

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """Rule for an address and everything under it: the scopes that reading and changing need; None is open to everybody.

    A request that ``is_answering`` may wait for a language model. Errors of a request that ``is_page`` are pages in a browser. An
    address that ``takes_files`` takes forms with files, as large as documents may be. Keys for some departments change nothing
    but what ``is_for_departments``: there it becomes theirs, and meets no name of others. ``error_body`` makes the body of an error
    from its status, its kind and its details; None is ``{error, details}``.
    """

    reading: Scope | None
    changing: Scope | None
    about: str
    is_answering: bool = False
    is_page: bool = False
    takes_files: bool = False
    is_for_departments: bool = False
    error_body: Callable[[int, str, str], Mapping[str, Any]] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageLanguage:
    """The language of messages at an address and under it: ``own``, or with ``is_clients`` the one that Accept-Language prefers."""

    own: Language
    is_clients: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Contract:
    """Routers with the rules of their addresses; messages are in Spanish where ``languages`` says nothing else.

    Of ``rules`` and ``languages`` the longest beginning of a path counts; what stands in no rule needs the scope ``admin``.
    """

    routers: Sequence[APIRouter]
    rules: Mapping[str, Rule]
    languages: Mapping[str, MessageLanguage] = field(default_factory=dict)


CONTRACTS: Registry[Contract] = Registry("API contract")
_SPANISH = MessageLanguage(own="es")


@cache
def contracts() -> tuple[Contract, ...]:
    """All contracts: those of the folders beside this module, then those of plugins.

    Raises:
        ConfigurationError: a plugin cannot be imported, or takes the name of another contract.
    """
    package, folder = __name__.rpartition(".")[0], Path(__file__).parent
    for found in iter_modules([str(folder)]):
        if (folder / found.name / "contract.py").exists():
            import_module(f"{package}.{found.name}.contract")
    return tuple(CONTRACTS.all().values())


@cache
def rules() -> Mapping[str, Rule]:
    """The rules of all contracts by address."""
    return _joined(contract.rules for contract in contracts())


def rule_of(path: str) -> Rule | None:
    """The rule of an address; "/" is itself alone."""
    known = rules()
    if path == "/":
        return known.get(path)
    return next((known[beginning] for beginning in _beginnings(path) if beginning in known), None)


def has_own_errors(path: str) -> bool:
    """True where the bodies of errors are the contract's own."""
    rule = rule_of(path)
    return rule is not None and rule.error_body is not None


def language_of(path: str) -> MessageLanguage:
    """The language of messages at an address."""
    known = _languages()
    return next((known[beginning] for beginning in _beginnings(path) if beginning in known), _SPANISH)


@cache
def _languages() -> Mapping[str, MessageLanguage]:
    return _joined(contract.languages for contract in contracts())


def _joined(parts: Iterable[Mapping[str, Value]]) -> dict[str, Value]:
    """One mapping of several.

    Raises:
        ConfigurationError: two contracts claim one address, so that one would take the other's access rule from it.
    """
    joined: dict[str, Value] = {}
    for part in parts:
        for path, value in part.items():
            if path in joined:
                raise ConfigurationError(f"two API contracts claim the address {path!r}; rename it in one of them")
            joined[path] = value
    return joined


def _beginnings(path: str) -> Iterator[str]:
    """The address and those above it but "/", the longest first."""
    parts = path.rstrip("/").split("/")
    beginnings = ("/".join(parts[:count]) for count in range(len(parts), 1, -1))
    return (beginning for beginning in beginnings if beginning != "/")
