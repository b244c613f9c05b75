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


def run_check(
    database: Database,
    tenant: TenantId,
    name: str,
    batches: Sequence[str] | None = None,
    *,
    model: EmbeddingModel | None = None,
) -> CheckReport:
    """The report of the check that the query of that name makes; checks of vectors need the ``model`` they are of."""
    given, local = (None, _WHOLE_TENANT) if batches is None else (list(batches), None)
    parameters = {"tenant": tenant, "batches": given, "languages": list(LANGUAGES)}
    of_model = (
        {}
        if model is None
        else {
            "model": model.id,
            "dimensions": model.dimensions,
            "has_sentences": model.searched_vectors == "sentences",
        }
    )
    with database.transaction(tenant, local=local) as connection:
        rows = connection.execute(query(name), parameters | of_model).fetchall()
    return CheckReport(
        violations=rows[0][0] if rows else 0,
        examples=tuple(Violation(note=note, problem=problem) for _, note, problem in rows),
    )
