"""Access of one call: the engine as its caller may use it, and what the caller may do."""

from collections.abc import Callable
from dataclasses import dataclass

from rag_core.access import Caller
from rag_core.errors import RagError
from rag_core.runtime.engine import Engine


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolAccess:
    """Caller and resources of a call; ``engine`` is bound to what the caller may see.

    ``check_rate`` counts a question and raises ``RateLimitedError`` where it is one too many; None counts nothing.
    """

    engine: Engine
    caller: Caller
    timeout_ms: int
    check_rate: Callable[[], None] | None = None

    @property
    def may_write(self) -> bool:
        """True with a key for writing that sees the whole tenant; without a key everything is read only."""
        is_known = self.caller.key_id is not None and self.caller.departments is None
        return is_known and self.caller.may("write")


class ToolError(RagError):
    """A refusal in words for the assistant: what was wrong and what to do instead."""
