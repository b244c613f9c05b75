"""Bytes into text."""

import codecs
import re

from rag_core.errors import DocumentRefusedError

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16's, which it begins with
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_GUESSES = ("cp1252", "cp850", "mac_roman")
"""Encodings of Western European text that charset-normalizer tells apart."""
_MIN_FOREIGN_BYTES = 20
"""With fewer bytes beyond ASCII it took 5 % of short Spanish texts in cp1252 for another; with 20 or more none of 860."""
_SAMPLE_BYTES = 1_000_000
_CONTROLS = re.compile(r"[\x01-\x08\x0e-\x1a\x1c-\x1f\x7f-\x9f]")
_MAX_CONTROL_SHARE = 0.05


def decode(data: bytes, *, declared: str | None = None) -> str:
    """Text of a file: in the encoding of its byte order mark, else UTF-8, else as ``declared``, else as it seems.

    Raises:
        DocumentRefusedError: the file holds NULs or many control characters, so it is no text.
    """
    for encoding in _candidates(data, declared):
        try:
            return _checked(data.decode(encoding))
        except (UnicodeError, LookupError):
            continue
    return _checked(data.decode(_guess(data)))


def _candidates(data: bytes, declared: str | None) -> tuple[str, ...]:
    marked = next((encoding for mark, encoding in _MARKS if data.startswith(mark)), None)
    if marked:
        return (marked,)
    if not declared or not _keeps_ascii(declared):
        return ("utf-8",)
    if codecs.lookup(declared).name in {"ascii", "iso8859-1"}:
        declared = "cp1252"  # as browsers read them: https://encoding.spec.whatwg.org/#names-and-labels
    return (declared, "utf-8") if data.isascii() else ("utf-8", declared)  # ISO-2022-JP is ASCII as well


def _keeps_ascii(encoding: str) -> bool:
    """A declaration can be true where it is read in the encoding that it names; one of UTF-16 is not."""
    try:
        return b"<a>".decode(encoding) == "<a>"
    except (UnicodeError, LookupError, ValueError):  # the last one: a NUL in the name
        return False


def _guess(data: bytes) -> str:
    """The encoding of what is not UTF-8: cp1252, as from Windows, unless there is evidence of another."""
    if sum(byte > 127 for byte in data[:_SAMPLE_BYTES]) >= _MIN_FOREIGN_BYTES:
        from charset_normalizer import from_bytes  # heavy

        if best := from_bytes(data, cp_isolation=list(_GUESSES)).best():
            return best.encoding
    try:
        data.decode("cp1252")
    except UnicodeDecodeError:
        return "latin-1"  # takes all bytes
    return "cp1252"


def _checked(text: str) -> str:
    if "\0" in text or len(_CONTROLS.findall(text)) > _MAX_CONTROL_SHARE * len(text):
        raise DocumentRefusedError("the file is no text, or in an encoding that is not read; save it in UTF-8")
    return text
