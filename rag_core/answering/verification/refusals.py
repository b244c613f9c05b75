"""Detection of answers that say that there is none. Pure."""

import re

from rag_core.answering.verification.citations import parse_citations
from rag_core.chunking import sentence_spans
from rag_core.language import LANGUAGES
from rag_core.language.languages import language_of
from rag_core.language.wordings import NO_ANSWER_IN_DOCUMENTS
from rag_core.model.note import Language

_NO_ANSWERS = {NO_ANSWER_IN_DOCUMENTS, *(language_of(language).messages.no_answer for language in LANGUAGES)}
PART_END = re.compile(r"[;:!…\n]|,(?!\d)|\.(?!\w)|\s[-\u2013]\s|\u2014")


def is_refusal(text: str, language: Language) -> bool:
    """Test whether the first sentence says that the sources hold no answer, and nothing is cited.

    What cites a source has found something, whatever else it says, and so has a sentence that goes on with what there is
    instead ("No tengo notas de eso, pero la reunión fue el 3 de mayo."). '' is no refusal.
    """
    if text.strip() in _NO_ANSWERS:
        return True
    sentences = sentence_spans(text, language)
    if not sentences or parse_citations(text):
        return False
    start, end = sentences[0]
    return admits_ignorance(text[start:end], language)


def admits_ignorance(sentence: str, language: Language) -> bool:
    """Test whether a sentence says that the sources hold no answer, and does not go on with what there is instead."""
    refusal = language_of(language).refusals.refusal.search(sentence)
    return refusal is not None and language_of(language).refusals.contrast.search(sentence, refusal.end()) is None


def without_refusal(sentence: str, language: Language) -> str:
    """The text beside the words of a refusal: before them, and from the end of their part of the sentence on."""
    refusal = language_of(language).refusals.refusal.search(sentence)
    if refusal is None:
        return sentence
    before = PART_END.split(sentence[: refusal.start()])[:-1]
    after = PART_END.split(sentence[refusal.end() :])[1:]
    return ", ".join([*before, *after])
