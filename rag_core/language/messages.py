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
QuotingWarning = Literal["may_not_answer", "not_of_the_time", "more_of_the_time"]
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
    """What is said when the sources hold no answer."""
    no_notes: str
    """Said where there is no note at all."""
    not_enough: str
    """Said where notes were found, and they are too far from the question, or nothing of an answer holds."""
    no_note_of: str
    """Said where all that is asked for is a day that no note is of; the note is named by its date, see ``wordings``."""
    note_dated: str
    path_warnings: Mapping[PathWarning, str]
    answer_warnings: Mapping[AnswerWarning, str]
    quoting_warnings: Mapping[QuotingWarning, str]
    """What whoever asked is told beside sentences that are quoted."""
    question_problems: Mapping[QuestionProblem, str]
    question_warnings: Mapping[QuestionWarning, str]
    """``{language}`` is a code of ISO 639-1."""
    disclaimer: str
    """Below an answer of which too little is held by its sources."""
    recent_notes_disclaimer: str
    """Below an answer that was made from the newest notes because nothing fits the question."""
    placeholders: Mapping[str, str]
    """What stands where a kind of finding was hidden. No square brackets, which are marks of citations, and no digits."""
    quoted_instruction: str
    withheld_instruction: str
    """What a model reads instead of a note's sentence that would command it."""
