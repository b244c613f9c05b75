"""System messages to a chat model, in a language."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Instructions:
    """System messages by the task; braces hold the fields of a message."""

    answer: str
    """System message for an answer from sources; ``{no_answer}`` is the sentence for a refusal."""
    causal_statements: str
    """Instructions by language; the text follows them in a message of its own."""
    compression: str
    groundedness: str
    answer_relevance: str
    key_facts: str
    proposal: str
    passage_relevance: str
    summary: str
    support: str
