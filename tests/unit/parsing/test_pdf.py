"""PDF: what the file says of itself, its bounds, pages that cannot be read, places of blocks."""

import re
from datetime import UTC, datetime, timedelta, timezone

import pytest
from pdfs import PdfFile, parsed, texts

from rag_core.errors import DocumentRefusedError
from rag_core.parsing import FORMATS, ParsingLimits, SourceFile
from rag_core.parsing.formats import pdf as pdf_format
from rag_core.parsing.pages import reading

SCAN = bytes([255, 0, 0, 255])


@pytest.fixture
def file() -> PdfFile:
    """One page with one line."""
    file = PdfFile()
    file.page()
    file.text(72, 100, "Llovió en Bilbao toda la mañana.")
    return file


@pytest.fixture
def without_recognition(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf_format, "can_recognise", lambda: False)


def test_text_keeps_its_letters(file: PdfFile) -> None:
    file.text(72, 130, "¿Qué? ¡Año, pingüino! Straße Übung 5 €")

    assert texts(parsed(file)) == ["Llovió en Bilbao toda la mañana.", "¿Qué? ¡Año, pingüino! Straße Übung 5 €"]


def test_properties_are_title_author_and_date(file: PdfFile) -> None:
    file.title, file.author, file.created = "Lluvia: Mañana en Bilbao", "Ana Núñez", "D:20240131120000+01'00'"
    file.text(72, 130, "LLUVIA")

    document = parsed(file)

    assert (document.title, document.author) == ("Lluvia: Mañana en Bilbao", "Ana Núñez")
    assert document.created_at == datetime(2024, 1, 31, 12, tzinfo=timezone(timedelta(hours=1)))


@pytest.mark.parametrize(
    "title",
    [
        "Microsoft Word - Lluvia.doc",
        "ActiveReports Document",
        "Document1",
        "untitled",
        "Bilbao.pdf",
        "bilbao_final",
        "  ",
    ],
)
def test_title_with_words_that_the_first_page_lacks_is_not_the_documents(file: PdfFile, title: str) -> None:
    file.title = title

    assert parsed(file).title is None


@pytest.mark.parametrize(
    ("created", "expected"),
    [
        ("D:20240131120000Z", datetime(2024, 1, 31, 12, tzinfo=UTC)),
        ("D:2024", datetime(2024, 1, 1, tzinfo=UTC)),
        ("D:20241331", None),
        ("ayer", None),
    ],
)
def test_date_may_be_short_or_wrong(file: PdfFile, created: str, expected: datetime | None) -> None:
    file.created = created

    assert parsed(file).created_at == expected


def test_box_is_where_the_text_stands(file: PdfFile) -> None:
    (block,) = parsed(file).blocks

    assert block.page == 1
    assert block.box == pytest.approx((72, 92.5, 220, 102.5), abs=3)


@pytest.mark.parametrize(("rotation", "corner"), [(90, (742, 72)), (180, (523, 742)), (270, (100, 523))])
def test_box_on_a_turned_page_is_where_the_text_is_shown(file: PdfFile, rotation: int, corner: tuple[int, int]) -> None:
    file.rotation = rotation

    (block,) = parsed(file).blocks

    assert block.box is not None
    assert any(edge == pytest.approx(corner[0], abs=10) for edge in block.box[::2])
    assert any(edge == pytest.approx(corner[1], abs=3) for edge in block.box[1::2])


def test_page_written_sideways_and_turned_back_reads_as_lines() -> None:
    file = PdfFile(rotation=90)
    file.page()
    file.text(100, 700, "Llovió en Bilbao,", degrees=90)
    file.text(112, 700, "y nevó en Soria.", degrees=90)

    assert texts(parsed(file)) == ["Llovió en Bilbao, y nevó en Soria."]


def test_text_outside_of_the_page_is_left_out(file: PdfFile) -> None:
    file.text(700, 100, "Fuera")
    file.text(72, -20, "Fuera")

    assert texts(parsed(file)) == ["Llovió en Bilbao toda la mañana."]


def test_too_many_pages_are_refused_before_any_is_read(file: PdfFile, monkeypatch: pytest.MonkeyPatch) -> None:
    def read_none(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr(pdf_format, "_add_page", read_none)
    for _ in range(3):
        file.page()

    with pytest.raises(DocumentRefusedError, match="4 pages, more than 3; split it"):
        parsed(file, max_pages=3)


def test_too_much_text_is_refused(file: PdfFile) -> None:
    file.page()
    file.text(72, 100, "Nevó en Soria toda la tarde.")

    with pytest.raises(DocumentRefusedError, match="more than 50 characters"):
        parsed(file, max_characters=50)


def test_pages_after_too_much_text_are_not_read(file: PdfFile, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[object] = []
    read_page = reading.read_page
    monkeypatch.setattr(reading, "read_page", lambda page, **limits: read.append(page) or read_page(page, **limits))
    for _ in range(4):
        file.page()
        file.text(72, 100, "Nevó en Soria toda la tarde.")

    with pytest.raises(DocumentRefusedError):
        parsed(file, max_characters=40)

    assert len(read) == 2


def test_page_with_too_much_text_is_refused_before_it_is_read(file: PdfFile, monkeypatch: pytest.MonkeyPatch) -> None:
    def read_none(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr(reading, "_words", read_none)

    with pytest.raises(DocumentRefusedError, match="more than 20 characters"):
        parsed(file, max_characters=20)


def test_encrypted_file_is_refused_with_the_remedy(file: PdfFile) -> None:
    file.is_encrypted = True

    with pytest.raises(DocumentRefusedError, match="encrypted; save it without a password"):
        parsed(file)


@pytest.mark.parametrize(
    "data",
    [
        b"%PDF-1.7\n",
        b"%PDF-1.7\n1 0 obj\n<</Type/Catalog>>\nendobj\ntrailer\n<</Root 1 0 R>>",
    ],
)
def test_broken_file_is_refused(data: bytes) -> None:
    with pytest.raises(DocumentRefusedError, match="broken"):
        FORMATS.get("pdf").parse(SourceFile(name="x.pdf", data=data), ParsingLimits())


def test_file_without_pages_is_not_called_encrypted_as_the_one_before_it(file: PdfFile) -> None:
    file.is_encrypted = True
    with pytest.raises(DocumentRefusedError, match="encrypted"):
        parsed(file)

    with pytest.raises(DocumentRefusedError, match="broken"):
        parsed(PdfFile())


def test_broken_page_leaves_a_warning_and_the_others(file: PdfFile) -> None:
    file.page()
    file.page()
    file.text(72, 100, "Nevó en Soria.")
    file.broken_page = 2

    document = parsed(file)

    assert texts(document) == ["Llovió en Bilbao toda la mañana.", "Nevó en Soria."]
    assert [(warning.kind, warning.page) for warning in document.warnings] == [("left_out", 2)]
    assert document.pages == 3


@pytest.mark.usefixtures("without_recognition")
def test_page_that_is_an_image_leaves_a_warning_with_the_remedy(file: PdfFile) -> None:
    file.page()
    file.image(2, 2, SCAN)

    (warning,) = parsed(file).warnings

    assert (warning.kind, warning.page) == ("left_out", 2)
    assert warning.message.endswith("pip install 'brain-sync[ocr]'")


@pytest.mark.usefixtures("without_recognition")
def test_scan_with_a_stamp_is_an_image(file: PdfFile) -> None:
    file.page()
    file.image(2, 2, SCAN)
    file.text(72, 40, "Folio 12")

    assert [warning.page for warning in parsed(file).warnings] == [2]


@pytest.mark.usefixtures("without_recognition")
def test_file_of_images_is_refused_with_the_remedy() -> None:
    file = PdfFile()
    file.page()
    file.image(2, 2, SCAN)
    file.page()

    with pytest.raises(DocumentRefusedError, match=re.escape("pip install 'brain-sync[ocr]'")):
        parsed(file)


def test_scanned_pages_are_left_out_when_their_time_is_over(file: PdfFile, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf_format, "can_recognise", lambda: True)
    file.page()
    file.image(2, 2, SCAN)

    (warning,) = parsed(file, seconds=0).warnings

    assert (warning.kind, warning.page) == ("left_out", 2)
    assert "BRAIN_DOCUMENT_SECONDS" in warning.message


def test_file_whose_only_page_is_broken_is_refused(file: PdfFile) -> None:
    file.broken_page = 1

    with pytest.raises(DocumentRefusedError, match="broken"):
        parsed(file)


@pytest.mark.usefixtures("without_recognition")
def test_blank_page_leaves_no_warning(file: PdfFile) -> None:
    file.page()

    document = parsed(file)

    assert (document.pages, document.warnings) == (2, ())


def test_file_without_any_text_is_refused() -> None:
    file = PdfFile()
    file.page()

    with pytest.raises(DocumentRefusedError, match="no text"):
        parsed(file)


def test_a_pdf_is_told_by_its_signature(file: PdfFile) -> None:
    recognises = FORMATS.get("pdf").recognises

    assert recognises is not None
    assert recognises(b"\n\n" + file.data())
    assert not recognises(b"PK\3\4" + bytes(2000) + b"%PDF-1.4")
