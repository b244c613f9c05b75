"""A summary of a text made of its own sentences."""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
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
_ENDS = frozenset('.!?…»”"')


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sentence:
    span: Span
    stems: frozenset[str]
    norm: float


def summarise(read: ReadText, sentences: Sequence[Span], counts: Mapping[str, int]) -> tuple[Span, ...]:
    """Spans of one to three sentences in the text's order, trimmed; () for a short text or one without sentences.

    Each time the sentence is taken whose new words weigh most: Σ log(1 + count of the word in the text) / √(words of the sentence),
    the first sentence half as much again.

    Source: Nenkova & Vanderwende, The impact of frequency on summarization (SumBasic), 2005.
    """
    if len(read.text) < LEAST_LENGTH:
        return ()
    offered = [sentence for span in sentences if (sentence := _sentence(read, _trimmed(read.text, span)))]
    weights = {stem: log1p(count) for stem, count in counts.items()}
    first, told, taken, left = offered[:1], set[str](), list[Span](), MAX_SUMMARY_LENGTH

    def worth(sentence: _Sentence) -> float:
        new = sum([weights[stem] for stem in sentence.stems - told])
        return new / sentence.norm * (_FIRST if sentence in first else 1)

    while len(taken) < MAX_SENTENCES:
        offered = [one for one in offered if one.span[1] - one.span[0] <= left and one.span not in taken]
        if not offered:
            break
        best = max(offered, key=worth)
        taken.append(best.span)
        told |= best.stems
        left -= best.span[1] - best.span[0]
    return tuple(sorted(taken))


def _sentence(read: ReadText, span: Span) -> _Sentence | None:
    """A sentence that a summary can have: neither a heading, an item or a row, nor too short or long."""
    first, end = bisect_left(read.starts, span[0]), bisect_left(read.starts, span[1])
    text = read.text[slice(*span)]
    if not _LEAST_WORDS <= end - first <= _MOST_WORDS or text.startswith(_STRUCTURE) or text[-1] not in _ENDS:
        return None
    empty = function_words(read.language)
    words = zip(read.words[first:end], read.stems[first:end], strict=True)
    return _Sentence(
        span=span, stems=frozenset(stem for word, stem in words if word not in empty), norm=sqrt(end - first)
    )


def _trimmed(text: str, span: Span) -> Span:
    sentence = text[slice(*span)]
    start = span[0] + len(sentence) - len(sentence.lstrip())
    return start, max(start, span[0] + len(sentence.rstrip()))
