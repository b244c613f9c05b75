"""Passages of notes: a sentence with those after it that are read together with it. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import takewhile

from rag_core.answering.quoting.sentence_scores import MAX_AFTER, ScoredSentence, passage_length
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
    if lead.is_field:
        return (lead,)
    places = ((lead.source.number, lead.place + step) for step in range(1, MAX_AFTER + 1))
    read = [lead, *(by_place[at] for at in takewhile(by_place.__contains__, places))]
    after = read[1 : passage_length([sentence.text for sentence in read])]
    return (lead, *takewhile(lambda sentence: not is_order(sentence.text), after))


@lru_cache(maxsize=4096)
def is_order(text: str) -> bool:
    """Test whether a sentence would command its reader."""
    return scan(text, profile="note").score >= BLOCK_SCORE
