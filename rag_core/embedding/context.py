"""Context of a chunk for its contextual vector: the subject of the note, and the part of it that this is.

The standard vector is of the chunk alone. Queries are embedded without context.
"""

from rag_core.chunking.graphemes import is_cluster_boundary
from rag_core.language.context import ContextWording
from rag_core.language.languages import language_of
from rag_core.model.note import Language

CONTEXT_VERSION = "1"
"""To be raised with any change of what these functions return: stored contextual vectors are then stale."""

MAX_SUMMARY_CHARACTERS = 200


def with_context(info: str, chunk: str) -> str:
    """Put the contextual information before the chunk, a blank line between."""
    return f"{info}\n\n{chunk}"


def contextual_info(*, summary: str, index: int, total: int, language: Language) -> str:
    """Say which part of which note a chunk is, in the note's language; ``index`` counts from 0.

    Raises:
        ValueError: index is outside [0, total).
    """
    if not 0 <= index < total:
        raise ValueError(f"chunk {index} of {total}; expected an index from 0 to {total - 1}")
    wording = language_of(language).context
    part = wording.part.format(number=index + 1, total=total, summary=summary)
    return f"{part} {_position(wording, index, total)}"


def _position(wording: ContextWording, index: int, total: int) -> str:
    if total == 1:
        return wording.only
    if index == 0:
        return wording.first
    return wording.last if index == total - 1 else wording.middle


def template_summary(title: str | None, content: str) -> str:
    """Summarise a note without a model: its title and the first 200 characters on one line, '...' if cut.

    The cut is at the end of a word, or inside one longer than half of that, and never inside a grapheme. A
    title the content begins with is not repeated. Without title and content it is ''.
    """
    # As many words as characters are always more than enough; a note may have a million.
    words = content.split(maxsplit=MAX_SUMMARY_CHARACTERS)[:MAX_SUMMARY_CHARACTERS]
    line = " ".join(words)
    if len(line) > MAX_SUMMARY_CHARACTERS:
        line = f"{cut_at_word(line, MAX_SUMMARY_CHARACTERS)}..."
    return titled(title, line)


def cut_at_word(line: str, limit: int) -> str:
    """At most ``limit`` characters: to the end of a word, or inside one longer than half of that, never in a grapheme."""
    if len(line) <= limit:
        return line
    space = line.rfind(" ", 0, limit + 1)
    end = space if space > limit // 2 else limit
    while not is_cluster_boundary(line, end):
        end -= 1
    return line[:end].rstrip()


def titled(title: str | None, summary: str) -> str:
    """Put the title before a summary that does not begin with it, on one line."""
    heading = " ".join((title or "").split())
    if not heading or summary.casefold().startswith(heading.casefold()):
        return summary
    separator = " " if heading[-1] in ".?!…:" else ". "
    return f"{heading}{separator}{summary}".rstrip()
