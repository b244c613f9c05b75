"""Judges of an answer by its meaning: the interface, and judging by a chat model."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from rag_core.answering.verification.support_judge import verdict_schema
from rag_core.chat import ChatModel, Message, build_chat
from rag_core.errors import ChatError
from rag_core.evaluation.runs.lexical import claims_of
from rag_core.language.languages import language_of
from rag_core.model.answer_reading import Judgement
from rag_core.model.note import Language

if TYPE_CHECKING:
    from rag_core.runtime.engine import Engine

PROMPT_VERSION = "1"
"""To be raised with any change of what is asked."""
BEST_SCORE = 10
MAX_CLAIMS = 50
_TOKENS_A_VERDICT = 24
_SHOWN_CHARACTERS = 80


class Judge(Protocol):
    """Scorer of answers; a score that it cannot give is a failure in the judgement, never an error."""

    @property
    def name(self) -> str:
        """The judging model and the version of what it is asked."""
        ...

    def judge(
        self,
        *,
        query: str,
        answer: str,
        context: str,
        expected_answer: str,
        key_facts: Sequence[str],
        language: Language,
        timeout_seconds: float,
    ) -> Judgement:
        """Score an answer that is no refusal; ``context`` is exactly what the answerer was given of the sources."""
        ...


_Form = TypeVar("_Form", bound=BaseModel)


class _Verdict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    id: int
    supported: bool


class _Verdicts(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    verdicts: list[_Verdict]


class _Score(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    score: float = Field(ge=0, le=BEST_SCORE, allow_inf_nan=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatJudge:
    """A chat model at temperature 0, asked for each score by itself; ``is_own`` when it also wrote the answers.

    groundedness = claims of the answer that follow from the context / claims; key facts covered likewise; relevance is a
    score from 0 to 10, over 10. What is not the JSON asked for is a failure: it is neither guessed nor repaired.

    Source: Es et al., RAGAS, 2023, section 3 (faithfulness by claims).
    """

    chat: ChatModel
    is_own: bool = False

    @property
    def name(self) -> str:
        """The chat model and the version of the prompts; it says so when the model judges its own answers."""
        return f"chat:{self.chat.name}@{PROMPT_VERSION}{' (judges its own answers)' if self.is_own else ''}"

    def judge(
        self,
        *,
        query: str,
        answer: str,
        context: str,
        expected_answer: str,
        key_facts: Sequence[str],
        language: Language,
        timeout_seconds: float,
    ) -> Judgement:
        """Score an answer; each score has the whole time, and one that fails spoils no other."""
        failures: list[str] = []

        def attempt(name: str, score: Callable[[], float | None]) -> float | None:
            try:
                return score()
            except ChatError:
                failures.append(name)
                return None

        claims = [claim.text for claim in claims_of(answer, language)][:MAX_CLAIMS]
        given = {"question": query, "expected": expected_answer, "answer": answer}
        return Judgement(
            groundedness=attempt(
                "groundedness",
                lambda: self._share(
                    language_of(language).instructions.groundedness,
                    {"sources": json.loads(context)},
                    claims,
                    timeout_seconds,
                ),
            ),
            answer_relevance=attempt(
                "answer_relevance",
                lambda: self._score(language_of(language).instructions.answer_relevance, given, timeout_seconds),
            ),
            key_facts_covered=attempt(
                "key_facts_by_meaning",
                lambda: self._share(
                    language_of(language).instructions.key_facts, {"answer": answer}, key_facts, timeout_seconds
                ),
            ),
            failures=tuple(failures),
        )

    def _share(
        self, instructions: str, given: Mapping[str, Any], claims: Sequence[str], timeout_seconds: float
    ) -> float | None:
        if not claims:
            return None
        numbered = [{"id": number, "text": text} for number, text in enumerate(claims, 1)]
        answer = self.chat.complete(
            _messages(instructions, {**given, "claims": numbered}),
            timeout_seconds=timeout_seconds,
            schema=verdict_schema(len(claims)),
            max_tokens=_TOKENS_A_VERDICT * (len(claims) + 1),
        )
        return sum(parse_verdicts(answer, len(claims))) / len(claims)

    def _score(self, instructions: str, given: Mapping[str, Any], timeout_seconds: float) -> float:
        answer = self.chat.complete(
            _messages(instructions, given),
            timeout_seconds=timeout_seconds,
            schema=_SCORE_SCHEMA,
            max_tokens=2 * _TOKENS_A_VERDICT,
        )
        return parse_score(answer)


def build_judge(engine: "Engine") -> Judge | None:
    """Build the judge: the judge model of the settings, else the chat model, which then judges its own answers; else None."""
    settings = engine.settings
    if settings.judge_model is None or (engine.chat is not None and settings.judge_model == engine.chat.name):
        return None if engine.chat is None else ChatJudge(chat=engine.chat, is_own=True)
    from rag_core.chat.guarded import GuardedChat
    from rag_core.resilience.circuit_breaker import CircuitBreaker

    chat = build_chat(settings.judge_model, settings)
    return ChatJudge(chat=GuardedChat(chat, breaker=CircuitBreaker("judge"), places=engine.places))


def parse_verdicts(answer: str, claims: int) -> list[bool]:
    """The verdicts on so many claims in their order.

    Raises:
        ChatError: not the JSON asked for, a claim without a verdict or with two.
    """
    try:
        given = _read(_Verdicts, answer).verdicts
    except ValueError as error:
        raise _unusable(answer, '{"verdicts": [{"id": 1, "supported": true}]}') from error
    by_id = {verdict.id: verdict.supported for verdict in given}
    if len(given) != claims or sorted(by_id) != list(range(1, claims + 1)):
        raise _unusable(answer, f"one verdict for each of {claims} claims")
    return [by_id[number] for number in range(1, claims + 1)]


def parse_score(answer: str) -> float:
    """The score over 10, in [0, 1]; a number out of bounds is no score, nor is one written as text ("8/10").

    Raises:
        ChatError: not the JSON asked for.
    """
    try:
        return _read(_Score, answer).score / BEST_SCORE
    except ValueError as error:
        raise _unusable(answer, '{"score": 0 to 10}') from error


def _read(form: type[_Form], answer: str) -> _Form:
    """The answer in the form asked for; a name that is given twice is in no form, as readers differ on which one holds.

    Raises:
        ValueError: it is not in that form.
    """
    given = form.model_validate_json(answer)
    json.loads(answer, object_pairs_hook=_named_once)
    return given


def _named_once(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(pairs)) < len(pairs):
        raise ValueError("a name is given twice")
    return dict(pairs)


def _messages(instructions: str, given: Mapping[str, Any]) -> list[Message]:
    return [
        Message(role="system", content=instructions),
        Message(role="user", content=json.dumps(given, ensure_ascii=False)),
    ]


_SCORE_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {"score": {"type": "number", "minimum": 0, "maximum": BEST_SCORE}},
    "required": ["score"],
    "additionalProperties": False,
}


def _unusable(answer: str, expected: str) -> ChatError:
    return ChatError(
        f"the judge answered {answer[:_SHOWN_CHARACTERS]!r}; expected {expected}, so nothing of it is used. "
        "Try another model as BRAIN_JUDGE_MODEL."
    )
