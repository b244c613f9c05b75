"""Form of a rule, and the notation of its words."""

import re
from dataclasses import dataclass
from functools import cache

BETWEEN = r"[\s'_-]{1,3}"
GAP = r"[^.!?;]{0,40}?"
"""Text of the same sentence between a verb and its object."""
SHORT_GAP = r"(?:\W{1,3}\w{1,30}){0,4}?\W{1,3}"
"""A few words between a verb and its object."""
CLAUSE_START = (
    r"(?:^|[^\w\s?¿]\s{0,3}|\b(?:and|but|so|please|ok|okay|hey|then|well|y|pero|entonces|vale|por\sfavor|"
    r"und|aber|also|bitte|dann|et)\s)"
)
"""Beginning of an order or a statement, as opposed to a question or a clause about somebody."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InjectionRule:
    """A way to command a model. Rules of one ``family`` are variants: only the strongest of a sentence counts.

    ``topics`` are what a sentence must have words of, each, before the pattern is tried (``topics.topics_of``). What ``is_support``
    is no command by itself and counts beside another rule only.
    """

    name: str
    family: str
    expression: str
    in_question: float
    in_note: float
    topics: frozenset[str] = frozenset()
    is_support: bool = False

    @property
    def pattern(self) -> re.Pattern[str]:
        """The compiled expression: on first use, because compiling all of them takes longer than a search."""
        return _compiled(self.expression)


@cache
def _compiled(expression: str) -> re.Pattern[str]:
    return re.compile(expression, re.MULTILINE)


def words(text: str) -> str:
    """Alternatives from words and phrases parted by ", " and line ends; a blank stands for whatever parts words.

    An apostrophe is such a thing too ("don t"), and a line that ends with "|" goes on in the next.
    """
    lines = re.sub(r"\|\n\s*", "|", text).splitlines()
    phrases = [phrase.strip() for line in lines for phrase in line.split(", ")]
    return "(?:" + "|".join(phrase.replace(" ", BETWEEN) for phrase in phrases if phrase) + ")"


def rule(
    name: str,
    family: str,
    pattern: str,
    *,
    topics: str,
    question: float,
    note: float | None = None,
    is_support: bool = False,
) -> InjectionRule:
    """A rule from its pattern and its ``topics``, parted by blanks; without ``note`` it weighs as much in a note as in a question."""
    return InjectionRule(
        name=name,
        family=family,
        expression=pattern,
        in_question=question,
        in_note=question if note is None else note,
        topics=frozenset(topics.split()),
        is_support=is_support,
    )
