"""Values that a tenant's notes can be filtered by on the page, and the notes behind a causal path."""

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from rag_core.model.enrichment import DOCUMENT_TYPES, DocumentType
from rag_core.model.note import Language, NoteId, TenantId, tag_key
from rag_core.storage.database import Database
from rag_core.storage.queries import query

MAX_SOURCES = 100
MAX_TAGS = 200
NEWEST_NOTES = 5_000
"""Tags are counted over so many notes: what is in use, in a bounded time whatever the tenant has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Facets:
    """Values to choose from: sources by name, languages and tags the most used first, each tag in one spelling, types."""

    sources: tuple[str, ...]
    languages: tuple[Language, ...]
    tags: tuple[str, ...]
    types: tuple[DocumentType, ...]


def fetch_facets(database: Database, tenant: TenantId, *, timeout_ms: int) -> Facets:
    """The values that stand in the tenant's notes, in one round trip; without notes all are empty."""
    parameters = {"tenant": tenant, "limit": MAX_SOURCES, "notes": NEWEST_NOTES, "types": list(DOCUMENT_TYPES)}
    of_languages = "facet_languages" if database.departments is None else "facet_languages_seen"
    with database.transaction(tenant, timeout_ms=timeout_ms) as connection:
        sources, languages, tags, types = (
            connection.execute(query(name), parameters)
            for name in ("facet_sources", of_languages, "facet_tags", "facet_types")
        )
        return Facets(
            sources=tuple(row[0] for row in sources.fetchall()),
            languages=tuple(row[0] for row in languages.fetchall()),
            tags=one_spelling_each(tags.fetchall())[:MAX_TAGS],
            types=tuple(row[0] for row in types.fetchall()),
        )


def fetch_path_evidence(
    database: Database, tenant: TenantId, steps: Collection[tuple[str, str]], *, timeout_ms: int
) -> dict[tuple[str, str], NoteId]:
    """The note that says most surely that one entity led to another, by (cause, effect); steps nobody tells are absent."""
    if not steps:
        return {}
    causes, effects = zip(*steps, strict=True)
    parameters = {"tenant": tenant, "causes": list(causes), "effects": list(effects)}
    with database.transaction(tenant, timeout_ms=timeout_ms) as connection:
        rows = connection.execute(query("path_evidence"), parameters).fetchall()
    return {(str(cause), str(effect)): note for cause, effect, note in rows}


def one_spelling_each(counted: Iterable[tuple[str, int]]) -> tuple[str, ...]:
    """Tags that compare equal as one, in their most frequent spelling; the most used first, then by name."""
    return tuple(tag for tag, _ in counted_tags(counted))


def counted_tags(counted: Iterable[tuple[str, int]]) -> list[tuple[str, int]]:
    """Tags as ``one_spelling_each`` gives them, each with the sum of its spellings."""
    spellings: dict[str, Counter[str]] = {}
    for tag, count in counted:
        spellings.setdefault(tag_key(tag), Counter())[tag] += count
    ordered = sorted(spellings.items(), key=lambda item: (-item[1].total(), item[0]))
    return [(counts.most_common(1)[0][0], counts.total()) for _, counts in ordered]
