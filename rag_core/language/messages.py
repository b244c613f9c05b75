"""Messages to users of the answering path and of the guardrails, in a language."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

PathWarning = Literal[
    "invalid_configuration",
    "keyword_recency",
    "recent_notes",
    "degraded_search",
    "model_failed",
    "model_busy",
    "removed_citations",
    "unsupported",
    "not_summarised",
]
QuotingWarning = Literal[
    "may_not_answer", "not_added_up", "not_of_the_time", "most_alike", "more_of_the_time", "other_language"
]
QuestionProblem = Literal["empty", "too_short", "too_long", "injection"]
QuestionWarning = Literal[
    "injection", "judged_injection", "earlier_injection", "earlier_dropped", "language", "judge_failed"
]
AnswerWarning = Literal[
    "secrets_redacted", "personal_data_redacted", "secrets", "personal_data", "cut", "instructions", "links"
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Messages:
    """Messages in one language; braces hold the fields of a message."""

    no_answer: str
    """Answer when the sources do not hold one."""
    no_notes: str
    """Answer when there are no notes."""
    not_enough: str
    """Answer when the notes found are too far from the question, or no sentence of a draft is supported."""
    greeting: str
    """Answer to a greeting or thanks, saying what may be asked."""
    no_note_of: str
    """Answer when only a day is asked for and no note has that date; ``note_dated`` names the note."""
    note_dated: str
    path_warnings: Mapping[PathWarning, str]
    answer_warnings: Mapping[AnswerWarning, str]
    quoting_warnings: Mapping[QuotingWarning, str]
    """Warnings beside quoted sentences; ``{note}`` is one named by its date."""
    question_problems: Mapping[QuestionProblem, str]
    question_warnings: Mapping[QuestionWarning, str]
    """``{language}`` is a code of ISO 639-1."""
    disclaimer: str
    """Text below an answer that its sources do not fully support."""
    recent_notes_disclaimer: str
    """Text below an answer made from the newest notes because none matches the question."""
    placeholders: Mapping[str, str]
    """Text in place of a hidden finding, by its kind. No square brackets, which mark citations, and no digits."""
    quoted_instruction: str
    withheld_instruction: str
    """Text a model reads in place of a note's sentence that would command it."""
