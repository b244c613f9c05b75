"""A folder of hostile files: each is refused or bounded with its reason, and everything else is imported."""

import struct
import zipfile
import zlib
from pathlib import Path

import pytest
from folders import Vault
from office_files import BILLION_LAUGHS, packed
from pdfs import PdfFile

from rag_core.model.note import TenantId
from rag_core.storage.database import Database


def bomb() -> bytes:
    return packed({"word/document.xml": b"<w/>" + b" " * 60_000_000, "[Content_Types].xml": b"<Types/>"})


def long_pdf(pages: int) -> bytes:
    """Empty pages without a cross-reference table, which a reader makes anew."""
    numbers = range(3, pages + 3)
    kids = " ".join(f"{number} 0 R" for number in numbers)
    objects = [
        "1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj",
        f"2 0 obj<</Type/Pages/Count {pages}/Kids[{kids}]>>endobj",
        *(f"{number} 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>endobj" for number in numbers),
    ]
    return "\n".join(["%PDF-1.7", *objects, "trailer<</Root 1 0 R>>", "%%EOF"]).encode()


def encrypted_pdf() -> bytes:
    return PdfFile(pages=[[]], is_encrypted=True).data()


def png(width: int, height: int) -> bytes:
    """A picture that says it is so large."""
    chunks = [(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)), (b"IDAT", zlib.compress(bytes(100)))]
    body = (
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in chunks
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(body)


@pytest.fixture
def vault(tmp_path: Path, database: Database, tenant: TenantId) -> Vault:
    folder = tmp_path / "vault"
    folder.mkdir()
    return Vault(path=folder, database=database, tenant=tenant)


def test_hostile_files_are_refused_and_the_others_imported(vault: Vault) -> None:
    escaping = packed({"../../etc/passwd": b"x", "word/document.xml": b"<w/>", "[Content_Types].xml": b"<Types/>"})
    entities = packed({"word/document.xml": BILLION_LAUGHS, "[Content_Types].xml": b"<Types/>"}, zipfile.ZIP_STORED)
    hostile = {
        "bomb.docx": (bomb(), "times its size"),
        "long.pdf": (long_pdf(20_000), "20,000 pages"),
        "entities.docx": (entities, "document type"),
        "wide.png": (png(30_000, 30_000), "pixels"),
        "locked.pdf": (encrypted_pdf(), "encrypted"),
        "escaping.docx": (escaping, "leads out of the archive"),
    }
    for name, (content, _) in hostile.items():
        vault.write(name, content)
    vault.write("a.md", "Uno")
    vault.write("z.csv", "Mes;Euros\nenero;12\n")

    outcomes = {file.path: file for file in vault.take().files}

    assert {name: outcomes[name].status for name in ("a.md", "z.csv")} == {"a.md": "imported", "z.csv": "imported"}
    assert {name: outcomes[name].status for name in hostile} == dict.fromkeys(hostile, "refused")
    assert [name for name, (_, reason) in hostile.items() if reason not in (outcomes[name].error or "")] == []
