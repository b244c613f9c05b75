"""The format of a file: by its content for binary formats, by its suffix for text formats."""

import codecs
from collections.abc import Mapping
from pathlib import PurePath

from rag_core.errors import DocumentRefusedError
from rag_core.parsing import FORMATS, DocumentFormat, SourceFile
from rag_core.parsing.archives import is_ole

_ENCRYPTED_PACKAGE = "EncryptedPackage".encode("utf-16-le")
_WIDE_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)
_KINDS = (
    (b"PK\3\4", "a ZIP archive"),
    (b"PK\5\6", "a ZIP archive"),
    (b"Rar!", "a RAR archive"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"\x7fELF", "a program"),
    (b"MZ", "a program"),
    (b"\x89PNG", "an image"),
    (b"\xff\xd8\xff", "an image"),
    (b"GIF8", "an image"),
    (b"SQLite format 3", "a database"),
    (b"{\\rtf", "an RTF document"),
)


def format_of(file: SourceFile) -> str:
    """Name of the registered format that a file has; content that a binary format recognises outweighs the suffix.

    Raises:
        DocumentRefusedError: the file has no registered format, or is empty.
        ConfigurationError: a plugin cannot be imported.
    """
    if not file.data:
        raise DocumentRefusedError("the file is empty")
    formats, suffix = FORMATS.all(), suffix_of(file.name)
    likely_first = sorted(formats.items(), key=lambda item: suffix not in item[1].suffixes)
    for name, known in likely_first:
        if known.recognises is not None and known.recognises(file.data):
            return name
    if _is_text(file.data):
        for name, known in likely_first:
            if known.recognises is None and suffix in known.suffixes:
                return name
    raise DocumentRefusedError(_refusal(file, formats))


def suffixes() -> frozenset[str]:
    """Suffixes of all registered formats, lower-case with their dot."""
    return frozenset(suffix for known in FORMATS.all().values() for suffix in known.suffixes)


def suffix_of(name: str) -> str:
    """Suffix of a file name, lower-case with its dot; "" where it has none."""
    return PurePath(name).suffix.lower()


def is_supported_name(name: str) -> bool:
    """Tell whether a name has the suffix of a registered format; the content may be of another."""
    return suffix_of(name) in suffixes()


def parser_version(format_name: str) -> str:
    """Name of a format with the version of its parser: "pdf/1"."""
    return f"{format_name}/{FORMATS.get(format_name).version}"


def _is_text(data: bytes) -> bool:
    """Tell whether a file may be text; ``decode`` looks closer."""
    return b"\0" not in data or data.startswith(_WIDE_MARKS)


def _refusal(file: SourceFile, formats: Mapping[str, DocumentFormat]) -> str:
    if is_ole(file.data):
        return _ole_problem(file.data)
    suffix = suffix_of(file.name)
    if any(suffix in known.suffixes for known in formats.values()):
        name = suffix[1:]
        return (
            f"the file is damaged, or no {name} file though it is named so; save it again in the program it comes from"
        )
    kind = next((kind for magic, kind in _KINDS if file.data.startswith(magic)), None)
    found = kind or (f"a {suffix} file" if suffix else "a file without a suffix")
    taken = ", ".join(known.suffixes[0][1:] for known in formats.values())
    return f"the file is {found}, which is not taken. Taken are: {taken}"


def _ole_problem(data: bytes) -> str:
    if _ENCRYPTED_PACKAGE in data:
        return "the file is protected by a password; save it without one"
    return "the file has an Office format of before 2007 (doc, xls, ppt, msg); save it as docx, xlsx, pptx or eml"
