"""Precision and recall of the names that are read in labelled notes, by kind and by language.

``python -m tests.benchmarks.entities [--misses]`` reads ``tests/data/entities`` as one tenant's notes a language, and tells of two
halves: rules are written after one, the other only measures. ``--misses`` prints what is wrong in the first, never in the other.
The last line of stdout is one JSON object.
"""

import argparse
import hashlib
import json
from collections import Counter
from pathlib import Path
from typing import Any

from rag_core.graph.mentions import read_mentions
from rag_core.language import LANGUAGES
from rag_core.model.entity import ENTITY_KINDS

LABELLED = Path(__file__).parents[1] / "data/entities"


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--misses", action="store_true")
    is_telling = parser.parse_args().misses
    counts: Counter[tuple[str, str, str]] = Counter()
    for language in LANGUAGES:
        notes = [json.loads(line) for line in (LABELLED / f"{language}.jsonl").read_text(encoding="utf-8").splitlines()]
        titles = [(note["title"], language) for note in notes]
        read = read_mentions([(note["text"], language) for note in notes], known={}, others=titles)
        for note, mentions in zip(notes, read, strict=True):
            half = half_of(note["id"])
            found = {(*one.span, one.kind) for one in mentions}
            labelled = {(one["start"], one["end"], one["type"]) for one in note["mentions"]}
            for name, group in (("right", found & labelled), ("found", found), ("labelled", labelled)):
                for *_, kind in group:
                    counts.update({(half, of, name): 1 for of in (kind, language, "all")})
            if is_telling and half == "seen":
                _tell(note, sorted(labelled - found), "missed")
                _tell(note, sorted(found - labelled), "wrong")
    print(json.dumps({half: _figures(counts, half) for half in ("seen", "unseen")}))


def half_of(note_id: str) -> str:
    """The half of a note, by the first byte of its id's SHA-256."""
    return "unseen" if hashlib.sha256(note_id.encode()).digest()[0] % 2 else "seen"


def _tell(note: dict[str, Any], spans: list[tuple[int, int, str]], word: str) -> None:
    for start, end, kind in spans:
        around = " ".join(
            f"{note['text'][max(0, start - 40) : start]}<{note['text'][start:end]}>{note['text'][end : end + 30]}".split()
        )
        print(f"{word:6} {kind:10} {note['id']}  {around}")


def _figures(counts: Counter[tuple[str, str, str]], half: str) -> dict[str, list[float]]:
    """Precision, recall and the number of labels by kind, by language and in all."""
    return {
        of: [
            round(counts[half, of, "right"] / max(counts[half, of, "found"], 1), 3),
            round(counts[half, of, "right"] / max(counts[half, of, "labelled"], 1), 3),
            counts[half, of, "labelled"],
        ]
        for of in (*ENTITY_KINDS, *LANGUAGES, "all")
    }


if __name__ == "__main__":
    main()
