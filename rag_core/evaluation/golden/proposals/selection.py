"""Some of many candidates, far apart: by category where a set is thin, by note, by month and by kind. Pure."""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence

from rag_core.model.golden import CATEGORIES, Category, Vocabulary, query_hash
from rag_core.model.golden_proposal import CATEGORY_OF, ProposalCandidate
from rag_core.model.note import NoteId

LARGEST_SHARE = 4
"""One template makes at most one in so many of the questions chosen, while there are others."""


def select_candidates(
    candidates: Sequence[ProposalCandidate],
    count: int,
    *,
    vocabulary: Vocabulary,
    coverage: Mapping[Category, int],
    used_notes: Collection[NoteId],
    known: Collection[bytes],
) -> list[ProposalCandidate]:
    """At most ``count``, one after the other: always of the category with fewest queries that still has a candidate.

    A kind that makes a quarter of ``count`` already, rounded up, waits until nothing else is left: one template's questions are
    alike, and so is what finds their answers.

    ``coverage`` counts the set's queries by category, and each one chosen adds to it. Within a category the note that was
    used least comes first, then the kind, then the month; last decides a hash, so that the same notes give the same
    choice. Queries whose hash is in ``known`` are passed over, repeated ones, and those that two places answer differently:
    finding either would be right.
    """
    left = [(_lot(one), one) for one in _distinct(candidates, known)]
    counts: Counter[Category] = Counter({one: coverage.get(one, 0) for one in CATEGORIES[vocabulary]})
    notes, months, kinds = Counter(used_notes), Counter[str](), Counter[str]()
    chosen: list[ProposalCandidate] = []
    most = -(-count // LARGEST_SHARE)

    def order(drawn: tuple[bytes, ProposalCandidate]) -> tuple[bool, int, int, int, int, bytes]:
        lot, one = drawn
        category = CATEGORY_OF[vocabulary][one.kind]
        return kinds[one.kind] >= most, counts[category], _uses(one, notes), kinds[one.kind], months[one.month], lot

    while left and len(chosen) < count:
        drawn = min(left, key=order)
        left.remove(drawn)
        best = drawn[1]
        chosen.append(best)
        counts[CATEGORY_OF[vocabulary][best.kind]] += 1
        notes.update(notes_of(best))
        kinds[best.kind] += 1
        months[best.month] += 1
    return chosen


def _distinct(candidates: Sequence[ProposalCandidate], known: Collection[bytes]) -> list[ProposalCandidate]:
    """One candidate of each query that is not known and has one answer."""
    by_hash: dict[bytes, set[ProposalCandidate]] = defaultdict(set)
    for one in candidates:
        by_hash[query_hash(one.query)].add(one)
    return [next(iter(same)) for digest, same in by_hash.items() if len(same) == 1 and digest not in known]


def notes_of(one: ProposalCandidate) -> list[NoteId]:
    """The notes that a candidate rests on."""
    return [one.note_id, *(place.note_id for place in one.further)]


def _uses(one: ProposalCandidate, notes: Counter[NoteId]) -> int:
    return max(notes[note_id] for note_id in notes_of(one))


def _lot(one: ProposalCandidate) -> bytes:
    return hashlib.sha256(f"{one.note_id} {one.query}".encode()).digest()
