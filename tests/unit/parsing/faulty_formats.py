"""A plugin with a format whose parser does what the file says: ``FAULT`` or ``FAULT:ARGUMENT`` after the mark."""

import ctypes
import os
import re
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn

from rag_core.errors import DocumentRefusedError
from rag_core.model.document import ParsedDocument
from rag_core.parsing import FORMATS, DocumentFormat, ParsingLimits, SourceFile, page_pictures
from rag_core.parsing.building import DocumentBuilder
from rag_core.parsing.page_pictures import PageWish

MARK = b"faulty format\n"
KEPT: list[bytearray] = []


def faulty_file(fault: str) -> SourceFile:
    return SourceFile(name="file.faulty", data=MARK + fault.encode())


def allocate(_: str) -> None:
    KEPT.extend(bytearray(b"1") * 20_000_000 for _ in range(100))


def peak_kilobytes(_: str) -> str:
    with suppress(MemoryError):
        allocate("")
    KEPT.clear()
    status = Path("/proc/self/status").read_text()
    return re.findall(r"VmHWM:\s+(\d+)", status)[0]


def keep(megabytes: str) -> int:
    KEPT.append(bytearray(b"1") * (int(megabytes) * 1_000_000))
    return os.getpid()


def fail(_: str) -> None:
    raise KeyError("a secret of the file")


def fail_to_recurse(_: str) -> None:
    fail_to_recurse(_)


def refuse(_: str) -> None:
    raise DocumentRefusedError("the file is encrypted")


def hold(path: str) -> None:
    """Backtrack for ages without giving up the interpreter's lock."""
    Path(path).write_text(str(os.getpid()))
    re.match(r"(a+)+$", "a" * 40 + "b")


def sleep(path: str) -> None:
    if path:
        Path(path).write_text(str(os.getpid()))
    time.sleep(60)


def meet(paths: str) -> str:
    mine, other = map(Path, paths.split(","))
    mine.touch()
    while not other.exists():
        time.sleep(0.01)
    return mine.name


def echo(text: str) -> str:
    print("a library that prints")
    return text


FAULTS: dict[str, Callable[[str], Any]] = {
    "allocate": allocate,
    "echo": echo,
    "exit": lambda _: os._exit(3),
    "fail": fail,
    "fail_to_recurse": fail_to_recurse,
    "hold": hold,
    "keep": keep,
    "meet": meet,
    "niceness": lambda _: os.nice(0),
    "peak_kilobytes": peak_kilobytes,
    "pid": lambda _: os.getpid(),
    "refuse": refuse,
    "segfault": lambda _: ctypes.string_at(0),
    "sleep": sleep,
    "unserialisable": lambda _: object(),
}


def _parse(file: SourceFile, limits: ParsingLimits) -> ParsedDocument:
    fault, _, argument = file.data.removeprefix(MARK).decode().partition(":")
    result = FAULTS[fault](argument)
    builder = DocumentBuilder(max_characters=limits.max_characters)
    builder.paragraph(str(result))
    return builder.build(metadata={"result": result})


def _draw(data: bytes, _wish: PageWish, _limits: ParsingLimits) -> NoReturn:
    fault, _, argument = data.removeprefix(MARK).decode().partition(":")
    FAULTS[fault](argument)
    raise AssertionError(fault)


page_pictures._DRAWERS["faulty"] = _draw
FORMATS.register("faulty")(
    DocumentFormat(suffixes=(".faulty",), recognises=lambda data: data.startswith(MARK), parse=_parse, version=1)
)
