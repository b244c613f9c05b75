"""Retrieval made worse on purpose in a running installation: the nightly evaluation turns red, and somebody is told, once."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from rag_assets.partitions import BatchRange
from rag_assets.schedules import run_requests
from rag_core.runtime.engine import DEMO_TENANT, Engine, open_engine
from rag_core.settings import read_settings
from tests.smtp_server import SmtpServer, running_smtp_server

from .installation import Installation, installed, wait_until

pytestmark = pytest.mark.e2e

BATCH = "demo-000000"
CHECK = "quality_has_not_dropped"
ALERT_SECONDS = 150
"""The sensor ticks every minute."""
TWO_TICKS_SECONDS = 130


@contextmanager
def webhook() -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """A server that takes what is posted to it, and what it took."""
    taken: list[dict[str, Any]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            taken.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(200)
            self.end_headers()

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's name
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"json://127.0.0.1:{server.server_address[1]}/", taken
    finally:
        server.shutdown()
        server.server_close()


def lose_half_the_chunks(engine: Engine) -> None:
    """Half the chunks of a partition, removed behind the index's back."""
    with engine.database.owner() as connection:
        connection.execute(
            """
            delete from brain.chunks c using brain.notes n
            where c.tenant_id = n.tenant_id and c.note_id = n.note_id and n.batch_key = %s
                and c.chunk_index %% 2 = 0
            """,
            [BATCH],
        )


def mend_the_chunks(installation: Installation) -> None:
    installation.brain("index", "--full", "--tenant", DEMO_TENANT)


def set_weights(engine: Engine, *, semantic: float, fulltext: float) -> None:
    with engine.database.owner() as connection:
        connection.execute(
            "update brain.embedding_models set semantic_weight = %s, fulltext_weight = %s where state = 'active'",
            (semantic, fulltext),
        )


def evaluate(installation: Installation) -> bool:
    """Run what the nightly schedule asks for when the damaged batch is stale; True where the quality check is green.

    The run that indexes may be ended by a check of what is live; the one that evaluates is another.
    """
    (indexing, evaluation) = run_requests("night", [BatchRange(start=BATCH, end=BATCH, wanted=1)])
    run = ""
    for request in (indexing, evaluation):
        assets = [key.to_user_string() for key in request.asset_selection or []]
        run = installation.run_job("index_notes", assets=assets, tags=request.tags)
    return CHECK not in {check["checkName"] for check in installation.failed_checks(run)}


def told(messages: list[str], words: str) -> int:
    """Count the messages that hold the words."""
    return sum(words in message for message in messages)


@pytest.mark.parametrize("damage", ["chunks", "weights"])
def test_a_planted_regression_is_told_once_and_its_end_too(home: Path, damage: str) -> None:
    with webhook() as (hook, hooked), running_smtp_server() as post:
        addresses = f"{hook} {post.url()}"
        with (
            installed(home, is_demo_loaded=True, BRAIN_ALERT_URLS=addresses) as installation,
            open_engine(read_settings(home=home)) as engine,
        ):
            assert evaluate(installation)  # the first one is the baseline
            assert evaluate(installation)

            if damage == "chunks":
                lose_half_the_chunks(engine)
            else:
                set_weights(engine, semantic=1, fulltext=0)
            assert not evaluate(installation)
            bodies = _wait_for(lambda: _regressions(hooked), 1)
            letters = _wait_for(lambda: _regressions_by_mail(post), 1)
            time.sleep(TWO_TICKS_SECONDS)
            assert (len(_regressions(hooked)), len(_regressions_by_mail(post))) == (1, 1)

            if damage == "chunks":
                mend_the_chunks(installation)
            else:
                set_weights(engine, semantic=0.25, fulltext=0.75)
            assert evaluate(installation)
            _wait_for(lambda: _regressions(hooked), 2)
            _wait_for(lambda: _regressions_by_mail(post), 2)

    assert "resolved" in _regressions(hooked)[-1].lower()
    assert "resolved" in _regressions_by_mail(post)[-1].lower()
    assert "/runs/" in bodies[0]
    assert "demo" in letters[0]


def _regressions(hooked: list[dict[str, Any]]) -> list[str]:
    texts = [f"{body.get('title', '')}\n{body.get('message', '')}" for body in hooked]
    return [text for text in texts if "evaluation_regression" in text]


def _regressions_by_mail(post: SmtpServer) -> list[str]:
    return [letter for letter in post.letters if "evaluation_regression" in letter]


def _wait_for(messages: Callable[[], list[str]], count: int) -> list[str]:
    wait_until(lambda: len(messages()) >= count, what=lambda: f"told: {messages()}", seconds=ALERT_SECONDS)
    return messages()
