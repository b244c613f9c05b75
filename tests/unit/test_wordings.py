"""Wording of answers: informal of somebody's notes, formal of a company's documents in German."""

import re
from dataclasses import fields

import pytest

from rag_core.answering.verification.refusals import is_refusal
from rag_core.language.wordings import DOCUMENT_INSTRUCTIONS, DOCUMENTS, NOTES, wordings_of

INFORMAL = re.compile(r"\b(?:du|dein\w*|dir|dich|Notiz\w*)\b", re.IGNORECASE)


def german_texts() -> list[str]:
    wording = DOCUMENTS["de"]
    values = [getattr(wording, field.name) for field in fields(wording)]
    return [text for value in values for text in ([value] if isinstance(value, str) else value.values())]


@pytest.mark.parametrize("text", german_texts())
def test_rag_v2_is_formal_and_speaks_of_documents(text: str) -> None:
    assert INFORMAL.search(text) is None


def test_rag_v2_alone_speaks_of_documents() -> None:
    assert wordings_of("rag_v2")["de"].not_enough.startswith("Die verfügbaren Unternehmensdokumente")
    assert wordings_of("query") is NOTES


@pytest.mark.parametrize(
    "text",
    [
        DOCUMENTS["de"].no_answer,
        DOCUMENTS["de"].not_enough,
        "Die bereitgestellten Dokumente enthalten dazu nichts.",
        "In den Unternehmensdokumenten steht nichts dazu.",
    ],
)
def test_a_refusal_of_rag_v2_is_known_as_one(text: str) -> None:
    assert is_refusal(text, "de")


def test_the_instructions_of_rag_v2_begin_as_specified() -> None:
    assert DOCUMENT_INSTRUCTIONS.startswith(
        "Sie sind ein hilfreicher KI-Assistent, der Fragen basierend auf Unternehmensdokumenten beantwortet."
    )
