"""Input of re-ranking: the texts of candidates, and the document frequencies of a query's words."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rag_core.language import LANGUAGES
from rag_core.model.note import ChunkId, Language, NoteId, TenantId
from rag_core.model.retrieval import QueryStatistics
from rag_core.storage.database import Database
from rag_core.storage.queries import query
from rag_core.storage.seen import counted

MAX_CHARACTERS = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateText:
    """A chunk's own text, not its window's, with its title and its note."""

    chunk_id: ChunkId
    note_id: NoteId
    title: str | None
    content: str
    language: Language
    classification: str | None = None


def fetch_candidate_texts(
    database: Database, tenant: TenantId, chunks: Sequence[ChunkId], *, words: Sequence[str], timeout_ms: int
) -> tuple[dict[ChunkId, CandidateText], QueryStatistics]:
    """Texts of chunks and how common words are in the notes that are seen, in one round trip; chunks deleted meanwhile are absent."""
    statistics = counted("fetch_query_statistics", "terms_of_words", sees_all=database.departments is None)
    with database.transaction(tenant, timeout_ms=timeout_ms) as connection:
        texts = connection.execute(
            query("fetch_candidate_texts"), {"tenant": tenant, "chunks": list(chunks), "characters": MAX_CHARACTERS}
        )
        counts = connection.execute(statistics, {"tenant": tenant, "words": list(words), "languages": list(LANGUAGES)})
        found = {row[0]: _candidate_text(row) for row in texts.fetchall()}
        return found, _statistics(counts.fetchall())


def _candidate_text(row: tuple[Any, ...]) -> CandidateText:
    chunk_id, note_id, title, content, language, classification = row
    return CandidateText(
        chunk_id=chunk_id,
        note_id=note_id,
        title=title,
        content=content,
        language=language,
        classification=classification,
    )


def _statistics(rows: Sequence[tuple[Any, ...]]) -> QueryStatistics:
    documents: dict[Language, int] = {}
    frequencies: dict[Language, dict[str, int]] = {}
    for language, count, word, frequency in rows:
        documents[language] = count
        known = frequencies.setdefault(language, {})
        if word is not None:
            known[word] = frequency
    return QueryStatistics(documents=documents, frequencies=frequencies)
