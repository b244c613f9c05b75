"""Texts that the two vectors of a chunk are made of. Pure."""

from dataclasses import dataclass

from rag_core.chunking.sentences import sentence_spans
from rag_core.chunking.structure import cells_of, row_text, structure_of
from rag_core.embedding import reads_together
from rag_core.embedding.context import titled, with_context
from rag_core.embedding.together import ReadTogether
from rag_core.model.chunk import ChunkText
from rag_core.model.embedding import MAX_STORED_NUMBERS, EmbeddingKind, EmbeddingModel, input_hash
from rag_core.model.note import Language, Span

LEAST_CHARACTERS = 40
"""A shorter sentence is embedded together with the next: "Sí." has no meaning of its own."""
READ_TOGETHER = "late"
"""The chunker whose sentences get their vectors from the whole chunk."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddedPart:
    """A stretch of a chunk that has a vector of its own, and the text that is embedded for it."""

    span: Span
    text: str


def vector_texts(model: EmbeddingModel, kind: EmbeddingKind, chunk: ChunkText) -> tuple[str, ...]:
    """Texts whose vectors are stored, one after another, as the chunk's vector of that kind; mostly one.

    The standard vector of a model that searches sentences is that of each sentence, with the note's title before it, and of each row
    of a table, with the headers. A note that is not chunked yet has no context, and one vector for both kinds.
    """
    if chunk.context is None:
        return (chunk.content,)
    if kind == "contextual":
        return (with_context(chunk.context, _with_headers(chunk)),)
    if model.searched_vectors != "sentences":
        return (_with_headers(chunk),)
    parts = parts_of(chunk, most=MAX_STORED_NUMBERS // model.dimensions)
    if chunk.chunking_method == READ_TOGETHER and chunk.headers is None and reads_together(model):
        return ReadTogether((chunk.title or "", *(part.text for part in parts)))
    return tuple(titled(chunk.title, part.text) for part in parts)


def vector_hash(model: EmbeddingModel, texts: tuple[str, ...]) -> bytes:
    """The key under which the vectors of a chunk's texts are stored as one; see ``input_hash``."""
    marks = ("read together",) if isinstance(texts, ReadTogether) else ()
    return input_hash(model, *marks, *texts, role="document")


def parts_of(chunk: ChunkText, *, most: int) -> tuple[EmbeddedPart, ...]:
    """The sentences of a chunk, short ones joined to those after them, or the rows of its table; at most ``most``.

    Those beyond are joined to the last. A row is written as ``row_text``, behind the caption; what stands before the table is read as
    sentences.
    """
    tables = () if chunk.headers is None else structure_of(chunk.content).tables
    if chunk.headers is None or (chunk.kind == "table_summary" and not tables):
        return tuple(_sentences(chunk.content, chunk.language, most)) or (_whole(chunk.content),)
    parts: list[EmbeddedPart] = []
    start = tables[-1].start if tables else 0
    if start:
        parts += _sentences(chunk.content[:start], chunk.language, most)
    rows = tables[-1].rows if tables else _lines(chunk.content)
    if tables and (chunk.kind == "table_summary" or not rows):
        parts.append(_part(chunk.content, (start, len(chunk.content)), titled(chunk.caption, ", ".join(chunk.headers))))
        rows = ()
    for row in rows:
        text = row_text(chunk.headers, cells_of(chunk.content[slice(*row)]))
        if text:
            parts.append(_part(chunk.content, row, titled(chunk.caption, text)))
    return _at_most(parts, most) or (_whole(chunk.content),)


def _with_headers(chunk: ChunkText) -> str:
    if chunk.kind != "table_segment" or chunk.headers is None:
        return chunk.content
    return f"{chunk.caption or ''}\n| {' | '.join(chunk.headers)} |\n{chunk.content}".lstrip()


def _sentences(content: str, language: Language, most: int) -> list[EmbeddedPart]:
    joined: list[Span] = []
    is_open = False
    for start, end in sentence_spans(content, language):
        if is_open or len(joined) == most:
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
        is_open = len(content[slice(*joined[-1])].strip()) < LEAST_CHARACTERS
    if is_open and len(joined) > 1:
        _, end = joined.pop()
        joined[-1] = (joined[-1][0], end)
    return [_part(content, span, content[slice(*span)]) for span in joined if content[slice(*span)].strip()]


def _part(content: str, span: Span, text: str) -> EmbeddedPart:
    """A part of the span without the white space around it."""
    stretch = content[slice(*span)]
    start = span[0] + len(stretch) - len(stretch.lstrip())
    return EmbeddedPart(span=(start, start + len(stretch.strip())), text=text.strip())


def _at_most(parts: list[EmbeddedPart], most: int) -> tuple[EmbeddedPart, ...]:
    if len(parts) > most:
        rest = parts[most - 1 :]
        whole = EmbeddedPart(span=(rest[0].span[0], rest[-1].span[1]), text=" ".join(part.text for part in rest))
        return (*parts[: most - 1], whole)
    return tuple(parts)


def _lines(content: str) -> tuple[Span, ...]:
    spans, start = [], 0
    for line in content.split("\n"):
        end = min(start + len(line) + 1, len(content))
        if start < end:
            spans.append((start, end))
        start = end
    return tuple(spans)


def _whole(content: str) -> EmbeddedPart:
    return EmbeddedPart(span=(0, len(content)), text=content)
