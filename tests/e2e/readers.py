"""Readers that never stop asking while something is done to the installation, and what they were answered."""

import itertools
import threading
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from rag_core.retrieval.legs import WITHOUT_FULLTEXT, WITHOUT_SEMANTIC

from .installation import Installation


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One question: the note that answers it, what came back, and when."""

    note: uuid.UUID
    status: int
    found: tuple[str, ...]
    warnings: tuple[str, ...]
    at: float

    @property
    def is_degraded(self) -> bool:
        """Test whether the answer says that a leg was missing."""
        return not {WITHOUT_SEMANTIC, WITHOUT_FULLTEXT}.isdisjoint(self.warnings)

    @property
    def is_found(self) -> bool:
        """Test whether the note is among the results."""
        return str(self.note) in self.found


@dataclass(slots=True, kw_only=True)
class Readers:
    """Readers with the answers they got so far."""

    asked: list[Asked] = field(default_factory=list)

    def refused(self, *, allowed: Sequence[int] = ()) -> list[Asked]:
        """Questions that were not answered with 200 or one of these."""
        return [one for one in self.asked if one.status not in {200, *allowed}]

    def missed(self, *, may_be_degraded: bool = False) -> list[Asked]:
        """Questions that were answered without the note that answers them; without those that say a leg was missing, if so."""
        missed = [one for one in self.asked if one.status == 200 and not one.is_found]
        return [one for one in missed if not (may_be_degraded and one.is_degraded)]


@contextmanager
def reading(
    installation: Installation, questions: Mapping[uuid.UUID, str], *, pause_seconds: float = 0.2
) -> Iterator[Readers]:
    """Two readers that ask the questions in turn until the block ends."""
    readers, is_over, turns = Readers(), threading.Event(), itertools.cycle(questions.items())
    lock = threading.Lock()

    def read() -> None:
        while not is_over.is_set():
            with lock:
                note, question = next(turns)
            status, body = installation.search(question, topK=10)
            readers.asked.append(
                Asked(
                    note=note,
                    status=status,
                    found=tuple(hit["noteId"] for hit in body.get("results", [])),
                    warnings=tuple(body.get("metadata", {}).get("warnings", [])),
                    at=time.monotonic(),
                )
            )
            is_over.wait(pause_seconds)

    threads = [threading.Thread(target=read) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        yield readers
    finally:
        is_over.set()
        for thread in threads:
            thread.join()
