"""A large corpus in minutes: posting lists made last and all at once, as a restore makes indexes."""

from collections.abc import Iterator
from contextlib import contextmanager

from rag_core.storage.database import Connection, Database

_TRIGGERS = ("chunks_inserted", "chunks_deleted")
_FILL = (
    "alter table brain.postings drop constraint postings_pkey",
    """
    insert into brain.postings (tenant_id, language, lexeme, chunk_id, term_frequency, chunk_length)
    select c.tenant_id, c.language, t.lexeme collate "C", c.chunk_id, cardinality(t.positions),
        sum(cardinality(t.positions)) over (partition by c.tenant_id, c.chunk_id)
    from brain.chunks c cross join lateral unnest(c.lexemes) t
    """,
    """
    alter table brain.postings add constraint postings_pkey
        primary key (tenant_id, language, lexeme, chunk_id) include (term_frequency, chunk_length)
    """,
    """
    insert into brain.lexeme_statistics (tenant_id, language, lexeme, document_frequency, is_folded)
    select tenant_id, language, lexeme, count(*), true from brain.postings group by 1, 2, 3
    """,
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
