"""What a key must allow for each address: one table, from which ``docs/access.md`` has its own.

The longest beginning of a path counts; what stands in no row needs ``admin``, so that a route nobody thought of is closed.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from rag_core.access import Caller
from rag_core.model.access import Scope
from rag_core.runtime.performance import PATH as FIGURES
from rag_core.storage.api_keys import NO_TENANT

_READING = frozenset({"GET", "HEAD", "OPTIONS"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """What reading and changing need at an address and under it; None is open to everybody."""

    reading: Scope | None
    changing: Scope | None
    about: str


RULES: Mapping[str, Rule] = {
    "/healthz": Rule(reading=None, changing=None, about="whether the process answers"),
    "/readyz": Rule(reading=None, changing=None, about="whether it can work"),
    "/openapi.json": Rule(reading=None, changing=None, about="the description of the API"),
    "/static": Rule(reading=None, changing=None, about="style and script of the page"),
    "/entrar": Rule(reading=None, changing=None, about="signing in on the page"),
    "/salir": Rule(reading=None, changing=None, about="signing out"),
    "/": Rule(reading="read", changing="admin", about="the search page"),
    "/notas": Rule(reading="read", changing="admin", about="a note's page"),
    "/preguntar": Rule(reading="read", changing="read", about="the page that answers"),
    "/opinion": Rule(reading="read", changing="read", about="a reader's opinion of an answer"),
    "/chat": Rule(reading="read", changing="read", about="asking"),
    "/api/query": Rule(reading="read", changing="read", about="asking"),
    "/api/feedback": Rule(reading="read", changing="read", about="what people think of an answer"),
    "/api/sessions": Rule(reading="read", changing="read", about="one's own conversations"),
    "/api/v2/rag": Rule(reading="read", changing="read", about="searching and asking"),
    "/api/retrieve": Rule(reading="read", changing="read", about="searching"),
    "/api/retrieve/evaluate": Rule(reading="evaluate", changing="evaluate", about="evaluating"),
    "/api/retrieve/metrics": Rule(reading="evaluate", changing="evaluate", about="figures of evaluations"),
    "/api/retrieve/compare": Rule(reading="evaluate", changing="evaluate", about="two evaluations side by side"),
    "/api/notes": Rule(reading="read", changing="write", about="notes"),
    "/api/configuration": Rule(reading="read", changing="admin", about="what searches are configured with"),
    "/api/migration": Rule(reading="read", changing="admin", about="how far a migration is"),
    FIGURES: Rule(reading="admin", changing="admin", about="figures of the process, all tenants' together"),
    "/api/golden-dataset": Rule(reading="evaluate", changing="evaluate", about="golden sets"),
    "/api/experiments": Rule(reading="evaluate", changing="evaluate", about="experiments"),
    "/api/experiments/feedback": Rule(reading="read", changing="read", about="a reader's opinion of an answer"),
    "/api/v2/evaluation": Rule(reading="evaluate", changing="evaluate", about="golden sets, evaluations, tuning"),
    "/evaluation": Rule(reading="evaluate", changing="admin", about="the pages about evaluations"),
}


def rule_of(path: str) -> Rule | None:
    """The row that an address belongs to; "/" is itself alone."""
    if path == "/":
        return RULES["/"]
    parts = path.rstrip("/").split("/")
    beginnings = ("/".join(parts[:count]) for count in range(len(parts), 1, -1))
    return next((RULES[beginning] for beginning in beginnings if beginning in RULES and beginning != "/"), None)


def may_enter(caller: Caller, method: str, path: str) -> bool:
    """Whether a caller may be at an address; another process of the installation reads the figures and is nowhere else let in."""
    needed = needed_scope(method, path)
    if caller.tenant == NO_TENANT:
        return needed is None or (path == FIGURES and method in _READING)
    return needed is None or caller.may(needed)


def needed_scope(method: str, path: str) -> Scope | None:
    """What a request needs; None where it is open to everybody."""
    rule = rule_of(path)
    if rule is None:
        return "admin"
    return rule.reading if method in _READING else rule.changing
