"""German: text before a chunk that is embedded with its context."""

from rag_core.language.context import ContextWording

CONTEXT = ContextWording(
    part="Teil {number} von {total} einer Notiz über: {summary}",
    first="Dies ist der erste Abschnitt.",
    middle="Dies ist ein mittlerer Abschnitt.",
    last="Dies ist der letzte Abschnitt.",
    only="Dies ist die ganze Notiz.",
)
