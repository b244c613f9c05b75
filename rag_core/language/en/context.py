"""English: text before a chunk that is embedded with its context."""

from rag_core.language.context import ContextWording

CONTEXT = ContextWording(
    part="Part {number} of {total} of a note about: {summary}",
    first="This is the first section.",
    middle="This is a middle section.",
    last="This is the last section.",
    only="This is the whole note.",
)
