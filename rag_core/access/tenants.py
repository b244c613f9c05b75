"""Whole tenants: what they may have, and the order in which all that is theirs is deleted."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from graphlib import TopologicalSorter

from rag_core.model import TenantId


@dataclass(frozen=True, slots=True, kw_only=True)
class TenantSummary:
    """A tenant: its limits (None: as the settings say, or none), how many notes it has, and how many keys open something."""

    name: TenantId
    created_at: datetime
    max_notes: int | None
    questions_per_minute: int | None
    questions_per_hour: int | None
    notes: int
    keys: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TenantDetails:
    """The same with the rows of every table that has any, and how many notes each department may see.

    Of ``audiences`` None is everybody, "" only who sees all of the tenant's notes.
    """

    summary: TenantSummary
    rows: Mapping[str, int]
    audiences: Mapping[str | None, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class DeletedTenant:
    """What was deleted: rows by table, without tables that had none, and the keys of the batches there were."""

    name: TenantId
    rows: Mapping[str, int]
    batches: tuple[str, ...]


def deletion_order(tables: Collection[str], references: Iterable[tuple[str, str]]) -> list[str]:
    """The tables such that rows that point to others go before these; (holder, target) pairs of other tables are left out.

    Tables that no reference touches come last, by name: triggers write there while the others are emptied.

    Raises:
        graphlib.CycleError: tables point to each other in a circle.
    """
    holders: dict[str, set[str]] = {}
    for holder, target in references:
        if holder in tables and target in tables:
            holders.setdefault(target, set()).add(holder)
            holders.setdefault(holder, set())
    ordered = list(TopologicalSorter({name: sorted(holders[name]) for name in sorted(holders)}).static_order())
    return ordered + sorted(set(tables) - set(ordered))
