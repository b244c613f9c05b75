"""Word documents: the body in its order, as Markdown with blocks."""

import os
from datetime import UTC, datetime

import pytest
from docx import Document
from docx.document import Document as WordDocument
from docx.enum.style import WD_STYLE_TYPE
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls
from office_files import BILLION_LAUGHS, changed, missing_words, parsed, saved

from rag_core.errors import DocumentRefusedError
from rag_core.parsing import ParsingLimits

NAMESPACES = (
    nsdecls("w", "r", "wp", "a", "m")
    + ' xmlns:v="urn:schemas-microsoft-com:vml" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
)
MACROS = b"application/vnd.ms-word.document.macroEnabled.main+xml"
PLAIN = b"application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"


@pytest.fixture
def word() -> WordDocument:
    return Document()


def text_of(document: WordDocument) -> str:
    return parsed("carta.docx", saved(document)).text


def add_xml(document: WordDocument, body: str) -> None:
    """Add elements to the end of a body."""
    for element in parse_xml(f"<w:body {NAMESPACES}>{body}</w:body>"):
        document.element.body.insert(len(document.element.body) - 1, element)


def run(text: str) -> str:
    return f'<w:r><w:t xml:space="preserve">{text}</w:t></w:r>'


def test_headings_and_paragraphs_follow_each_other(word: WordDocument) -> None:
    word.add_heading("Informe", 0)
    word.add_heading("Resumen", 1)
    word.add_paragraph("Llovió en Bilbao.")
    word.add_heading("Detalle", 3)

    document = parsed("informe.docx", saved(word))

    assert document.text == "# Informe\n\n# Resumen\n\nLlovió en Bilbao.\n\n### Detalle"
    assert [(block.kind, block.level) for block in document.blocks] == [
        ("heading", 1),
        ("heading", 1),
        ("paragraph", None),
        ("heading", 3),
    ]


@pytest.mark.parametrize("name", ["Título 2", "Überschrift 2", "Titre 2"])
def test_heading_styles_have_names_in_other_languages(word: WordDocument, name: str) -> None:
    word.styles.add_style(name, WD_STYLE_TYPE.PARAGRAPH)
    word.add_paragraph("Resumen", style=name)

    assert text_of(word) == "## Resumen"


def test_a_style_based_on_a_heading_is_one(word: WordDocument) -> None:
    word.styles.add_style("Capítulo", WD_STYLE_TYPE.PARAGRAPH).base_style = word.styles["Heading 2"]
    word.add_paragraph("Resumen", style="Capítulo")

    assert text_of(word) == "## Resumen"


def test_styles_in_a_circle_end(word: WordDocument) -> None:
    one = word.styles.add_style("Uno", WD_STYLE_TYPE.PARAGRAPH)
    two = word.styles.add_style("Dos", WD_STYLE_TYPE.PARAGRAPH)
    one.base_style, two.base_style = two, one
    word.add_paragraph("Resumen", style=one)

    assert text_of(word) == "Resumen"


def test_an_outline_level_makes_a_heading(word: WordDocument) -> None:
    add_xml(word, f'<w:p><w:pPr><w:outlineLvl w:val="1"/></w:pPr>{run("Resumen")}</w:p>')

    assert text_of(word) == "## Resumen"


def test_a_style_with_an_outline_level_makes_headings(word: WordDocument) -> None:
    style = word.styles.add_style("Apartado", WD_STYLE_TYPE.PARAGRAPH)
    style.element.get_or_add_pPr().append(parse_xml(f'<w:outlineLvl {NAMESPACES} w:val="2"/>'))
    word.add_paragraph("Resumen", style=style)

    assert text_of(word) == "### Resumen"


def test_a_paragraph_without_style_has_the_default_one(word: WordDocument) -> None:
    normal = word.styles["Normal"].element
    normal.get_or_add_pPr().append(parse_xml(f'<w:outlineLvl {NAMESPACES} w:val="0"/>'))
    add_xml(word, f"<w:p>{run('Resumen')}</w:p>")

    assert text_of(word) == "# Resumen"


def test_a_table_of_contents_is_left_out(word: WordDocument) -> None:
    word.styles.add_style("toc 1", WD_STYLE_TYPE.PARAGRAPH)
    word.add_paragraph("Resumen 3", style="toc 1")
    word.add_paragraph("Llovió.")

    assert text_of(word) == "Llovió."


def test_lists_have_depth_and_numbers(word: WordDocument) -> None:
    for style, text in [
        ("List Number", "pan"),
        ("List Bullet 2", "integral"),
        ("List Number", "leche"),
        ("List Bullet", "sal"),
    ]:
        word.add_paragraph(text, style=style)

    assert text_of(word) == "1. pan\n   - integral\n2. leche\n- sal"


def test_a_list_starts_where_its_own_numbering_says(word: WordDocument) -> None:
    numbering = word.part.numbering_part.element
    levels = '<w:lvl w:ilvl="0"><w:start w:val="3"/><w:numFmt w:val="decimal"/></w:lvl>'
    override = '<w:lvlOverride w:ilvl="0"><w:startOverride w:val="7"/></w:lvlOverride>'
    numbering.extend(
        parse_xml(
            f"<w:numbering {NAMESPACES}><w:abstractNum w:abstractNumId='90'>{levels}</w:abstractNum>"
            "<w:num w:numId='91'><w:abstractNumId w:val='90'/></w:num>"
            f"<w:num w:numId='92'><w:abstractNumId w:val='90'/>{override}</w:num></w:numbering>"
        )
    )
    for list_id, text in [(91, "a"), (91, "b"), (92, "c"), (92, "d")]:
        number = f'<w:numPr><w:ilvl w:val="0"/><w:numId w:val="{list_id}"/></w:numPr>'
        add_xml(word, f"<w:p><w:pPr>{number}</w:pPr>{run(text)}</w:p>")

    assert text_of(word) == "3. a\n4. b\n7. c\n8. d"


def test_a_paragraph_may_leave_the_list_of_its_style(word: WordDocument) -> None:
    paragraph = word.add_paragraph("sin viñeta", style="List Bullet")
    paragraph._p.get_or_add_pPr().get_or_add_numPr().get_or_add_numId().val = 0

    assert text_of(word) == "sin viñeta"


def test_merged_cells_have_their_text_once(word: WordDocument) -> None:
    table = word.add_table(3, 3)
    for row in range(3):
        for column in range(3):
            table.cell(row, column).text = f"{row}{column}"
    table.cell(0, 1).merge(table.cell(0, 2)).text = "ancho"
    table.cell(1, 0).merge(table.cell(2, 0)).text = "alto"

    document = parsed("tabla.docx", saved(word))

    assert document.tables[0].headers == ("00", "ancho", "3")
    assert document.tables[0].rows == (("alto", "11", "12"), ("", "21", "22"))


def test_a_row_that_starts_late_keeps_its_columns(word: WordDocument) -> None:
    cell = "<w:tc><w:p>{}</w:p></w:tc>"
    add_xml(
        word,
        f"<w:tbl><w:tr>{cell.format(run('a'))}{cell.format(run('b'))}</w:tr>"
        f'<w:tr><w:trPr><w:gridBefore w:val="1"/></w:trPr>{cell.format(run("c"))}</w:tr></w:tbl>',
    )

    assert parsed("tabla.docx", saved(word)).tables[0].rows == (("", "c"),)


def test_an_absurd_span_is_bounded(word: WordDocument) -> None:
    cell = f'<w:tc><w:tcPr><w:gridSpan w:val="999999999"/></w:tcPr><w:p>{run("a")}</w:p></w:tc>'
    add_xml(word, f"<w:tbl><w:tr>{cell}</w:tr><w:tr>{cell}</w:tr></w:tbl>")

    assert len(parsed("tabla.docx", saved(word)).tables[0].headers) == 63


def test_a_nested_table_is_flattened_into_its_cell(word: WordDocument) -> None:
    outer = word.add_table(2, 2)
    outer.cell(0, 0).text, outer.cell(0, 1).text = "A", "B"
    inner = outer.cell(1, 0).add_table(1, 2)
    inner.cell(0, 0).text, inner.cell(0, 1).text = "dentro", "más"

    assert parsed("tabla.docx", saved(word)).tables[0].rows == (("dentro más", ""),)


def test_the_only_cell_of_a_table_is_a_frame(word: WordDocument) -> None:
    cell = word.add_table(1, 1).cell(0, 0)
    cell.text = "Aviso"
    cell.add_paragraph("Cerrado", style="List Bullet")

    assert text_of(word) == "Aviso\n\n- Cerrado"


def test_links_keep_their_address(word: WordDocument) -> None:
    relation = word.part.relate_to(
        "https://example.org/a",
        "http://schemas.openxmlformats.org/officeDocument/2006/relationships/hyperlink",
        is_external=True,
    )
    add_xml(word, f'<w:p>{run("Ver ")}<w:hyperlink r:id="{relation}">{run("el acta")}</w:hyperlink></w:p>')

    assert text_of(word) == "Ver [el acta](https://example.org/a)"


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (f"<w:ins>{run('nuevo')}</w:ins><w:del><w:r><w:delText>viejo</w:delText></w:r></w:del>", "nuevo"),
        (f"<w:moveTo>{run('aquí')}</w:moveTo><w:moveFrom>{run('allí')}</w:moveFrom>", "aquí"),
        (f"<w:sdt><w:sdtPr/><w:sdtContent>{run('campo')}</w:sdtContent></w:sdt>", "campo"),
        (f"<w:fldSimple w:instr='PAGE'>{run('7')}</w:fldSimple>", "7"),
        ("<w:r><w:instrText>DATE</w:instrText></w:r>" + run("hoy"), "hoy"),
        ("<w:r><w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t></w:r>", "a\tb\nc"),
        ("<w:r><w:t>a</w:t><w:noBreakHyphen/><w:t>b</w:t></w:r>", "a-b"),
        (run("a") + "<w:r><w:rPr><w:vanish/></w:rPr><w:t>b</w:t></w:r>", "a"),
        (run("a") + "<w:r><w:rPr><w:vanish w:val='false'/></w:rPr><w:t>b</w:t></w:r>", "ab"),
        ("<m:oMath><m:r><m:t>x+1</m:t></m:r></m:oMath>", "x+1"),
        (f"<w:x><mc:Choice>{run('uno')}</mc:Choice><mc:Fallback>{run('dos')}</mc:Fallback></w:x>", "uno"),
    ],
    ids=["tracked", "moved", "control", "field", "instruction", "signs", "hyphen", "hidden", "not-hidden", "formula", "alternative"],
)  # fmt: skip
def test_a_paragraph_has_the_text_that_is_shown(word: WordDocument, body: str, text: str) -> None:
    add_xml(word, f"<w:p>{body}</w:p>")

    assert text_of(word) == text


def test_hidden_text_is_left_out_with_a_warning(word: WordDocument) -> None:
    add_xml(word, f"<w:p>{run('a')}<w:r><w:rPr><w:vanish/></w:rPr><w:t>b</w:t></w:r></w:p>")

    (warning,) = parsed("carta.docx", saved(word)).warnings

    assert (warning.kind, warning.message) == ("left_out", "text that is set hidden was left out")


def test_blocks_in_content_controls_are_taken(word: WordDocument) -> None:
    add_xml(word, f"<w:sdt><w:sdtContent><w:p>{run('portada')}</w:p></w:sdtContent></w:sdt>")

    assert text_of(word) == "portada"


def test_a_text_box_follows_its_paragraph_once(word: WordDocument) -> None:
    box = f"<w:txbxContent><w:p>{run('recuadro')}</w:p></w:txbxContent>"
    add_xml(
        word,
        f"<w:p>{run('texto')}<w:r><mc:AlternateContent><mc:Choice Requires='wps'><w:drawing>{box}</w:drawing></mc:Choice>"
        f"<mc:Fallback><w:pict>{box}</w:pict></mc:Fallback></mc:AlternateContent></w:r></w:p>",
    )

    assert text_of(word) == "texto\n\nrecuadro"


def test_images_are_described_by_their_alternative_text(word: WordDocument) -> None:
    add_xml(
        word,
        '<w:p><w:r><w:drawing><wp:inline><wp:docPr id="1" name="Imagen 1" descr="Un faro"/></wp:inline></w:drawing></w:r>'
        '<w:r><w:pict><v:shape alt="Un barco"/></w:pict></w:r></w:p>',
    )

    document = parsed("faro.docx", saved(word))

    assert document.text == "![Un faro]()\n\n![Un barco]()"
    assert {block.kind for block in document.blocks} == {"image"}


def test_notes_stand_at_the_end_in_the_order_of_their_marks(word: WordDocument) -> None:
    mark = '<w:r><w:{}Reference w:id="{}"/></w:r>'
    add_xml(word, f"<w:p>{run('uno')}{mark.format('endnote', 5)}{run(' dos')}{mark.format('footnote', 2)}</w:p>")
    note = f"<w:{{0}}s {NAMESPACES}><w:{{0}} w:id='{{1}}'><w:p>{run('{2}')}</w:p></w:{{0}}></w:{{0}}s>"
    data = changed(
        saved(word),
        {
            "word/footnotes.xml": lambda _: note.format("footnote", 2, "al pie").encode(),
            "word/endnotes.xml": lambda _: note.format("endnote", 5, "al final").encode(),
        },
    )

    assert parsed("notas.docx", data).text == "uno[^1] dos[^2]\n\n[^1]: al final\n\n[^2]: al pie"


def test_headers_and_footers_are_left_out(word: WordDocument) -> None:
    word.sections[0].header.paragraphs[0].text = "Confidencial"
    word.add_paragraph("Llovió.")

    assert text_of(word) == "Llovió."


def test_the_properties_are_read(word: WordDocument) -> None:
    word.add_paragraph("Llovió.")
    word.core_properties.title, word.core_properties.author = "El parte", "Ana"
    word.core_properties.created = datetime(2024, 5, 6, 7, 8, 9, tzinfo=UTC)

    document = parsed("parte.docx", saved(word))

    assert (document.title, document.author) == ("El parte", "Ana")
    assert document.created_at == datetime(2024, 5, 6, 7, 8, 9, tzinfo=UTC)
    assert document.pages is None


def test_macros_are_left_out_with_a_warning(word: WordDocument) -> None:
    word.add_paragraph("Llovió.")
    changes = {
        "[Content_Types].xml": lambda types: types.replace(PLAIN, MACROS),
        "word/vbaProject.bin": lambda _: b"\xd0\xcf\x11\xe0",
    }

    document = parsed("parte.docm", changed(saved(word), changes))

    assert document.text == "Llovió."
    assert [warning.kind for warning in document.warnings] == ["left_out"]


def test_a_broken_link_to_an_image_is_no_obstacle(word: WordDocument) -> None:
    word.add_paragraph("Llovió.")
    image = b'<Relationship Id="rId99" Type="x/image" Target="../NULL"/></Relationships>'
    changes = {"word/_rels/document.xml.rels": lambda rels: rels.replace(b"</Relationships>", image)}

    assert parsed("parte.docx", changed(saved(word), changes)).text == "Llovió."


def test_entities_are_refused(word: WordDocument) -> None:
    with pytest.raises(DocumentRefusedError, match="document type"):
        parsed("parte.docx", changed(saved(word), {"word/document.xml": lambda _: BILLION_LAUGHS}))


def test_broken_xml_is_refused(word: WordDocument) -> None:
    with pytest.raises(DocumentRefusedError, match=r"word/document\.xml is no well-formed XML"):
        parsed("parte.docx", changed(saved(word), {"word/document.xml": lambda xml: xml[:-10]}))


def test_a_document_without_text_is_refused(word: WordDocument) -> None:
    with pytest.raises(DocumentRefusedError, match="no text"):
        text_of(word)


def test_text_beyond_the_limit_is_refused(word: WordDocument) -> None:
    word.add_paragraph("x" * 11)

    with pytest.raises(DocumentRefusedError, match="more than 10 characters"):
        parsed("largo.docx", saved(word), ParsingLimits(max_characters=10))


def nested_tables(depth: int) -> str:
    opening, closing = "<w:tbl><w:tr><w:tc><w:p/></w:tc><w:tc>", "</w:tc></w:tr></w:tbl>"
    return opening * depth + f"<w:p>{run('hondo')}</w:p>" + closing * depth


@pytest.mark.parametrize(
    "body",
    [nested_tables(80), f"<w:p>{'<w:ins>' * 240}{run('hondo')}{'</w:ins>' * 240}</w:p>"],
    ids=["tables", "insertions"],
)
def test_deep_nesting_is_read(word: WordDocument, body: str) -> None:
    content = f"<w:document {NAMESPACES}><w:body>{body}</w:body></w:document>".encode()

    assert "hondo" in parsed("hondo.docx", changed(saved(word), {"word/document.xml": lambda _: content})).text


@pytest.mark.skipif("BRAIN_TEST_DATA" not in os.environ, reason="BRAIN_TEST_DATA is not set")
@pytest.mark.parametrize("name", ["docx_lists", "lorem_ipsum", "unit_test_headers", "word_tables"])
def test_real_documents_have_the_words_expected(name: str) -> None:
    assert missing_words(f"{name}.docx") == set()
