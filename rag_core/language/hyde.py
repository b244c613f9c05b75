"""What a chat model is asked when it makes up an answer to search with, in each language."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class HydeWording:
    """The system message, and the user's with the field query."""

    system: str
    user: str
