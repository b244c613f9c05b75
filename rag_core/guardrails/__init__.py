"""What may come in and what may go out, by rules that can be read: instructions hidden in text, personal data, secrets.

``injection`` finds sentences that would command a model, ``personal_data`` and ``secrets`` find what must not be shown, ``incoming``
is the order in which a question is checked, ``outgoing`` what is done to an answer, ``judge`` asks a model where there is one.
Not here: how often somebody may ask (``rag_core.access.limits``), whether an answer is held by its sources
(``rag_core.answering.verification``). Pure but for ``judge``. Imports point to ``chat``, ``language`` and ``model``.
"""

from dataclasses import dataclass
from typing import Literal

from rag_core.model import Span

PersonalDataKind = Literal["email", "phone", "iban", "dni", "nie", "tax_id", "card"]
SecretKind = Literal["password", "api_key", "token", "private_key"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A stretch of a text that must not be shown, and what it is."""

    span: Span
    kind: PersonalDataKind | SecretKind


@dataclass(frozen=True, slots=True, kw_only=True)
class InjectionScan:
    """How likely a text tries to command a model, in [0, 1], and the sentences that do; () for harmless text."""

    score: float
    spans: tuple[Span, ...]
