"""Accuracy of the rules for follow-up questions, and of the questions that they make.

``python -m tests.benchmarks.follow_ups [--failures]`` goes through ``conversations.jsonl``: half of its last questions go on from
the ones before, half are new. Some are held back: written before the rules, and looked at only as figures. The last line of
stdout is one JSON object.
"""

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from pydantic import TypeAdapter

from rag_core.answering.understanding.follow_up import Earlier, standalone_question
from rag_core.language.content_words import tokens_of
from rag_core.model.note import Language

CONVERSATIONS = Path(__file__).with_name("conversations.jsonl")
NOW = datetime(2025, 9, 15, 12, tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """Questions asked one after another, and what the last must become.

    ``has`` are words that the question made whole must hold, ``lacks`` those that it must not.
    """

    language: Language
    earlier: tuple[str, ...]
    question: str
    is_follow_up: bool
    has: tuple[str, ...]
    lacks: tuple[str, ...]
    is_held_back: bool


_CONVERSATION = TypeAdapter(Conversation)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """Reading of a conversation's last question by the rules; None where they take it for whole."""

    conversation: Conversation
    standalone: str | None

    @property
    def is_told_right(self) -> bool:
        """Test whether the rules took it for what it is."""
        return (self.standalone is not None) == self.conversation.is_follow_up

    @property
    def is_worded_right(self) -> bool:
        """Test whether it holds the words that it must, and none that it must not; a new question stays as it is."""
        if not self.is_told_right or self.standalone is None:
            return self.is_told_right
        language = self.conversation.language
        words = set(tokens_of(self.standalone, language))
        return all(words.issuperset(tokens_of(word, language)) for word in self.conversation.has) and not any(
            words.intersection(tokens_of(word, language)) for word in self.conversation.lacks
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """Shares, each with what it is a share of.

    ``precision``: true ones among those taken for further questions; ``recall``: found ones among the true;
    ``worded``: true ones that were found and hold the right words, among the true.
    """

    conversations: int
    precision: float
    recall: float
    worded: float


def main() -> None:
    """Measure and print."""
    outcomes = [outcome_of(conversation) for conversation in read_conversations()]
    parts = {
        "seen": [outcome for outcome in outcomes if not outcome.conversation.is_held_back],
        "held_back": [outcome for outcome in outcomes if outcome.conversation.is_held_back],
    }
    if "--failures" in sys.argv:
        _print_failures(parts["seen"])
    print(json.dumps({name: asdict(figures_of(part)) for name, part in parts.items()}))


def read_conversations() -> list[Conversation]:
    """Those of the list, in its order."""
    return [_CONVERSATION.validate_json(line) for line in CONVERSATIONS.read_text(encoding="utf-8").splitlines()]


def outcome_of(conversation: Conversation) -> Outcome:
    """Read a conversation by the rules, each question in the light of those before it."""
    earlier: list[Earlier] = []
    for question in conversation.earlier:
        whole = _standalone(question, earlier, conversation.language)
        earlier.append(Earlier(question=whole or question))
    return Outcome(
        conversation=conversation, standalone=_standalone(conversation.question, earlier, conversation.language)
    )


def figures_of(outcomes: Sequence[Outcome]) -> Figures:
    """The shares; an empty denominator gives 0."""
    true = [outcome for outcome in outcomes if outcome.conversation.is_follow_up]
    taken = [outcome for outcome in outcomes if outcome.standalone is not None]
    found = sum(outcome.is_told_right for outcome in true)
    return Figures(
        conversations=len(outcomes),
        precision=_share(found, len(taken)),
        recall=_share(found, len(true)),
        worded=_share(sum(outcome.is_worded_right for outcome in true), len(true)),
    )


def _standalone(question: str, earlier: Sequence[Earlier], language: Language) -> str | None:
    return standalone_question(question, earlier, language=language, now=NOW)


def _share(part: int, whole: int) -> float:
    return round(part / whole, 3) if whole else 0.0


def _print_failures(outcomes: Sequence[Outcome]) -> None:
    for outcome in outcomes:
        if not (outcome.is_told_right and outcome.is_worded_right):
            print(f"{outcome.conversation.earlier} → {outcome.conversation.question} → {outcome.standalone}")


if __name__ == "__main__":
    main()
