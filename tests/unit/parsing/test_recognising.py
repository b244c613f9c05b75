"""The format of a file."""

import io
import json
import os
import zipfile
from pathlib import Path

import pytest

from rag_core.errors import DocumentRefusedError
from rag_core.model.document import ParsedDocument
from rag_core.parsing import FORMATS, DocumentFormat, ParsingLimits, SourceFile, recognising
from rag_core.parsing.recognising import format_of, is_supported_name, parser_version, suffixes
from rag_core.plugins.registry import Registry

OLE = bytes.fromhex("d0cf11e0a1b11ae1") + bytes(504)
PDF = b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n\0"


def parse_nothing(file: SourceFile, limits: ParsingLimits) -> ParsedDocument:
    raise NotImplementedError


@pytest.fixture(autouse=True)
def _formats(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three formats: pdf and docx by content, md by suffix."""
    formats: Registry[DocumentFormat] = Registry("document format", load_plugins=lambda: None)
    for name, its_suffixes, magic in (
        ("md", (".md", ".txt"), None),
        ("pdf", (".pdf",), b"%PDF-"),
        ("docx", (".docx",), b"PK+docx"),
    ):
        formats.register(name)(
            DocumentFormat(
                suffixes=its_suffixes,
                parse=parse_nothing,
                version=3,
                recognises=None if magic is None else lambda data, magic=magic: data.startswith(magic),
            )
        )
    monkeypatch.setattr(recognising, "FORMATS", formats)


def refusal(name: str, data: bytes) -> str:
    with pytest.raises(DocumentRefusedError) as caught:
        format_of(SourceFile(name=name, data=data))
    return str(caught.value)


def zip_archive() -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        archive.writestr("a.txt", "text")
    return target.getvalue()


@pytest.mark.parametrize("name", ["report.pdf", "report.txt", "report.docx", "report.xyz", "report"])
def test_a_binary_format_is_recognised_by_content_whatever_the_suffix(name: str) -> None:
    assert format_of(SourceFile(name=name, data=PDF)) == "pdf"


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.md", b"# Title"),
        ("A.TXT", "Straße".encode("latin-1")),
        ("a.md", "# Title".encode("utf-16")),
        ("a.md", b"MZ, PK and Rar! are signatures"),
    ],
)
def test_text_is_recognised_by_its_suffix(name: str, data: bytes) -> None:
    assert format_of(SourceFile(name=name, data=data)) == "md"


@pytest.mark.parametrize(("name", "kind"), [("a.md", "md"), ("a.pdf", "pdf"), ("A.DOCX", "docx")])
def test_content_that_belies_the_suffix_is_refused(name: str, kind: str) -> None:
    assert refusal(name, b"\0\1\2\3") == (
        f"the file is damaged, or no {kind} file though it is named so; save it again in the program it comes from"
    )


@pytest.mark.parametrize(
    ("name", "data", "found"),
    [
        ("photos.zip", zip_archive(), "a ZIP archive"),
        ("setup.exe", b"MZ\x90\0", "a program"),
        ("tool", b"\x7fELF\2\1\1\0", "a program"),
        ("picture.png", b"\x89PNG\r\n\x1a\n\0", "an image"),
        ("letter.rtf", rb"{\rtf1 Hello}", "an RTF document"),
        ("notes.xyz", b"some text", "a .xyz file"),
        ("Makefile", b"some text", "a file without a suffix"),
    ],
)
def test_an_unknown_format_is_refused_with_what_was_found_and_the_formats_taken(
    name: str, data: bytes, found: str
) -> None:
    assert refusal(name, data) == f"the file is {found}, which is not taken. Taken are: md, pdf, docx"


def test_an_empty_file_is_refused() -> None:
    assert refusal("a.md", b"") == "the file is empty"


@pytest.mark.parametrize("name", ["old.doc", "named.docx"])
def test_an_old_office_file_is_to_be_saved_as_a_new_one(name: str) -> None:
    assert refusal(name, OLE) == (
        "the file has an Office format of before 2007 (doc, xls, ppt, msg); save it as docx, xlsx, pptx or eml"
    )


def test_an_encrypted_office_file_is_to_be_saved_without_a_password() -> None:
    encrypted = OLE + "EncryptedPackage".encode("utf-16-le") + bytes(100)

    assert refusal("secret.docx", encrypted) == "the file is protected by a password; save it without one"


def test_the_formats_suffixes_tell_which_names_are_supported() -> None:
    assert suffixes() == {".md", ".txt", ".pdf", ".docx"}
    assert is_supported_name("A.PDF")
    assert not is_supported_name("pdf")
    assert not is_supported_name("a.pdf.gpg")


def test_a_parsers_version_names_its_format() -> None:
    assert parser_version("pdf") == "pdf/3"


@pytest.mark.skipif("BRAIN_TEST_DATA" not in os.environ, reason="BRAIN_TEST_DATA is not set")
def test_real_files_have_the_formats_they_are_said_to_have(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recognising, "FORMATS", FORMATS)
    folder = Path(os.environ["BRAIN_TEST_DATA"]) / "documents"
    lines = [json.loads(line) for line in (folder / "manifest.jsonl").read_text(encoding="utf-8").splitlines()]

    found = {
        line["file"]: format_of(
            SourceFile(name="file" + Path(line["file"]).suffix, data=(folder / line["file"]).read_bytes())
        )
        for line in lines
    }

    assert found == {line["file"]: {"xlsm": "xlsx"}.get(line["format"], line["format"]) for line in lines}
