"""A sentence with what it cannot do without: what its colon announces, or what near it holds the thing that is asked for. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from rag_core.answering.quoting.openings import MAX_ITEMS, announced, announces, heads
from rag_core.answering.quoting.sentence_scores import ScoredSentence
from rag_core.guardrails import BLOCK_SCORE
from rag_core.guardrails.injection import scan
from rag_core.language.quoting import Wanted

Passage = tuple[ScoredSentence, ...]
MAX_OPENINGS = 3
"""Greatest number of headings and the like quoted in a row; a list of nothing else announces nothing."""
PLACES_OF_SHOWN = (1, -1, 2, 3)
"""Positions around a sentence where an amount, an hour or the like that it lacks is looked for."""
PLACES_OF_TOLD = (1, -1, 2)
"""Places for a cause, a yes or no, and what somebody said."""
PLACES_OF_NAMED = (1, -1)
"""Places for a number or a name, which may stand anywhere by chance: such a neighbour must share a word with the question."""
TOLD: frozenset[Wanted | None] = frozenset({"cause", "polarity", "speech"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """All scored sentences by the number of their source and their place in it; ``wanted`` is the kind of thing asked for."""

    by_place: Mapping[tuple[int, int], ScoredSentence]
    wanted: Wanted | None
    is_shown: bool

    def at(self, sentence: ScoredSentence, step: int) -> ScoredSentence | None:
        """The sentence so many places on; None where there is none that may be quoted."""
        found = self.by_place.get((sentence.source.number, sentence.place + step))
        return None if found is None or is_order(found.text) else found

    def after(self, sentence: ScoredSentence) -> Iterator[ScoredSentence]:
        """The sentences that follow without a gap, no more than can belong to an opening."""
        for step in range(1, MAX_ITEMS + 1):
            found = self.at(sentence, step)
            if found is None:
                return
            yield found


def surroundings(scored: Sequence[ScoredSentence], *, wanted: Wanted | None, is_shown: bool) -> Surroundings:
    """Of all sentences that were scored."""
    by_place = {(sentence.source.number, sentence.place): sentence for sentence in scored}
    return Surroundings(by_place=by_place, wanted=wanted, is_shown=is_shown)


def passage_of(best: ScoredSentence, around: Surroundings) -> Passage:
    """The sentence with what it needs, in the order of the note; () for a colon with nothing behind it."""
    passage = _opened(best, around) if best.is_opening else (best,)
    if not passage or around.wanted is None or any(sentence.has_kind for sentence in passage):
        return passage
    if passage[0].has_kind is None and around.wanted not in TOLD:
        return passage
    holding = next((sentence for sentence in _neighbours(best, around) if sentence.has_kind), None)
    if holding is None or holding in passage or holding.is_opening:
        return passage
    return tuple(sorted((*passage, holding), key=lambda sentence: sentence.place))


def _opened(opening: ScoredSentence, around: Surroundings) -> Passage:
    """An opening with what it announces; a heading may announce another opening, and that one more.

    Where nothing stands below it, a heading or the title stays by itself: it is all there is.
    """
    openings = [opening]
    while (following := _below(openings[-1], around)) is not None and following.is_opening:
        if len(openings) == MAX_OPENINGS:
            return ()
        openings.append(following)
    if following is None:
        return () if announces(opening.text) else (opening,)
    items = list(around.after(openings[-1]))
    return (*openings, *items[: announced([item.text for item in items])])


def _below(opening: ScoredSentence, around: Surroundings) -> ScoredSentence | None:
    found = around.at(opening, 1)
    return None if found is None or (found.is_opening and not heads(opening.text, found.text)) else found


def _neighbours(best: ScoredSentence, around: Surroundings) -> Iterator[ScoredSentence]:
    is_rare = around.is_shown or around.wanted in TOLD
    named = PLACES_OF_TOLD if is_rare else PLACES_OF_NAMED
    for step in PLACES_OF_SHOWN if around.is_shown else named:
        found = around.at(best, step)
        if found is not None and (is_rare or found.own > 0):
            yield found


@lru_cache(maxsize=4096)
def is_order(text: str) -> bool:
    """Test whether a sentence would command its reader."""
    return scan(text, profile="note").score >= BLOCK_SCORE
