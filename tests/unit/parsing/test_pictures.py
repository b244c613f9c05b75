"""Pictures and scanned pages: bounds, and the text that is recognised where recognition is installed."""

import re
import struct
import zlib
from importlib.util import find_spec

import pytest
from pdfs import PdfFile, parsed, texts, wrapped
from PIL import Image
from scans import drawn, edit_distance, saved

from rag_core.errors import DocumentRefusedError
from rag_core.model.document import ParsedDocument
from rag_core.parsing import FORMATS, ParsingLimits, SourceFile, pictures, recognition

SPANISH = (
    "¿Cuándo llegó el señor Muñoz? Mañana comerá piñones en Logroño, según dijo la cigüeña. El público aplaudió después con "
    "júbilo: «así es», respondió Íñigo. La Straße de Köln tiene 1.234,56 metros; el pingüino cruzó el océano Ártico."
)
NEEDS_RECOGNITION = pytest.mark.skipif(
    find_spec("rapidocr") is None, reason="rapidocr is not installed: pip install 'brain-sync[ocr]'"
)


def parsed_picture(data: bytes, name: str = "png", **limits: int) -> ParsedDocument:
    return FORMATS.get(name).parse(SourceFile(name=f"foto.{name}", data=data), ParsingLimits(**limits))


def png_of(width: int, height: int) -> bytes:
    """A PNG that says it is so large; its pixels would be one byte each."""
    chunks = [(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)), (b"IDAT", zlib.compress(bytes(100)))]
    body = b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in chunks
    )
    return b"\x89PNG\r\n\x1a\n" + body


def jpg_of(width: int, height: int) -> bytes:
    """A JPEG that says it is so large."""
    data = bytearray(saved(Image.new("L", (8, 8)), "JPEG"))
    frame = data.index(b"\xff\xc0")
    data[frame + 5 : frame + 9] = struct.pack(">HH", height, width)
    return bytes(data)


@pytest.fixture
def with_recognition(monkeypatch: pytest.MonkeyPatch) -> None:
    """Recognition that is there, and fails if it is used."""
    monkeypatch.setattr(pictures, "can_recognise", lambda: True)


@pytest.mark.usefixtures("with_recognition")
@pytest.mark.parametrize(("name", "data"), [("png", png_of(30_000, 30_000)), ("jpg", jpg_of(30_000, 30_000))])
def test_picture_too_large_is_refused_before_it_is_unpacked(
    name: str, data: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unpack_none(_: object) -> None:
        raise AssertionError

    monkeypatch.setattr("PIL.ImageFile.ImageFile.load", unpack_none)

    with pytest.raises(DocumentRefusedError, match="more than 50,000,000 pixels; make it smaller"):
        parsed_picture(data, name)


@pytest.mark.usefixtures("with_recognition")
def test_bound_of_pixels_is_the_one_given() -> None:
    with pytest.raises(DocumentRefusedError, match="more than 99 pixels"):
        parsed_picture(saved(Image.new("L", (10, 10))), max_pixels=99)


@pytest.mark.usefixtures("with_recognition")
@pytest.mark.parametrize("data", [b"\x89PNG\r\n\x1a\n", png_of(10, 20), saved(Image.new("L", (9, 9)), "GIF")])
def test_broken_picture_is_refused(data: bytes) -> None:
    with pytest.raises(DocumentRefusedError, match="broken"):
        parsed_picture(data)


def test_picture_is_refused_with_the_remedy_where_nothing_can_recognise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pictures, "can_recognise", lambda: False)

    with pytest.raises(DocumentRefusedError, match=re.escape("pip install 'brain-sync[ocr]'")):
        parsed_picture(saved(Image.new("L", (10, 10))))


def test_nothing_can_recognise_without_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    recognition._model_files.cache_clear()
    monkeypatch.setattr(recognition, "find_spec", lambda _: None)

    assert not recognition.can_recognise()
    recognition._model_files.cache_clear()


@pytest.mark.parametrize(("name", "data"), [("png", png_of(1, 1)), ("jpg", jpg_of(1, 1))])
def test_pictures_are_told_by_their_signature(name: str, data: bytes) -> None:
    recognises = FORMATS.get(name).recognises

    assert recognises is not None
    assert recognises(data)
    assert not recognises(b"%PDF-1.4")


@NEEDS_RECOGNITION
def test_spanish_page_has_at_most_one_wrong_character_in_a_hundred() -> None:
    document = parsed_picture(saved(drawn(wrapped(SPANISH, 420, 11))))

    assert edit_distance(document.text, SPANISH) <= len(SPANISH) / 100
    assert document.confidence is not None
    assert document.confidence > 0.95
    assert [(block.kind, block.page) for block in document.blocks] == [("paragraph", 1)]


@NEEDS_RECOGNITION
def test_nothing_is_fetched_to_recognise(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError

    monkeypatch.setattr("requests.sessions.Session.request", refuse)
    recognition._engine.cache_clear()

    assert texts(parsed_picture(saved(drawn(["Llovió en Bilbao."])))) == ["Llovió en Bilbao."]


def test_picture_is_turned_as_its_camera_says() -> None:
    exif = Image.Exif()
    exif[0x0112] = 6
    data = saved(Image.new("L", (30, 10)), "JPEG", exif=exif)

    assert pictures.open_picture(data, "JPEG", max_pixels=1_000).size == (10, 30)


@NEEDS_RECOGNITION
@pytest.mark.parametrize("degrees", [90, 180])
def test_picture_that_lies_or_stands_on_its_head_is_read(degrees: int) -> None:
    image = drawn(["Llovió en Bilbao", "toda la mañana."]).rotate(degrees, expand=True)

    assert texts(parsed_picture(saved(image))) == ["Llovió en Bilbao toda la mañana."]


@NEEDS_RECOGNITION
@pytest.mark.parametrize("degrees", [90, 180, 270])
def test_boxes_of_a_picture_that_is_turned_to_be_read_lie_on_it_as_it_is(degrees: int) -> None:
    line = drawn(["Llovió en Bilbao toda la mañana."]).rotate(degrees, expand=True)
    image = Image.new("RGB", (line.width + 200, line.height + 400), "white")
    image.paste(line, (150, 100))
    ink = image.convert("L").point(lambda level: 255 if level < 128 else 0).getbbox()
    assert ink is not None

    (block,) = parsed_picture(saved(image)).blocks

    assert block.box == pytest.approx([edge * 72 / 150 for edge in ink], abs=5)


@NEEDS_RECOGNITION
def test_transparent_picture_is_read_on_white() -> None:
    ink = drawn(["Llovió en Bilbao."]).convert("L").point(lambda level: 255 - level)
    image = Image.new("RGBA", ink.size, "black")
    image.putalpha(ink)

    assert texts(parsed_picture(saved(image))) == ["Llovió en Bilbao."]


@NEEDS_RECOGNITION
def test_picture_without_text_is_refused() -> None:
    with pytest.raises(DocumentRefusedError, match="no text was recognised"):
        parsed_picture(saved(Image.new("RGB", (200, 100), "white")))


@NEEDS_RECOGNITION
def test_scanned_page_is_recognised_beside_pages_with_text() -> None:
    scan = drawn(["Nevó en Soria toda la tarde."]).convert("L")
    file = PdfFile(width=480, height=43.2)
    file.page()
    file.text(20, 25, "Llovió en Bilbao.")
    file.page()
    file.image(*scan.size, scan.tobytes())

    document = parsed(file)

    assert texts(document) == ["Llovió en Bilbao.", "Nevó en Soria toda la tarde."]
    assert [block.page for block in document.blocks] == [1, 2]
    assert document.parser == "hybrid"
    assert document.blocks[0].confidence is None
    assert document.blocks[1].confidence == document.confidence == pytest.approx(1, abs=0.05)
    assert document.blocks[1].box == pytest.approx((20, 16, 160, 28), abs=5)


@NEEDS_RECOGNITION
def test_doubtful_text_leaves_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recognition, "LOW_CONFIDENCE", 1.1)

    (warning,) = parsed_picture(saved(drawn(["Llovió en Bilbao."]))).warnings

    assert warning.kind == "low_confidence"


@NEEDS_RECOGNITION
def test_a_file_of_images_alone_is_read_by_recognition() -> None:
    scan = drawn(["Nevó en Soria."]).convert("L")
    file = PdfFile(width=480, height=43.2)
    file.page()
    file.image(*scan.size, scan.tobytes())

    assert (parsed(file).parser, parsed_picture(saved(drawn(["Nevó en Soria."]))).parser) == ("ocr", "ocr")
