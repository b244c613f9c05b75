"""The order in which a question is checked: its length, how often somebody asks, rules, and a model where there is one.

What costs least comes first, so that a refused question costs no call of a model and a flood of them no reading. Pure but for what the
caller passes.
"""

import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Protocol

from rag_core.errors import BusyError, ChatCancelledError, ChatError, CircuitOpenError, GuardrailError
from rag_core.guardrails import DEFAULT_THRESHOLDS, GuardrailThresholds, InjectionPolicy
from rag_core.guardrails.injection import scan
from rag_core.language.foreign import foreign_language
from rag_core.language.languages import language_of
from rag_core.language.messages import QuestionWarning
from rag_core.model.injection import InjectionScan
from rag_core.model.note import Language

MAX_CHARACTERS = 2_000
_MOST_SCANNED = 4 * MAX_CHARACTERS
"""Characters of a raw question that are scanned; invisible ones may make it long."""
_KEPT_CONTROLS = "\n\t"
_DROPPED_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})
_HARMLESS = InjectionScan(score=0.0, spans=())


class QuestionJudge(Protocol):
    """Judge of how likely a question tries to command the model."""

    def score(self, question: str) -> float:
        """A number in [0, 1].

        Raises:
            ChatError: it could not say.
            ChatCancelledError: nobody waits for it any more.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedQuestion:
    """A question that may be answered: ``text`` is what goes on, ``warnings`` what its asker is told.

    ``injection`` is what the rules found, ``judged`` the model's opinion, None where none was asked.
    """

    text: str
    warnings: tuple[QuestionWarning, ...] = ()
    injection: InjectionScan = _HARMLESS
    judged: float | None = None
    facts: Mapping[str, str] = field(default_factory=dict)

    def messages(self, language: Language) -> tuple[str, ...]:
        """The warnings as sentences, each once."""
        sentences = (
            language_of(language).messages.question_warnings[warning].format(**self.facts) for warning in self.warnings
        )
        return tuple(dict.fromkeys(sentences))


def check_question(
    text: str,
    *,
    minimum: int = 1,
    maximum: int = MAX_CHARACTERS,
    policy: InjectionPolicy = "block",
    thresholds: GuardrailThresholds = DEFAULT_THRESHOLDS,
    check_rate: Callable[[], None] = lambda: None,
    judge: QuestionJudge | None = None,
    is_trusted: bool = False,
) -> CheckedQuestion:
    """Check a question and clean it; lengths are of characters without the white space around them.

    ``check_rate`` is called once the length is right and raises whatever stands for too many questions. ``is_trusted`` passes rules and
    judge over: for administrators and for the evaluation's own questions. With ``policy`` "warn" nothing is refused for what it says.
    A judge that fails refuses nothing.

    Raises:
        GuardrailError: too short, too long, or it would command the model.
        ChatCancelledError: nobody waits for the judge any more.
    """
    cleaned = sanitised(text)
    _check_length(cleaned, minimum=minimum, maximum=maximum)
    check_rate()
    foreign = foreign_language(cleaned)
    question = CheckedQuestion(
        text=cleaned, warnings=("language",) if foreign else (), facts={"language": foreign} if foreign else {}
    )
    if is_trusted or policy == "off":
        return question
    return _judged(_scanned(question, text, policy, thresholds), policy, thresholds, judge)


def sanitised(text: str) -> str:
    """In NFC, without control and invisible characters, without white space around it; line ends and tabs stay."""
    normal = unicodedata.normalize("NFC", text.replace("\r\n", "\n").replace("\r", "\n"))
    kept = (c for c in normal if c in _KEPT_CONTROLS or unicodedata.category(c) not in _DROPPED_CATEGORIES)
    return unicodedata.normalize("NFC", "".join(kept)).strip()


def problem_message(error: GuardrailError, language: Language) -> str:
    """The reason in the language, a sentence without a full stop."""
    return language_of(language).messages.question_problems[error.kind].format(limit=error.limit)


def _check_length(text: str, *, minimum: int, maximum: int) -> None:
    if not text:
        raise GuardrailError("the question is empty; ask something", kind="empty", limit=minimum)
    if len(text) < minimum:
        raise GuardrailError(
            f"the question has {len(text)} characters, expected at least {minimum}", kind="too_short", limit=minimum
        )
    if len(text) > maximum:
        raise GuardrailError(
            f"the question has {len(text)} characters, expected at most {maximum}; shorten it",
            kind="too_long",
            limit=maximum,
        )


def _scanned(
    question: CheckedQuestion, original: str, policy: InjectionPolicy, thresholds: GuardrailThresholds
) -> CheckedQuestion:
    """By the rules; invisible characters of the question as it came are a sign as well."""
    found = max(scan(question.text), scan(original[:_MOST_SCANNED]), key=lambda scanned: scanned.score)
    told = _weighed(found.score, policy, thresholds, "injection")
    return replace(question, injection=found, warnings=(*question.warnings, *told))


def _judged(
    question: CheckedQuestion, policy: InjectionPolicy, thresholds: GuardrailThresholds, judge: QuestionJudge | None
) -> CheckedQuestion:
    if judge is None:
        return question
    try:
        score = judge.score(question.text)
    except ChatCancelledError:
        raise
    except (ChatError, CircuitOpenError, BusyError):
        return replace(question, warnings=(*question.warnings, "judge_failed"))
    told = _weighed(score, policy, thresholds, "judged_injection")
    return replace(question, judged=score, warnings=(*question.warnings, *told))


def _weighed(
    score: float, policy: InjectionPolicy, thresholds: GuardrailThresholds, warning: QuestionWarning
) -> tuple[QuestionWarning, ...]:
    """The warning that a score deserves.

    Raises:
        GuardrailError: it deserves more, and the policy refuses such questions.
    """
    if score >= thresholds.block and policy == "block":
        raise GuardrailError(
            f"the question would command the model (score {score:.2f}, refused from {thresholds.block}); ask without instructions",
            kind="injection",
            limit=0,
        )
    return (warning,) if score >= thresholds.warn else ()
