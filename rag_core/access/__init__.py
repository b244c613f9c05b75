"""Callers and their permissions: API keys, callers, tenants.

Here: keys and what they allow (``keys``), who shows which (``callers``), who can reach the API at all (``exposure``), how many
questions somebody may ask (``limits``), whole tenants (``tenants``), and the names that stand for people in what is stored
(``pseudonyms``). Not here: how a request carries a key (``rag_core.api.access``).
"""

from collections.abc import Sequence
from dataclasses import dataclass

from rag_core.model.access import Scope
from rag_core.model.note import TenantId


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """Sender of a request. The tenant comes from the key alone; ``tenant`` None is open mode, without keys.

    ``departments`` None sees every note of the tenant. ``user_hash`` tells one caller from another and names none;
    ``key_name`` is what the key was called when it was made.
    """

    tenant: TenantId | None
    key_id: str | None
    user_hash: str
    scopes: frozenset[Scope]
    departments: Sequence[str] | None = None
    key_name: str | None = None
    questions_per_minute: int | None = None
    questions_per_hour: int | None = None

    @property
    def is_trusted(self) -> bool:
        """True when the caller may bypass the rules: with an administrator's key. Without keys nobody is trusted."""
        return self.key_id is not None and "admin" in self.scopes

    def may(self, scope: Scope) -> bool:
        """True when the scope is allowed; ``admin`` allows everything."""
        return scope in self.scopes or "admin" in self.scopes
