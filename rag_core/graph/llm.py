"""Causal statements read by a chat model, taken only where its words stand in the note; else the rules read the note."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from rag_core.chat import ChatModel, Message
from rag_core.errors import ChatError
from rag_core.graph.entities import phrase
from rag_core.graph.rules import RuleExtractor
from rag_core.graph.statements import CausalExtractor, CausalKind, CausalStatement, Extraction
from rag_core.language.languages import language_of
from rag_core.model.note import Language, Span

PROMPT_VERSION = "1"
"""To be raised with any change of what is asked or taken: stored graphs are then stale."""

MAX_SIDE_CHARACTERS = 200
MAX_NOTE_CHARACTERS = 12_000
MAX_TOKENS = 2_000


class _Relation(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    cause: str = Field(min_length=1, max_length=MAX_SIDE_CHARACTERS)
    effect: str = Field(min_length=1, max_length=MAX_SIDE_CHARACTERS)
    evidence: str = Field(min_length=1)
    kind: CausalKind
    confidence: float = Field(gt=0, le=1, allow_inf_nan=False)


class _Answer(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    relations: list[Any]


_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "relations": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "cause": {"type": "string"},
                    "effect": {"type": "string"},
                    "evidence": {"type": "string"},
                    "kind": {"type": "string", "enum": ["CAUSES", "TRIGGERS", "LEADS_TO"]},
                    "confidence": {"type": "number"},
                },
                "required": ["cause", "effect", "evidence", "kind", "confidence"],
            },
        }
    },
    "required": ["relations"],
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatExtractor:
    """A chat model as an extractor; the rules stand in for it where it fails or a note is too long for it."""

    chat: ChatModel
    timeout_seconds: float = 60

    @property
    def fingerprint(self) -> str:
        """The model's name and the version of what it is asked."""
        return f"chat-{PROMPT_VERSION}:{self.chat.name}"

    def extract(self, text: str, *, language: Language, sentences: Sequence[Span]) -> Extraction:
        """The statements the model read; those of the rules, with their fingerprint, when it gave none that can be read."""
        rules = RuleExtractor()
        if len(text) > MAX_NOTE_CHARACTERS:
            return replace(rules.extract(text, language=language, sentences=sentences), fingerprint=self.fingerprint)
        try:
            statements = generate_causal_statements(
                text, language=language, sentences=sentences, chat=self.chat, timeout_seconds=self.timeout_seconds
            )
        except ChatError:
            return rules.extract(text, language=language, sentences=sentences)
        return Extraction(statements=tuple(statements), fingerprint=self.fingerprint)


def causal_extractor(chat: ChatModel | None) -> CausalExtractor:
    """Return the extractor of causal statements: the chat model, if there is one, else the rules."""
    return RuleExtractor() if chat is None else ChatExtractor(chat=chat)


def generate_causal_statements(
    text: str, *, language: Language, sentences: Sequence[Span], chat: ChatModel, timeout_seconds: float
) -> list[CausalStatement]:
    """Have a chat model read the causal statements of a text.

    A statement is dropped when a word of it is not literally in the text, when both sides mean the same, or when either
    says nothing. Its evidence is widened to whole sentences that hold both sides.

    Raises:
        ChatError: the model failed, or answered something else than the JSON asked for.
    """
    messages = [
        Message(role="system", content=language_of(language).instructions.causal_statements),
        Message(role="user", content=json.dumps({"text": text}, ensure_ascii=False)),
    ]
    answer = chat.complete(messages, timeout_seconds=timeout_seconds, schema=_SCHEMA, max_tokens=MAX_TOKENS)
    return [
        statement
        for relation in _relations(answer, chat.name)
        if (statement := _located(text, relation, language, sentences)) is not None
    ]


def _relations(answer: str, model: str) -> list[_Relation]:
    """The relations of an answer that are whole; one that is not spoils no other."""
    try:
        given = _Answer.model_validate_json(answer).relations
    except ValidationError as error:
        raise ChatError(
            f'{model} answered {answer[:60]!r}; expected JSON {{"relations": […]}}. Try another model.'
        ) from error
    found = []
    for item in given:
        try:
            found.append(_Relation.model_validate(item))
        except ValidationError:
            continue
    return found


def _located(text: str, relation: _Relation, language: Language, sentences: Sequence[Span]) -> CausalStatement | None:
    at = text.find(relation.evidence)
    if at < 0:
        return None
    said = _whole_sentences((at, at + len(relation.evidence)), sentences)
    cause, effect = _find(text, relation.cause, said), _find(text, relation.effect, said)
    if cause is None or effect is None:
        return None
    sides = phrase(relation.cause, language), phrase(relation.effect, language)
    if not all(side.content for side in sides) or sides[0].key == sides[1].key:
        return None
    return CausalStatement(
        cause=cause, effect=effect, kind=relation.kind, evidence=_stripped(text, said), confidence=relation.confidence
    )


def _whole_sentences(span: Span, sentences: Sequence[Span]) -> Span:
    touched = [sentence for sentence in sentences if sentence[0] < span[1] and span[0] < sentence[1]]
    return (touched[0][0], touched[-1][1]) if touched else span


def _find(text: str, side: str, within: Span) -> Span | None:
    words = side.strip()
    at = text.find(words, *within)
    return (at, at + len(words)) if at >= 0 and words else None


def _stripped(text: str, span: Span) -> Span:
    own = text[slice(*span)]
    start = span[0] + len(own) - len(own.lstrip())
    return start, start + len(own.strip())
