"""Text of a contextual vector, composed as staging does."""

from rag_core.embedding.context import contextual_info, titled, with_context
from rag_core.model.note import Language


def contextual_input(*, title: str | None, summary: str, chunk: str, index: int, total: int, language: Language) -> str:
    """Compose the text of a chunk's contextual vector: the information, a blank line, the chunk.

    The title is put before a summary that does not begin with it. ``index`` counts from 0.

    Raises:
        ValueError: index is outside [0, total).
    """
    about = titled(title, summary)
    return with_context(contextual_info(summary=about, index=index, total=total, language=language), chunk)
