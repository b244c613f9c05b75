"""Invariants of the notes, the staged generations and the live index, each as one query that lists violations.

A check only reads, in one statement and so in one snapshot: writers beside it raise no false alarm. ``batches`` bounds it
to these batches' notes; None looks at the whole tenant. Not here: what follows from a violation (``rag_assets.checks``).
"""

from collections.abc import Sequence
from dataclasses import dataclass

from rag_core.language import LANGUAGES
from rag_core.model.embedding import EmbeddingModel
from rag_core.model.note import TenantId
from rag_core.storage.database import Database
from rag_core.storage.queries import query

MAX_EXAMPLES = 20
_WHOLE_TENANT = {"work_mem": "128MB"}
"""Postings are joined by hash: 1.3 s instead of 3.4 s for 800,000 of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Violation:
    """A note (``source:external_id``) and what is wrong with it."""

    note: str
    problem: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckReport:
    """Number of violations, and the first ``MAX_EXAMPLES`` of them."""

    violations: int
    examples: tuple[Violation, ...]


def check_content_hashes(database: Database, tenant: TenantId, batches: Sequence[str] | None) -> CheckReport:
    """Every note's text is the one its hash was made from."""
    return run_check(database, tenant, "check_content_hashes", batches=batches)


def check_staged_chunks(database: Database, tenant: TenantId, batches: Sequence[str] | None) -> CheckReport:
    """Every staged generation is whole: chunks 0 to N-1, at least one, none empty, all within the note."""
    return run_check(database, tenant, "check_staged_chunks", batches=batches)


def check_staged_vectors(
    database: Database, tenant: TenantId, batches: Sequence[str] | None, *, model: EmbeddingModel
) -> CheckReport:
    """Every staged chunk has both vectors, of the model's dimensions and not zero."""
    return run_check(database, tenant, "check_staged_vectors", batches=batches, dimensions=model.dimensions)


def check_chunk_bounds(database: Database, tenant: TenantId, batches: Sequence[str] | None) -> CheckReport:
    """Every chunk has an existing note, and 0 <= start < end <= len(note)."""
    return run_check(database, tenant, "check_chunk_bounds", batches=batches)


def check_chunk_indices(database: Database, tenant: TenantId, batches: Sequence[str] | None) -> CheckReport:
    """The chunks of every note are numbered 0 to N-1, without gaps."""
    return run_check(database, tenant, "check_chunk_indices", batches=batches)


def check_chunk_contents(database: Database, tenant: TenantId, batches: Sequence[str] | None) -> CheckReport:
    """Every chunk's text is ``note[start:end]``."""
    return run_check(database, tenant, "check_chunk_contents", batches=batches)


def check_vectors(
    database: Database, tenant: TenantId, batches: Sequence[str] | None, *, model: EmbeddingModel
) -> CheckReport:
    """Every chunk of an indexed note has both of the model's vectors, of its dimensions and not zero."""
    return run_check(database, tenant, "check_vectors", batches=batches, model=model.id, dimensions=model.dimensions)


def check_postings(database: Database, tenant: TenantId, batches: Sequence[str] | None) -> CheckReport:
    """Every lexeme of every chunk has its posting, with its frequency and the chunk's length."""
    return run_check(database, tenant, "check_postings", batches=batches)


def check_statistics(database: Database, tenant: TenantId) -> CheckReport:
    """Document frequencies recomputed from the chunks equal the statistics', and no posting is left over."""
    return run_check(database, tenant, "check_statistics", languages=list(LANGUAGES))


def check_corpus_statistics(database: Database, tenant: TenantId) -> CheckReport:
    """Number and total length of the chunks, recomputed by language, equal the statistics'."""
    return run_check(database, tenant, "check_corpus_statistics")


def check_graph_evidence(database: Database, tenant: TenantId, batches: Sequence[str] | None) -> CheckReport:
    """The evidence of every relation lies in its note, and its chunk is one of that note's."""
    return run_check(database, tenant, "check_graph_evidence", batches=batches)


def check_lost_notes(database: Database, tenant: TenantId, batches: Sequence[str] | None) -> CheckReport:
    """Every note has at least one chunk, so that it can be found."""
    return run_check(database, tenant, "check_lost_notes", batches=batches)


def check_staged_leftovers(database: Database, tenant: TenantId, batches: Sequence[str] | None) -> CheckReport:
    """Find staged rows that are left after their batches were published; in the whole tenant, rows staged over an hour ago."""
    return run_check(database, tenant, "check_staged_leftovers", batches=batches)


def run_check(
    database: Database,
    tenant: TenantId,
    name: str,
    *,
    batches: Sequence[str] | None = None,
    **parameters: int | list[str],
) -> CheckReport:
    """The report of the check that the query of that name makes."""
    given, local = (None, _WHOLE_TENANT) if batches is None else (list(batches), None)
    with database.transaction(tenant, local=local) as connection:
        rows = connection.execute(query(name), {"tenant": tenant, "batches": given, **parameters}).fetchall()
    return CheckReport(
        violations=rows[0][0] if rows else 0,
        examples=tuple(Violation(note=note, problem=problem) for _, note, problem in rows),
    )
