"""Texts that the two vectors of a chunk are made of. Pure."""

from rag_core.chunking.sentences import sentence_spans
from rag_core.embedding.context import titled, with_context
from rag_core.model.embedding import MAX_STORED_NUMBERS, EmbeddingKind, EmbeddingModel
from rag_core.model.note import Language

LEAST_CHARACTERS = 40
"""A shorter sentence is embedded together with the next: "Sí." has no meaning of its own."""


def vector_texts(
    model: EmbeddingModel,
    kind: EmbeddingKind,
    content: str,
    context: str | None,
    *,
    title: str | None,
    language: Language,
) -> tuple[str, ...]:
    """Texts whose vectors are stored, one after another, as the chunk's vector of that kind; mostly one.

    The standard vector of a model that searches sentences is that of each sentence, with the note's title before it. A note that
    is not chunked yet has no context, and one vector for both kinds.
    """
    if context is None:
        return (content,)
    if kind == "contextual":
        return (with_context(context, content),)
    if model.searched_vectors != "sentences":
        return (content,)
    sentences = sentences_of(content, language, most=MAX_STORED_NUMBERS // model.dimensions)
    return tuple(titled(title, sentence) for sentence in sentences)


def sentences_of(content: str, language: Language, *, most: int) -> tuple[str, ...]:
    """The sentences of a chunk, the short ones joined to those after them; at most ``most``, of which the last has the rest."""
    joined: list[str] = []
    is_open = False
    for start, end in sentence_spans(content, language):
        if is_open or len(joined) == most:
            joined[-1] += content[start:end]
        else:
            joined.append(content[start:end])
        is_open = len(joined[-1].strip()) < LEAST_CHARACTERS
    if is_open and len(joined) > 1:
        rest = joined.pop()
        joined[-1] += rest
    return tuple(text.strip() for text in joined if text.strip()) or (content,)
