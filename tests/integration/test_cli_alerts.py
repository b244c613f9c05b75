"""`brain alerts` and `brain alerts test`."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from command_line import Brain
from smtp_server import SmtpServer
from smtp_server import smtp_server as smtp_server  # noqa: PLC0414  a fixture, re-exported to pytest
from webhook_server import WebhookServer
from webhook_server import webhook_server as webhook_server  # noqa: PLC0414

from rag_core.alerting.incidents import RuleVerdict, advance
from rag_core.model.incident import Trouble
from rag_core.storage.alerts import operator_connection, write_incidents
from rag_core.storage.database import Database

pytestmark = pytest.mark.usefixtures("without_tenant")

NOW = datetime(2025, 3, 2, 12, 0, tzinfo=UTC)


@pytest.fixture
def database_with_two(database: Database) -> Database:
    """One alert is firing, one is over."""
    troubles = [
        Trouble(
            rule="run_failed",
            subject=job,
            severity="warning",
            title=f"A run of {job} failed",
            message="Run 1 failed.",
            link="/runs/1",
        )
        for job in ("index_notes", "check_index")
    ]
    cooldown = timedelta(hours=6)
    opened = advance([], RuleVerdict(rule="run_failed", troubles=troubles), now=NOW, cooldown=cooldown)
    mended = advance(opened, RuleVerdict(rule="run_failed", over={"check_index": None}), now=NOW, cooldown=cooldown)
    with operator_connection(database, timeout_ms=10_000) as connection:
        write_incidents(connection, [*opened[:1], *mended])
    return database


def test_what_is_firing_and_what_was_are_listed_apart(brain: Brain, database_with_two: Database) -> None:
    found = json.loads(brain("alerts", "--json").stdout)

    (firing,), (recent,) = found["firing"], found["recent"]
    assert (firing["rule"], firing["subject"], firing["state"]) == ("run_failed", "index_notes", "firing")
    assert firing["link"] == "http://127.0.0.1:3000/runs/1"
    assert (recent["subject"], recent["resolved_at"]) == ("check_index", "2025-03-02T12:00:00+00:00")
    assert found["addresses"] == []


def test_people_get_a_table_and_are_told_when_nobody_is_told(brain: Brain, database_with_two: Database) -> None:
    shown = brain("alerts")

    assert shown.exit_code == 0
    assert "Alerts: 1 firing" in shown.stdout
    assert "BRAIN_ALERT_URLS is not set here" in shown.stderr


def test_who_is_told_is_shown_without_the_addresses(
    brain: Brain, database_with_two: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BRAIN_ALERT_URLS", "json://ana:geheim@127.0.0.1/x")

    shown = brain("alerts", "--json").stdout

    assert json.loads(shown)["addresses"] == ["address 1 (json)"]
    assert "geheim" not in shown


def test_an_alert_that_nothing_else_ends_is_closed_by_hand(brain: Brain, database_with_two: Database) -> None:
    (firing,) = json.loads(brain("alerts", "--json").stdout)["firing"]

    closed = json.loads(brain("alerts", "close", firing["id"][:8].upper(), "--json").stdout)

    after = json.loads(brain("alerts", "--json").stdout)
    assert (closed["id"], closed["state"], closed["is_closed_by_hand"]) == (firing["id"], "resolved", True)
    assert after["firing"] == []
    assert [one["is_closed_by_hand"] for one in after["recent"] if one["id"] == firing["id"]] == [True]


@pytest.mark.parametrize(
    ("given", "said"), [("nobody", "no firing alert has an id that begins with"), ("", "give more of it")]
)
def test_what_names_no_one_alert_closes_none(brain: Brain, database_with_two: Database, given: str, said: str) -> None:
    with operator_connection(database_with_two, timeout_ms=10_000) as connection:
        trouble = Trouble(rule="run_failed", subject="third", severity="warning", title="Third", message="…")
        judgement = RuleVerdict(rule="run_failed", troubles=[trouble])
        write_incidents(connection, advance([], judgement, now=NOW, cooldown=timedelta(hours=6)))

    result = brain("alerts", "close", given, "--json")

    assert result.exit_code != 0
    assert said in json.loads(result.stdout)["error"]
    assert len(json.loads(brain("alerts", "--json").stdout)["firing"]) == 2


def test_a_test_message_reaches_every_address(
    brain: Brain, smtp_server: SmtpServer, webhook_server: WebhookServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BRAIN_ALERT_URLS", f"{smtp_server.url()}, {webhook_server.url()}")

    result = brain("alerts", "test", "--json")

    assert (result.exit_code, json.loads(result.stdout)) == (
        0,
        {"sent": ["address 1 (mailto)", "address 2 (json)"], "failed": []},
    )
    assert smtp_server.messages[0]["Subject"] == webhook_server.titles[0] == "[test] Brain Sync"


def test_an_address_that_takes_nothing_is_named_and_exits_1(
    brain: Brain, smtp_server: SmtpServer, webhook_server: WebhookServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    webhook_server.fault = "status"
    monkeypatch.setenv("BRAIN_ALERT_URLS", f"{smtp_server.url()} {webhook_server.url('geheim')}")

    result = brain("alerts", "test")

    assert result.exit_code == 1
    assert "address 1 (mailto): accepted" in result.stdout
    assert "address 2 (json) did not take the message" in result.stdout
    assert "geheim" not in result.output


def test_without_addresses_the_test_says_what_to_set(brain: Brain) -> None:
    result = brain("alerts", "test", "--json")

    assert result.exit_code == 1
    assert "set BRAIN_ALERT_URLS" in json.loads(result.stdout)["error"]
