"""Pages of other origins in a real browser, before the web server that `brain up` starts for Dagster, and the UI behind its guard."""

import json
import re
import socket
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import psutil
import pytest
from e2e.installation import Installation, installed
from playwright.sync_api import Browser, Page, WebSocket, expect

pytestmark = [pytest.mark.browser, pytest.mark.slow]

SLOW_MS = 60_000
"""Dagster's UI takes its time on a busy machine."""
SCHEDULE = "hourly_index"
JOB = "forget_conversations"
SELECTOR = '{repositoryLocationName: "brain_sync", repositoryName: "__repository__", %s: "%s"}'
STATE = """query($schedule: ScheduleSelector!, $job: String!) {
  scheduleOrError(scheduleSelector: $schedule) { ... on Schedule { scheduleState { id selectorId status } } }
  runsOrError(filter: {pipelineName: $job}) { ... on Runs { results { runId status } } }
}"""
RESTART = "mutation($schedule: ScheduleSelector!) { startSchedule(scheduleSelector: $schedule) { __typename } }"
HARM = """mutation {
  stopRunningSchedule(id: "%s") { __typename }
  launchRun(executionParams: {selector: %s, runConfigData: {}, mode: "default"}) { __typename }
}"""
ATTACKS = {
    "a POST without a body": "([url, query]) => fetch(`${url}?query=${encodeURIComponent(query)}`, "
    "{method: 'POST', mode: 'no-cors'}).catch(String)",
    "a POST of plain text": "([url, query]) => fetch(`${url}?query=${encodeURIComponent(query)}`, "
    "{method: 'POST', mode: 'no-cors', headers: {'Content-Type': 'text/plain'}, "
    "body: JSON.stringify({query})}).catch(String)",
    "a POST of JSON": "([url, query]) => fetch(url, {method: 'POST', headers: {'Content-Type': 'application/json'}, "
    "body: JSON.stringify({query})}).catch(String)",
    "a form": "([url, query]) => new Promise(done => { const form = document.createElement('form'); "
    "form.method = 'post'; form.enctype = 'text/plain'; form.action = `${url}?query=${encodeURIComponent(query)}`; "
    "const frame = document.createElement('iframe'); frame.name = form.target = 'f'; document.body.append(frame, form); "
    "setTimeout(() => { frame.onload = frame.onerror = done; form.submit(); }, 300); setTimeout(done, 5000); })",
    "an image": "([url, query]) => new Promise(done => { const image = new Image(); "
    "image.onload = image.onerror = done; image.src = `${url}?query=${encodeURIComponent(query)}`; })",
    "a window": "([url, query]) => new Promise(done => { "
    "open(`${url}?query=${encodeURIComponent(query)}`, '_blank'); setTimeout(done, 2000); })",
}
OPEN_WEBSOCKET = """url => new Promise(done => { const channel = new WebSocket(url, 'graphql-ws');
  channel.onopen = () => done('open'); channel.onerror = () => done('refused'); })"""


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    """A whole `brain up` without notes."""
    folder = tmp_path_factory.mktemp("guarded")
    folder.chmod(0o755)
    with installed(folder / "brain") as running:
        yield running


@pytest.fixture(scope="module")
def foreign_port() -> Iterator[int]:
    """A web server of somebody else's on another port of this machine."""
    with _foreign_server() as port:
        yield port


@pytest.fixture(params=["127.0.0.1", "localhost"])
def foreign_page(request: pytest.FixtureRequest, browser: Browser, foreign_port: int) -> Iterator[Page]:
    """A page of it: of another port of the same host name, or of another host name."""
    with browser.new_context() as context:
        page = context.new_page()
        page.goto(f"http://{request.param}:{foreign_port}/")
        yield page


@contextmanager
def _foreign_server() -> Iterator[int]:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Page) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield server.server_address[1]
        finally:
            server.shutdown()


class _Page(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<!doctype html><title>elsewhere</title><body>elsewhere")

    def log_message(self, *_: Any) -> None:
        pass


def _state(up: Installation) -> tuple[dict[str, str], int]:
    """The schedule's state, and how many runs of the job there are."""
    found = up.graphql(STATE, schedule=_schedule(), job=JOB)
    return found["scheduleOrError"]["scheduleState"], len(found["runsOrError"]["results"])


def _schedule() -> dict[str, str]:
    return {"repositoryLocationName": "brain_sync", "repositoryName": "__repository__", "scheduleName": SCHEDULE}


def _harm(schedule_id: str) -> str:
    return HARM % (schedule_id, SELECTOR % ("jobName", JOB))


@pytest.mark.parametrize("attack", ATTACKS)
def test_a_page_of_another_origin_stops_no_schedule_and_launches_no_run(
    up: Installation, foreign_page: Page, attack: str
) -> None:
    up.graphql(RESTART, schedule=_schedule())
    schedule, runs = _state(up)
    assert schedule["status"] == "RUNNING"

    foreign_page.evaluate(ATTACKS[attack], [f"{up.dagster}/graphql", _harm(schedule["id"])])

    assert _state(up) == (schedule, runs)


def test_a_page_of_another_origin_opens_no_websocket(up: Installation, foreign_page: Page) -> None:
    address = up.dagster.replace("http:", "ws:")

    assert foreign_page.evaluate(OPEN_WEBSOCKET, f"{address}/graphql") == "refused"


def test_a_page_of_another_origin_cannot_show_dagster_in_a_frame(up: Installation, foreign_page: Page) -> None:
    foreign_page.evaluate(
        "url => new Promise(done => { const frame = document.createElement('iframe'); frame.onload = done; "
        "frame.src = url; document.body.append(frame); })",
        up.dagster,
    )

    (frame,) = foreign_page.main_frame.child_frames
    assert "Dagster" not in frame.title()


def test_a_host_name_that_was_made_to_lead_here_reads_nothing(up: Installation) -> None:
    port = int(up.dagster.rpartition(":")[2])
    body = json.dumps({"query": "{ version }"}).encode()
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}/graphql", body, {"Host": f"evil.example:{port}", "Content-Type": "application/json"}
    )

    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(request, timeout=30)

    assert refused.value.code == 400


def test_dagsters_ui_shows_the_assets_launches_a_run_and_is_told_how_it_goes(up: Installation, page: Page) -> None:
    told: list[str] = []

    def listen(channel: WebSocket) -> None:
        channel.on("framereceived", lambda frame: told.append(str(frame)))

    page.on("websocket", listen)
    page.goto(f"{up.dagster}/assets")
    expect(page.get_by_role("link", name="fulltext_index").first).to_be_visible(timeout=SLOW_MS)

    page.goto(f"{up.dagster}/locations/brain_sync/jobs/{JOB}/playground")
    page.get_by_role("button", name="Launch Run").click(timeout=SLOW_MS)

    expect(page).to_have_url(re.compile(f"{up.dagster}/runs/"), timeout=SLOW_MS)
    expect(page.get_by_text("RUN_SUCCESS")).to_be_visible(timeout=SLOW_MS)
    assert any("delete_old_conversations" in frame for frame in told)


def test_a_program_asks_by_post_of_json(up: Installation) -> None:
    assert up.graphql("{ version }")["version"]


def test_no_other_port_of_the_installation_speaks_to_dagster(up: Installation) -> None:
    """The two listeners on TCP are the API's and the guard's."""
    ours = {int(address.rpartition(":")[2]) for address in (up.page, up.dagster)}
    children = psutil.Process(up.process.pid).children(recursive=True)
    listening = {
        connection.laddr.port
        for process in children
        if not process.name().startswith("postgres")
        for connection in process.net_connections("tcp")
        if connection.status == psutil.CONN_LISTEN and connection.family in {socket.AF_INET, socket.AF_INET6}
    }
    assert listening == ours


@pytest.fixture(scope="module")
def keyed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    """A whole `brain up` that asks for keys; that it came up shows that its own health check was let in."""
    folder = tmp_path_factory.mktemp("keyed")
    folder.chmod(0o755)
    with installed(folder / "brain", BRAIN_ACCESS="keys") as running:
        yield running


def _new_key(up: Installation, name: str, scope: str) -> str:
    return str(up.brain("key", "create", name, "--scope", scope)["key"])


def test_with_keys_an_administrator_signs_in_and_uses_dagster(keyed: Installation, page: Page) -> None:
    key = _new_key(keyed, "ana", "admin")

    page.goto(f"{keyed.dagster}/assets")
    expect(page).to_have_url(f"{keyed.dagster}/entrar?volver=%2Fassets")
    page.get_by_label("Tu clave de acceso").fill(key)
    with page.expect_websocket(timeout=SLOW_MS):
        page.get_by_role("button", name="Entrar").click()

    expect(page).to_have_url(f"{keyed.dagster}/assets")
    expect(page.get_by_role("link", name="fulltext_index").first).to_be_visible(timeout=SLOW_MS)
    page.goto(f"{keyed.page}/")  # the page has the same cookie
    expect(page.get_by_role("button", name="Salir")).to_be_visible()


def test_with_keys_nobody_else_reaches_dagster(keyed: Installation) -> None:
    reader = _new_key(keyed, "luis", "read")

    statuses = [_status(keyed, headers) for headers in ({}, {"X-API-Key": "x"}, {"X-API-Key": reader})]

    assert statuses == [401, 401, 403]


def _status(up: Installation, headers: dict[str, str]) -> int:
    body = json.dumps({"query": "{ version }"}).encode()
    request = urllib.request.Request(f"{up.dagster}/graphql", body, {"Content-Type": "application/json", **headers})
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as refused:
        return refused.code
