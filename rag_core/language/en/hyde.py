"""English: prompts for a hypothetical answer."""

from rag_core.language.hyde import HydeWording

HYDE = HydeWording(
    system="You write hypothetical answers that make it easier to search through notes.",
    user="Write a detailed hypothetical answer to this question, the way it might stand in a personal diary "
    "note:\n\nQuestion: {query}\n\nHypothetical answer:",
)
