"""A writer of small PDFs: Helvetica, lines, images. Places are in points from the upper left corner."""

import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import cos, radians, sin
from typing import Any

from rag_core.model.document import DocumentTable, ParsedDocument
from rag_core.parsing import FORMATS, ParsingLimits, SourceFile

_WIDTHS = dict(
    zip(
        " !\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~",
        [
            *(278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, *[556] * 10, 278, 278),
            *(584, 584, 584, 556, 1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778, 667),
            *(778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556, 556),
            *(278, 556, 556, 222, 222, 500, 222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500),
            *(334, 260, 334, 584),
        ],
        strict=True,
    )
)
_ACCENTS = str.maketrans("áéíóúüñÁÉÍÓÚÜÑäöÄÖß¿¡", "aeiouunAEIOUUNaoAOb?!")


def width(text: str, size: float = 10) -> float:
    """Width of a text in Helvetica."""
    return sum(_WIDTHS.get(letter, 556) for letter in text.translate(_ACCENTS)) * size / 1000


def wrapped(text: str, room: float, size: float = 10) -> list[str]:
    """Lines of a text that fit into a width."""
    lines: list[str] = []
    for word in text.split():
        if lines and width(f"{lines[-1]} {word}", size) <= room:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines


@dataclass
class PdfFile:
    """Pages as they are written; ``data`` gives the file."""

    width: float = 595
    height: float = 842
    title: str = ""
    author: str = ""
    created: str = ""
    is_encrypted: bool = False
    rotation: int = 0
    crop: tuple[float, float, float, float] | None = None
    broken_page: int | None = None
    pages: list[list[str]] = field(default_factory=list)
    images: list[tuple[int, int, bytes]] = field(default_factory=list)

    def page(self) -> None:
        """Begin a page."""
        self.pages.append([])

    def text(
        self,
        x: float,
        y: float,
        text: str,
        *,
        size: float = 10,
        bold: bool = False,
        font: str = "R",
        degrees: float = 0,
    ) -> None:
        """Write a text whose baseline begins at the place, turned counterclockwise; ``font`` "M" is Courier."""
        written = (
            text.encode("cp1252").replace(b"\\", rb"\\").replace(b"(", rb"\(").replace(b")", rb"\)").decode("latin-1")
        )
        a, b = cos(radians(degrees)), sin(radians(degrees))
        self.pages[-1].append(
            f"BT /{'B' if bold else font} {size} Tf {a:.4f} {b:.4f} {-b:.4f} {a:.4f} {x} {self.height - y} Tm ({written}) Tj ET"
        )

    def lines(self, x: float, y: float, lines: Sequence[str], *, size: float = 10, bold: bool = False) -> float:
        """Write lines below each other; the y below the last."""
        for place, line in enumerate(lines):
            self.text(x, y + place * 1.2 * size, line, size=size, bold=bold)
        return y + len(lines) * 1.2 * size

    def rule(self, x: float, y: float, other_x: float, other_y: float) -> None:
        """Draw a line."""
        self.pages[-1].append(f"{x} {self.height - y} m {other_x} {self.height - other_y} l S")

    def table(
        self, x: float, y: float, rows: Sequence[Sequence[str]], widths: Sequence[float], *, is_ruled: bool = True
    ) -> float:
        """Write a table, its first row bold, a line a row of 18 points; the y below it."""
        edges = [x + sum(widths[:place]) for place in range(len(widths) + 1)]
        for at, row in enumerate(rows):
            for left, text in zip(edges, row, strict=False):
                self.text(left + 4, y + 18 * at + 12, text, bold=at == 0)
        if is_ruled:
            for at in range(len(rows) + 1):
                self.rule(edges[0], y + 18 * at, edges[-1], y + 18 * at)
            for edge in edges:
                self.rule(edge, y, edge, y + 18 * len(rows))
        return y + 18 * len(rows)

    def image(self, columns: int, rows: int, gray: bytes) -> None:
        """Fill the page with an image, a byte a pixel."""
        self.images.append((columns, rows, gray))
        self.pages[-1].append(f"q {self.width} 0 0 {self.height} 0 0 cm /I{len(self.images)} Do Q")

    def data(self) -> bytes:
        """The file."""
        first = 7 + len(self.images)
        kids = " ".join(f"{first + 2 * place} 0 R" for place in range(len(self.pages)))
        images = " ".join(f"/I{place + 1} {7 + place} 0 R" for place in range(len(self.images)))
        font = "<</Type/Font/Subtype/Type1/Encoding/WinAnsiEncoding/BaseFont/{}>>"
        info = f"/Title({self.title})/Author({self.author})/CreationDate({self.created})"
        bodies = [
            b"<</Type/Catalog/Pages 2 0 R>>",
            f"<</Type/Pages/Kids[{kids}]/Count {len(self.pages)}/MediaBox[0 0 {self.width} {self.height}]"
            f"/Resources<</Font<</R 3 0 R/B 4 0 R/M 6 0 R>>/XObject<<{images}>>>>>>".encode(),
            font.format("Helvetica").encode(),
            font.format("Helvetica-Bold").encode(),
            f"<<{info}>>".encode("cp1252"),
            font.format("Courier").encode(),
        ]
        for columns, rows, gray in self.images:
            head = f"/Type/XObject/Subtype/Image/Width {columns}/Height {rows}/ColorSpace/DeviceGray/BitsPerComponent 8"
            bodies.append(_stream(gray, head))
        for place, page in enumerate(self.pages):
            kind = "Nothing" if place + 1 == self.broken_page else "Page"
            head = (
                f"/Type/{kind}/Parent 2 0 R/Rotate {self.rotation}{self._crop()}/Contents {first + 2 * place + 1} 0 R"
            )
            bodies.append(f"<<{head}>>".encode())
            bodies.append(_stream("\n".join(page).encode("latin-1"), ""))
        return self._joined(bodies)

    def _crop(self) -> str:
        """Part of the page that is shown: its left, top, right and bottom."""
        if self.crop is None:
            return ""
        left, top, right, bottom = self.crop
        return f"/CropBox[{left} {self.height - bottom} {right} {self.height - top}]"

    def _joined(self, bodies: Sequence[bytes]) -> bytes:
        file, places = b"%PDF-1.4\n", []
        for number, body in enumerate(bodies, 1):
            places.append(len(file))
            file += b"%d 0 obj\n%b\nendobj\n" % (number, body)
        table = b"".join(b"%010d 00000 n \n" % place for place in places)
        locked = b"/Encrypt<</Filter/Standard/V 1/R 2/P -4/O<%b>/U<%b>>>/ID[<00><00>]" % (b"0" * 64, b"1" * 64)
        trailer = b"/Root 1 0 R/Info 5 0 R/Size %d%b" % (len(bodies) + 1, locked if self.is_encrypted else b"")
        xref = b"xref\n0 %d\n0000000000 65535 f \n%b" % (len(bodies) + 1, table)
        return file + xref + b"trailer\n<<%b>>\nstartxref\n%d\n%%%%EOF" % (trailer, len(file))


def _stream(data: bytes, head: str) -> bytes:
    packed = zlib.compress(data)
    return f"<</Filter/FlateDecode/Length {len(packed)}{head}>>\nstream\n".encode() + packed + b"\nendstream"


def parsed(file: PdfFile, **limits: Any) -> ParsedDocument:
    """A PDF parsed within limits."""
    return FORMATS.get("pdf").parse(SourceFile(name="informe.pdf", data=file.data()), ParsingLimits(**limits))


def texts(document: ParsedDocument) -> list[str]:
    """Text of each block."""
    return [document.text[block.start : block.end] for block in document.blocks]


def rows_of(table: DocumentTable) -> list[list[str]]:
    """All rows, where a number that stands for an empty header is blank again."""
    headers = ["" if text == str(place) else text for place, text in enumerate(table.headers, 1)]
    return [headers, *map(list, table.rows)]
