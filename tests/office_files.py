"""Office files for tests: packed by hand, or those of a library with parts changed."""

import io
import os
import re
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from rag_core.model.document import ParsedDocument
from rag_core.parsing import FORMATS, ParsingLimits, SourceFile

BILLION_LAUGHS = b"""<?xml version="1.0"?>
<!DOCTYPE root [<!ENTITY a "ja"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>
<root>&b;</root>"""
WITH_MACROS = {"docm": "docx", "pptm": "pptx", "xlsm": "xlsx"}
PICTURE = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c6360000002000001e221bc33"
    "0000000049454e44ae426082"
)


def packed(members: Mapping[str, bytes | str], compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", compression) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return file.getvalue()


def unpacked(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def saved(document: Any) -> bytes:
    """Bytes of a document of python-docx, python-pptx or openpyxl."""
    file = io.BytesIO()
    document.save(file)
    return file.getvalue()


def changed(data: bytes, changes: Mapping[str, Callable[[bytes], bytes]]) -> bytes:
    """A package with members changed by name, or added to."""
    members = unpacked(data)
    return packed(members | {name: change(members.get(name, b"")) for name, change in changes.items()})


def parsed(name: str, data: bytes, limits: ParsingLimits | None = None) -> ParsedDocument:
    """A file parsed by the format that its suffix names and its content shows."""
    suffix = name.rpartition(".")[2]
    found = FORMATS.get(WITH_MACROS.get(suffix, suffix))
    assert found.recognises is not None
    assert found.recognises(data)
    return found.parse(SourceFile(name=name, data=data), limits or ParsingLimits())


def missing_words(name: str) -> set[str]:
    """Words of the output expected for a real file that its parsed text does not have."""
    folder = Path(os.environ["BRAIN_TEST_DATA"]) / "documents"
    expected = (folder / "expected" / f"{name}.expected.md").read_text(encoding="utf-8")
    document = parsed(name, (folder / "files" / name).read_bytes())
    return set(re.findall(r"\w+", expected)) - set(re.findall(r"\w+", document.text))
