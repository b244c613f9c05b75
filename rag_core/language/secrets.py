"""Words before passwords and keys in notes, in a language."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class SecretWords:
    """Patterns of words before passwords and keys."""

    passwords: str
    keys: str
    copula: str
    """Verbs between the word and its value, in the present."""
    past_copula: str
    ambiguous: str = "(?!)"
    """First words of ``passwords`` that mean other things too."""
