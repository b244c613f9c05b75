"""Zip archives that office files and e-books are made of, checked before anything in them is parsed."""

import io
import re
import struct
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import IO, Any

from rag_core.errors import DocumentRefusedError
from rag_core.parsing import ParsingLimits

MAX_MEMBERS = 20_000
_RATIO_FLOOR_BYTES = 10_000_000
_BLOCK_BYTES = 1 << 16
_OLE_SIGNATURE = bytes.fromhex("d0cf11e0a1b11ae1")
_DIRECTORY_SIGNATURE = b"PK\1\2"
_ENCRYPTED = 0x1 | 0x40
_LEADS_OUT = re.compile(r"[/\\]|[A-Za-z]:|(.*[/\\])?\.\.([/\\]|$)", re.DOTALL)
_XML = (".xml", ".rels", ".vml")
_EMBEDDED_MARKUP = (".svg", ".htm", ".html", ".xhtml")
ZIP_DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    KeyError,
    ValueError,
    TypeError,
    NotImplementedError,  # a bit of a header that asks for what zipfile does not do
    RuntimeError,  # likewise: a password
    OSError,
)
"""Errors that zipfile raises for archives that are damaged or made to look so."""
_AGAIN = "save it again in the program it comes from"


class ArchiveReader:
    """Members of a checked archive by name, unpacked when read."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        self.names = frozenset(archive.namelist())

    def read(self, name: str) -> bytes:
        """Bytes of a member.

        Raises:
            DocumentRefusedError: there is no such member.
        """
        if name not in self.names:
            raise DocumentRefusedError(f"the file is incomplete: its part {name} is missing; {_AGAIN}")
        with _refusing_damage():
            return self._archive.read(name)

    def xml(self, name: str) -> Any:
        """Root element of a member (lxml), without comments and processing instructions.

        Raises:
            DocumentRefusedError: the member is missing, is no well-formed XML, or has a document type declaration.
        """
        from lxml import etree  # type: ignore[import-untyped]

        data = self.read(name)
        _refuse_doctype(io.BytesIO(data), is_xml=True)
        parser = etree.XMLParser(
            resolve_entities=False, no_network=True, load_dtd=False, remove_comments=True, remove_pis=True
        )
        try:
            return etree.fromstring(data, parser)
        except etree.XMLSyntaxError as error:
            raise DocumentRefusedError(f"the file's part {name} is no well-formed XML; {_AGAIN}") from error

    def check_xml(self) -> None:
        """Check all XML members, for libraries that open the archive themselves; embedded SVG and HTML are passed over.

        Raises:
            DocumentRefusedError: a member has a document type declaration, or is no XML though its name says so.
        """
        for info in self._archive.infolist():
            name = info.filename.lower()
            if not name.endswith(_EMBEDDED_MARKUP):
                with _refusing_damage(), self._archive.open(info) as member:
                    _refuse_doctype(member, is_xml=name.endswith(_XML))


def open_archive(data: bytes, limits: ParsingLimits) -> ArchiveReader:
    """Open an archive after reading all of its members once.

    Raises:
        DocumentRefusedError: the archive is damaged or encrypted, has more than ``MAX_MEMBERS`` members or one whose name
            leads out of it, or unpacks to more than the limits allow.
    """
    with _refusing_damage():
        archive = _directory(data)
        members = archive.infolist()
        _check_members(members)
        _check_sizes(sum(info.file_size for info in members), len(data), limits)
        for info in members:
            _check_content(archive, info)
        return ArchiveReader(archive)


def is_ole(data: bytes) -> bool:
    """Recognise an OLE2 compound file: an old Office format (doc, xls, ppt), or an encrypted new one."""
    return data.startswith(_OLE_SIGNATURE)


def is_office_package(data: bytes, stem: str) -> bool:
    """Recognise an Office Open XML package by its main part; see ``main_part``."""
    names = _member_names(data)
    return "[Content_Types].xml" in names and main_part(names, stem) is not None


def main_part(names: Iterable[str], stem: str) -> str | None:
    """Name of a package's main part, such as word/document.xml or word/document2.xml for the stem "word/document"."""
    return next((name for name in sorted(names) if re.fullmatch(rf"{stem}\d*\.xml", name)), None)


def mimetype(data: bytes) -> str | None:
    """Media type that an OpenDocument or EPUB file says it has; None for other files."""
    if "mimetype" not in _member_names(data):
        return None
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        try:
            with archive.open("mimetype") as member:
                return member.read(128).decode("ascii").strip()
        except ZIP_DAMAGE:
            return None


def _refuse_doctype(stream: IO[bytes], *, is_xml: bool) -> None:
    """Read up to the root element; the name of a member does not tell whether a library takes it for XML."""
    from defusedxml import DTDForbidden  # type: ignore[import-untyped]
    from defusedxml.ElementTree import iterparse  # type: ignore[import-untyped]

    try:
        next(iterparse(stream, ("start",), forbid_dtd=True))
    except DTDForbidden as error:
        raise DocumentRefusedError(
            f"a part of the file declares a document type, which is not accepted; {_AGAIN}"
        ) from error
    except (SyntaxError, ValueError, LookupError) as error:  # the latter two: an encoding that expat does not read
        if is_xml:
            raise DocumentRefusedError(f"a part of the file is no well-formed XML; {_AGAIN}") from error


def _directory(data: bytes) -> zipfile.ZipFile:
    if data.count(_DIRECTORY_SIGNATURE) > MAX_MEMBERS:  # before zipfile makes an object of each
        raise DocumentRefusedError(f"the file is an archive of more than {MAX_MEMBERS:,} parts; split it")
    return zipfile.ZipFile(io.BytesIO(data))


def _member_names(data: bytes) -> frozenset[str]:
    """Names in the directory of an archive; none where a file is no archive."""
    if not data.startswith(b"PK"):
        return frozenset()
    try:
        with _directory(data) as archive:
            return frozenset(archive.namelist())
    except (*ZIP_DAMAGE, DocumentRefusedError):
        return frozenset()


def _check_members(members: list[zipfile.ZipInfo]) -> None:
    if any(info.flag_bits & _ENCRYPTED for info in members):
        raise DocumentRefusedError("the file is protected by a password; save it without one")
    if any(_LEADS_OUT.match(info.filename) for info in members):
        raise DocumentRefusedError(f"the file has a part whose name leads out of the archive; {_AGAIN}")
    if any(info.compress_type not in {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED} for info in members):
        raise DocumentRefusedError(f"the file is packed by an unknown method; {_AGAIN}")


def _check_sizes(unpacked: int, packed: int, limits: ParsingLimits) -> None:
    if unpacked > limits.max_unpacked_bytes:
        raise DocumentRefusedError(
            f"the file unpacks to {unpacked:,} bytes, and {limits.max_unpacked_bytes:,} are allowed; split it"
        )
    if unpacked > max(_RATIO_FLOOR_BYTES, packed * limits.max_ratio):
        raise DocumentRefusedError(
            f"the file unpacks to {unpacked // packed:,} times its size, and {limits.max_ratio:,} times is allowed; split it"
        )


def _check_content(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> None:
    """Unpack a member in blocks: its checksum is verified, and no more than its declared size is in it."""
    declared = info.file_size
    info.file_size += 1  # zipfile cuts at the declared size what it may have unpacked in one piece
    with archive.open(info) as member:
        size = sum(len(block) for block in iter(lambda: member.read(_BLOCK_BYTES), b""))
    info.file_size = declared
    if size != declared:
        raise zipfile.BadZipFile


@contextmanager
def _refusing_damage() -> Iterator[None]:
    try:
        yield
    except ZIP_DAMAGE as error:
        raise DocumentRefusedError(f"the file is damaged or cut off; {_AGAIN}") from error
