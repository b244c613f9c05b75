"""Statistics of a tenant's words for whoever sees a part of its notes: nothing of the others changes a score."""

from typing import Literal

from psycopg import sql

from rag_core.storage.queries import query
from rag_core.storage.vector_index import EXACT_SCAN_CHUNKS

SAMPLED_CHUNKS = 300
"""Chunks of a language whose lengths make its average: exact up to this number, beyond it within some 3 per cent."""

Terms = Literal["terms_of_words", "terms_of_stems"]


def counted(name: str, terms: Terms, *, sees_all: bool) -> sql.Composed:
    """A statement that begins with ``{counts}``, by the kept statistics or by those of the notes that are seen.

    ``terms`` names the query for the lexemes whose postings are counted.
    """
    lexemes = sql.SQL(query("seen_lexemes")).format(terms=sql.SQL(query(terms)))
    return sql.SQL(query(name)).format(counts=sql.SQL("") if sees_all else seen_corpus() + lexemes)


def seen_corpus(*, few: int = EXACT_SCAN_CHUNKS) -> sql.Composed:
    """The beginning of a WITH that stands in for ``corpus_statistics``; the chunks of up to ``few`` notes are looked up one by one."""
    return sql.SQL(query("seen_corpus")).format(few=sql.Literal(few), sampled=sql.Literal(SAMPLED_CHUNKS))
