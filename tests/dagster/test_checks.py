"""Each check on a real index in which its defect was planted, by a hand that passes over keys and triggers."""

import dagster as dg
import pytest
from pipeline_runs import TENANT, ImportTexts, RunJob
from psycopg import sql

from rag_assets.checks import LIVE, STAGED, WHOLE_INDEX
from rag_core.indexing.publishing import maintain, publish_staged
from rag_core.indexing.staging import embed_staged, stage_notes
from rag_core.model.note import TenantId
from rag_core.runtime.engine import Engine
from rag_core.storage.batches import register_batches
from rag_core.storage.checks import CheckReport

BATCHES = ["pruebas-000000"]
INVARIANTS = {invariant.name: invariant for invariant in (*STAGED, *LIVE, *WHOLE_INDEX)}
TEXTS = [
    "Riego el huerto los martes. El pozo baja en agosto.",
    "Mi hermana vive en Bilbao. Viene por Navidad.",
]
# The defect is the second note's, notas:n1.
N1 = "note_id = (select note_id from brain.notes where external_id = 'n1')"
CHUNK = f"(select chunk_id from brain.chunks where {N1} limit 1)"
ZERO = "array_fill(0, array[768])::vector"

PLANTED = [
    ("texts_match_their_hashes", f"update brain.notes set content = 'Otra cosa. Viene por Navidad.' where {N1}"),
    ("chunks_lie_in_their_notes", f"update brain.notes set content = 'Corta.' where {N1}"),
    ("chunk_indices_have_no_gaps", f"update brain.chunks set chunk_index = 1 where {N1}"),
    (
        "chunks_are_slices_of_their_notes",
        f"update brain.chunks set start_char = start_char + 1, end_char = end_char + 1 where {N1}",
    ),
    ("live_vectors_are_complete", f"delete from brain.embeddings where chunk_id = {CHUNK} and kind = 'contextual'"),
    ("live_vectors_are_complete", f"update brain.embeddings set vector = {ZERO} where chunk_id = {CHUNK}"),
    ("live_vectors_are_complete", f"update brain.embeddings set vector = '[1,0]' where chunk_id = {CHUNK}"),
    ("postings_are_exact", "delete from brain.posting_blocks where lexeme = 'bilba'"),
    ("postings_are_exact", "update brain.posting_blocks set packed = set_byte(packed, 7, 2) where lexeme = 'bilba'"),
    ("postings_are_exact", "update brain.posting_blocks set packed = set_byte(packed, 6, 99) where lexeme = 'bilba'"),
    ("no_note_is_lost", f"delete from brain.chunks where {N1}"),
]
PLANTED_IN_STATISTICS = [
    (
        "document_frequencies_are_exact",
        "update brain.posting_blocks set document_frequency = 7 where lexeme = 'bilba'",
        "notas:n1",
    ),
    (
        "document_frequencies_are_exact",
        (
            "insert into brain.posting_blocks select tenant_id, 'es', 'perr', 1, number, number, true,"
            f" brain.packed_posting(number, 5, 1) from brain.chunks where chunk_id = {CHUNK}"
        ),
        "notas:n1",
    ),
    (
        "document_frequencies_are_exact",
        "delete from brain.posting_blocks where lexeme = 'bilba'",
        "notas:n1",
    ),
    ("corpus_statistics_are_exact", "update brain.corpus_statistics set documents = 3", "(all notes in es)"),
    ("corpus_statistics_are_exact", "update brain.corpus_statistics set total_length = 1", "(all notes in es)"),
]
PLANTED_IN_STAGING = [
    ("staged_generations_are_whole", f"update brain.staged_chunks set chunk_index = 1 where {N1}"),
    ("staged_generations_are_whole", f"update brain.staged_chunks set end_char = 1000 where {N1}"),
    ("staged_generations_are_whole", f"delete from brain.staged_chunks where {N1}"),
    ("staged_vectors_are_complete", f"delete from brain.embedding_cache where {N1}"),
    ("staged_vectors_are_complete", f"update brain.embedding_cache set vector = {ZERO} where {N1}"),
    ("nothing_staged_is_left", "select"),
]


@pytest.fixture
def staged(engine: Engine, import_texts: ImportTexts) -> Engine:
    """Two notes, staged and embedded, not yet live."""
    import_texts(TEXTS)
    register_batches(engine.database, TENANT)
    stage_notes(engine.database, TENANT, BATCHES, engine.pipeline)
    embed_staged(engine.database, TENANT, BATCHES, engine.pipeline)
    return engine


@pytest.fixture
def indexed(staged: Engine) -> Engine:
    """Two notes, live."""
    publish_staged(staged.database, TENANT, BATCHES, staged.pipeline)
    maintain(staged.database, TENANT, staged.pipeline)
    return staged


def test_a_sound_index_has_no_violation(indexed: Engine) -> None:
    found = {name: invariant.check(indexed, TENANT, None) for name, invariant in INVARIANTS.items()}

    assert found == dict.fromkeys(INVARIANTS, CheckReport(violations=0, examples=()))


@pytest.mark.parametrize(("name", "statement"), PLANTED)
def test_a_planted_defect_is_found_with_its_note(indexed: Engine, name: str, statement: str) -> None:
    plant(indexed, statement)

    everywhere = INVARIANTS[name].check(indexed, TENANT, None)
    in_batch = INVARIANTS[name].check(indexed, TENANT, BATCHES)

    assert {example.note for example in everywhere.examples} == {"notas:n1"}
    assert in_batch == everywhere


@pytest.mark.parametrize(("name", "statement", "note"), PLANTED_IN_STATISTICS)
def test_a_wrong_statistic_is_found(indexed: Engine, name: str, statement: str, note: str) -> None:
    plant(indexed, statement)

    found = INVARIANTS[name].check(indexed, TENANT, None)

    assert [example.note for example in found.examples] == [note]


@pytest.mark.parametrize(("name", "statement"), PLANTED_IN_STAGING)
def test_a_defect_of_a_staged_generation_is_found(staged: Engine, name: str, statement: str) -> None:
    plant(staged, statement)

    found = INVARIANTS[name].check(staged, TENANT, BATCHES)

    assert "notas:n1" in {example.note for example in found.examples}


def test_a_chunk_whose_note_is_gone_is_found(indexed: Engine) -> None:
    plant(indexed, f"delete from brain.notes where {N1}")

    found = INVARIANTS["chunks_lie_in_their_notes"].check(indexed, TENANT, None)

    assert found.violations == 1
    assert "a note that does not exist" in found.examples[0].problem


def test_a_defect_in_another_batch_is_no_matter_of_this_one(indexed: Engine) -> None:
    plant(indexed, "delete from brain.posting_blocks")

    found = INVARIANTS["postings_are_exact"].check(indexed, TENANT, ["pruebas-000001"])

    assert found.violations == 0


def test_a_defect_of_another_tenant_is_no_matter_of_this_one(indexed: Engine) -> None:
    plant(indexed, "delete from brain.posting_blocks")

    found = INVARIANTS["postings_are_exact"].check(indexed, TenantId("otra"), None)

    assert found.violations == 0


def test_many_violations_are_counted_and_twenty_are_shown(indexed: Engine, import_texts: ImportTexts) -> None:
    import_texts([f"Palabra{number}." for number in range(30)])
    plant(indexed, "delete from brain.chunks")

    found = INVARIANTS["no_note_is_lost"].check(indexed, TENANT, None)

    assert (found.violations, len(found.examples)) == (30, 20)


def test_what_a_run_under_way_has_just_staged_is_not_left_over(staged: Engine) -> None:
    plant(staged, f"update brain.staged_notes set staged_at = now() - interval '2 hours' where {N1}")

    everywhere = INVARIANTS["nothing_staged_is_left"].check(staged, TENANT, None)
    of_a_run = INVARIANTS["nothing_staged_is_left"].check(staged, TENANT, BATCHES)

    assert [example.note for example in everywhere.examples] == ["notas:n1"]
    assert [example.note for example in of_a_run.examples] == ["notas:n0", "notas:n1"]


def test_a_broken_generation_does_not_go_live(staged: Engine, run_job: RunJob) -> None:
    plant(staged, f"update brain.staged_chunks set end_char = 1000 where {N1}")

    result = run_job("update_index")

    assert not result.success
    assert not any(e.asset_key == dg.AssetKey("fulltext_index") for e in result.get_asset_materialization_events())
    with staged.database.owner() as connection:
        methods = connection.execute("select distinct chunking_method from brain.chunks").fetchall()
    assert methods == [("whole_note",)]


def test_a_failing_check_names_notes_and_remedy_in_dagster(indexed: Engine, run_job: RunJob) -> None:
    plant(indexed, f"update brain.chunks set start_char = start_char + 1, end_char = end_char + 1 where {N1}")

    result = run_job("check_index", is_partitioned=False)

    failed = {e.check_name: e for e in result.get_asset_check_evaluations() if not e.passed}
    assert set(failed) == {"chunks_are_slices_of_their_notes", "chunks_lie_in_their_notes"}
    evaluation = failed["chunks_are_slices_of_their_notes"]
    assert evaluation.blocking
    assert [record.data["note"] for record in evaluation.metadata["examples"].records] == ["notas:n1"]
    assert "brain index --full" in evaluation.metadata["remedy"].value
    assert evaluation.description == "Violations: 1 of pruebas. Make the notes anew: run `brain index --full`."


def plant(engine: Engine, statement: str) -> None:
    """Change the database behind the keys' and triggers' backs."""
    with engine.database.owner() as connection:
        connection.execute("set session_replication_role = replica")
        connection.execute("alter table brain.chunks drop constraint chunks_content_fits_bounds")
        connection.execute(sql.SQL(statement))  # type: ignore[arg-type]
