"""Form of the prompts for a hypothetical answer to search with (HyDE)."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class HydeWording:
    """The system message, and the user's with the field query."""

    system: str
    user: str
