"""A summary of a text made of its own sentences."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from math import log1p, sqrt

from rag_core.enrichment.reading import ReadText, function_words
from rag_core.model.note import Span

MAX_SENTENCES = 3
MAX_SUMMARY_LENGTH = 400
"""Code points of all sentences of a summary together."""
LEAST_LENGTH = 300
"""A shorter text is its own summary."""
_LEAST_WORDS, _MOST_WORDS = 5, 45
_FIRST = 1.5
_STRUCTURE = ("#", "|", "- ", "* ", "+ ", "• ", "```", "![")


def summarise(read: ReadText, sentences: Sequence[Span]) -> tuple[Span, ...]:
    """Spans of one to three sentences in the text's order, trimmed; () for a short text or one without sentences.

    Each time the sentence is taken whose new words weigh most: Σ log(1 + count of the word in the text) / √(words of the sentence),
    the first sentence half as much again.

    Source: Nenkova & Vanderwende, The impact of frequency on summarization (SumBasic), 2005.
    """
    if len(read.text) < LEAST_LENGTH:
        return ()
    counts = _counts(read)
    offered = [span for span in map(lambda one: _trimmed(read.text, one), sentences) if _is_prose(read, span)]
    told: set[str] = set()
    taken: list[Span] = []
    while offered and len(taken) < MAX_SENTENCES:
        best = max(offered, key=lambda span: _worth(read, span, counts, told) * (_FIRST if span == offered[0] else 1))
        offered.remove(best)
        if sum(end - start for start, end in taken) + best[1] - best[0] <= MAX_SUMMARY_LENGTH:
            taken.append(best)
            told |= set(_stems(read, best))
    return tuple(sorted(taken))


def _counts(read: ReadText) -> Counter[str]:
    empty = function_words(read.language)
    return Counter(stem for word, stem in zip(read.words, read.stems, strict=True) if word not in empty)


def _worth(read: ReadText, span: Span, counts: Counter[str], told: set[str]) -> float:
    stems = _stems(read, span)
    return sum(log1p(counts[stem]) for stem in set(stems) - told) / sqrt(len(stems))


def _stems(read: ReadText, span: Span) -> Sequence[str]:
    return read.stems[bisect_left(read.starts, span[0]) : bisect_left(read.starts, span[1])]


def _is_prose(read: ReadText, span: Span) -> bool:
    sentence = read.text[slice(*span)]
    return (
        _LEAST_WORDS <= len(_stems(read, span)) <= _MOST_WORDS
        and not sentence.startswith(_STRUCTURE)
        and sentence[-1:] in {".", "!", "?", "…", "»", "”", '"'}
    )


def _trimmed(text: str, span: Span) -> Span:
    sentence = text[slice(*span)]
    start = span[0] + len(sentence) - len(sentence.lstrip())
    return start, max(start, span[0] + len(sentence.rstrip()))
