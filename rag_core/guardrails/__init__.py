"""Checks of questions and answers by readable rules: hidden instructions, personal data, secrets.

``injection`` finds sentences that would command a model, ``neutral`` takes them out of what a model reads, ``personal_data`` and
``secrets`` find what must not be shown, ``spaced`` undoes the spelling that hides it from them, ``links`` finds addresses and
``prompt_echo`` a model's own instructions in what it says. ``incoming`` is the order in which a question is checked, ``history`` what
is left of the conversation before it, ``outgoing`` what is done to the text of an answer, ``policies`` what the settings say of both,
``judge`` asks a model where there is one.
Not here: how often somebody may ask (``rag_core.access.limits``), whether an answer is held by its sources
(``rag_core.answering.verification.check``), answers with their citations (``rag_core.answering.finishing``).
Pure but for ``judge``.
"""

from dataclasses import dataclass
from typing import Literal

from rag_core.model.note import Span

PersonalDataKind = Literal["email", "phone", "iban", "dni", "nie", "tax_id", "social_id", "card"]
SecretKind = Literal["password", "api_key", "token", "private_key"]
LinkKind = Literal["link"]
InjectionPolicy = Literal["block", "warn", "off"]
"""Treatment of a question that would command the model: refused, answered with a warning, or not checked."""
RedactionPolicy = Literal["redact", "warn", "off"]
"""Treatment of personal data and secrets in an answer: hidden, reported, or not searched for."""
Profile = Literal["question", "note"]
"""Kind of text that is scanned. A question may tell its reader what to do and how to answer; a note has no business to."""

WARN_SCORE = 0.5
"""From here on a text is told of as one that may try to command a model."""
BLOCK_SCORE = 0.8
"""From here on a question is refused, and a note's sentence is withheld from the model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GuardrailThresholds:
    """Scores from which a question, or a message before it, brings a warning or is refused. Notes always have the defaults."""

    warn: float = WARN_SCORE
    block: float = BLOCK_SCORE


DEFAULT_THRESHOLDS = GuardrailThresholds()


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A stretch of a text that must not be shown, and what it is."""

    span: Span
    kind: PersonalDataKind | SecretKind | LinkKind
