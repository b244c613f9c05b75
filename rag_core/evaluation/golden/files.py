"""Files of golden queries: JSON lines, or JSON, an array of queries or one document. The content tells, not the name."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain
from typing import Any, BinaryIO, cast

from rag_core.errors import InvalidInputError
from rag_core.model.golden import VOCABULARIES, Vocabulary
from rag_core.notes.validation import shown

_BLANK = b"\xef\xbb\xbf \t\r\n"
_DOCUMENT_KEYS = frozenset({"set", "vocabulary", "version", "queries", "createdAt", "statistics", "id", "name"})
"""Keys of our exports, and of RAG V2's datasets; only set, vocabulary and queries are read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldenFile:
    """The queries of a file as lines, and what the file says of their set; None where it says nothing."""

    lines: Iterable[bytes]
    set_name: str | None = None
    vocabulary: Vocabulary | None = None


def read_golden_file(stream: BinaryIO) -> GoldenFile:
    """Read JSON lines as they come, a JSON array or document whole; a query's number is its place.

    Raises:
        InvalidInputError: it begins as an array and is no valid JSON, or a document has unknown fields.
    """
    before = []
    for line in stream:
        before.append(line)
        if line.strip(_BLANK):
            break
    first = before[-1].strip(_BLANK) if before else b""
    if first.startswith(b"["):
        return _document(_parse(first + stream.read()))
    if first.startswith(b"{"):
        return _lines_or_document(before, stream, first)
    return GoldenFile(lines=chain(before, stream))


def _lines_or_document(before: list[bytes], stream: BinaryIO, first: bytes) -> GoldenFile:
    """An object on its first line is a query, or a document; one that goes on over lines is a document if all of it is JSON."""
    try:
        item = _parse(first)
    except InvalidInputError:
        rest = stream.readlines()
        try:
            item = _parse(b"".join([first, *rest]))
        except InvalidInputError:
            return GoldenFile(lines=before + rest)
        return _document(item)
    is_document = isinstance(item, dict) and isinstance(item.get("queries"), list)
    return _document(item) if is_document else GoldenFile(lines=chain(before, stream))


def _parse(content: bytes) -> Any:
    try:
        return json.loads(content)
    except (ValueError, RecursionError) as error:
        raise InvalidInputError(f"not valid JSON: {error}; expected an array or document of queries") from error


def _document(item: Any) -> GoldenFile:
    document = {"queries": item} if isinstance(item, list) else item
    queries = document.get("queries", [document])
    if "queries" not in document or not isinstance(queries, list):
        return GoldenFile(lines=[json.dumps(document).encode()])
    unknown = sorted(set(document) - _DOCUMENT_KEYS)
    if unknown:
        raise InvalidInputError(f"unknown field {unknown[0]!r}; a document has set, vocabulary and queries")
    vocabulary, name = document.get("vocabulary"), document.get("set", document.get("name"))
    if vocabulary is not None and vocabulary not in VOCABULARIES:
        raise InvalidInputError(f"vocabulary is {shown(vocabulary)}; expected one of {', '.join(VOCABULARIES)}")
    if name is not None and not isinstance(name, str):
        raise InvalidInputError(f"set is {shown(name)}; expected the name of a golden set")
    return GoldenFile(
        lines=[json.dumps(query).encode() for query in queries],
        set_name=name,
        vocabulary=cast("Vocabulary | None", vocabulary),
    )
