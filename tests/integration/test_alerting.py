"""Alerts on a real database: what they are judged from, what is remembered, and what two loopback servers are told."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import psycopg
import pytest
from psycopg.types.json import Jsonb
from smtp_server import SmtpServer
from smtp_server import smtp_server as smtp_server  # noqa: PLC0414  a fixture, re-exported to pytest
from webhook_server import WebhookServer
from webhook_server import webhook_server as webhook_server  # noqa: PLC0414

from rag_core.alerting import rules
from rag_core.alerting.delivery import Address, Notifier, parse_addresses
from rag_core.alerting.facts import Thresholds
from rag_core.alerting.incidents import Judgement, advance
from rag_core.alerting.messages import Message
from rag_core.alerting.watch import Policy, WatchReport, quality_rules, service_rules, stale_rule, watch
from rag_core.migration import control
from rag_core.model.incident import ServiceProcess, Told, Trouble, WindowFigures
from rag_core.model.note import NoteId, TenantId
from rag_core.storage import alerts as store
from rag_core.storage.alerts import ServiceMinute, operator_connection
from rag_core.storage.database import Connection, Database

MakeNote = Callable[..., NoteId]
NOW = datetime(2025, 3, 2, 12, 0, tzinfo=UTC)
LIMITS = Thresholds()
REGRESSION = {
    "metric": "ndcg_at_10",
    "baseline": 0.8,
    "current": 0.6,
    "difference": -0.2,
    "p_worse": 0.001,
    "queries": 30,
    "is_regression": True,
}


def ago(**duration: float) -> datetime:
    return NOW - timedelta(**duration)


@pytest.fixture
def owner(database: Database) -> Iterator[Connection]:
    with operator_connection(database, timeout_ms=10_000) as connection:
        yield connection


def plant_evaluation(
    owner: Connection,
    tenant: TenantId,
    *,
    at: datetime,
    comparison: dict[str, Any] | None = None,
    strategy: str = "hybrid",
    purpose: str = "nightly",
    dagster_run: str = "d1",
) -> None:
    owner.execute(
        """insert into brain.evaluation_runs (
            tenant_id, set_name, set_version, config_hash, config, models, pipeline_fingerprint, hit_rate_at_1,
            hit_rate_at_3, hit_rate_at_5, hit_rate_at_10, mrr, ndcg_at_10, recall_at_20, latency_p50_ms, latency_p95_ms,
            latency_p99_ms, total_queries, degraded_queries, failed_queries, created_at, purpose, strategy, comparison,
            circumstances)
        values (%s, 'default', 1, 'h', '{}', '{}', 'f', 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 30, 0, 0, %s, %s, %s, %s, %s)""",
        (
            tenant,
            at,
            purpose,
            strategy,
            None if comparison is None else Jsonb(comparison),
            Jsonb({"dagsterRun": dagster_run}),
        ),
    )


def plant_minute(owner: Connection, process: str, minute: datetime, *, is_last: bool = False, **figures: Any) -> None:
    row = ServiceMinute(process=process, minute=minute, figures=WindowFigures(**figures), is_last=is_last)
    store.write_service_minutes(owner, [row], prune_before=ago(days=30))


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

        assert (facts.tenant, facts.queries, facts.since, facts.evaluated_at) == (tenant, 1, NOW, ago(hours=40))

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

        assert (facts.notes, facts.given_up, facts.oldest) == (2, 1, ago(hours=9))

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

        assert (waiting.pending, waiting.has_begun, waiting.last_mark_at) == (2, False, None)
        assert (begun.pending, begun.given_up, begun.has_begun, begun.last_mark_at) == (1, 1, True, ago(minutes=40))

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

        assert (window.requests, window.failed, window.degraded, window.p95_ms) == (40, 3, 2, 200)

    def test_an_empty_window_has_no_p95(self, owner: Connection) -> None:
        window = store.fetch_service_window(owner, since=NOW)

        assert (window.requests, window.failed, window.p95_ms) == (0, 0, None)

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
        (made,) = advance([], Judgement(rule="index_stale", troubles=[trouble]), now=NOW, cooldown=timedelta(hours=6))
        told = {
            "ab12": Told(alert_at=ago(hours=1), severity="warning", resolution_at=NOW),
            "cd34": Told(alert_at=NOW, severity="critical"),
        }
        incident = replace(made, told=told, times_seen=4, resolved_at=NOW)

        store.write_incidents(owner, [incident])

        assert store.list_incidents(owner, limit=5) == [incident]

    def test_when_somebody_was_told_stands_in_the_row(self, owner: Connection) -> None:
        (made,) = advance(
            [], Judgement(rule="index_stale", troubles=[self.TROUBLE]), now=NOW, cooldown=timedelta(hours=6)
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
        judgement = Judgement(rule="index_stale", troubles=[self.TROUBLE])
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


def judge_quality(now: datetime) -> dict[rules.Rule, Any]:
    return quality_rules(LIMITS, now=now)


@dataclass
class Minutes:
    """Ticks of the watch, a minute apart."""

    database: Database
    notifier: Notifier
    judges: Callable[[datetime], Any] = judge_quality
    policy: Policy = field(default_factory=Policy)
    now: datetime = NOW

    def tick(self, *, minutes: float = 1) -> WatchReport:
        self.now += timedelta(minutes=minutes)
        return watch(self.database, self.judges(self.now), notifier=self.notifier, policy=self.policy, now=self.now)


@dataclass
class Sink:
    """Addresses that keep what they are sent, unless they are down."""

    taken: list[tuple[str, str]] = field(default_factory=list)
    raising: Exception | None = None

    def __call__(self, address: Address, message: Message) -> None:
        if self.raising is not None and len(self.taken) >= 1:
            raise self.raising
        self.taken.append((address.name, message.title))


class TestWatch:
    def test_a_regression_is_told_once_at_each_server_and_so_is_its_end(
        self,
        database: Database,
        owner: Connection,
        tenant: TenantId,
        smtp_server: SmtpServer,
        webhook_server: WebhookServer,
    ) -> None:
        urls = f"{smtp_server.url()} {webhook_server.url()}"
        minutes = Minutes(database, Notifier(addresses=parse_addresses(urls)))
        plant_evaluation(owner, tenant, at=ago(hours=8), comparison=REGRESSION)

        reports = [minutes.tick() for _ in range(3)]
        told = [mail["Subject"] for mail in smtp_server.messages], list(webhook_server.titles)
        plant_evaluation(owner, tenant, at=ago(hours=7), comparison={**REGRESSION, "is_regression": False})
        reports += [minutes.tick() for _ in range(3)]

        alert, resolution = (f"[{head}] Retrieval of pruebas got worse" for head in ("critical", "resolved"))
        assert told == ([alert], [alert])
        assert [mail["Subject"] for mail in smtp_server.messages] == [alert, resolution]
        assert webhook_server.titles == [alert, resolution]
        assert [report.sent for report in reports] == [2, 0, 0, 2, 0, 0]
        assert "hybrid: nDCG@10 fell from 0.800 to 0.600 on 30 questions" in webhook_server.bodies[0]["message"]
        assert reports[0].summary == ("1 firing. began: evaluation_regression of pruebas/default. 2 messages sent.")

    def test_a_server_that_is_down_is_told_later_and_the_other_one_only_once(
        self,
        database: Database,
        owner: Connection,
        tenant: TenantId,
        smtp_server: SmtpServer,
        webhook_server: WebhookServer,
    ) -> None:
        smtp_server.fault = "drop"
        urls = f"{smtp_server.url()} {webhook_server.url()}"
        minutes = Minutes(database, Notifier(addresses=parse_addresses(urls)))
        plant_evaluation(owner, tenant, at=ago(hours=8), comparison=REGRESSION)

        failing = minutes.tick()
        smtp_server.fault = None
        minutes.tick()
        minutes.tick()

        assert (failing.sent, len(failing.undelivered)) == (1, 1)
        assert failing.undelivered[0].startswith("address 1 (mailto) did not take the message")
        assert (len(smtp_server.messages), len(webhook_server.bodies)) == (1, 1)

    def test_without_addresses_alerts_are_recorded(
        self, database: Database, owner: Connection, tenant: TenantId
    ) -> None:
        plant_evaluation(owner, tenant, at=ago(hours=8), comparison=REGRESSION)

        report = Minutes(database, Notifier()).tick()

        assert (report.firing, report.sent) == (1, 0)
        assert owner.execute("select rule, state, severity, link, notified_at from brain.alerts").fetchone() == (
            "evaluation_regression",
            "firing",
            "critical",
            "/runs/d1",
            None,
        )

    def test_a_rule_that_fails_keeps_no_other_from_being_judged_and_is_told_itself(
        self, database: Database, owner: Connection, tenant: TenantId
    ) -> None:
        plant_evaluation(owner, tenant, at=ago(hours=8), comparison=REGRESSION)
        is_broken = True

        def refuse(connection: Connection) -> Judgement:
            if is_broken:
                connection.execute("select 1 / 0")
            return Judgement(rule="run_failed", over={})

        sink = Sink()
        minutes = Minutes(
            database,
            Notifier(addresses=parse_addresses("json://a"), send=sink),
            judges=lambda now: {"run_failed": refuse, **judge_quality(now)},
        )

        broken = minutes.tick()
        is_broken = False
        minutes.tick()

        assert broken.not_judged == ["run_failed"]
        assert sorted(title for _, title in sink.taken) == [
            "[critical] Retrieval of pruebas got worse, and 1 more",
            "[resolved] The rule run_failed cannot be judged",
        ]

    def test_incidents_of_a_rule_that_is_not_judged_stay_as_they_are(
        self, database: Database, owner: Connection, tenant: TenantId
    ) -> None:
        minutes = Minutes(database, Notifier())
        plant_evaluation(owner, tenant, at=ago(hours=8), comparison=REGRESSION)
        minutes.tick()

        minutes.judges = lambda _now: {}
        report = minutes.tick()

        assert (report.firing, report.ended) == (1, [])

    def test_what_was_told_is_written_at_once_so_that_a_killed_process_repeats_one_message_at_most(
        self, database: Database, owner: Connection, tenant: TenantId
    ) -> None:
        owner.execute("insert into brain.tenants (tenant_id) values ('otra')")
        for one in (tenant, TenantId("otra")):
            plant_evaluation(owner, one, at=ago(hours=8), comparison=REGRESSION)
        sink = Sink(raising=MemoryError("killed"))
        minutes = Minutes(database, Notifier(addresses=parse_addresses("pagerduty://key@api"), send=sink))

        with pytest.raises(MemoryError):
            minutes.tick()
        sink.raising = None
        minutes.tick()
        minutes.tick()

        assert sorted(title for _, title in sink.taken) == [
            "[critical] Retrieval of otra got worse",
            "[critical] Retrieval of pruebas got worse",
        ]

    @pytest.mark.parametrize(
        ("address", "tenants", "messages"),
        [("json://a", 1, 1), ("json://a", 5, 1), ("pagerduty://key@api", 5, 5), ("pagerduty://key@api", 6, 1)],
    )
    def test_alerts_that_begin_together_are_one_message_and_so_are_their_ends(
        self, database: Database, owner: Connection, tenant: TenantId, address: str, tenants: int, messages: int
    ) -> None:
        names = [TenantId(f"t{number}") for number in range(tenants)]
        for name in names:
            owner.execute("insert into brain.tenants (tenant_id) values (%s)", (name,))
            plant_evaluation(owner, name, at=ago(hours=8), comparison=REGRESSION)
        sink = Sink()
        minutes = Minutes(database, Notifier(addresses=parse_addresses(address), send=sink))

        sent = [minutes.tick().sent for _ in range(2)]
        for name in names:
            plant_evaluation(owner, name, at=ago(hours=7), comparison={**REGRESSION, "is_regression": False})
        sent += [minutes.tick().sent for _ in range(2)]

        assert sent == [messages, 0, messages, 0]

    def test_a_night_without_a_verdict_ends_no_alert(
        self, database: Database, owner: Connection, tenant: TenantId
    ) -> None:
        plant_evaluation(owner, tenant, at=ago(hours=40), comparison=REGRESSION)
        minutes = Minutes(database, Notifier())
        minutes.tick()
        plant_evaluation(
            owner, tenant, at=ago(hours=8), comparison={"is_regression": False, "obstacle": "too_few_queries"}
        )

        report = minutes.tick()

        assert (report.firing, report.ended) == (1, [])

    def test_two_do_not_watch_at_once(self, database: Database, owner: Connection) -> None:
        assert store.try_watch_lock(owner)

        report = Minutes(database, Notifier()).tick()

        assert report.summary == "Another process is watching."

    def test_the_api_of_this_machine_that_was_killed_is_told(self, database: Database, owner: Connection) -> None:
        plant_minute(owner, "casa/1/1.00", ago(minutes=8), requests=3)
        sink = Sink()
        minutes = Minutes(
            database,
            Notifier(addresses=parse_addresses("json://a"), send=sink),
            judges=lambda now: service_rules(LIMITS, now=now),
        )

        minutes.tick()
        plant_minute(owner, "casa/2/2.00", ago(minutes=1))
        minutes.tick()

        assert [title for _, title in sink.taken] == [
            "[critical] The API on casa fell silent",
            "[resolved] The API on casa fell silent",
        ]

    def test_a_new_pipeline_makes_old_notes_stale_only_after_the_time_an_edit_has(
        self, database: Database, owner: Connection, make_note: MakeNote
    ) -> None:
        make_note("Vieja.")
        owner.execute("update brain.notes set updated_at = %s", (ago(days=90),))

        def judged(since: datetime) -> int:
            judges = stale_rule(LIMITS, fingerprint="new", pipeline_since=since, now=NOW)
            return len(judges["index_stale"](owner).troubles)

        assert (judged(ago(hours=2)), judged(ago(hours=4))) == (0, 1)

    def test_a_tenant_that_is_deleted_takes_its_alerts_along(
        self, database: Database, owner: Connection, tenant: TenantId
    ) -> None:
        plant_evaluation(owner, tenant, at=ago(hours=8), comparison=REGRESSION)
        minutes = Minutes(database, Notifier())
        minutes.tick()
        owner.execute("delete from brain.tenants where tenant_id = %s", (tenant,))

        report = minutes.tick()

        assert report.firing == 0
        assert store.list_incidents(owner, limit=5) == []
