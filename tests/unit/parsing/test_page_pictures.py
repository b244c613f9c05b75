"""Pages as pictures: boxes lie on what they are of, whatever the page is like, and nothing grows beyond its bounds."""

from io import BytesIO

import pytest
from pdfs import PdfFile, parsed
from PIL import Image

from rag_core.errors import DocumentRefusedError
from rag_core.model.document import Box
from rag_core.parsing import ParsingLimits, SourceFile
from rag_core.parsing.page_pictures import PagePicture, PageWish, draw_page
from rag_core.parsing.working import DocumentParser

EDGE = (31, 111, 92)
LANDSCAPE = {"width": 800, "height": 400}


def drawn(data: bytes, wish: PageWish, name: str = "pdf") -> tuple[Image.Image, PagePicture]:
    picture = draw_page(SourceFile(name=f"a.{name}", data=data), name, wish, ParsingLimits())
    return Image.open(BytesIO(picture.png)), picture


def saved(image: Image.Image, image_format: str = "PNG", **options: object) -> bytes:
    data = BytesIO()
    image.save(data, image_format, **options)
    return data.getvalue()


def ink(image: Image.Image) -> Box:
    """Box around all that is dark, in pixels."""
    found = image.convert("L").point(lambda level: 255 if level < 128 else 0).getbbox()
    assert found is not None
    return found


def one_line(rotation: int = 0, crop: tuple[float, float, float, float] | None = None, **size: float) -> PdfFile:
    file = PdfFile(rotation=rotation, crop=crop, **size)
    file.page()
    file.text(220, 310, "Llovió en Bilbao toda la mañana", size=20)
    return file


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
@pytest.mark.parametrize("crop", [None, (200, 250, 595, 500)])
def test_the_box_of_a_block_lies_on_its_text_in_the_picture(
    rotation: int, crop: tuple[float, float, float, float] | None
) -> None:
    file = one_line(rotation, crop)
    (block,) = parsed(file).blocks

    image, picture = drawn(file.data(), PageWish(page=1))

    scale = image.width / picture.width
    box, text = block.box, [edge / scale for edge in ink(image)]
    assert box is not None
    assert box == pytest.approx(text, abs=7)  # the box is of whole letters with room above and below
    assert box[0] - 2 < text[0] < text[2] < box[2] + 2
    assert box[1] - 2 < text[1] < text[3] < box[3] + 2


def test_a_box_is_drawn_around_what_it_is_of_and_nothing_else_changes() -> None:
    file = one_line()
    (block,) = parsed(file).blocks

    plain, _ = drawn(file.data(), PageWish(page=1))
    marked, picture = drawn(file.data(), PageWish(page=1, box=block.box))

    scale = plain.width / picture.width
    changed = [edge / scale for edge in ink(_difference(plain, marked))]
    assert block.box is not None
    assert changed == pytest.approx([block.box[0] - 3, block.box[1] - 3, block.box[2] + 3, block.box[3] + 3], abs=1.5)
    assert marked.getpixel((round((block.box[0] - 3) * scale) + 1, round(block.box[1] * scale))) == EDGE


def _difference(one: Image.Image, other: Image.Image) -> Image.Image:
    """Black where two pictures differ."""
    from PIL import ImageChops

    return ImageChops.difference(one, other).convert("L").point(lambda level: 0 if level else 255)


@pytest.mark.parametrize(
    ("box"), [(-50.0, -50.0, 5_000.0, 5_000.0), (700.0, 900.0, 800.0, 1_000.0), (200.0, 300.0, 100.0, 200.0)]
)
def test_a_box_off_the_page_does_no_harm(box: Box) -> None:
    image, _ = drawn(one_line().data(), PageWish(page=1, box=box))

    assert image.size == (1131, 1600)


@pytest.mark.parametrize(
    ("size", "width", "expected"),
    [
        ({}, 1_600, (1131, 1600)),
        ({}, 300, (300, 425)),
        (LANDSCAPE, 1_600, (1600, 800)),
        ({"width": 14_400, "height": 14_400}, 1_600, (1600, 1600)),
        ({"width": 10, "height": 14_400}, 1_600, (2, 1600)),
    ],
)
def test_a_picture_is_as_wide_as_asked_for_within_its_bounds(
    size: dict[str, float], width: int, expected: tuple[int, int]
) -> None:
    image, _ = drawn(one_line(**size).data(), PageWish(page=1, width=width))

    assert image.size == expected


def test_the_size_in_points_is_of_the_page_as_it_is_shown() -> None:
    _, picture = drawn(one_line(90, **LANDSCAPE).data(), PageWish(page=1))

    assert (picture.width, picture.height) == (400, 800)


def test_a_page_that_is_not_there_is_refused() -> None:
    with pytest.raises(DocumentRefusedError, match="the file has 1 pages, not 2"):
        drawn(one_line().data(), PageWish(page=2))


def test_a_picture_is_its_own_page_upright_and_by_the_measure_of_its_boxes() -> None:
    exif = Image.Exif()
    exif[0x0112] = 6

    image, picture = drawn(saved(Image.new("L", (3_000, 1_500)), "JPEG", exif=exif), PageWish(page=1), "jpg")

    assert image.size == (800, 1600)
    assert (picture.width, picture.height) == (1500 * 72 / 150, 3000 * 72 / 150)


def test_a_small_picture_is_not_blown_up() -> None:
    image, _ = drawn(saved(Image.new("L", (30, 20))), PageWish(page=1), "png")

    assert image.size == (30, 20)


def test_pages_are_drawn_in_a_process_of_their_own() -> None:
    file = SourceFile(name="a.pdf", data=one_line().data())

    with DocumentParser(ParsingLimits(), workers=1) as parser:
        picture = parser.draw(file, PageWish(page=1, width=300))
        with pytest.raises(DocumentRefusedError, match="not 9"):
            parser.draw(file, PageWish(page=9))

    assert Image.open(BytesIO(picture.png)).size == (300, 425)
