"""Messages as people read them, and their delivery to real servers on loopback."""

import logging
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from io import StringIO
from zoneinfo import ZoneInfo

import pytest
from smtp_server import SmtpServer
from smtp_server import smtp_server as smtp_server  # noqa: PLC0414  a fixture, re-exported to pytest
from webhook_server import WebhookServer
from webhook_server import webhook_server as webhook_server  # noqa: PLC0414

from rag_core.alerting.delivery import Address, parse_addresses, send, try_addresses, without_secrets
from rag_core.alerting.incidents import RuleVerdict, advance
from rag_core.alerting.messages import AlertMessage, demo_message, digest_of, message_of
from rag_core.errors import ConfigurationError, DeliveryError
from rag_core.model.incident import Incident, Kind, Trouble, close
from rag_core.telemetry.logs import configure_logging

NOON = datetime(2025, 3, 2, 12, 0, tzinfo=UTC)
MADRID = ZoneInfo("Europe/Madrid")
TROUBLE = Trouble(
    rule="check_failed",
    subject="fulltext_index/no_note_is_lost",
    severity="critical",
    title="The check no_note_is_lost of fulltext_index failed",
    message="notas:<b>n1</b> & más has no chunk.",
    link="/assets/fulltext_index?view=checks&checkDetail=no_note_is_lost",
)


def incident(*, is_over: bool = False) -> Incident:
    judgement = RuleVerdict(rule="check_failed", troubles=[TROUBLE])
    (made,) = advance([], judgement, now=NOON, cooldown=timedelta(hours=6))
    return replace(made, resolved_at=NOON + timedelta(minutes=90)) if is_over else made


def message(kind: Kind = "alert") -> AlertMessage:
    return message_of(
        incident(is_over=kind in {"resolution", "over"}),
        kind,
        now=NOON + timedelta(hours=2),
        dagster_url="http://127.0.0.1:3000/",
        zone=MADRID,
    )


def only(url: str) -> Address:
    (address,) = parse_addresses(url)
    return address


@pytest.fixture
def logged() -> Iterator[StringIO]:
    """Lines that the process writes to its log."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    stream = StringIO()
    configure_logging(level="DEBUG", stream=stream)
    yield stream
    root.handlers[:] = handlers
    root.setLevel(level)


class TestMessage:
    def test_an_alert_says_what_since_when_what_to_do_and_where_to_look(self) -> None:
        assert message().title == "[critical] The check no_note_is_lost of fulltext_index failed"
        assert message().text == (
            "notas:<b>n1</b> & más has no chunk.\n"
            "\n"
            "What to do: Open the check: it lists the notes, what is wrong with them, and the remedy.\n"
            "\n"
            "Rule: check_failed\n"
            "Of: fulltext_index/no_note_is_lost\n"
            "Since: 2025-03-02 13:00 CET\n"
            "As of: 2025-03-02 15:00 CET\n"
            "Look at: http://127.0.0.1:3000/assets/fulltext_index?view=checks&checkDetail=no_note_is_lost\n"
            "How to read this: docs/operations/alerts.md#check_failed"
        )

    def test_markdown_shows_tags_of_others_instead_of_having_them(self) -> None:
        first = message().markdown.partition("\n")[0]

        assert first == "notas:&lt;b&gt;n1&lt;/b&gt; &amp; más has no chunk."

    @pytest.mark.parametrize(
        ("kind", "head"),
        [
            ("alert", "[critical]"),
            ("reminder", "[still critical]"),
            ("resolution", "[resolved]"),
            ("over", "[resolved before you could be told]"),
        ],
    )
    def test_the_title_begins_with_what_kind_of_message_it_is(self, kind: Kind, head: str) -> None:
        assert message(kind).title == f"{head} {TROUBLE.title}"

    def test_good_news_says_since_when_and_asks_for_nothing(self) -> None:
        assert "Over since: 2025-03-02 14:30 CET" in message("resolution").text
        assert "What to do" not in message("resolution").text
        assert message("resolution").severity is None

    def test_all_messages_about_one_incident_have_one_key(self) -> None:
        made = incident()

        keys = {
            message_of(made, kind, now=NOON, dagster_url="", zone=MADRID).key
            for kind in ("alert", "reminder", "resolution")
        }

        assert keys == {f"brain-sync/{made.id}"}

    def test_an_end_by_hand_is_told_as_that(self) -> None:
        closed = close(incident(is_over=False), now=NOON)

        told = message_of(closed, "resolution", now=NOON, dagster_url="", zone=MADRID)

        assert "Over since: 2025-03-02 13:00 CET, closed by hand" in told.text

    def test_many_are_counted_and_the_first_ten_named(self) -> None:
        many = [incident(is_over=False) for _ in range(13)]

        told = digest_of(many, "alert", now=NOON, dagster_url="", zone=MADRID)

        assert told.title == f"[critical] {TROUBLE.title}, and 12 more"
        assert told.text.count("\n- ") == 11
        assert "and 2 more, which brain alerts lists" in told.text

    def test_the_first_of_several_is_told_in_full(self) -> None:
        told = digest_of([incident(is_over=False)] * 2, "alert", now=NOON, dagster_url="", zone=MADRID)

        assert told.text.startswith(message("alert").text.partition("Since")[0])


class TestAddresses:
    @pytest.mark.parametrize(
        "between", [" ", ",", ", ", "\n", " ,\t"], ids=["blank", "comma", "both", "line", "several"]
    )
    def test_they_are_separated_by_blanks_or_commas(self, between: str) -> None:
        addresses = parse_addresses(between.join(["json://a/1", "mailto://u:p@b?to=x@y.es,z@y.es", "slack://t/o/k"]))

        assert [address.url.get_secret_value() for address in addresses] == [
            "json://a/1",
            "mailto://u:p@b?to=x@y.es,z@y.es",
            "slack://t/o/k",
        ]

    def test_each_is_taken_once(self) -> None:
        assert len(parse_addresses("json://a/1 json://a/1")) == 1

    @pytest.mark.parametrize("text", ["", "  ", " , "])
    def test_none_is_none(self, text: str) -> None:
        assert parse_addresses(text) == ()

    def test_an_id_stays_the_same_wherever_the_address_stands(self) -> None:
        one, two = parse_addresses("json://a/1 json://b/2")

        assert {address.id for address in parse_addresses("json://b/2 json://a/1")} == {one.id, two.id}

    def test_a_thousand_addresses_have_as_many_ids(self) -> None:
        addresses = parse_addresses(" ".join(f"json://host/{number}" for number in range(1000)))

        assert len({address.id for address in addresses}) == 1000

    def test_nothing_shows_what_is_in_it(self) -> None:
        address = only("mailto://ana:geheim@mail.example.org?to=ana@example.org")

        assert "geheim" not in f"{address} {address!r}"
        assert address.name == "address 1 (mailto)"

    def test_a_text_is_told_without_its_parts(self) -> None:
        address = only("slack://T1JJ3T3L2/A1BRTD4JD/TIiaj%20kdn/#general")

        told = without_secrets("no T1JJ3T3L2, no TIiaj kdn, no A1BRTD4JD in #general", address)

        assert told == "no …, no …, no … in …"


class TestDelivery:
    def test_mail_is_readable_as_text_and_as_a_page(self, smtp_server: SmtpServer) -> None:
        send(only(smtp_server.url("ana@example.org")), message())

        (mail,) = smtp_server.messages
        parts = {part.get_content_type(): part.get_content() for part in mail.walk() if not part.is_multipart()}
        assert mail["Subject"] == "[critical] The check no_note_is_lost of fulltext_index failed"
        assert smtp_server.recipients == [["ana@example.org"]]
        assert "notas:<b>n1</b> & más has no chunk." in parts["text/plain"]
        assert "&lt;b&gt;n1" in parts["text/html"]
        assert 'href="http://127.0.0.1:3000/assets/fulltext_index' in parts["text/html"]

    @pytest.mark.parametrize("fault", ["drop", "refuse_sender", "refuse_recipient", "refuse_message"])
    def test_mail_that_is_not_taken_is_an_error(self, smtp_server: SmtpServer, fault: str) -> None:
        smtp_server.fault = fault

        with pytest.raises(DeliveryError, match=r"^address 1 \(mailto\) did not take the message"):
            send(only(smtp_server.url()), message())

        assert smtp_server.messages == []

    def test_a_mail_server_that_says_nothing_takes_no_longer_than_it_may(self, smtp_server: SmtpServer) -> None:
        smtp_server.fault = "stall"

        with pytest.raises(DeliveryError, match="did not finish within"):
            send(only(smtp_server.url()), message(), timeout_seconds=0.5)

    def test_a_webhook_gets_plain_text(self, webhook_server: WebhookServer) -> None:
        send(only(webhook_server.url("hook")), message())

        (body,) = webhook_server.bodies
        assert webhook_server.paths == ["/hook"]
        assert (body["title"], body["message"], body["type"]) == (message().title, message().text, "failure")

    @pytest.mark.parametrize("fault", ["status", "drop"])
    def test_a_webhook_that_fails_is_an_error(self, webhook_server: WebhookServer, fault: str) -> None:
        webhook_server.fault = fault

        with pytest.raises(DeliveryError, match=r"^address 1 \(json\) did not take the message"):
            send(only(webhook_server.url()), message())

    def test_a_server_that_drips_takes_no_longer_than_it_may(self, webhook_server: WebhookServer) -> None:
        webhook_server.fault = "drip"

        with pytest.raises(DeliveryError, match="did not finish within"):
            send(only(webhook_server.url()), message(), timeout_seconds=0.5)

    def test_slack_gets_its_own_form(self, webhook_server: WebhookServer, monkeypatch: pytest.MonkeyPatch) -> None:
        from apprise.plugins.slack import NotifySlack

        monkeypatch.setattr(NotifySlack, "webhook_url", f"http://127.0.0.1:{webhook_server.port}/services")

        send(only("slack://T1JJ3T3L2/A1BRTD4JD/TIiajkdnlazkcOXrIdevi7FQ/#general"), message())

        (attachment,) = webhook_server.bodies[0]["attachments"]
        assert webhook_server.paths == ["/services/T1JJ3T3L2/A1BRTD4JD/TIiajkdnlazkcOXrIdevi7FQ"]
        assert attachment["title"] == message().title
        assert "*What to do:* Open the check" in attachment["text"]
        assert "<http://127.0.0.1:3000/assets/fulltext_index" in attachment["text"]

    def test_pagerduty_opens_an_incident_and_closes_the_same_one(
        self, webhook_server: WebhookServer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        from apprise.plugins.pagerduty import PAGERDUTY_API_LOOKUP

        monkeypatch.setitem(PAGERDUTY_API_LOOKUP, "us", f"http://127.0.0.1:{webhook_server.port}/v2/enqueue")
        opened = message()

        send(only("pagerduty://integration123@apikey456789"), opened)
        send(only("pagerduty://integration123@apikey456789"), replace(opened, title="[resolved] …", severity=None))

        first, last = webhook_server.bodies
        assert (first["event_action"], first["payload"]["severity"]) == ("trigger", "critical")
        assert last == {"routing_key": "integration123", "event_action": "resolve", "dedup_key": first["dedup_key"]}
        assert first["payload"]["summary"].startswith(opened.title)

    def test_what_the_address_says_of_pagerduty_is_kept(
        self, webhook_server: WebhookServer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        from apprise.plugins.pagerduty import PAGERDUTY_API_LOOKUP

        monkeypatch.setitem(PAGERDUTY_API_LOOKUP, "us", f"http://127.0.0.1:{webhook_server.port}/v2/enqueue")

        send(only("pagerduty://integration123@apikey456789?dedup=mine"), message())

        assert webhook_server.bodies[0]["dedup_key"] == "mine"

    @pytest.mark.parametrize("url", ["nonsense://geheim", "slack://geheim", "pagerduty://geheim"])
    def test_an_address_that_cannot_be_used_is_said_without_showing_it(self, url: str, logged: StringIO) -> None:
        with pytest.raises(DeliveryError, match="is not an address") as refused:
            send(only(url), message())

        assert "geheim" not in str(refused.value) + logged.getvalue()

    def test_nothing_is_logged_of_what_is_sent_and_where(self, webhook_server: WebhookServer, logged: StringIO) -> None:
        webhook_server.fault = "status"
        url = f"json://ana:geheim@127.0.0.1:{webhook_server.port}/tokentoken?+X-Key=schluessel"

        with pytest.raises(DeliveryError) as failed:
            send(only(url), message())

        told = logged.getvalue() + str(failed.value)
        assert [word for word in ("geheim", "tokentoken", "schluessel", "n1") if word in told] == []


class TestTrying:
    def test_it_says_of_each_address_whether_it_took_the_message(
        self, smtp_server: SmtpServer, webhook_server: WebhookServer
    ) -> None:
        webhook_server.fault = "status"
        addresses = parse_addresses(f"{smtp_server.url()} {webhook_server.url()}")

        outcomes = try_addresses(addresses, now=NOON, zone=MADRID)

        assert outcomes["address 1 (mailto)"] is None
        assert "error=500" in (outcomes["address 2 (json)"] or "")
        assert smtp_server.messages[0]["Subject"] == demo_message(zone=MADRID, now=NOON).title

    def test_without_addresses_the_remedy_is_said(self) -> None:
        with pytest.raises(ConfigurationError, match="set BRAIN_ALERT_URLS"):
            try_addresses((), now=NOON, zone=MADRID)


def test_apprise_is_not_imported_before_something_is_sent() -> None:
    code = "import sys, rag_core.alerting.watch, rag_core.api.app; sys.exit(int('apprise' in sys.modules))"

    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
