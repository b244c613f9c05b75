"""Asset checks: the invariants of ``rag_core.storage.checks``, each where its breach would first mislead somebody.

What is staged is checked before it goes live, so a broken generation never does. What is live is checked after, and a
breach stops the run before it is measured. Checks look at the batches of the run; without batches, at everything.

They have no partitions of their own: an evaluation over a range of partitions would carry none of them (Dagster 1.13).
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import dagster as dg

from rag_assets.stages import outages_retried, table
from rag_core.model.golden import DEFAULT_SET
from rag_core.model.note import TenantId
from rag_core.runtime.engine import Engine
from rag_core.storage.batches import batches_by_tenant, list_tenants
from rag_core.storage.checks import MAX_EXAMPLES, CheckReport, Violation, run_check
from rag_core.storage.database import Database
from rag_core.storage.golden import OrphanedQuery, list_queries_with_deleted_notes

LOOKED_AT = "looked_at"
"""Under this name an evaluation says what it looked at; what looks at less than it ends no alert about more."""
Batches = Sequence[str] | None
Check = Callable[[Engine, TenantId, Batches], CheckReport]


@dataclass(frozen=True, slots=True, kw_only=True)
class Invariant:
    """A check as Dagster shows it; ``is_blocking`` where a reader would be misled by going on.

    ``is_of_tenant``: it looks at all of a tenant's notes, whatever the batches of the run.
    """

    name: str
    asset: str
    check: Check
    description: str
    remedy: str = "Make the notes anew: run `brain index --full`."
    is_blocking: bool = True
    is_of_tenant: bool = False

    @property
    def spec(self) -> dg.AssetCheckSpec:
        """The invariant for Dagster."""
        return dg.AssetCheckSpec(self.name, asset=self.asset, description=self.description, blocking=self.is_blocking)


def of_batches(query: str) -> Check:
    """The check that a query makes of the batches of a run."""
    return lambda engine, tenant, batches: run_check(engine.database, tenant, query, batches, model=engine.model)


def _of_tenant(query: str) -> Check:
    return lambda engine, tenant, _batches: run_check(engine.database, tenant, query)


def _find_orphaned_queries(engine: Engine, tenant: TenantId, _batches: Batches) -> CheckReport:
    with engine.database.transaction(tenant) as connection:
        orphans = list_queries_with_deleted_notes(connection, tenant, set_name=DEFAULT_SET)
    examples = tuple(
        Violation(note=one.external_id or str(one.query_id), problem=_orphaned(one)) for one in orphans[:MAX_EXAMPLES]
    )
    return CheckReport(violations=len(orphans), examples=examples)


def _orphaned(query: OrphanedQuery) -> str:
    return f"{query.notes_deleted} of its notes deleted, {query.notes_left} left"


REPORT = "Nothing of it went live. This is a defect of Brain Sync: please report it with this page."

STAGED = (
    Invariant(
        name="texts_match_their_hashes",
        asset="notes",
        check=of_batches("check_content_hashes"),
        description="A note's text is the one its hash was made from, so that edits are noticed.",
        remedy="Import these notes again; something other than Brain Sync changed them.",
        is_blocking=False,
    ),
    Invariant(
        name="staged_generations_are_whole",
        asset="chunks",
        check=of_batches("check_staged_chunks"),
        description="Staged chunks are numbered 0 to N-1, not empty, and lie within their note.",
        remedy=REPORT,
    ),
    Invariant(
        name="staged_vectors_are_complete",
        asset="embeddings",
        check=of_batches("check_staged_vectors"),
        description="Every staged chunk has both vectors, of the model's dimensions and not zero.",
        remedy=REPORT,
    ),
)
LIVE = (
    Invariant(
        name="chunks_lie_in_their_notes",
        asset="fulltext_index",
        check=of_batches("check_chunk_bounds"),
        description="P6: every chunk has an existing note, and its bounds are valid in it.",
    ),
    Invariant(
        name="chunk_indices_have_no_gaps",
        asset="fulltext_index",
        check=of_batches("check_chunk_indices"),
        description="P7: the chunks of a note are numbered 0 to N-1.",
    ),
    Invariant(
        name="chunks_are_slices_of_their_notes",
        asset="fulltext_index",
        check=of_batches("check_chunk_contents"),
        description="P8: a chunk's text is its slice of the note, note[start:end].",
    ),
    Invariant(
        name="live_vectors_are_complete",
        asset="fulltext_index",
        check=of_batches("check_vectors"),
        description="Every chunk of an indexed note has both vectors, of the model's dimensions and not zero.",
    ),
    Invariant(
        name="postings_are_exact",
        asset="fulltext_index",
        check=of_batches("check_postings"),
        description="Every lexeme of every chunk has its posting, with its frequency and the chunk's length.",
    ),
    Invariant(
        name="no_note_is_lost",
        asset="fulltext_index",
        check=of_batches("check_lost_notes"),
        description="Every note has at least one chunk, so that it can be found.",
    ),
    Invariant(
        name="nothing_staged_is_left",
        asset="fulltext_index",
        check=of_batches("check_staged_leftovers"),
        description="What was staged went live; a note edited meanwhile waits for the next run.",
        remedy="Run `brain index`.",
        is_blocking=False,
    ),
)
GRAPH = (
    Invariant(
        name="evidence_lies_in_its_note",
        asset="knowledge_graph",
        check=of_batches("check_graph_evidence"),
        description="The sentence that a relation was read from lies in its note, and its chunk is one of that note's.",
        is_blocking=False,
    ),
)
WHOLE_INDEX = (
    Invariant(
        name="document_frequencies_are_exact",
        asset="fulltext_index",
        check=_of_tenant("check_statistics"),
        is_of_tenant=True,
        description="Document frequencies recomputed from the lexemes equal the statistics' and the postings'.",
    ),
    Invariant(
        name="corpus_statistics_are_exact",
        asset="fulltext_index",
        check=_of_tenant("check_corpus_statistics"),
        is_of_tenant=True,
        description="Number and length of the chunks, recomputed by language, equal the statistics'.",
    ),
)


GOLDEN = (
    Invariant(
        name="orphaned_golden_queries",
        asset="evaluation_report",
        check=_find_orphaned_queries,
        is_of_tenant=True,
        description="No golden query refers to a note that was deleted; what it measures has changed if one does.",
        remedy="Import these queries again with notes that there are, by `brain golden import`.",
        is_blocking=False,
    ),
)


def invariant_checks(op_name: str, invariants: Sequence[Invariant]) -> dg.AssetChecksDefinition:
    """One step that checks some invariants of one asset; any of them can be run alone."""
    names = ", ".join(invariant.name for invariant in invariants)

    @dg.multi_asset_check(
        name=op_name,
        description=f"Checks {names}.",
        specs=[invariant.spec for invariant in invariants],
        can_subset=True,
    )
    def checked(
        context: dg.AssetCheckExecutionContext, engine: dg.ResourceParam[Engine]
    ) -> Iterator[dg.AssetCheckResult]:
        selected = {key.name for key in context.selected_asset_check_keys}
        with outages_retried(context):
            batches = selected_batches(context, engine.database)
            for invariant in invariants:
                if invariant.name in selected:
                    reports = _reports(invariant, engine, batches)
                    yield _result(
                        invariant, reports, _looked_at(invariant, reports, batches, is_all=not _is_partitioned(context))
                    )

    return checked


def selected_batches(context: dg.AssetCheckExecutionContext, database: Database) -> Mapping[TenantId, Batches]:
    """The batches of a run by tenant; every tenant with all of its batches (None) in a run without."""
    if _is_partitioned(context):
        return dict(batches_by_tenant(database, context.partition_keys))
    return dict.fromkeys(list_tenants(database))


def _is_partitioned(context: dg.AssetCheckExecutionContext) -> bool:
    return bool(context.has_partition_key or context.has_partition_key_range)


def _looked_at(
    invariant: Invariant, reports: Mapping[TenantId, CheckReport], batches: Mapping[TenantId, Batches], *, is_all: bool
) -> list[str] | None:
    """The batches or the tenants, None for all; with violations only those of the tenants that have some."""
    if is_all:
        return None
    failing = [tenant for tenant, report in reports.items() if report.violations]
    tenants = failing or list(reports)
    return list(tenants) if invariant.is_of_tenant else [key for tenant in tenants for key in batches[tenant] or ()]


def _reports(invariant: Invariant, engine: Engine, batches: Mapping[TenantId, Batches]) -> dict[TenantId, CheckReport]:
    return {tenant: invariant.check(engine, tenant, keys) for tenant, keys in batches.items()}


def _result(
    invariant: Invariant, reports: Mapping[TenantId, CheckReport], looked_at: Sequence[str] | None
) -> dg.AssetCheckResult:
    rows = [
        {"tenant": tenant, "note": example.note, "problem": example.problem}
        for tenant, report in reports.items()
        for example in report.examples
    ]
    metadata: dict[str, Any] = {
        "violations": sum(report.violations for report in reports.values()),
        LOOKED_AT: "everything" if looked_at is None else dg.MetadataValue.json(list(looked_at)),
    }
    if rows:
        metadata |= {"examples": table(rows), "remedy": invariant.remedy}
    return dg.AssetCheckResult(
        asset_key=invariant.asset,
        check_name=invariant.name,
        passed=not rows,
        severity=dg.AssetCheckSeverity.ERROR if invariant.is_blocking else dg.AssetCheckSeverity.WARN,
        metadata=metadata,
        description=_description(reports, invariant) if rows else None,
    )


def _description(reports: Mapping[TenantId, CheckReport], invariant: Invariant) -> str:
    """Counts and the remedy: it is sent to people, and a problem may quote a note or a query."""
    found = [f"{report.violations} of {tenant}" for tenant, report in reports.items() if report.violations]
    return f"Violations: {', '.join(found[:MAX_EXAMPLES])}. {invariant.remedy}"


BATCH_CHECKS = [
    *(invariant_checks(f"check_{invariant.asset}", [invariant]) for invariant in STAGED),
    invariant_checks("check_live_batches", LIVE),
    invariant_checks("check_graph", GRAPH),
]
INDEX_CHECKS = [invariant_checks("check_statistics", WHOLE_INDEX)]
GOLDEN_CHECKS = [invariant_checks("check_golden_sets", GOLDEN)]
