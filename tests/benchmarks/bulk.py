"""A large corpus in minutes: posting lists made last and all at once, as a restore makes indexes."""

from collections.abc import Iterator
from contextlib import contextmanager

from rag_core.storage.database import Connection, Database

_TRIGGERS = ("chunks_inserted", "chunks_deleted")
_FILL = (
    "select brain.rebuild_postings()",
    """
    insert into brain.corpus_statistics (tenant_id, language, documents, total_length, is_folded)
    select tenant_id, language, count(*), sum(brain.terms_in(lexemes)), true from brain.chunks group by 1, 2
    """,
)


@contextmanager
def posting_lists_last(database: Database) -> Iterator[None]:
    """Chunks written in the block bring no postings; when it ends those of all chunks are made. The database must be empty.

    Kept up by trigger, they were most of the 750 s that import and publication of 100,000 chunks took.
    """
    with database.owner() as owner:
        _switch(owner, "disable")
    yield
    with database.owner() as owner:
        for statement in _FILL:
            owner.execute(statement)
        _switch(owner, "enable")


def _switch(owner: Connection, state: str) -> None:
    for trigger in _TRIGGERS:
        owner.execute(f"alter table brain.chunks {state} trigger {trigger}".encode())
