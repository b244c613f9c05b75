"""Alerts on a real database: what they are judged from, what is remembered, and what two loopback servers are told."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import UUID

import psycopg
import pytest
from watched_things import NOW, REGRESSION, MakeNote, ago, plant_evaluation, plant_minute
from watched_things import owner as owner  # noqa: PLC0414  a fixture, re-exported to pytest

from rag_core.alerting.incidents import RuleVerdict, advance
from rag_core.migration import control
from rag_core.model.incident import ServiceProcess, Told, Trouble
from rag_core.model.note import TenantId
from rag_core.storage import alerts as store
from rag_core.storage.database import Connection, Database


class TestFacts:
    def test_of_the_last_night_the_newest_run_of_each_strategy_counts(
        self, owner: Connection, tenant: TenantId
    ) -> None:
        plant_evaluation(owner, tenant, at=ago(days=2), strategy="abandoned", comparison=REGRESSION)
        plant_evaluation(owner, tenant, at=ago(hours=9), strategy="semantic", comparison=REGRESSION)
        plant_evaluation(owner, tenant, at=ago(hours=8), strategy="semantic", comparison={"is_regression": False})
        plant_evaluation(owner, tenant, at=ago(hours=8), strategy="hybrid", comparison=REGRESSION)
        plant_evaluation(owner, tenant, at=ago(hours=1), strategy="hybrid", purpose="manual")

        found = {facts.strategy: facts.comparison for facts in store.list_nightly_evaluations(owner)}

        assert found == {"semantic": {"is_regression": False}, "hybrid": REGRESSION}

    def test_a_golden_set_counts_when_its_notes_exist(
        self, owner: Connection, tenant: TenantId, make_note: MakeNote
    ) -> None:
        kept, gone = make_note("El pozo baja en agosto."), make_note("Riego los martes.")
        set_id = owner.execute(
            "insert into brain.golden_sets (tenant_id, name) values (%s, 'default') returning set_id", (tenant,)
        ).fetchone()[0]
        for number, note in enumerate((kept, gone)):
            owner.execute(
                """with q as (
                    insert into brain.golden_queries (tenant_id, set_id, query, query_hash, created_at)
                    values (%(tenant)s, %(set)s, %(query)s, sha256(convert_to(%(query)s::text, 'UTF8')), %(at)s) returning query_id)
                insert into brain.golden_relevance select %(tenant)s, query_id, %(note)s from q""",
                {"tenant": tenant, "set": set_id, "query": f"q{number}", "note": note, "at": ago(days=number)},
            )
        owner.execute("delete from brain.notes where note_id = %s", (gone,))
        plant_evaluation(owner, tenant, at=ago(hours=40))

        (facts,) = store.list_golden_sets(owner, set_name="default")

        assert facts.tenant == tenant
        assert facts.queries == 1
        assert facts.since == NOW
        assert facts.evaluated_at == ago(hours=40)

    def test_notes_are_stale_when_this_pipeline_has_not_indexed_them_and_should_have(
        self, owner: Connection, tenant: TenantId, make_note: MakeNote
    ) -> None:
        notes = [make_note(text) for text in ("Vieja.", "Al día.", "Reciente.", "Heredada.", "Imposible.")]
        states = [
            ("other", ago(hours=9), None),
            ("ours", ago(hours=9), None),
            (None, ago(hours=1), None),
            (None, ago(hours=9), "pending"),
            (None, ago(hours=5), None),
        ]
        for note, (fingerprint, updated_at, legacy) in zip(notes, states, strict=True):
            owner.execute(
                "update brain.notes set indexed_fingerprint = %s, updated_at = %s, legacy_state = %s where note_id = %s",
                (fingerprint, updated_at, legacy, note),
            )
        owner.execute(
            """insert into brain.migration_failures (tenant_id, source, external_id, note_id, stage, attempts, reason)
            values (%s, 'notas', 'n5', %s, 'chunking', 3, 'x')""",
            (tenant, notes[4]),
        )

        (facts,) = store.list_stale_notes(owner, fingerprint="ours", before=ago(hours=3), most_attempts=3)

        assert facts.notes == 2
        assert facts.given_up == 1
        assert facts.oldest == ago(hours=9)

    def test_nothing_is_stale_while_a_migration_is_rolled_back(
        self, owner: Connection, tenant: TenantId, make_note: MakeNote
    ) -> None:
        make_note("Entera.")
        owner.execute("update brain.notes set updated_at = %s", (ago(hours=9),))
        owner.execute("insert into brain.migrations (tenant_id, state) values (%s, 'rolled_back')", (tenant,))

        assert store.list_stale_notes(owner, fingerprint="ours", before=NOW, most_attempts=3) == []

    def test_a_migration_has_begun_with_the_first_note_that_was_chunked(
        self, owner: Connection, tenant: TenantId, make_note: MakeNote
    ) -> None:
        first, second = make_note("Una."), make_note("Otra.")
        owner.execute("update brain.notes set legacy_state = 'pending'")
        owner.execute(
            "insert into brain.migrations (tenant_id, state, changed_at) values (%s, 'running', %s)",
            (tenant, ago(hours=2)),
        )

        (waiting,) = store.list_open_migrations(owner, most_attempts=3)
        owner.execute(
            "update brain.notes set legacy_state = 'migrated', chunked_at = %s where note_id = %s",
            (ago(minutes=40), first),
        )
        owner.execute(
            """insert into brain.migration_failures (tenant_id, source, external_id, note_id, stage, attempts, reason)
            values (%s, 'notas', 'n2', %s, 'chunking', 3, 'x')""",
            (tenant, second),
        )
        (begun,) = store.list_open_migrations(owner, most_attempts=3)

        assert waiting.pending == 2
        assert waiting.has_begun is False
        assert waiting.last_mark_at is None
        assert begun.pending == 1
        assert begun.given_up == 1
        assert begun.has_begun is True
        assert begun.last_mark_at == ago(minutes=40)

    @pytest.mark.parametrize("run", [UUID(int=7), None], ids=["by an evaluation", "by hand"])
    def test_a_migration_is_regressed_when_an_evaluation_stopped_it_whatever_the_clocks_say(
        self, owner: Connection, database: Database, tenant: TenantId, run: UUID | None
    ) -> None:
        comparison = {**REGRESSION, "is_regression": True}
        a_clock_ahead = datetime.now(UTC) + timedelta(seconds=5)
        plant_evaluation(owner, tenant, at=a_clock_ahead, purpose="migration", comparison=comparison)
        owner.execute("insert into brain.migrations (tenant_id, state) values (%s, 'running')", (tenant,))

        control.stop(database, tenant, evaluation_run=run)

        (facts,) = store.list_open_migrations(owner, most_attempts=3)
        assert facts.is_regressed is (run is not None)

    def test_a_migration_that_was_resumed_and_stopped_by_hand_is_not_regressed(
        self, owner: Connection, database: Database, tenant: TenantId
    ) -> None:
        owner.execute("insert into brain.migrations (tenant_id, state) values (%s, 'running')", (tenant,))
        control.stop(database, tenant, evaluation_run=UUID(int=7))
        control.resume(database, tenant)

        control.stop(database, tenant, reason="comida")

        (facts,) = store.list_open_migrations(owner, most_attempts=3)
        assert not facts.is_regressed

    def test_the_window_sums_all_processes_and_weighs_their_p95(self, owner: Connection) -> None:
        plant_minute(owner, "a/1/1", ago(minutes=20), requests=1000, failed=1000, p95_ms=9_000)
        plant_minute(owner, "a/1/1", ago(minutes=2), requests=30, failed=1, degraded=2, p95_ms=100)
        plant_minute(owner, "b/1/1", ago(minutes=1), requests=10, failed=2, p95_ms=500)
        plant_minute(owner, "b/1/1", NOW)

        window = store.fetch_service_window(owner, since=ago(minutes=10))

        assert window.requests == 40
        assert window.failed == 3
        assert window.degraded == 2
        assert window.p95_ms == 200

    def test_an_empty_window_has_no_p95(self, owner: Connection) -> None:
        window = store.fetch_service_window(owner, since=NOW)

        assert window.requests == 0
        assert window.failed == 0
        assert window.p95_ms is None

    def test_processes_are_known_by_their_first_and_last_minute(self, owner: Connection) -> None:
        plant_minute(owner, "a/1/1", ago(minutes=9))
        plant_minute(owner, "a/1/1", ago(minutes=3))
        plant_minute(owner, "b/2/2", ago(minutes=5), is_last=True)

        assert store.list_service_processes(owner, since=ago(days=1)) == [
            ServiceProcess(process="a/1/1", first_minute=ago(minutes=9), last_minute=ago(minutes=3), has_ended=False),
            ServiceProcess(process="b/2/2", first_minute=ago(minutes=5), last_minute=ago(minutes=5), has_ended=True),
        ]

    def test_figures_older_than_thirty_days_are_dropped(self, owner: Connection) -> None:
        plant_minute(owner, "a/1/1", ago(days=31))

        plant_minute(owner, "a/1/1", NOW)

        assert owner.execute("select array_agg(minute) from brain.service_minutes").fetchone() == ([NOW],)


class TestIncidents:
    TROUBLE = Trouble(
        rule="index_stale",
        subject="pruebas",
        severity="warning",
        title="Título",
        message="Mensaje",
        link="/assets/notes",
        details={"notes": 3},
    )

    def test_an_incident_is_read_as_it_was_written(self, owner: Connection, tenant: TenantId) -> None:
        trouble = replace(self.TROUBLE, tenant=tenant)
        (made,) = advance([], RuleVerdict(rule="index_stale", troubles=[trouble]), now=NOW, cooldown=timedelta(hours=6))
        told = {
            "ab12": Told(alert_at=ago(hours=1), severity="warning", resolution_at=NOW),
            "cd34": Told(alert_at=NOW, severity="critical"),
        }
        incident = replace(made, told=told, times_seen=4, resolved_at=NOW)

        store.write_incidents(owner, [incident])

        assert store.list_incidents(owner, limit=5) == [incident]

    def test_when_somebody_was_told_stands_in_the_row(self, owner: Connection) -> None:
        (made,) = advance(
            [], RuleVerdict(rule="index_stale", troubles=[self.TROUBLE]), now=NOW, cooldown=timedelta(hours=6)
        )
        store.write_incidents(owner, [made])
        untold = owner.execute("select state, notified_at, resolution_notified_at from brain.alerts").fetchone()

        told = {"ab12": Told(alert_at=ago(hours=1), severity="warning", resolution_at=NOW)}
        store.write_incidents(owner, [replace(made, told=told, resolved_at=NOW)])

        assert untold == ("firing", None, None)
        assert owner.execute("select state, notified_at, resolution_notified_at from brain.alerts").fetchone() == (
            "resolved",
            ago(hours=1),
            NOW,
        )

    def test_the_database_lets_one_fire_of_a_rule_and_subject(self, owner: Connection) -> None:
        judgement = RuleVerdict(rule="index_stale", troubles=[self.TROUBLE])
        (one,) = advance([], judgement, now=NOW, cooldown=timedelta(hours=6))
        (two,) = advance([], judgement, now=NOW, cooldown=timedelta(hours=6))

        with pytest.raises(psycopg.errors.UniqueViolation):
            store.write_incidents(owner, [one, two])

        assert store.list_incidents(owner, limit=5) == []

    def test_the_application_sees_none_of_it(self, database: Database, owner: Connection, tenant: TenantId) -> None:
        with database.transaction(tenant) as connection:
            row = connection.execute(
                """select has_table_privilege('brain.alerts', 'select'),
                    has_table_privilege('brain.service_minutes', 'select')"""
            ).fetchone()

        assert row == (False, False)
