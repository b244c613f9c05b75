"""Words around a change of subject: "Olvida lo anterior, ¿…?", "Never mind that, …"."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class SubjectChangeWords:
    """Verbose patterns of a change of subject in one language: a space in them is escaped."""

    dropping: str
    """Statement that drops what was said."""
    opening: str
    """Words before it: "bueno", "please"."""
    please: str
    """Words of politeness behind it."""
    then_tell: str
    """Words that join it to an indirect question: "y dime"."""
    everything: str
    """Words by which all that was ever said is dropped."""
    prepositions: str
    """Prepositions before a word that asks."""
    asking: str
    """First words of a question."""
    abbreviations: str
    """Abbreviations of titles, whose full stop ends no sentence."""
