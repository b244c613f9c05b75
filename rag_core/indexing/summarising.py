"""Summaries for the notes of a page: those there are, and the missing ones by the chat model, several at a time."""

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass

from rag_core.embedding.context import titled
from rag_core.embedding.summaries import PROMPT_VERSION, Summariser, generate_summary, needs_summary
from rag_core.errors import ChatError
from rag_core.model.enrichment import ModelReading
from rag_core.model.note import TenantId
from rag_core.storage.database import Database
from rag_core.storage.staging import NoteToStage
from rag_core.storage.summaries import fetch_summaries, write_summary

MAX_FAILURES = 5
"""Failures in a row after which a run stops asking."""


class Patience:
    """Counter of failures in a row, which ends a run's requests after ``MAX_FAILURES``. Threads may share it."""

    def __init__(self) -> None:
        self._failures = 0
        self._lock = threading.Lock()

    @property
    def is_over(self) -> bool:
        """Tell whether the limit of failures is reached."""
        return self._failures >= MAX_FAILURES

    def remember(self, *, has_failed: bool) -> None:
        """Count a failure; a success begins the count anew, unless there were enough already."""
        with self._lock:
            if not self.is_over:
                self._failures = self._failures + 1 if has_failed else 0


@dataclass(frozen=True, slots=True, kw_only=True)
class PageSummaries:
    """Summaries with their titles by content hash, and how many of them are new."""

    texts: Mapping[bytes, str]
    made: int


def summarise_page(
    database: Database,
    tenant: TenantId,
    page: Sequence[NoteToStage],
    summariser: Summariser,
    *,
    patience: Patience,
    on_made: Callable[[], None],
) -> PageSummaries:
    """Summaries of the notes that are longer than one; each new one is kept at once, and told to ``on_made``.

    A note that the model failed at is absent, and so is every later one that it was not asked for.
    """
    wanted = {note.content_hash: note for note in page if needs_summary(note.content)}
    key = {"model": summariser.chat.name, "prompt_version": PROMPT_VERSION}
    found = fetch_summaries(database, tenant, wanted.keys(), **key)
    missing = [note for digest, note in wanted.items() if digest not in found]
    made = 0
    for note, told in _generate(missing, summariser, patience):
        write_summary(database, tenant, note.note_id, told, content_hash=note.content_hash, **key)
        found[note.content_hash] = told.summary
        made += 1
        on_made()
    texts = {digest: titled(wanted[digest].title, summary) for digest, summary in found.items()}
    return PageSummaries(texts=texts, made=made)


def _generate(
    notes: Sequence[NoteToStage], summariser: Summariser, patience: Patience
) -> Iterator[tuple[NoteToStage, ModelReading]]:
    """Notes with what the model told of them, in the order the model gives them."""
    with _threads(summariser.concurrency) as threads:
        asked = {threads.submit(_ask, note, summariser, patience): note for note in notes}
        for done in as_completed(asked):
            told = done.result()
            if told is not None:
                yield asked[done], told


def _ask(note: NoteToStage, summariser: Summariser, patience: Patience) -> ModelReading | None:
    if patience.is_over:
        return None
    try:
        told = generate_summary(
            note.title,
            note.content,
            chat=summariser.chat,
            language=note.language,
            timeout_seconds=summariser.timeout_seconds,
        )
    except ChatError:
        patience.remember(has_failed=True)
        return None
    patience.remember(has_failed=False)
    return told


@contextmanager
def _threads(count: int) -> Iterator[ThreadPoolExecutor]:
    """Threads that begin nothing more once the block ends, however it does."""
    executor = ThreadPoolExecutor(max_workers=count, thread_name_prefix="summaries")
    try:
        yield executor
    finally:
        executor.shutdown(wait=True, cancel_futures=True)
