"""Requests of the terminal, and the events that answer them. Values alone, so that a command that asks the API imports little."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

Event = Mapping[str, Any]
"""A part of an answer, JSON-ready; ``kind`` names it: ``document``, ``found``, ``understood``, ``sentence`` or ``finished``.

The API adds ``error``, and ``end`` after the last.
"""
COMMAND_TIMEOUT_MS = 30_000
"""Time for a search of a command, more than the page has: at a terminal there is Ctrl-C."""
NEW = "new"
"""Name of the conversation that a question begins."""
PATH = "/api/terminal"


@dataclass(frozen=True, slots=True, kw_only=True)
class TerminalSearch:
    """Request of ``brain search``. ``conditions`` are filters as the API reads them, ``override`` a configuration's values.

    ``language`` is the terminal's.
    """

    query: str
    strategy: str | None = None
    top_k: int | None = None
    conditions: Mapping[str, Any] = field(default_factory=dict)
    override: Mapping[str, Any] = field(default_factory=dict)
    tenant: str | None = None
    language: str = "es"
    is_json: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TerminalQuestion:
    """Request of ``brain ask``; ``session`` is the id of a conversation, or ``NEW``."""

    question: str
    session: str | None = None
    top_k: int | None = None
    tenant: str | None = None
    is_json: bool = False
