"""Words that tell which kind of answer a question expects, in a language."""

from dataclasses import dataclass
from typing import Literal

AnswerType = Literal["number", "date", "name"]


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerTypeWords:
    """Patterns of questions, and words of answers."""

    questions: dict[AnswerType, str]
    number_words: frozenset[str]
    date_words: frozenset[str]
