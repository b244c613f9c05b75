"""Sentences as lists of texts."""

from rag_core.chunking import sentence_spans
from rag_core.model.note import Language


def pieces(text: str, language: Language = "es") -> list[str]:
    return [text[start:end] for start, end in sentence_spans(text, language)]


def parted(marked: str) -> tuple[str, list[str]]:
    """The text and its sentences, from a text where ``|`` marks the boundaries."""
    return marked.replace("|", ""), marked.split("|")
