"""Earlier turns of a conversation as a model may read them: cleaned, without sentences that would command it. Pure.

A caller may give whatever conversation it likes, and call anything an earlier answer; a stored one may have been asked under other
settings. So all of it is looked at anew with every question.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from rag_core.chat import Message
from rag_core.guardrails import DEFAULT_THRESHOLDS, GuardrailThresholds, InjectionPolicy, Profile
from rag_core.guardrails.incoming import sanitised
from rag_core.guardrails.injection import scan
from rag_core.language.messages import QuestionWarning


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedHistory:
    """The messages that are left, in their order, and what whoever asks is told of the others; each warning once."""

    messages: tuple[Message, ...]
    warnings: tuple[QuestionWarning, ...] = ()


def check_history(
    messages: Sequence[Message],
    *,
    policy: InjectionPolicy = "block",
    thresholds: GuardrailThresholds = DEFAULT_THRESHOLDS,
    is_trusted: bool = False,
) -> CheckedHistory:
    """Clean what users and assistant said, each on one line, and with ``policy`` "block" leave out what would be refused as a question.

    With a question goes what was answered to it. An answer is held to more than a question, as a note is: it has no business to tell
    its reader how to answer. What only may command the model stays, with a warning; with "warn" all of it does. ``is_trusted`` and
    "off" look at nothing. What is nothing when it is cleaned is left out, and so are messages of the system.
    """
    kept: list[Message] = []
    warnings: dict[QuestionWarning, None] = {}
    is_dropping = False
    for message in messages:
        if message.role == "system":
            continue
        score = 0.0 if is_trusted or policy == "off" else _score(message)
        is_refused = score >= thresholds.block and policy == "block"
        if is_refused:
            warnings["earlier_dropped"] = None
        elif score >= thresholds.warn:
            warnings["earlier_injection"] = None
        is_dropping = is_refused if message.role == "user" else is_dropping
        cleaned = replace(message, content=_cleaned(message.content))
        if cleaned.content and not is_dropping and not is_refused:
            kept.append(cleaned)
    return CheckedHistory(messages=tuple(kept), warnings=tuple(warnings))


def _score(message: Message) -> float:
    """Score a message before and after cleaning: the removed characters may be a sign of an attack, or hide one."""
    profile: Profile = "question" if message.role == "user" else "note"
    return max(scan(text, profile=profile).score for text in {message.content, _cleaned(message.content)})


def _cleaned(text: str) -> str:
    return " ".join(sanitised(text).split())
