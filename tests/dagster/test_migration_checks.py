"""Each promise of the migration on legacy notes, one migrated and one pending, with its defect planted by hand."""

import pytest
from pipeline_runs import TENANT, ImportTexts
from psycopg import sql

from rag_assets.migration_checks import MIGRATION
from rag_core.indexing.publishing import publish_staged
from rag_core.indexing.staging import embed_staged, stage_notes
from rag_core.model.note import TenantId
from rag_core.runtime.engine import Engine
from rag_core.storage.batches import register_batches
from rag_core.storage.checks import CheckReport

BATCHES = ["pruebas-000000"]
INVARIANTS = {invariant.name: invariant for invariant in MIGRATION}
MIGRATED, PENDING = "external_id = 'n0'", "external_id = 'n1'"
NOW_EDITED = "updated_at = now() + interval '1 minute'"
DAY = "interval '1 day'"
LEDGER = """
    insert into brain.legacy_notes (
        tenant_id, note_id, source, external_id, content_hash, created_at, updated_at, attached_at
    )
    select tenant_id, note_id, source, external_id, content_hash, created_at, updated_at, now() from brain.notes
"""
FAILURE = """
    insert into brain.migration_failures (tenant_id, source, external_id, stage, reason, last_failed_at)
    select tenant_id, source, external_id, 'embedding', 'no answer', chunked_at + {} from brain.notes where {}
"""
OTHER_TEXT = "content = 'Otro texto. Con otra frase.'"

PLANTED = [
    ("legacy_notes_are_there_once", f"delete from brain.notes where {MIGRATED}", "notas:n0"),
    ("legacy_notes_are_there_once", f"delete from brain.legacy_notes where {PENDING}", "notas:n1"),
    ("ids_and_dates_are_unchanged", f"update brain.notes set external_id = 'm0' where {MIGRATED}", "notas:m0"),
    (
        "ids_and_dates_are_unchanged",
        f"update brain.notes set external_id = 'm0', {NOW_EDITED} where {MIGRATED}",
        "notas:m0",
    ),
    ("ids_and_dates_are_unchanged", f"update brain.notes set created_at = now() where {MIGRATED}", "notas:n0"),
    (
        "ids_and_dates_are_unchanged",
        f"update brain.notes set updated_at = updated_at - {DAY} where {PENDING}",
        "notas:n1",
    ),
    ("texts_are_unchanged", f"update brain.notes set {OTHER_TEXT} where {PENDING}", "notas:n1"),
    ("texts_are_unchanged", f"update brain.notes set title = 'Nuevo' where {MIGRATED}", "notas:n0"),
    (
        "migrated_notes_are_chunked",
        "delete from brain.chunks where note_id = (select note_id from brain.notes where external_id = 'n0')",
        "notas:n0",
    ),
    (
        "migrated_notes_are_chunked",
        f"update brain.notes set legacy_state = 'migrated', chunked_at = now() where {PENDING}",
        "notas:n1",
    ),
    ("migrated_notes_are_chunked", f"update brain.notes set chunked_at = null where {MIGRATED}", "notas:n0"),
    ("pending_notes_are_whole", f"update brain.notes set legacy_state = 'pending' where {MIGRATED}", "notas:n0"),
    (
        "pending_notes_are_whole",
        "delete from brain.chunks where note_id = (select note_id from brain.notes where external_id = 'n1')",
        "notas:n1",
    ),
    ("no_migrated_note_is_listed_as_failed", FAILURE.format("interval '0'", MIGRATED), "notas:n0"),
]
ALLOWED = [
    f"update brain.notes set {OTHER_TEXT}, created_at = now(), {NOW_EDITED} where {PENDING}",
    f"update brain.notes set title = 'Nuevo', indexed_fingerprint = null, {NOW_EDITED} where {MIGRATED}",
    FAILURE.format(DAY, MIGRATED),
    FAILURE.format(DAY, PENDING).replace("chunked_at", "now()"),
    f"delete from brain.notes where {MIGRATED}; delete from brain.legacy_notes where {MIGRATED}",
]


@pytest.fixture
def migrating(engine: Engine, import_texts: ImportTexts) -> Engine:
    """Two legacy notes: the first is migrated, the second pending."""
    import_texts(["Riego el huerto los martes. El pozo baja en agosto."])
    register_batches(engine.database, TENANT)
    stage_notes(engine.database, TENANT, BATCHES, engine.pipeline)
    embed_staged(engine.database, TENANT, BATCHES, engine.pipeline)
    publish_staged(engine.database, TENANT, BATCHES, engine.pipeline)
    import_texts(["Riego el huerto los martes. El pozo baja en agosto.", "Mi hermana vive en Bilbao."])
    register_batches(engine.database, TENANT)
    plant(engine, LEDGER)
    plant(engine, f"update brain.notes set legacy_state = 'migrated', chunked_at = now() where {MIGRATED}")
    plant(engine, f"update brain.notes set legacy_state = 'pending' where {PENDING}")
    return engine


def test_a_migration_that_went_well_has_no_violation(migrating: Engine) -> None:
    found = {name: invariant.check(migrating, TENANT, BATCHES) for name, invariant in INVARIANTS.items()}

    assert found == dict.fromkeys(INVARIANTS, CheckReport(violations=0, examples=()))


@pytest.mark.parametrize(("name", "statement", "note"), PLANTED)
def test_a_planted_defect_of_the_migration_is_found_with_its_note(
    migrating: Engine, name: str, statement: str, note: str
) -> None:
    plant(migrating, statement)

    everywhere = INVARIANTS[name].check(migrating, TENANT, None)
    in_batch = INVARIANTS[name].check(migrating, TENANT, BATCHES)

    assert [example.note for example in everywhere.examples] == [note]
    assert in_batch == everywhere


@pytest.mark.parametrize("statement", ALLOWED)
def test_what_somebody_did_on_purpose_is_no_violation(migrating: Engine, statement: str) -> None:
    for part in statement.split("; "):
        plant(migrating, part)

    found = [invariant.check(migrating, TENANT, None).violations for invariant in MIGRATION]

    assert found == [0] * len(MIGRATION)


def test_an_edit_of_a_migrated_note_is_no_violation(migrating: Engine, import_texts: ImportTexts) -> None:
    import_texts(["Riego el huerto los jueves.", "Mi hermana vive en Bilbao."])

    found = {invariant.name: invariant.check(migrating, TENANT, None).violations for invariant in MIGRATION}

    assert found["migrated_notes_are_chunked"] == 0


def test_a_lost_note_is_found_whatever_batches_are_looked_at(migrating: Engine) -> None:
    plant(migrating, f"delete from brain.notes where {MIGRATED}")

    found = INVARIANTS["legacy_notes_are_there_once"].check(migrating, TENANT, ["pruebas-000009"])

    assert found.violations == 1


def test_a_defect_of_another_tenants_migration_is_no_matter_of_this_one(migrating: Engine) -> None:
    plant(migrating, f"delete from brain.notes where {MIGRATED}")

    found = INVARIANTS["legacy_notes_are_there_once"].check(migrating, TenantId("otra"), None)

    assert found.violations == 0


def plant(engine: Engine, statement: str) -> None:
    """Change the database behind the keys' and triggers' backs."""
    with engine.database.owner() as connection:
        connection.execute("set session_replication_role = replica")
        connection.execute(sql.SQL(statement))  # type: ignore[arg-type]
