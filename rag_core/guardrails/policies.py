"""Policies for questions and answers by contract, from the settings. Pure."""

from collections.abc import Callable, Mapping

from rag_core.guardrails import GuardrailThresholds, RedactionPolicy
from rag_core.guardrails.outgoing import redact
from rag_core.guardrails.personal_data import Check
from rag_core.model.note import Language
from rag_core.settings import Settings

Hiding = Callable[[str], str]
"""Change of a text before it is shown beside an answer."""

# People ask for the telephone number in their own notes. Only the contract that serves a company's documents to many hides it.
DEFAULT_REDACTION: Mapping[str, RedactionPolicy] = {"rag_v2": "redact"}


def thresholds_of(settings: Settings) -> GuardrailThresholds:
    """From which score a question brings a warning, and from which it is refused."""
    return GuardrailThresholds(warn=settings.guardrails_warn_score, block=settings.guardrails_block_score)


def redaction_policy(contract: str, setting: RedactionPolicy | None) -> RedactionPolicy:
    """The setting where there is one; else "redact" for the contract RAG V2 and "warn" for the others."""
    return setting or DEFAULT_REDACTION.get(contract, "warn")


def hiding(policy: RedactionPolicy, language: Language, *, check: Check = lambda: None) -> Hiding:
    """Change of titles, passages and quotes: with "redact" findings become placeholders in the language, else nothing changes.

    ``check`` is called while texts are read, and may raise where there is no time for more.
    """
    return (lambda text: redact(text, language, check=check).text) if policy == "redact" else (lambda text: text)
