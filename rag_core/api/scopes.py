"""Scopes that a request needs. The rules stand in the contracts; ``docs/access.md`` has the table of them.

What stands in no rule needs ``admin``, so that a route nobody thought of is closed.
"""

from rag_core.access import Caller
from rag_core.api.contracts import rule_of
from rag_core.model.access import Scope
from rag_core.runtime.performance import PATH as FIGURES
from rag_core.storage.api_keys import NO_TENANT
from rag_core.terminal.requests import PATH as TERMINAL

_READING = frozenset({"GET", "HEAD", "OPTIONS"})


def may_enter(caller: Caller, method: str, path: str) -> bool:
    """True when a caller may use an address; another process of the installation may read the figures and ask for the terminal."""
    needed = needed_scope(method, path)
    if caller.tenant == NO_TENANT:
        return needed is None or (path == FIGURES and method in _READING) or path.startswith(f"{TERMINAL}/")
    return needed is None or (caller.may(needed) and (caller.departments is None or _is_for_departments(method, path)))


def _is_for_departments(method: str, path: str) -> bool:
    """True where a caller who sees some departments' notes may be: what changes notes is open to them by its rule alone."""
    rule = rule_of(path)
    return rule is not None and (needed_scope(method, path) != "write" or rule.is_for_departments)


def needed_scope(method: str, path: str) -> Scope | None:
    """Scope that a request needs; None where it is open to everybody."""
    rule = rule_of(path)
    if rule is None:
        return "admin"
    return rule.reading if method in _READING else rule.changing
