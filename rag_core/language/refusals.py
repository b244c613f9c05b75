"""Refusals of a chat model, in a language."""

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusalWords:
    """Patterns by which a refusal is told from an answer."""

    refusal: re.Pattern[str]
    """How a chat model says that it cannot answer, or that the sources do not; what says that something else is not there, such as a
letter's answer or personal data in a contract, is an answer."""
    contrast: re.Pattern[str]
    """What leads over from what is not there to what is; not to an offer of further help."""
