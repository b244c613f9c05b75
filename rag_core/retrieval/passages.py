"""The best passage of a note that is not chunked yet: what to show of a long text that matched as a whole."""

import re
import unicodedata

from rag_core.chunking import chunk_spans, sentence_spans, window_bounds
from rag_core.configuration.schema import Chunking
from rag_core.model.note import Language, Span

_WORD = re.compile(r"\w+")
MAX_READ_CHARACTERS = 100_000
"""Characters read of a note that is not chunked yet: splitting that much takes up to 0.15 s for each note found."""
_STEM_CHARACTERS = 5
_SHORT_WORD = 3


def best_passage(
    text: str,
    query: str,
    *,
    language: Language,
    sizes: Chunking,
    before: int,
    after: int,
    max_tokens: int | None = None,
) -> tuple[Span, Span]:
    """The chunk of the text that shares most word beginnings with the query, and its window; the first one on a tie.

    The window has at most ``max_tokens``, unless the chunk alone has more. Of a longer text the first ``MAX_READ_CHARACTERS`` are
    read.
    """
    text = text[:MAX_READ_CHARACTERS]
    sentences = sentence_spans(text, language)
    spans = chunk_spans(
        text,
        sentences,
        max_tokens=sizes.max_chunk_size,
        overlap_tokens=sizes.overlap_size,
        min_tokens=sizes.min_chunk_size,
    )
    wanted = word_beginnings(query)
    best = max(spans, key=lambda span: len(wanted & word_beginnings(text[span.start : span.end])))
    chosen = (best.start, best.end)
    starts = [start for start, _ in sentences]
    return chosen, window_bounds(starts, len(text), chosen, before=before, after=after, max_tokens=max_tokens)


def word_beginnings(text: str) -> set[str]:
    """First five letters of each word longer than three, lower-case, without accents."""
    return {word[:_STEM_CHARACTERS] for word in _WORD.findall(_folded(text)) if len(word) > _SHORT_WORD}


def _folded(text: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFD", text.casefold()) if not unicodedata.combining(c))


def best_snippet(text: str, query: str, *, language: Language, max_characters: int = 320) -> str:
    """The run of whole sentences that shares most word beginnings with the query, in at most ``max_characters``.

    A first sentence longer than that is cut at a word with '…'. Line breaks become spaces.
    """
    sentences = [" ".join(text[start:end].split()) for start, end in sentence_spans(text, language)]
    wanted = word_beginnings(query)
    runs = [_run_from(sentences, first, max_characters) for first in range(len(sentences))]
    best = max(runs, key=lambda run: len(wanted & word_beginnings(run)), default="")
    return best if len(best) <= max_characters else f"{best[:max_characters].rsplit(' ', 1)[0]}…"


def _run_from(sentences: list[str], first: int, max_characters: int) -> str:
    run = sentences[first]
    for sentence in sentences[first + 1 :]:
        if len(run) + 1 + len(sentence) > max_characters:
            break
        run = f"{run} {sentence}".strip()
    return run
