"""Logs that stay small while programs write to them."""

import stat
import subprocess
import sys
from pathlib import Path

from rag_core.home.log_files import KEPT_LOGS, keep_last_log, rotate_full_log

WRITER = "import sys\nfor line in sys.stdin:\n    sys.stdout.write(line)\n    sys.stdout.flush()\n"


def texts(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in sorted(folder.iterdir())}


def test_a_log_that_is_not_full_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "api.log").write_text("0123456789")

    rotate_full_log(tmp_path / "api.log", max_bytes=10)

    assert texts(tmp_path) == {"api.log": "0123456789"}


def test_a_full_log_is_copied_for_its_owner_alone_and_emptied(tmp_path: Path) -> None:
    (tmp_path / "api.log").write_text("0123456789a")

    rotate_full_log(tmp_path / "api.log", max_bytes=10)

    assert texts(tmp_path) == {"api.log": "", "api.log.1": "123456789a"}
    assert stat.S_IMODE((tmp_path / "api.log.1").stat().st_mode) == 0o600


def test_the_program_that_writes_goes_on_in_the_emptied_log(tmp_path: Path) -> None:
    log = tmp_path / "api.log"
    with log.open("ab") as output:
        writer = subprocess.Popen([sys.executable, "-c", WRITER], stdin=subprocess.PIPE, stdout=output, text=True)
    writer.stdin.write("before\n")
    writer.stdin.flush()
    while not log.read_text():
        pass

    rotate_full_log(log, max_bytes=3)
    writer.communicate("after\n")

    assert texts(tmp_path) == {"api.log": "after\n", "api.log.1": "re\n"}


def test_logs_never_grow_beyond_their_copies(tmp_path: Path) -> None:
    log = tmp_path / "api.log"
    for number in range(10):
        with log.open("a") as file:
            file.write(f"{number}" * 25)
        rotate_full_log(log, max_bytes=20)

    assert texts(tmp_path) == {"api.log": "", "api.log.1": "9" * 20, "api.log.2": "8" * 20, "api.log.3": "7" * 20}
    assert KEPT_LOGS == 3


def test_the_copies_of_a_log_elsewhere_are_made_where_they_are_wanted(tmp_path: Path) -> None:
    (tmp_path / "postgres").mkdir()
    (tmp_path / "postgres" / "log").write_text("full")

    rotate_full_log(tmp_path / "postgres" / "log", kept=tmp_path / "logs" / "postgres.log", max_bytes=3)

    assert texts(tmp_path / "postgres") == {"log": ""}
    assert texts(tmp_path / "logs") == {"postgres.log.1": "ull"}


def test_a_symbolic_link_in_place_of_a_log_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("precious")
    (tmp_path / "log").symlink_to(tmp_path / "precious")

    rotate_full_log(tmp_path / "log", max_bytes=3)

    assert (tmp_path / "precious").read_text() == "precious"


def test_where_a_copy_cannot_be_made_the_log_is_emptied_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "api.log").write_text("full")
    (tmp_path / "api.log.1").mkdir()
    for number in (2, 3):
        (tmp_path / f"api.log.{number}").mkdir()
        (tmp_path / f"api.log.{number}" / "held").touch()

    rotate_full_log(tmp_path / "api.log", max_bytes=3)

    assert (tmp_path / "api.log").read_text() == ""


def test_the_logs_of_the_starts_before_are_kept(tmp_path: Path) -> None:
    for text in ("first", "second"):
        (tmp_path / "api.log").write_text(text)
        keep_last_log(tmp_path / "api.log")

    assert texts(tmp_path) == {"api.log.1": "second", "api.log.2": "first"}
