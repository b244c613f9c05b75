"""Posting lists are packed while others read and write: who has read chunks and then writes waits, and nobody starts anew."""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from uuid import uuid4

import psycopg
import pytest
from filling import TENANT
from psycopg.conninfo import make_conninfo

from rag_core.storage.connecting import ensure_database
from rag_core.storage.migrate import Migration, apply_migration, migrate, read_migrations

PACKING = 27
_NOTE = """
    insert into brain.notes (note_id, tenant_id, external_id, source, content, content_hash, language, created_at)
    select gen_random_uuid(), %(tenant)s, 'n' || i, 'notas', 'El tren ' || i || ' salió tarde', sha256(int4send(i)), 'es', now()
    from generate_series(1, %(count)s) i
"""
_CHUNKS = """
    insert into brain.chunks (
        tenant_id, chunk_id, note_id, chunk_index, start_char, end_char, content, token_count, chunking_method, language
    )
    select tenant_id, gen_random_uuid(), note_id, 0, 0, length(content), content, 4, 'whole_note', language from brain.notes
"""


@pytest.fixture
def unpacked(server: str) -> Iterator[str]:
    """The connection string of a database with ten chunks before the migration."""
    name = f"before_packing_{uuid4().hex[:12]}"
    url = ensure_database(server, name)
    with psycopg.connect(url, autocommit=True) as connection:
        migrate(connection, [one for one in read_migrations() if one.version < PACKING])
        connection.execute("insert into brain.tenants (tenant_id) values (%s)", (TENANT,))
        connection.execute(_NOTE, {"tenant": TENANT, "count": 10})
        connection.execute(_CHUNKS)
    yield url
    with psycopg.connect(make_conninfo(server), autocommit=True) as connection:
        connection.execute(f'drop database "{name}" with (force)')


def packing() -> Migration:
    return next(one for one in read_migrations() if one.version == PACKING)


def wait_until(test: Callable[[], bool]) -> None:
    for _ in range(1_000):
        if test():
            return
        time.sleep(0.01)
    raise AssertionError("10 s have passed")


def test_a_writer_that_has_read_chunks_waits_and_is_counted(unpacked: str) -> None:
    with (
        psycopg.connect(unpacked) as writer,
        psycopg.connect(unpacked) as reader,
        psycopg.connect(unpacked, autocommit=True) as owner,
        psycopg.connect(unpacked, autocommit=True) as observer,
        ThreadPoolExecutor(2) as threads,
    ):

        def waits(connection: psycopg.Connection) -> bool:
            pid = connection.info.backend_pid
            return observer.execute("select cardinality(pg_blocking_pids(%s))", (pid,)).fetchone() != (0,)

        writer.execute("select from brain.chunks")
        reader.execute("select from brain.lexeme_statistics")  # holds the migration before its end
        packed = threads.submit(apply_migration, owner, packing())
        wait_until(lambda: waits(owner))
        written = threads.submit(
            writer.execute, "delete from brain.chunks where number in (select min(number) from brain.chunks)"
        )
        wait_until(lambda: waits(writer))
        reader.commit()
        packed.result(20)
        written.result(20)
        writer.commit()

        counts = """
            select (select count(*) from brain.chunks), (select sum(documents) from brain.corpus_statistics),
                (select sum(document_frequency) from brain.posting_blocks where lexeme = 'tren')
        """
        assert observer.execute(counts).fetchone() == (9, 9, 9)
