"""Invariants of the migration of legacy notes, each as one query that lists violations; see ``storage.checks``.

The ledger ``legacy_notes`` says what was attached, as it was; deleting a note on purpose deletes its line.
"""

from collections.abc import Sequence

from rag_core.model.note import TenantId
from rag_core.storage.checks import CheckReport, run_check
from rag_core.storage.database import Database


def check_legacy_ledger(database: Database, tenant: TenantId, batches: Sequence[str] | None) -> CheckReport:
    """Every attached note is there once, whatever its batch, and every legacy note of the batches was attached."""
    return run_check(database, tenant, "check_legacy_ledger", batches=batches)


def check_legacy_dates(database: Database, tenant: TenantId, batches: Sequence[str] | None) -> CheckReport:
    """Every legacy note has the name it was attached with, and its dates unless it was edited since."""
    return run_check(database, tenant, "check_legacy_dates", batches=batches)


def check_legacy_texts(database: Database, tenant: TenantId, batches: Sequence[str] | None) -> CheckReport:
    """Every legacy note has the text it was attached with, unless it was edited since."""
    return run_check(database, tenant, "check_legacy_texts", batches=batches)


def check_migrated_chunks(database: Database, tenant: TenantId, batches: Sequence[str] | None) -> CheckReport:
    """Every migrated note has chunks, and says when it got them; one edited since may be whole until the next run."""
    return run_check(database, tenant, "check_migrated_chunks", batches=batches)


def check_pending_chunks(database: Database, tenant: TenantId, batches: Sequence[str] | None) -> CheckReport:
    """Every pending note is one whole-note chunk, so that it is found."""
    return run_check(database, tenant, "check_pending_chunks", batches=batches)


def check_migrated_failures(database: Database, tenant: TenantId, batches: Sequence[str] | None) -> CheckReport:
    """No migrated note is still listed as failed."""
    return run_check(database, tenant, "check_migrated_failures", batches=batches)
