"""Stopping, rolling back, resuming and finishing a migration: every note found at every moment, whole or chunked."""

import pytest
from migrating import STATES, broken_promises, not_found, rows, run
from migrating import legacy as legacy  # noqa: PLC0414  a fixture, re-exported to pytest

from rag_core.errors import NotFoundError
from rag_core.indexing import publishing
from rag_core.indexing.publishing import publish_staged
from rag_core.indexing.staging import embed_staged, stage_notes
from rag_core.migration import control
from rag_core.storage.batches import pending_batches, stale_batches


class TestTheMark:
    """Publication leaves a mark on a note."""

    def test_a_published_legacy_note_is_migrated_with_the_moment(self, engine, tenant, legacy, make_note) -> None:
        make_note("Una nota de ahora.", external_id="nueva")

        run(engine, tenant)

        assert rows(engine, STATES) == [("migrated", 10), (None, 1)]
        assert rows(engine, "select count(*) from notes where chunked_at > now() - interval '1 minute'") == [(11,)]

    def test_an_edit_takes_the_moment_away_until_it_is_chunked_again(self, engine, tenant, make_note) -> None:
        make_note("Una nota de ahora.", external_id="nueva")
        run(engine, tenant)

        make_note("Una nota de después.", external_id="nueva")

        assert rows(engine, "select chunked_at from notes") == [(None,)]


class TestStop:
    """A partial rollback: what is chunked stays, what is pending waits, and everything else goes on."""

    def test_pending_notes_wait_and_new_ones_are_chunked(self, engine, tenant, legacy, make_note) -> None:
        counts = control.stop(engine.database, tenant, reason="mañana más")
        make_note("Una nota de ahora.", external_id="nueva")

        staged, _, _, published = run(engine, tenant)

        assert (counts.state, counts.pending, counts.migrated, counts.failed) == ("stopped", 10, 0, 0)
        assert (staged.notes, published.published) == (1, 1)
        assert rows(engine, STATES) == [("pending", 10), (None, 1)]
        assert rows(engine, "select state, reason from migrations") == [("stopped", "mañana más")]
        assert not_found(engine, tenant, legacy) == []

    def test_what_was_staged_before_does_not_go_live(self, engine, tenant, legacy) -> None:
        keys = pending_batches(engine.database, tenant)
        stage_notes(engine.database, tenant, keys, engine.pipeline)
        embed_staged(engine.database, tenant, keys, engine.pipeline)

        control.stop(engine.database, tenant)
        report = publish_staged(engine.database, tenant, keys, engine.pipeline)

        assert (report.published, report.left) == (0, 0)
        assert rows(engine, STATES) == [("pending", 10)]

    def test_it_takes_effect_at_the_next_page_of_a_run(self, engine, tenant, legacy, monkeypatch) -> None:
        monkeypatch.setattr(publishing, "PUBLISH_NOTES", 3)
        keys = pending_batches(engine.database, tenant)
        stage_notes(engine.database, tenant, keys, engine.pipeline)
        embed_staged(engine.database, tenant, keys, engine.pipeline)

        publish_staged(
            engine.database,
            tenant,
            keys,
            engine.pipeline,
            on_progress=lambda _notes: control.stop(engine.database, tenant),
        )

        assert rows(engine, STATES) == [("migrated", 3), ("pending", 7)]
        assert broken_promises(engine, tenant) == []

    def test_resuming_migrates_the_rest(self, engine, tenant, legacy) -> None:
        control.stop(engine.database, tenant)

        assert control.resume(engine.database, tenant).state == "running"
        run(engine, tenant)

        assert rows(engine, STATES) == [("migrated", 10)]

    def test_without_a_migration_there_is_nothing_to_stop(self, engine, tenant) -> None:
        assert control.fetch_state(engine.database, tenant) is None
        with pytest.raises(NotFoundError, match="no migration"):
            control.stop(engine.database, tenant)


def test_what_is_migrated_is_not_stale_and_what_is_pending_is_left_to_the_migration(engine, tenant, legacy) -> None:
    fingerprint = engine.pipeline.fingerprint

    assert stale_batches(engine.database, tenant, fingerprint=fingerprint) == []
    run(engine, tenant)

    assert stale_batches(engine.database, tenant, fingerprint=fingerprint) == []
    assert pending_batches(engine.database, tenant) == []
