"""Presentations: a slide a page, in reading order."""

import io
import os
from datetime import UTC, datetime

import pytest
from lxml import etree
from office_files import BILLION_LAUGHS, PICTURE, changed, missing_words, parsed, saved, unpacked
from pptx import Presentation
from pptx.chart.data import CategoryChartData, XyChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.presentation import Presentation as Deck
from pptx.slide import Slide
from pptx.util import Inches

from rag_core.errors import DocumentRefusedError
from rag_core.parsing import ParsingLimits

DRAWING = "http://schemas.openxmlformats.org/drawingml/2006/main"
TITLE_SLIDE, TITLE_AND_CONTENT, TITLE_ONLY, BLANK = 0, 1, 5, 6


@pytest.fixture
def deck() -> Deck:
    return Presentation()


def add_slide(deck: Deck, layout: int = BLANK, title: str | None = None) -> Slide:
    slide = deck.slides.add_slide(deck.slide_layouts[layout])
    if title is not None:
        slide.shapes.title.text = title
    return slide


def add_text(slide: Slide, text: str, *, top: float = 0, left: float = 0) -> None:
    slide.shapes.add_textbox(Inches(left), Inches(top), Inches(1), Inches(1)).text_frame.text = text


def add_bullet(slide: Slide, text: str, bullet: str) -> None:
    """Add a paragraph with settings of its own to the content of a slide."""
    paragraph = slide.placeholders[1].text_frame.add_paragraph()
    paragraph.text = text
    paragraph._p.get_or_add_pPr().append(etree.fromstring(f'<{bullet} xmlns:a="{DRAWING}"/>'))


def text_of(deck: Deck) -> str:
    return parsed("charla.pptx", saved(deck)).text


def test_each_slide_is_a_page_with_its_title(deck: Deck) -> None:
    add_slide(deck, TITLE_SLIDE, "Faros")
    add_slide(deck, TITLE_ONLY, "Historia")

    document = parsed("charla.pptx", saved(deck))

    assert document.text == "# Faros\n\n## Historia"
    assert (document.pages, document.page_unit) == (2, "slide")
    assert [(block.level, block.page) for block in document.blocks] == [(1, 1), (2, 2)]


def test_a_title_is_one_line(deck: Deck) -> None:
    add_slide(deck, TITLE_ONLY, "Faros\vde España")

    assert text_of(deck) == "## Faros de España"


def test_shapes_are_read_from_top_to_bottom_and_left_to_right(deck: Deck) -> None:
    slide = add_slide(deck, TITLE_ONLY, "Orden")
    add_text(slide, "abajo", top=5)
    add_text(slide, "derecha", top=3, left=5)
    add_text(slide, "izquierda", top=3.05, left=1)

    assert text_of(deck) == "## Orden\n\nizquierda\n\nderecha\n\nabajo"


def test_the_content_of_a_slide_is_a_list_by_its_master(deck: Deck) -> None:
    frame = add_slide(deck, TITLE_AND_CONTENT, "Lista").placeholders[1].text_frame
    frame.text = "pan"
    inner = frame.add_paragraph()
    inner.text, inner.level = "integral", 1

    assert text_of(deck) == "## Lista\n\n- pan\n  - integral"


def test_a_paragraph_may_have_no_bullet(deck: Deck) -> None:
    slide = add_slide(deck, TITLE_AND_CONTENT, "Lista")
    add_bullet(slide, "Comprar:", "a:buNone")
    add_bullet(slide, "pan", "a:buChar")

    assert text_of(deck) == "## Lista\n\nComprar:\n\n- pan"


def test_a_layout_may_have_no_bullets(deck: Deck) -> None:
    layout = deck.slide_layouts[TITLE_AND_CONTENT].placeholders[1].element
    style = etree.fromstring(f'<a:lvl1pPr xmlns:a="{DRAWING}"><a:buNone/></a:lvl1pPr>')
    layout.find(f".//{{{DRAWING}}}lstStyle").append(style)
    add_slide(deck, TITLE_AND_CONTENT, "Lista").placeholders[1].text_frame.text = "texto"

    assert text_of(deck) == "## Lista\n\ntexto"


def test_numbers_count_on_and_start_where_they_say(deck: Deck) -> None:
    slide = add_slide(deck, TITLE_AND_CONTENT, "Lista")
    for text in ("a", "b"):
        add_bullet(slide, text, "a:buAutoNum startAt='4'")

    assert text_of(deck) == "## Lista\n\n4. a\n5. b"


def test_lists_of_two_shapes_are_two(deck: Deck) -> None:
    slide = add_slide(deck, 3, "Dos")
    slide.placeholders[1].text_frame.text, slide.placeholders[2].text_frame.text = "uno", "dos"

    assert text_of(deck) == "## Dos\n\n- uno\n\n- dos"


def test_links_keep_their_address(deck: Deck) -> None:
    frame = add_slide(deck).shapes.add_textbox(0, 0, 9, 9).text_frame
    frame.paragraphs[0].add_run().text = "Ver "
    link = frame.paragraphs[0].add_run()
    link.text, link.hyperlink.address = "el acta", "https://example.org/a"

    assert text_of(deck) == "Ver [el acta](https://example.org/a)"


def test_a_line_break_stays_in_its_paragraph(deck: Deck) -> None:
    add_text(add_slide(deck), "uno\vdos")

    assert text_of(deck) == "uno\ndos"


def test_merged_cells_have_their_text_once(deck: Deck) -> None:
    table = add_slide(deck).shapes.add_table(2, 3, 0, 0, Inches(5), Inches(2)).table
    for row in range(2):
        for column in range(3):
            table.cell(row, column).text = f"{row}{column}"
    table.cell(0, 1).merge(table.cell(0, 2))

    document = parsed("charla.pptx", saved(deck))

    assert document.tables[0].headers == ("00", "01 02", "3")
    assert document.tables[0].rows == (("10", "11", "12"),)


def test_shapes_of_a_group_are_read(deck: Deck) -> None:
    group = add_slide(deck).shapes.add_group_shape()
    group.shapes.add_textbox(0, Inches(2), 9, 9).text_frame.text = "segundo"
    group.shapes.add_textbox(0, 0, 9, 9).text_frame.text = "primero"

    assert text_of(deck) == "primero\n\nsegundo"


def test_a_picture_is_described_by_its_alternative_text(deck: Deck) -> None:
    picture = add_slide(deck).shapes.add_picture(io.BytesIO(PICTURE), 0, 0)
    picture._element.nvPicPr.cNvPr.set("descr", "Un faro")

    assert text_of(deck) == "![Un faro]()"


def test_a_chart_is_a_table_of_its_values(deck: Deck) -> None:
    data = CategoryChartData()
    data.categories = ["2023", "2024"]
    data.add_series("Patos", (160, 0.1 + 0.2))
    data.add_series("Gansos", (None, 7))
    chart = add_slide(deck).shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, 0, 0, 9, 9, data).chart
    chart.chart_title.text_frame.text = "Aves"

    document = parsed("charla.pptx", saved(deck))

    assert document.tables[0].headers == ("1", "Patos", "Gansos")
    assert document.tables[0].rows == (("2023", "160", ""), ("2024", "0.3", "7"))
    assert document.tables[0].caption == "Aves"
    assert document.text.startswith("Aves\n\n|")


def test_a_scatter_chart_has_its_points(deck: Deck) -> None:
    data = XyChartData()
    series = data.add_series("Alturas")
    series.add_data_point(1.5, 7)
    add_slide(deck).shapes.add_chart(XL_CHART_TYPE.XY_SCATTER, 0, 0, 9, 9, data)

    assert parsed("charla.pptx", saved(deck)).tables[0].rows == (("1.5", "7"),)


def test_a_chart_that_claims_too_many_points_has_those_it_has(deck: Deck) -> None:
    data = CategoryChartData()
    data.categories = ["2023"]
    data.add_series("Patos", (160,))
    add_slide(deck).shapes.add_chart(XL_CHART_TYPE.PIE, 0, 0, 9, 9, data)
    file = saved(deck)
    name = next(name for name in unpacked(file) if name.startswith("ppt/charts/chart"))
    claims = changed(file, {name: lambda xml: xml.replace(b'ptCount val="1"', b'ptCount val="4000000000"')})

    assert parsed("charla.pptx", claims).tables[0].rows == (("2023", "160"),)


def test_notes_stand_after_their_slide(deck: Deck) -> None:
    add_slide(deck, TITLE_ONLY, "Faros").notes_slide.notes_text_frame.text = "Saludar.\nPresentar."
    add_slide(deck, TITLE_ONLY, "Fin")

    assert text_of(deck) == "## Faros\n\nSaludar.\n\nPresentar.\n\n## Fin"


def test_slide_numbers_and_footers_are_left_out(deck: Deck) -> None:
    slide = add_slide(deck, TITLE_ONLY, "Faros")
    for placeholder in slide.slide_layout.placeholders:
        if placeholder.placeholder_format.type.name in {"FOOTER", "SLIDE_NUMBER"}:
            slide.shapes.clone_placeholder(placeholder)
    for shape in slide.placeholders:
        if shape.placeholder_format.idx > 1:
            shape.text_frame.text = "marginal"

    assert text_of(deck) == "## Faros"


def test_a_diagram_is_a_list_of_its_texts(deck: Deck) -> None:
    slide = add_slide(deck, TITLE_ONLY, "Ciclo")
    frame = slide.shapes.add_table(1, 1, 0, 0, 9, 9)
    data = frame._element.find(f".//{{{DRAWING}}}graphicData")
    diagram = "http://schemas.openxmlformats.org/drawingml/2006/diagram"
    data.clear()
    data.set("uri", diagram)
    relation = slide.part.relate_to(diagram_part(slide, diagram), "x/diagramData")
    relations = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    data.append(etree.fromstring(f'<d:relIds xmlns:d="{diagram}" xmlns:r="{relations}" r:dm="{relation}"/>'))

    assert text_of(deck) == "## Ciclo\n\n- lluvia\n- nube"


def diagram_part(slide: Slide, diagram: str) -> object:
    from pptx.opc.package import Part
    from pptx.opc.packuri import PackURI

    points = "".join(f"<d:pt><d:t><a:t>{text}</a:t></d:t></d:pt>" for text in ("lluvia", "", "nube"))
    xml = f'<d:dataModel xmlns:d="{diagram}" xmlns:a="{DRAWING}">{points}</d:dataModel>'
    return Part(PackURI("/ppt/diagrams/data1.xml"), "application/x-diagram+xml", slide.part.package, xml.encode())


def test_the_properties_are_read(deck: Deck) -> None:
    add_slide(deck, TITLE_ONLY, "Faros")
    deck.core_properties.title, deck.core_properties.author = "Charla", "Ana"
    deck.core_properties.created = datetime(2024, 5, 6, 7, 8, 9, tzinfo=UTC)

    document = parsed("charla.pptx", saved(deck))

    assert (document.title, document.author) == ("Charla", "Ana")
    assert document.created_at == datetime(2024, 5, 6, 7, 8, 9, tzinfo=UTC)


def test_macros_are_left_out_with_a_warning(deck: Deck) -> None:
    add_slide(deck, TITLE_ONLY, "Faros")
    plain = b"application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml"
    macros = b"application/vnd.ms-powerpoint.presentation.macroEnabled.main+xml"
    changes = {
        "[Content_Types].xml": lambda types: types.replace(plain, macros),
        "ppt/vbaProject.bin": lambda _: b"\xd0\xcf\x11\xe0",
    }

    document = parsed("charla.pptm", changed(saved(deck), changes))

    assert document.text == "## Faros"
    assert [warning.kind for warning in document.warnings] == ["left_out"]


@pytest.mark.parametrize(("shown", "warned"), [("0", [2]), ("1", [])])
def test_hidden_slides_are_taken_with_a_warning(deck: Deck, shown: str, warned: list[int]) -> None:
    add_slide(deck, TITLE_ONLY, "Faros")
    add_slide(deck, TITLE_ONLY, "Sueldos").element.set("show", shown)

    document = parsed("charla.pptx", saved(deck))

    assert "## Sueldos" in document.text
    assert [(warning.kind, warning.page) for warning in document.warnings] == [("hidden", page) for page in warned]


def test_too_many_slides_are_refused(deck: Deck) -> None:
    add_slide(deck)
    add_slide(deck)

    with pytest.raises(DocumentRefusedError, match="2 slides, and 1 are allowed"):
        parsed("charla.pptx", saved(deck), ParsingLimits(max_pages=1))


def test_as_many_slides_as_allowed_are_taken(deck: Deck) -> None:
    add_slide(deck, TITLE_ONLY, "Faros")

    assert parsed("charla.pptx", saved(deck), ParsingLimits(max_pages=1)).pages == 1


def test_entities_are_refused(deck: Deck) -> None:
    add_slide(deck)

    with pytest.raises(DocumentRefusedError, match="document type"):
        parsed("charla.pptx", changed(saved(deck), {"ppt/slides/slide1.xml": lambda _: BILLION_LAUGHS}))


@pytest.mark.parametrize("part", ["ppt/presentation.xml", "ppt/slides/slide1.xml", "[Content_Types].xml"])
def test_a_broken_part_is_refused(deck: Deck, part: str) -> None:
    add_slide(deck)

    with pytest.raises(DocumentRefusedError, match="not as its format demands"):
        parsed("charla.pptx", changed(saved(deck), {part: lambda xml: xml[:-10]}))


def test_a_missing_attribute_is_refused(deck: Deck) -> None:
    add_slide(deck)
    changes = {"ppt/_rels/presentation.xml.rels": lambda rels: rels.replace(b"Target=", b"Goal=")}

    with pytest.raises(DocumentRefusedError, match="not as its format demands"):
        parsed("charla.pptx", changed(saved(deck), changes))


@pytest.mark.skipif("BRAIN_TEST_DATA" not in os.environ, reason="BRAIN_TEST_DATA is not set")
def test_a_real_presentation_has_the_words_expected() -> None:
    assert missing_words("powerpoint_sample.pptx") == set()
