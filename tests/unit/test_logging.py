"""Log lines of a failure, without anything anybody wrote."""

import io
import json
import logging
from collections.abc import Iterator
from datetime import datetime
from typing import Any

import psycopg
import pytest
import stamina

from rag_core.errors import EmbeddingError, QueryFailedError
from rag_core.resilience.retries import keep_arguments_out_of_logs
from rag_core.telemetry.logs import POLICY, configure_logging, keyed_hash, log_degraded, log_failed

MARKER = "Zarzaparrilla"


class Log:
    """The lines written so far."""

    def __init__(self) -> None:
        self.stream = io.StringIO()

    @property
    def text(self) -> str:
        return self.stream.getvalue()

    @property
    def records(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.text.splitlines()]

    @property
    def record(self) -> dict[str, Any]:
        (only,) = self.records
        return only


@pytest.fixture
def log() -> Iterator[Log]:
    root, ours = logging.getLogger(), logging.getLogger("brain")
    before = root.handlers[:], root.level, ours.level
    found = Log()
    configure_logging(key=b"clave", stream=found.stream)
    yield found
    root.handlers[:], root.level, ours.level = before
    POLICY.is_text_logged = False


def failed_query() -> QueryFailedError:
    """Error of the storage when PostgreSQL refuses a statement and quotes what was in it."""
    try:
        try:
            raise psycopg.errors.UniqueViolation(f"Key (title)=({MARKER}) already exists")
        except psycopg.Error as cause:
            raise QueryFailedError(f"PostgreSQL refused a statement: {cause}") from cause
    except QueryFailedError as error:
        return error


def test_a_degraded_answer_is_one_record_with_every_field(log: Log) -> None:
    log_degraded(
        "semanticSearch", failed_query(), config_hash="0123456789abcdef", query=MARKER, tenant="ana", is_told=True
    )

    record = log.record
    assert datetime.fromisoformat(record.pop("timestamp")).tzinfo is not None
    assert record == {
        "level": "warning",
        "event": "degraded",
        "component": "semanticSearch",
        "error": "QueryFailedError",
        "causes": ["UniqueViolation"],
        "sqlstate": "23505",
        "config_hash": "0123456789abcdef",
        "tenant": keyed_hash("ana"),
        "query_hash": keyed_hash(MARKER),
    }


def test_a_failure_has_its_stack_only_where_it_is_a_defect(log: Log) -> None:
    log_failed("api", failed_query())
    log_failed("api", failed_query(), has_stack=True)

    expected, defect = log.records
    assert "stack" not in expected
    assert defect["stack"][0] == "QueryFailedError"
    assert any("failed_query" in line for line in defect["stack"])


def test_a_failure_is_told_once_by_whoever_knows_most_of_it(log: Log) -> None:
    error = failed_query()

    log_failed("retrieval", error, config_hash="0123456789abcdef")
    log_failed("api POST /api/retrieve", error)

    assert log.record["component"] == "retrieval"


def test_no_text_is_written_whatever_carries_it(log: Log) -> None:
    log_degraded("semanticSearch", failed_query(), query=MARKER, tenant=MARKER)
    log_failed("api", failed_query(), query=MARKER, tenant=MARKER, has_stack=True)
    try:
        raise ValueError(f"cannot read {MARKER!r}") from failed_query()  # noqa: TRY301
    except ValueError:
        logging.getLogger("uvicorn.error").exception("a defect")
        logging.getLogger("otra.biblioteca").exception("another one")

    assert len(log.records) == 4
    assert MARKER not in log.text


def test_text_is_written_where_it_was_asked_for() -> None:
    stream = io.StringIO()
    before = logging.getLogger().handlers[:]
    configure_logging(is_text_logged=True, stream=stream)

    log_degraded("semanticSearch", EmbeddingError(f"no vector for {MARKER}"), query=MARKER)

    logging.getLogger().handlers[:] = before
    POLICY.is_text_logged = False
    record = json.loads(stream.getvalue())
    assert record["query"] == MARKER
    assert record["details"] == f"no vector for {MARKER}"


def test_a_retry_is_told_without_what_was_retried(log: Log, capsys: pytest.CaptureFixture[str]) -> None:
    keep_arguments_out_of_logs()
    tries: list[str] = []

    @stamina.retry(on=ConnectionError, attempts=2, wait_initial=0, wait_jitter=0)
    def embed(text: str) -> None:
        tries.append(text)
        if len(tries) == 1:
            raise ConnectionError(text)

    embed(MARKER)

    assert log.record["event"] == "retry"
    assert (log.record["error"], log.record["attempt"]) == ("ConnectionError", 1)
    assert MARKER not in log.text
    assert capsys.readouterr().out == ""


def test_the_web_servers_second_telling_of_a_defect_is_left_out(log: Log) -> None:
    try:
        raise ValueError(MARKER)  # noqa: TRY301
    except ValueError:
        logging.getLogger("uvicorn.error").exception("Exception in ASGI application\n")

    assert log.records == []


def test_an_error_in_another_librarys_sentence_becomes_its_class_and_code(log: Log) -> None:
    error = psycopg.errors.UniqueViolation(f"Key (query)=({MARKER}) already exists")

    logging.getLogger("psycopg").warning("error ignored terminating %s: %s", "a pipeline", error)

    assert log.record["event"] == "error ignored terminating a pipeline: UniqueViolation 23505"


def test_a_service_tells_the_failed_connections_that_a_command_leaves_out() -> None:
    stream = io.StringIO()
    root, ours = logging.getLogger(), logging.getLogger("brain")
    before = root.handlers[:], ours.level
    logging.getLogger("psycopg").setLevel(logging.CRITICAL)
    configure_logging(level="INFO", stream=stream)
    try:
        logging.getLogger("psycopg.pool").warning("error connecting")
    finally:
        root.handlers[:], ours.level = before

    assert "error connecting" in stream.getvalue()


def test_ours_are_written_from_the_level_asked_for_and_of_others_warnings(log: Log) -> None:
    logging.getLogger("brain").info("ours")
    logging.getLogger("psycopg.pool").info("connection given")
    logging.getLogger("psycopg.pool").warning("error connecting")

    assert [record["event"] for record in log.records] == ["ours", "error connecting"]


def test_a_less_severe_record_than_asked_for_is_not_written() -> None:
    stream = io.StringIO()
    root, ours = logging.getLogger(), logging.getLogger("brain")
    before = root.handlers[:], ours.level
    configure_logging(level="ERROR", stream=stream)

    log_degraded("semanticSearch", EmbeddingError("x"))
    log_failed("api", EmbeddingError("x"))

    root.handlers[:], ours.level = before
    assert [json.loads(line)["event"] for line in stream.getvalue().splitlines()] == ["failed"]


def test_hashes_cannot_be_made_without_the_key(log: Log) -> None:
    with_one_key = keyed_hash("ana")
    POLICY.key = b"otra"

    assert keyed_hash("ana") != with_one_key
    assert len(with_one_key) == 16


def test_without_a_logging_set_up_a_record_needs_no_text_either(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        log_degraded("semanticSearch", EmbeddingError(MARKER), query=MARKER)

    assert MARKER not in caplog.text
