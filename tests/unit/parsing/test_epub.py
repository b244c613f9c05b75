"""E-books: the chapters in reading order."""

from collections.abc import Mapping
from datetime import UTC, datetime

import pytest
from office_files import packed, parsed
from text_files import blocks_of

from rag_core.errors import DocumentRefusedError
from rag_core.parsing import ParsingLimits

CONTAINER = """<?xml version="1.0"?><container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>
<rootfile full-path="OEBPS/libro.opf" media-type="application/oebps-package+xml"/></rootfiles></container>"""
PACKAGE = """<?xml version="1.0"?><package xmlns="http://www.idpf.org/2007/opf" version="3.0">
<metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>El paraguas</dc:title><dc:title>Otro</dc:title>
<dc:creator>Ana Paz</dc:creator><dc:creator>Luis Sol</dc:creator><dc:date>2019</dc:date><dc:date>2019-04-02</dc:date>
<dc:language>es</dc:language></metadata>
<manifest><item id="dos" href="texto/cap%202.xhtml#x" media-type="application/xhtml+xml"/>
<item id="uno" href="texto/uno.xhtml" media-type="application/xhtml+xml"/>
<item id="indice" href="indice.xhtml" media-type="application/xhtml+xml" properties="nav"/>
<item id="tapa" href="tapa.svg" media-type="image/svg+xml"/></manifest>
<spine><itemref idref="tapa"/><itemref idref="indice"/><itemref idref="uno"/><itemref idref="dos"/><itemref idref="x"/></spine>
</package>"""
CHAPTER = """<?xml version="1.0" encoding="utf-8"?><!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.1//EN" "xhtml11.dtd">
<html xmlns="http://www.w3.org/1999/xhtml"><head><title/></head><body><h1>{0}</h1><p>Llueve&nbsp;en {0}.</p></body></html>"""
ENCRYPTION = """<encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><EncryptedData
xmlns="http://www.w3.org/2001/04/xmlenc#"><EncryptionMethod Algorithm="{}"/></EncryptedData></encryption>"""
BOOK = {
    "mimetype": "application/epub+zip",
    "META-INF/container.xml": CONTAINER,
    "OEBPS/libro.opf": PACKAGE,
    "OEBPS/indice.xhtml": CHAPTER.format("Índice"),
    "OEBPS/texto/uno.xhtml": CHAPTER.format("Uno"),
    "OEBPS/texto/cap 2.xhtml": CHAPTER.format("Dos"),
}


def test_chapters_are_in_reading_order_and_pages_are_their_numbers() -> None:
    document = parsed("a.epub", packed(BOOK))

    assert [(*block, document.blocks[place].page) for place, block in enumerate(blocks_of(document))] == [
        ("heading", "# Uno", 1),
        ("paragraph", "Llueve en Uno.", 1),
        ("heading", "# Dos", 2),
        ("paragraph", "Llueve en Dos.", 2),
    ]
    assert (document.pages, document.page_unit) == (2, "section")


def test_metadata_name_title_authors_date_and_language() -> None:
    document = parsed("a.epub", packed(BOOK))

    assert (document.title, document.author) == ("El paraguas", "Ana Paz, Luis Sol")
    assert document.written_at == datetime(2019, 4, 2, tzinfo=UTC)
    assert document.metadata == {"language": "es"}


def test_a_missing_chapter_is_told() -> None:
    document = parsed("a.epub", packed({name: part for name, part in BOOK.items() if "uno" not in name}))

    assert [(warning.kind, warning.page) for warning in document.warnings] == [("left_out", 1)]
    assert "Dos" in document.text


def test_obfuscated_fonts_are_no_protection() -> None:
    encryption = ENCRYPTION.format("http://www.idpf.org/2008/embedding")

    assert parsed("a.epub", packed(BOOK | {"META-INF/encryption.xml": encryption})).pages == 2


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        (
            {"META-INF/encryption.xml": ENCRYPTION.format("http://www.w3.org/2001/04/xmlenc#aes128-cbc")},
            "protected by DRM",
        ),
        ({"META-INF/container.xml": "<container/>"}, "names no package document"),
        ({"META-INF/container.xml": "no XML"}, "no well-formed XML"),
        ({"META-INF/container.xml": CONTAINER.replace("libro", "otro")}, "otro.opf is missing"),
        ({"OEBPS/libro.opf": "<package/>"}, "holds no text"),
        ({"OEBPS/libro.opf": f'<!DOCTYPE package [<!ENTITY a "b">]>{PACKAGE[21:]}'}, "document type"),
        ({"OEBPS/texto/uno.xhtml": "<div>" * 5_000}, "too deeply"),
    ],
)
def test_broken_and_protected_books_are_refused(changes: Mapping[str, str], problem: str) -> None:
    with pytest.raises(DocumentRefusedError, match=problem):
        parsed("a.epub", packed(BOOK | changes))


def test_a_book_with_too_many_chapters_is_refused() -> None:
    with pytest.raises(DocumentRefusedError, match="2 chapters, and 1 are allowed"):
        parsed("a.epub", packed(BOOK), ParsingLimits(max_pages=1))
