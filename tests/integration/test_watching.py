"""The watch that judges, tells and remembers."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from causal_notes import read_notes as read_notes  # noqa: PLC0414  a fixture, re-exported to pytest
from smtp_server import SmtpServer
from smtp_server import smtp_server as smtp_server  # noqa: PLC0414  a fixture, re-exported to pytest
from watched_things import NOW, REGRESSION, MakeNote, ago, plant_evaluation, plant_minute
from watched_things import owner as owner  # noqa: PLC0414  a fixture, re-exported to pytest
from webhook_server import WebhookServer
from webhook_server import webhook_server as webhook_server  # noqa: PLC0414

from rag_core.alerting import rules
from rag_core.alerting.delivery import Address, Notifier, parse_addresses
from rag_core.alerting.facts import AlertThresholds
from rag_core.alerting.incidents import RuleVerdict
from rag_core.alerting.messages import AlertMessage
from rag_core.alerting.watch import Policy, WatchReport, quality_rules, service_rules, stale_rule, watch
from rag_core.model.note import TenantId
from rag_core.storage import alerts as store
from rag_core.storage.database import Connection, Database

LIMITS = AlertThresholds()


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

    def __call__(self, address: Address, message: AlertMessage) -> None:
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

        def refuse(connection: Connection) -> RuleVerdict:
            if is_broken:
                connection.execute("select 1 / 0")
            return RuleVerdict(rule="run_failed", over={})

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

    def test_a_published_note_that_the_graph_has_not_read_is_told_once_and_so_is_its_end(
        self,
        database: Database,
        owner: Connection,
        make_note: MakeNote,
        index_notes: Callable[[], object],
        read_notes: Callable[[], object],
    ) -> None:
        make_note("Cené con Birgit Lohmann.")
        make_note("Sin publicar.")
        index_notes()
        owner.execute("update brain.notes set indexed_fingerprint = null where content = 'Sin publicar.'")
        owner.execute("delete from brain.named_notes")
        sink = Sink()
        minutes = Minutes(database, Notifier(addresses=parse_addresses("json://a"), send=sink), now=datetime.now(UTC))

        sent = [minutes.tick(minutes=6).sent for _ in range(4)]
        read_notes()
        sent += [minutes.tick().sent for _ in range(2)]

        assert sent == [0, 0, 1, 0, 1, 0]
        assert [title for _, title in sink.taken] == [
            "[warning] The knowledge graph of pruebas lags behind",
            "[resolved] The knowledge graph of pruebas lags behind",
        ]

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
