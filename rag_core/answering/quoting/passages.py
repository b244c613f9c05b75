"""Passages of notes: a sentence with those after it that are read together with it. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from rag_core.answering.quoting.sentence_scores import ScoredSentence, passage_length
from rag_core.guardrails import BLOCK_SCORE
from rag_core.guardrails.injection import scan

Passage = tuple[ScoredSentence, ...]


def ranked_passages(scored: Sequence[ScoredSentence], leads: Sequence[ScoredSentence]) -> Iterator[Passage]:
    """The passages of ``scored`` that begin with one of the leads, the best first, none with a sentence of an earlier one.

    No sentence that would command its reader is in one. They are computed lazily, since a note may have thousands of sentences.
    """
    by_place = {(sentence.source.number, sentence.place): sentence for sentence in scored}
    taken = set[ScoredSentence]()
    for lead in sorted(leads, key=lambda sentence: -sentence.score):
        if lead in taken or is_order(lead.text):
            continue
        passage = _passage(lead, by_place)
        if taken.isdisjoint(passage):
            taken.update(passage)
            yield passage


def _passage(lead: ScoredSentence, by_place: Mapping[tuple[int, int], ScoredSentence]) -> Passage:
    number, place = lead.source.number, lead.place
    following = [lead]
    while (sentence := by_place.get((number, place + len(following)))) is not None:
        is_beyond = passage_length([*(one.text for one in following), sentence.text]) == len(following)
        if is_beyond or is_order(sentence.text):
            break
        following.append(sentence)
    return tuple(following)


@lru_cache(maxsize=4096)
def is_order(text: str) -> bool:
    """Test whether a sentence would command its reader."""
    return scan(text, profile="note").score >= BLOCK_SCORE
