"""Spanish: text before a chunk that is embedded with its context."""

from rag_core.language.context import ContextWording

CONTEXT = ContextWording(
    part="Parte {number} de {total} de una nota sobre: {summary}",
    first="Esta es la sección inicial.",
    middle="Esta es una sección intermedia.",
    last="Esta es la sección final.",
    only="Esta es la nota completa.",
)
