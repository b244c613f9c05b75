"""Checks of the migration of legacy notes, on the batches that a run has taken over."""

from rag_assets.checks import Invariant, invariant_checks, of_batches

ASSET = "migration_report"


RESTORE = (
    "Stop the migration with `brain rollback --partial`, attach the legacy table again, which adds what is missing, makes good "
    "what is not as its row says and was not edited here, and go on with `brain migration resume`."
)

MIGRATION = (
    Invariant(
        name="legacy_notes_are_there_once",
        asset=ASSET,
        check=of_batches("check_legacy_ledger"),
        description="Every note of the legacy table is a note here, once; no note says so that was not in that table.",
        remedy=RESTORE,
    ),
    Invariant(
        name="ids_and_dates_are_unchanged",
        asset=ASSET,
        check=of_batches("check_legacy_dates"),
        description="A legacy note keeps its id and its dates, unless somebody edited it after it was attached.",
        remedy=RESTORE,
    ),
    Invariant(
        name="texts_are_unchanged",
        asset=ASSET,
        check=of_batches("check_legacy_texts"),
        description="A legacy note keeps its text, unless somebody edited it after it was attached.",
        remedy=RESTORE,
    ),
    Invariant(
        name="migrated_notes_are_chunked",
        asset=ASSET,
        check=of_batches("check_migrated_chunks"),
        description="A note marked as migrated has chunks, at least one, and none of them is the whole note.",
    ),
    Invariant(
        name="pending_notes_are_whole",
        asset=ASSET,
        check=of_batches("check_pending_chunks"),
        description="A note that waits for its migration is found as one whole note.",
    ),
    Invariant(
        name="no_migrated_note_is_listed_as_failed",
        asset=ASSET,
        check=of_batches("check_migrated_failures"),
        description="A note that was migrated in the end is no longer among the failures.",
        remedy="Run `brain migration retry`, which clears what is settled.",
        is_blocking=False,
    ),
)
MIGRATION_CHECKS = [invariant_checks("check_migration", MIGRATION)]
