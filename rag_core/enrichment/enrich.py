"""All that the rules tell of a text, put together."""

from rag_core.chunking import sentence_spans
from rag_core.enrichment.document_types import classify
from rag_core.enrichment.phrases import key_phrases, topics, weigh
from rag_core.enrichment.readability import reading_ease
from rag_core.enrichment.reading import read
from rag_core.enrichment.structure import count_structure, count_words
from rag_core.enrichment.summary import summarise
from rag_core.model.enrichment import DocumentType, Enrichment
from rag_core.model.note import Language

RULES_VERSION = "2"
"""To be raised with any change of what the rules tell: notes enriched under another are enriched again."""
_TYPES_OF_FORMATS: dict[str, DocumentType] = {"pptx": "presentation", "eml": "correspondence"}


def enrich(text: str, *, title: str | None, language: Language, file_format: str | None = None) -> Enrichment:
    """Enrich a text by the rules; its beginning decides all but the counts.

    A file of slides is a presentation and a mail correspondence, whatever they say.
    """
    words = read(text, language)
    weighed = weigh(words)
    sentences = sentence_spans(words.text, language)
    sections, tables, images = count_structure(text)
    of_format = _TYPES_OF_FORMATS.get(file_format or "")
    document_type, confidence = (of_format, 1.0) if of_format else classify(words, title)
    return Enrichment(
        document_type=document_type,
        type_confidence=round(confidence, 3),
        topics=topics(words, weighed),
        key_phrases=key_phrases(words, weighed),
        summary=summarise(words, sentences, weighed.counts),
        reading_ease=reading_ease(words, sentences=len(sentences)),
        words=count_words(text),
        sections=sections,
        tables=tables,
        images=images,
    )
