"""Refusals of a chat model, in a language."""

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusalWords:
    """Patterns by which a refusal is told from an answer."""

    refusal: re.Pattern[str]
    """Statement of a chat model that it cannot answer, or that the sources do not. A statement that something else is missing, such as
personal data in a contract, is an answer."""
    contrast: re.Pattern[str]
    """Conjunction between what the sources lack and what they say, but not before an offer of further help."""
