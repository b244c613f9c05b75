"""OpenDocument texts and spreadsheets."""

import os
from datetime import UTC, datetime
from time import monotonic

import pytest
from office_files import BILLION_LAUGHS, missing_words, packed, parsed

from rag_core.errors import DocumentRefusedError
from rag_core.model.document import ParsedDocument
from rag_core.parsing import ParsingLimits

NAMESPACES = " ".join(
    f'xmlns:{prefix}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
    for prefix, name in {
        "office": "office",
        "text": "text",
        "table": "table",
        "style": "style",
        "draw": "drawing",
        "svg": "svg-compatible",
        "meta": "meta",
        "manifest": "manifest",
    }.items()
)
NAMESPACES += ' xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:dc="http://purl.org/dc/elements/1.1/"'
STYLES = """
<style:style style:name="P1" style:parent-style-name="Title"/>
<text:list-style style:name="L1">
  <text:list-level-style-number text:level="1" style:num-format="1" text:start-value="3"/>
  <text:list-level-style-bullet text:level="2" text:bullet-char="•"/>
</text:list-style>
<style:style style:name="ta2"><style:table-properties table:display="false"/></style:style>
<style:style style:name="ta3"><style:table-properties table:display="true"/></style:style>
<text:list-style style:name="L2"><text:list-level-style-number text:level="1" style:num-format=""/></text:list-style>
"""
ENCRYPTED = (
    f"<manifest:manifest {NAMESPACES}><manifest:file-entry manifest:full-path='content.xml'>"
    "<manifest:encryption-data/></manifest:file-entry></manifest:manifest>"
)


def package(kind: str, body: str, **members: str) -> bytes:
    content = (
        f"<office:document-content {NAMESPACES}><office:automatic-styles>{STYLES}</office:automatic-styles>"
        f"<office:body><office:{kind}>{body}</office:{kind}></office:body></office:document-content>"
    )
    media_type = f"application/vnd.oasis.opendocument.{kind}"
    return packed(
        {"mimetype": media_type, "content.xml": content} | {f"{name}.xml": text for name, text in members.items()}
    )


def text_of(body: str) -> str:
    return parsed("carta.odt", package("text", body)).text


def sheet_of(rows: str, limits: ParsingLimits | None = None) -> ParsedDocument:
    return parsed("libro.ods", package("spreadsheet", f"<table:table table:name='Hoja'>{rows}</table:table>"), limits)


def cell(text: str, attributes: str = "") -> str:
    return f"<table:table-cell {attributes}><text:p>{text}</text:p></table:table-cell>"


def row(*cells: str, attributes: str = "") -> str:
    return f"<table:table-row {attributes}>{''.join(cells)}</table:table-row>"


def items(*texts: str) -> str:
    return "".join(f"<text:list-item><text:p>{text}</text:p></text:list-item>" for text in texts)


def test_headings_have_the_level_of_their_outline() -> None:
    body = (
        "<text:p text:style-name='P1'>Informe</text:p><text:h text:outline-level='2'>Resumen</text:h>"
        "<text:p>Llovió   en\n Bilbao.</text:p>"
    )

    document = parsed("carta.odt", package("text", body))

    assert document.text == "# Informe\n\n## Resumen\n\nLlovió en Bilbao."
    assert [block.level for block in document.blocks] == [1, 2, None]


@pytest.mark.parametrize(
    ("inline", "text"),
    [
        ("uno <text:span>dos</text:span> tres", "uno dos tres"),
        ("a<text:s text:c='3'/>b<text:tab/>c<text:line-break/>d", "a b\tc\nd"),
        ("Ver <text:a xlink:href='https://example.org/a'>el acta</text:a>.", "Ver [el acta](https://example.org/a)."),
        ("uno<office:annotation><text:p>comentario</text:p></office:annotation> dos", "uno dos"),
        ("uno<draw:frame><draw:text-box><text:p>recuadro</text:p></draw:text-box></draw:frame> dos", "uno dos\n\nrecuadro"),
        ("<text:span>uno<draw:frame><svg:desc>Un faro</svg:desc></draw:frame></text:span>", "uno\n\n![Un faro]()"),
        ("<draw:a><draw:frame><svg:desc>Un faro</svg:desc></draw:frame></draw:a>", "![Un faro]()"),
        ("<draw:frame><svg:title>faro</svg:title><svg:desc>Un faro</svg:desc><draw:image/></draw:frame>", "![Un faro]()"),
        ("<text:ruby><text:ruby-base>base</text:ruby-base><text:ruby-text>guía</text:ruby-text></text:ruby>", "base"),
    ],
    ids=["span", "spaces", "link", "comment", "text box", "inner image", "linked image", "image", "ruby"],
)  # fmt: skip
def test_a_paragraph_has_the_text_that_is_shown(inline: str, text: str) -> None:
    assert text_of(f"<text:p>{inline}</text:p>") == text


def test_lists_have_depth_and_numbers() -> None:
    inner = f"<text:list-item><text:p>leche</text:p><text:list>{items('entera')}</text:list></text:list-item>"

    assert text_of(f"<text:list text:style-name='L1'>{items('pan')}{inner}{items('sal')}</text:list>") == (
        "3. pan\n4. leche\n   - entera\n5. sal"
    )


def test_a_list_may_continue_another() -> None:
    first = f"<text:list text:style-name='L1'>{items('a')}</text:list><text:p>texto</text:p>"
    second = f"<text:list text:style-name='L1' text:continue-numbering='true'>{items('b')}</text:list>"
    third = f"<text:list text:style-name='L1'>{items('c')}</text:list>"

    assert text_of(first + second + "<text:p>texto</text:p>" + third) == "3. a\n\ntexto\n\n4. b\n\ntexto\n\n3. c"


def test_an_item_may_have_a_number_of_its_own() -> None:
    item = "<text:list-item text:start-value='9'><text:p>b</text:p></text:list-item>"

    assert text_of(f"<text:list text:style-name='L1'>{items('a')}{item}</text:list>") == "3. a\n9. b"


@pytest.mark.parametrize("style", ["L2", "unknown"])
def test_lists_without_numbers_have_bullets(style: str) -> None:
    assert text_of(f"<text:list text:style-name='{style}'>{items('pan')}</text:list>") == "- pan"


def test_a_heading_in_a_list_is_a_heading() -> None:
    heading = "<text:list-item><text:h text:outline-level='2'>Resumen</text:h></text:list-item>"

    assert text_of(f"<text:list text:style-name='L1'>{heading}{items('pan')}</text:list>") == "## Resumen\n\n3. pan"


def test_a_table_has_its_cells_in_rows_of_one_length() -> None:
    wide = cell("ancho", "table:number-columns-spanned='2'") + "<table:covered-table-cell/>"
    header = f"<table:table-header-rows>{row(cell('a'), wide)}</table:table-header-rows>"
    body = row(cell("1"), cell("2"), cell("3"))

    table = parsed("carta.odt", package("text", f"<table:table>{header}{body}</table:table>")).tables[0]

    assert (table.headers, table.rows) == (("a", "ancho", "3"), (("1", "2", "3"),))


def test_a_nested_table_is_flattened_into_its_cell() -> None:
    inner = f"<table:table-cell><table:table>{row(cell('dentro'), cell('más'))}</table:table></table:table-cell>"

    document = parsed("carta.odt", package("text", f"<table:table>{row(cell('a'))}{row(inner)}</table:table>"))

    assert document.tables[0].rows == (("dentro más",),)


@pytest.mark.parametrize(
    "left_out",
    [
        "<text:table-of-content><text:index-body><text:p>Resumen 3</text:p></text:index-body></text:table-of-content>",
        "<text:tracked-changes><text:deletion><text:p>viejo</text:p></text:deletion></text:tracked-changes>",
    ],
    ids=["contents", "deletion"],
)
def test_contents_and_deletions_are_left_out(left_out: str) -> None:
    assert text_of(f"{left_out}<text:section><text:p>texto</text:p></text:section>") == "texto"


def test_notes_stand_at_the_end_in_the_order_of_their_marks() -> None:
    note = "<text:note><text:note-citation>7</text:note-citation><text:note-body><text:p>{}</text:p></text:note-body></text:note>"

    assert text_of(f"<text:p>uno{note.format('primera')} dos{note.format('segunda')}</text:p>") == (
        "uno[^1] dos[^2]\n\n[^1]: primera\n\n[^2]: segunda"
    )


def test_the_properties_are_read() -> None:
    meta = (
        f"<office:document-meta {NAMESPACES}><office:meta><dc:title>El parte</dc:title><dc:creator>Luis</dc:creator>"
        "<meta:initial-creator>Ana</meta:initial-creator><meta:creation-date>2024-05-06T07:08:09.123456789</meta:creation-date>"
        "</office:meta></office:document-meta>"
    )

    document = parsed("carta.odt", package("text", "<text:p>texto</text:p>", meta=meta))

    assert (document.title, document.author) == ("El parte", "Ana")
    assert document.created_at == datetime(2024, 5, 6, 7, 8, 9, 123456, tzinfo=UTC)
    assert document.pages is None


def test_list_styles_of_the_document_are_known() -> None:
    styles = STYLES.replace('"L1"', '"Lista"')
    common = f"<office:document-styles {NAMESPACES}><office:styles>{styles}</office:styles></office:document-styles>"
    body = f"<text:list text:style-name='Lista'>{items('pan')}</text:list>"

    assert parsed("carta.odt", package("text", body, styles=common)).text == "3. pan"


@pytest.mark.parametrize(("kind", "suffix"), [("text", "odt"), ("spreadsheet", "ods")])
def test_an_encrypted_file_is_refused_with_the_remedy(kind: str, suffix: str) -> None:
    data = package(kind, "", **{"META-INF/manifest": ENCRYPTED})

    with pytest.raises(DocumentRefusedError, match="save it without"):
        parsed(f"secreto.{suffix}", data)


def test_entities_are_refused() -> None:
    media_type = "application/vnd.oasis.opendocument.text"

    with pytest.raises(DocumentRefusedError, match="document type"):
        parsed("carta.odt", packed({"mimetype": media_type, "content.xml": BILLION_LAUGHS}))


def test_a_package_without_content_is_refused() -> None:
    with pytest.raises(DocumentRefusedError, match=r"content\.xml is missing"):
        parsed("carta.odt", packed({"mimetype": "application/vnd.oasis.opendocument.text"}))


def test_deep_nesting_is_read() -> None:
    deep = "<text:list><text:list-item>" * 110 + "<text:p>hondo</text:p>" + "</text:list-item></text:list>" * 110

    assert "hondo" in text_of(deep)


def test_each_sheet_is_a_page_with_its_name() -> None:
    sheets = "".join(
        f"<table:table table:name='{name}' table:style-name='{style}'>{row(cell('a'))}</table:table>"
        for name, style in [("Uno", "ta1"), ("&apos;file:///b.ods&apos;#$Hoja", "ta_extref"), ("Dos", "ta1")]
    )

    document = parsed("libro.ods", package("spreadsheet", sheets))

    assert document.text == "## Uno\n\na\n\n## Dos\n\na"
    assert (document.pages, document.page_unit) == (2, "sheet")
    assert [block.page for block in document.blocks] == [1, 1, 2, 2]


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (cell("1.234,50 €", "office:value-type='currency' office:value='1234.5'"), "1.234,50 €"),
        (cell("06/05/24", "office:value-type='date' office:date-value='2024-05-06'"), "2024-05-06"),
        (cell("06/05/24", "office:value-type='date' office:date-value='2024-05-06T00:00:00'"), "2024-05-06"),
        (cell("06/05/24", "office:value-type='date' office:date-value='2024-05-06T07:08:00'"), "2024-05-06 07:08:00"),
        ("<table:table-cell office:value='5'/>", "5"),
        ("<table:table-cell office:string-value='cinco'/>", "cinco"),
        ("<table:table-cell><office:annotation><text:p>nota</text:p></office:annotation><text:p>a</text:p></table:table-cell>", "a"),
    ],
    ids=["currency", "date", "midnight", "time", "value", "string", "comment"],
)  # fmt: skip
def test_cells_are_shown_as_they_are(content: str, text: str) -> None:
    assert sheet_of(row(content)).text == f"## Hoja\n\n{text}"


def test_repeated_blank_cells_and_rows_part_tables() -> None:
    blank = "<table:table-cell table:number-columns-repeated='3'/>"
    blank_rows = row("<table:table-cell/>", attributes="table:number-rows-repeated='2'")

    document = sheet_of(
        row(cell("a"), cell("b"), blank, cell("x"), cell("y"))
        + row(cell("1"), cell("2"), blank, cell("7"), cell("8"))
        + blank_rows
        + row(cell("fin"))
    )

    assert [table.headers for table in document.tables] == [("a", "b"), ("x", "y")]
    assert document.text.endswith("\n\nfin")


def test_repeated_cells_and_rows_have_their_text_as_often() -> None:
    twice = cell("b", "table:number-columns-repeated='2'")

    document = sheet_of(row(cell("a"), twice) + row(cell("1"), twice, attributes="table:number-rows-repeated='2'"))

    assert document.tables[0].headers == ("a", "b", "b")
    assert document.tables[0].rows == (("1", "b", "b"), ("1", "b", "b"))


def test_cells_merged_over_rows_part_nothing() -> None:
    covered = "<table:covered-table-cell/>"
    tall = cell("alto", "table:number-rows-spanned='3'")

    document = sheet_of(row(tall, cell("1")) + row(covered, "<table:table-cell/>") + row(covered, cell("3")))

    assert (document.tables[0].headers, document.tables[0].rows) == (("alto", "1"), (("", "3"),))


def test_hidden_sheets_are_taken_with_a_warning() -> None:
    sheets = "".join(
        f"<table:table table:name='Hoja {number}' table:style-name='ta{number}'>{row(cell('dato'))}</table:table>"
        for number in (1, 2, 3)
    )

    document = parsed("libro.ods", package("spreadsheet", sheets))

    assert "## Hoja 2" in document.text
    assert [(warning.kind, warning.page) for warning in document.warnings] == [("hidden", 2)]


def test_too_many_sheets_are_refused() -> None:
    sheets = f"<table:table>{row(cell('a'))}</table:table>" * 2

    with pytest.raises(DocumentRefusedError, match="2 sheets, and 1 are allowed"):
        parsed("libro.ods", package("spreadsheet", sheets), ParsingLimits(max_pages=1))


def test_merged_cells_part_nothing() -> None:
    wide = [cell(text, "table:number-columns-spanned='2'") + "<table:covered-table-cell/>" for text in ("a", "1")]

    document = sheet_of(row(wide[0], cell("b")) + row(wide[1], cell("2")))

    assert document.tables[0].headers == ("a", "b")
    assert document.tables[0].rows == (("1", "2"),)


def test_blank_cells_repeated_to_the_edge_take_no_time() -> None:
    edge = "<table:table-cell table:number-columns-repeated='16384'/>"
    below = row(edge, attributes="table:number-rows-repeated='1048576'")
    started = monotonic()

    document = sheet_of(row(cell("a"), edge) + below * 50)

    assert document.text == "## Hoja\n\na"
    assert monotonic() - started < 5


@pytest.mark.parametrize(("columns", "rows"), [(16_384, 1_048_576), (1, 99_999_999_999), (99_999_999_999, 1)])
def test_text_repeated_to_the_edge_is_refused(columns: int, rows: int) -> None:
    repeated = cell("abcdefghij" * 20, f"table:number-columns-repeated='{columns}'")

    with pytest.raises(DocumentRefusedError, match="more than 1,000,000 characters"):
        sheet_of(row(repeated, attributes=f"table:number-rows-repeated='{rows}'"))


@pytest.mark.skipif("BRAIN_TEST_DATA" not in os.environ, reason="BRAIN_TEST_DATA is not set")
def test_a_real_text_has_the_words_expected() -> None:
    assert missing_words("text_document_01.odt") - set("XY2") == set()
