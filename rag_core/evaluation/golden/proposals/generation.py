"""Questions written by a chat model on a passage, taken only where its quote stands in the passage."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from rag_core.chat import ChatModel, Message
from rag_core.errors import ChatError
from rag_core.evaluation.golden.proposals.templates import MAX_QUESTION_CHARACTERS, MAX_QUOTE_CHARACTERS
from rag_core.evaluation.runs.lexical import says
from rag_core.language.languages import language_of
from rag_core.model.golden import Category
from rag_core.model.golden_proposal import ProposalCandidate, ProposalNote

PASSAGE_CHARACTERS = 2_000
MAX_TOKENS = 400
_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {"question": {"type": "string"}, "answer": {"type": "string"}, "quote": {"type": "string"}},
    "required": ["question", "answer", "quote"],
    "additionalProperties": False,
}


class _Written(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, str_strip_whitespace=True)

    question: str = Field(min_length=8, max_length=MAX_QUESTION_CHARACTERS)
    answer: str = Field(min_length=1, max_length=400)
    quote: str = Field(min_length=3, max_length=MAX_QUOTE_CHARACTERS)


def generate_candidate(
    note: ProposalNote, template: ProposalCandidate, category: Category, *, chat: ChatModel, timeout_seconds: float
) -> ProposalCandidate:
    """Have the model write a question of that category on the passage around a template's span.

    Raises:
        ChatError: the model failed, answered something else than the JSON asked for, quoted what is not in the passage, or
            gave the answer away in the question.
    """
    start = max(0, (template.span[0] + template.span[1] - PASSAGE_CHARACTERS) // 2)
    passage = note.content[start : start + PASSAGE_CHARACTERS]
    answer = chat.complete(
        _messages(note, passage, category), timeout_seconds=timeout_seconds, schema=_SCHEMA, max_tokens=MAX_TOKENS
    )
    written = _parsed(answer, chat.name)
    at = passage.find(written.quote)
    if at < 0:
        raise ChatError(
            f"{chat.name} quoted {written.quote[:60]!r}, which is not in the passage; the question is not used"
        )
    if says(written.question, written.answer, note.language):
        raise ChatError(f"{chat.name} put the answer into its question {written.question[:60]!r}; it is not used")
    return replace(
        template,
        span=(start + at, start + at + len(written.quote)),
        quote=written.quote,
        query=written.question,
        expected_answer=written.answer,
        method=f"model:{chat.name}",
    )


def _messages(note: ProposalNote, passage: str, category: Category) -> list[Message]:
    asked = {
        "title": note.title or "",
        "date": note.created_at.date().isoformat(),
        "passage": passage,
        "kind": category,
    }
    return [
        Message(role="system", content=language_of(note.language).instructions.proposal),
        Message(role="user", content=json.dumps(asked, ensure_ascii=False)),
    ]


def _parsed(answer: str, model: str) -> _Written:
    try:
        return _Written.model_validate_json(answer)
    except ValidationError as error:
        raise ChatError(
            f'{model} answered {answer[:60]!r}; expected JSON {{"question", "answer", "quote"}}. Try another model.'
        ) from error
