"""The words put before a chunk when it is embedded with its context, in each language."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextWording:
    """``part`` has the fields number, total and summary; the others say where in the note a chunk stands."""

    part: str
    first: str
    middle: str
    last: str
    only: str
