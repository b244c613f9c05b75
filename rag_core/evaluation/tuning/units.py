"""Groups of queries not to be split between choosing and judging: those that share notes, by whatever chain. No I/O."""

from collections.abc import Hashable, Sequence


def connected_units(relevant: Sequence[Sequence[Hashable]]) -> list[str]:
    """For each query the unit it belongs to: two queries have the same one if a chain of shared notes leads from one to the other.

    ``relevant`` are the relevant notes of each query, at least one. A note is then never known to whoever is judged on it. No
    queries give [].
    """
    parents: dict[Hashable, Hashable] = {}

    def root(note: Hashable) -> Hashable:
        while parents.setdefault(note, note) != note:
            parents[note] = note = parents[parents[note]]
        return note

    for notes in relevant:
        for note in notes:
            parents[root(note)] = root(notes[0])
    return [str(root(notes[0])) for notes in relevant]
