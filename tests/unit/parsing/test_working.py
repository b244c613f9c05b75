"""Parsing in processes that can be killed."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest
from pdfs import PdfFile

from rag_core.errors import DocumentFailedError, DocumentRefusedError
from rag_core.parsing import ParsingLimits, SourceFile, working
from rag_core.parsing.page_pictures import PageWish
from rag_core.parsing.working import DocumentParser
from rag_core.resilience.ordered import map_in_order

FOLDER = Path(__file__).parent
MARK = b"faulty format\n"
LIMITS = ParsingLimits(memory_bytes=300_000_000)


def faulty_file(fault: str) -> SourceFile:
    """A file for the parser in ``faulty_formats.py``, which only the worker imports."""
    return SourceFile(name="file.faulty", data=MARK + fault.encode())


@pytest.fixture(autouse=True)
def _plugin(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRAIN_PLUGINS", "faulty_formats")
    monkeypatch.setenv("PYTHONPATH", str(FOLDER), prepend=os.pathsep)


@pytest.fixture
def parser() -> Iterator[DocumentParser]:
    with DocumentParser(LIMITS, workers=1) as parser:
        yield parser


def pid_of_worker(parser: DocumentParser) -> int:
    return int(parser.parse(faulty_file("pid")).text)


def wait_until(is_so: Callable[[], bool], *, seconds: float = 10) -> None:
    end = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < end, "not within the time allowed"
        time.sleep(0.02)


def is_running(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def test_a_worker_parses_many_files(parser: DocumentParser) -> None:
    assert pid_of_worker(parser) == pid_of_worker(parser) != os.getpid()


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("allocate", "the parser of faulty ran out of memory; split the file"),
        ("exit", r"the parser crashed \(status 3\)"),
        ("segfault", r"the parser crashed \(status -?\d+\)"),
        ("fail", r"the parser of faulty failed \(KeyError in faulty_formats.py, line \d+\)"),
        ("fail_to_recurse", r"the parser of faulty failed \(RecursionError in faulty_formats.py, line \d+\)"),
        ("unserialisable", "the result of the parser of faulty failed"),
    ],
)
def test_the_next_file_goes_through_after_a_failure(parser: DocumentParser, fault: str, message: str) -> None:
    with pytest.raises(DocumentFailedError, match=message):
        parser.parse(faulty_file(fault))

    assert parser.parse(faulty_file("echo:the next")).text == "the next"


def test_a_file_that_takes_too_long_is_given_up_and_the_next_goes_through() -> None:
    with DocumentParser(ParsingLimits(seconds=2), workers=1) as parser:
        before = pid_of_worker(parser)

        with pytest.raises(DocumentFailedError, match="parsing took more than 2 seconds"):
            parser.parse(faulty_file("sleep"))

        assert pid_of_worker(parser) != before
        assert not is_running(before)


def test_a_page_that_takes_too_long_to_draw_is_given_up_and_the_next_file_goes_through() -> None:
    with DocumentParser(ParsingLimits(seconds=2), workers=1) as parser:
        with pytest.raises(DocumentFailedError, match="more than 2 seconds"):
            parser.draw(faulty_file("sleep"), PageWish(page=1))

        assert parser.parse(faulty_file("echo:the next")).text == "the next"


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("allocate", "the drawing of pages of faulty ran out of memory"),
        ("segfault", r"the parser crashed \(status -?\d+\)"),
        ("fail", r"the drawing of pages of faulty failed \(KeyError in faulty_formats.py, line \d+\)"),
    ],
)
def test_a_page_that_cannot_be_drawn_fails_alone(parser: DocumentParser, fault: str, message: str) -> None:
    with pytest.raises(DocumentFailedError, match=message):
        parser.draw(faulty_file(fault), PageWish(page=1))


def test_a_failure_says_nothing_of_the_files_text(parser: DocumentParser) -> None:
    with pytest.raises(DocumentFailedError) as caught:
        parser.parse(faulty_file("fail"))

    assert "secret" not in str(caught.value)


def test_a_refusal_keeps_its_message(parser: DocumentParser) -> None:
    with pytest.raises(DocumentRefusedError, match=r"^the file is encrypted$"):
        parser.parse(faulty_file("refuse"))


@pytest.mark.skipif(sys.platform != "linux", reason="the limit is enforced on Linux alone")
def test_memory_stays_within_its_limit(parser: DocumentParser) -> None:
    peak_kilobytes = int(parser.parse(faulty_file("peak_kilobytes")).text)

    assert 150_000 < peak_kilobytes < 350_000


def test_a_worker_that_has_grown_is_replaced(parser: DocumentParser) -> None:
    grown = int(parser.parse(faulty_file("keep:200")).text)

    assert pid_of_worker(parser) != grown


def test_a_worker_is_replaced_after_many_files(parser: DocumentParser, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(working, "_FILES_PER_PROCESS", 2)

    first, second, third = (pid_of_worker(parser) for _ in range(3))

    assert first == second != third


def test_a_worker_gives_way_to_other_processes(parser: DocumentParser) -> None:
    assert int(parser.parse(faulty_file("niceness")).text) > os.nice(0)


def test_a_file_over_the_size_limit_is_refused_without_a_worker() -> None:
    with DocumentParser(ParsingLimits(max_bytes=1_000_000)) as parser:
        with pytest.raises(DocumentRefusedError, match=r"has 1\.5 MB, and 1 are allowed; split it"):
            parser.parse(SourceFile(name="file.faulty", data=MARK + bytes(1_500_000)))

        assert psutil.Process().children() == []


def test_small_text_is_parsed_without_a_worker() -> None:
    with DocumentParser(LIMITS) as parser:
        text = parser.parse(SourceFile(name="note.md", data=b"# Title\n\nText.\n")).text

        assert text.startswith("# Title\n\nText.")
        assert psutil.Process().children() == []


def test_leaving_ends_the_workers(parser: DocumentParser) -> None:
    with parser:
        pid = pid_of_worker(parser)

    assert not is_running(pid)
    with pytest.raises(DocumentFailedError, match="parsing was stopped"):
        pid_of_worker(parser)


def test_an_interrupted_files_result_is_not_taken_for_the_next_ones(parser: DocumentParser) -> None:
    timer = threading.Timer(0.5, signal.pthread_kill, (threading.get_ident(), signal.SIGINT))
    timer.start()

    with pytest.raises(KeyboardInterrupt):
        try:
            parser.parse(faulty_file("sleep"))
        finally:
            timer.cancel()  # it would interrupt pytest itself

    assert parser.parse(faulty_file("echo:the next")).text == "the next"


def test_two_workers_parse_at_once(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    with DocumentParser(ParsingLimits(seconds=20), workers=2) as parser:
        files = map(faulty_file, [f"meet:{one},{two}", f"meet:{two},{one}"])
        results = list(map_in_order(parser.parse, files, workers=parser.workers))

    assert [result.text for result in results] == ["one", "two"]


def start_parent(body: str, *arguments: str) -> "subprocess.Popen[str]":
    """A process group of its own with a program that has ``parser``, ``faulty_file`` and ``sys.argv[1:]``."""
    program = (
        "import sys, time\n"
        "from faulty_formats import faulty_file\n"
        "from rag_core.parsing import ParsingLimits\n"
        "from rag_core.parsing.working import DocumentParser\n"
        f"with DocumentParser(ParsingLimits(seconds=2), workers=1) as parser:\n{body}"
    )
    return subprocess.Popen(
        [sys.executable, "-c", program, *arguments], stdout=subprocess.PIPE, text=True, start_new_session=True
    )


@pytest.mark.parametrize("fault", ["sleep", "hold"])
def test_a_worker_ends_with_its_parent(tmp_path: Path, fault: str) -> None:
    path = tmp_path / "pid"
    with start_parent("    parser.parse(faulty_file(sys.argv[1]))", f"{fault}:{path}") as parent:
        wait_until(lambda: path.exists() and path.read_text() != "")
        worker = int(path.read_text())

        parent.kill()

        wait_until(lambda: not is_running(worker))


def test_ctrl_c_is_the_parents() -> None:
    body = (
        "    try:\n        print(parser.parse(faulty_file('pid')).text, flush=True)\n        time.sleep(30)\n"
        "    except KeyboardInterrupt:\n        print(parser.parse(faulty_file('pid')).text)\n"
    )
    with start_parent(body) as parent:
        assert parent.stdout is not None
        before = parent.stdout.readline()

        os.killpg(parent.pid, signal.SIGINT)

        assert parent.stdout.readline() == before != ""


def test_pages_are_told_as_they_are_read() -> None:
    file = PdfFile()
    for word in ("Aceite", "Vino", "Tomates"):
        file.page()
        file.text(72, 300, word)
    told: list[tuple[int, int]] = []

    with DocumentParser(LIMITS, workers=1, on_page=lambda done, total: told.append((done, total))) as parser:
        parser.parse(SourceFile(name="a.pdf", data=file.data()))

    assert told == [(1, 3), (2, 3), (3, 3)]


def test_a_parsing_that_is_called_off_while_pages_are_told_leaves_the_parser_usable() -> None:
    file = PdfFile()
    for _ in range(2):
        file.page()
        file.text(72, 72, "Hola")
    calls: list[int] = []

    def call_off(done: int, _total: int) -> None:
        calls.append(done)
        if len(calls) == 1:
            raise KeyError("called off")

    with DocumentParser(LIMITS, workers=1, on_page=call_off) as parser:
        with pytest.raises(KeyError):
            parser.parse(SourceFile(name="a.pdf", data=file.data()))
        document = parser.parse(SourceFile(name="a.pdf", data=file.data()))

    assert (document.pages, calls) == (2, [1, 1, 2])
