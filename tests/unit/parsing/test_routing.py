"""The parser of each file: the table of formats, conditions, fallbacks in both directions, and checked tables."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from pdfs import PdfFile, wrapped

from rag_core.errors import DocumentFailedError, DocumentRefusedError, ParserOptionError, UnreadableDocumentError
from rag_core.folders.opening import open_parser, parser_options
from rag_core.model.document import ParsedDocument
from rag_core.parsing import FORMATS, ParsingLimits, SourceFile
from rag_core.parsing.building import DocumentBuilder
from rag_core.parsing.routing import HANDWRITTEN, ROUTES, RoutedParser
from rag_core.parsing.services.options import ParserOptions, read_options
from rag_core.parsing.table_scan import count_tables
from rag_core.parsing.working import DocumentParser
from rag_core.settings import Settings, read_settings

ROWS = [["Artikel", "Preis"], ["Schraube", "5"], ["Mutter", "3"]]
PROSE = "Der Umsatz stieg im vergangenen Jahr um ein Fünftel, weil mehr Kunden kamen. " * 12
TABLES = "<p>Preise</p><table><tr><th>Artikel</th><th>Preis</th></tr><tr><td>Schraube</td><td>5</td></tr></table>"


def document_of(parser: Any, *tables: list[list[str]]) -> ParsedDocument:
    builder = DocumentBuilder(max_characters=10_000, parser=parser)
    builder.paragraph(f"Gelesen von {parser}.")
    for rows in tables:
        builder.table(rows)
    return builder.build()


@dataclass(slots=True)
class Reader:
    """A service that gives a document, or an error."""

    answer: ParsedDocument | Exception
    max_bytes: int = 1_000_000
    asked: list[str] = field(default_factory=list)

    def parse(self, file: SourceFile, format_name: str, limits: ParsingLimits) -> ParsedDocument:
        assert file.data
        assert limits.seconds
        self.asked.append(format_name)
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


@pytest.fixture
def docling() -> Reader:
    return Reader(document_of("docling"))


@pytest.fixture
def llamaparse() -> Reader:
    return Reader(document_of("llamaparse"))


@pytest.fixture
def native(monkeypatch: pytest.MonkeyPatch) -> Callable[[ParsedDocument | Exception], None]:
    """Let the embedded parser give a document, or an error, whatever the file holds."""

    def set_answer(answer: ParsedDocument | Exception) -> None:
        def parse(_parser: DocumentParser, _file: SourceFile) -> ParsedDocument:
            if isinstance(answer, Exception):
                raise answer
            return answer

        monkeypatch.setattr(DocumentParser, "parse", parse)

    return set_answer


def parsed(file: SourceFile, *, docling: Reader | None = None, llamaparse: Reader | None = None, **given: Any) -> Any:
    services: Any = {name: one for name, one in (("docling", docling), ("llamaparse", llamaparse)) if one}
    with RoutedParser(ParsingLimits(), services=services, options=ParserOptions().changed(given), workers=1) as parser:
        return parser.parse(file)


def prose_pdf(*, columns: int = 1) -> SourceFile:
    file = PdfFile(title="Umsatz im vergangenen Jahr", author="Ana")
    file.page()
    for place in range(columns):
        file.lines(50 + 260 * place, 100, wrapped(PROSE, 240 if columns > 1 else 480))
    return SourceFile(name="a.pdf", data=file.data())


def table_pdf(*, is_ruled: bool = True, pages: int = 1) -> SourceFile:
    file = PdfFile()
    for _ in range(pages):
        file.page()
        file.table(72, 100, ROWS * 5, (100, 100), is_ruled=is_ruled)
    return SourceFile(name="a.pdf", data=file.data())


def told(document: ParsedDocument) -> list[tuple[str, str]]:
    return [(warning.kind, warning.message) for warning in document.warnings]


class TestRoutes:
    def test_the_embedded_parser_reads_by_default(self, docling: Reader, llamaparse: Reader) -> None:
        document = parsed(prose_pdf(), docling=docling, llamaparse=llamaparse)

        assert (document.parser, told(document), docling.asked, llamaparse.asked) == ("native", [], [], [])

    @pytest.mark.parametrize("primary", ["docling", "llamaparse"])
    def test_the_primary_parser_reads(self, docling: Reader, llamaparse: Reader, primary: str) -> None:
        document = parsed(prose_pdf(), docling=docling, llamaparse=llamaparse, primary=primary)

        assert (document.parser, told(document)) == (primary, [])
        assert (document.title, document.author, document.pages) == ("Umsatz im vergangenen Jahr", "Ana", 1)

    @pytest.mark.parametrize("name", ["md", "txt", "csv", "eml", "odt", "ods", "epub"])
    def test_other_formats_go_nowhere(self, name: str) -> None:
        assert name in FORMATS.all()
        assert name not in ROUTES

    @pytest.mark.parametrize("name", ["docx", "pptx", "html", "png", "jpg"])
    def test_these_formats_never_go_to_the_cloud(self, name: str) -> None:
        assert ROUTES[name] == ("docling",)

    def test_a_format_without_a_service_is_read_here_even_if_it_fails(self, native, docling: Reader) -> None:
        native(DocumentFailedError("defekt"))

        with pytest.raises(DocumentFailedError, match="defekt"):
            parsed(SourceFile(name="a.csv", data=b"a;b\n1;2\n"), docling=docling)

        assert docling.asked == []

    def test_a_file_that_is_too_large_for_a_service_is_read_here(self, docling: Reader) -> None:
        docling.max_bytes = 10

        assert parsed(prose_pdf(), docling=docling, primary="docling").parser == "native"

    def test_a_refused_file_goes_nowhere(self, docling: Reader) -> None:
        file = PdfFile(is_encrypted=True)
        file.page()

        with pytest.raises(DocumentRefusedError, match="encrypted"):
            parsed(SourceFile(name="a.pdf", data=file.data()), docling=docling, primary="docling")

        assert docling.asked == []


class TestConditions:
    @pytest.mark.parametrize(("is_set", "reader"), [(True, "llamaparse"), (False, "native")])
    def test_tables(self, docling: Reader, llamaparse: Reader, is_set: bool, reader: str) -> None:
        conditions = {"tableHeavy": is_set}
        document = parsed(table_pdf(), docling=docling, llamaparse=llamaparse, fallbackConditions=conditions)

        said = [("fallback_used", "llamaparse read the file instead, because most of it is tables")]
        assert (document.parser, told(document)) == (reader, said if is_set else [])

    @pytest.mark.parametrize(("is_set", "reader"), [(True, "docling"), (False, "native")])
    def test_columns(self, docling: Reader, is_set: bool, reader: str) -> None:
        document = parsed(prose_pdf(columns=2), docling=docling, fallbackConditions={"complexLayout": is_set})

        said = [("fallback_used", "docling read the file instead, because it has several columns")]
        assert (document.parser, told(document)) == (reader, said if is_set else [])

    def test_the_last_service_of_the_format_reads_tables(self, docling: Reader, llamaparse: Reader) -> None:
        html = SourceFile(name="a.html", data=TABLES.encode())

        assert parsed(html, docling=docling, llamaparse=llamaparse).parser == "docling"

    def test_handwriting_goes_to_the_service_that_reads_it(self, native, docling: Reader, llamaparse: Reader) -> None:
        native(replace(document_of("ocr"), confidence=0.5))
        png = SourceFile(name="a.png", data=b"\x89PNG\r\n\x1a\n")

        document = parsed(png, docling=docling, llamaparse=llamaparse, fallbackConditions={"handwritten": True})

        said = [("fallback_used", "llamaparse read the file instead, because it seems to be handwritten")]
        assert (document.parser, told(document)) == ("llamaparse", said)
        assert parsed(png, docling=docling, llamaparse=llamaparse).parser == "ocr"

    def test_handwriting_is_refused_where_nobody_reads_it(self, native, docling: Reader) -> None:
        native(replace(document_of("hybrid"), confidence=0.5))

        with pytest.raises(DocumentRefusedError) as caught:
            parsed(prose_pdf(), docling=docling, fallbackConditions={"handwritten": True})

        assert (str(caught.value), docling.asked) == (HANDWRITTEN, [])

    @pytest.mark.parametrize(("parser", "confidence"), [("ocr", 0.9), ("native", None)])
    def test_what_is_read_well_is_not_handwritten(self, native, parser: str, confidence: float | None) -> None:
        native(replace(document_of(parser), confidence=confidence))

        assert parsed(prose_pdf(), fallbackConditions={"handwritten": True}).parser == parser


class TestFallbacks:
    def test_the_embedded_parser_stands_in_for_a_service(self, docling: Reader) -> None:
        docling.answer = DocumentFailedError("Docling answered with status 500")

        document = parsed(prose_pdf(), docling=docling, primary="docling")

        said = (
            "native read the file instead, because docling could not read the file (Docling answered with status 500)"
        )
        assert (document.parser, told(document)) == ("native", [("fallback_used", said)])

    def test_the_next_service_stands_in_before_it(self, docling: Reader, llamaparse: Reader) -> None:
        docling.answer = DocumentRefusedError("the file holds no text")

        document = parsed(prose_pdf(), docling=docling, llamaparse=llamaparse, primary="docling")

        said = "llamaparse read the file instead, because docling could not read the file (the file holds no text)"
        assert (document.parser, told(document)) == ("llamaparse", [("fallback_used", said)])

    def test_the_other_way_round_too(self, docling: Reader, llamaparse: Reader) -> None:
        llamaparse.answer = DocumentFailedError("LlamaParse cannot be reached (ConnectError)")

        document = parsed(prose_pdf(), docling=docling, llamaparse=llamaparse, primary="llamaparse")

        assert (document.parser, [kind for kind, _ in told(document)]) == ("docling", ["fallback_used"])

    @pytest.mark.parametrize(
        ("error", "problem"),
        [(DocumentFailedError("spät; teilen"), "spät"), (UnreadableDocumentError("ein Bild"), "ein Bild")],
    )
    def test_a_service_stands_in_for_the_embedded_parser(
        self, native, docling: Reader, error: Exception, problem: str
    ) -> None:
        native(error)

        document = parsed(prose_pdf(), docling=docling)

        said = f"docling read the file instead, because native could not read the file ({problem})"
        assert (document.parser, told(document)) == ("docling", [("fallback_used", said)])

    def test_the_last_error_is_raised(self, native, docling: Reader, llamaparse: Reader) -> None:
        native(DocumentFailedError("erster"))
        docling.answer, llamaparse.answer = DocumentFailedError("zweiter"), DocumentFailedError("dritter")

        with pytest.raises(DocumentFailedError, match="dritter"):
            parsed(prose_pdf(), docling=docling, llamaparse=llamaparse)

    def test_without_the_condition_the_first_error_is_raised(self, docling: Reader, llamaparse: Reader) -> None:
        docling.answer = DocumentFailedError("erster")

        with pytest.raises(DocumentFailedError, match="erster"):
            parsed(
                prose_pdf(),
                docling=docling,
                llamaparse=llamaparse,
                primary="docling",
                fallbackConditions={"doclingFailed": False},
            )

        assert llamaparse.asked == []


class TestValidation:
    def test_equal_tables_are_no_mismatch(self, docling: Reader) -> None:
        docling.answer = document_of("docling", ROWS * 5)

        for primary in ("native", "docling"):
            conditions = {"tableHeavy": False}
            given = {"primary": primary, "validateOutput": True, "fallbackConditions": conditions}
            document = parsed(table_pdf(), docling=docling, **given)
            assert (told(document), document.is_validated) == ([], True)

    @pytest.mark.parametrize("primary", ["native", "docling"])
    def test_other_cells_are_told(self, docling: Reader, primary: str) -> None:
        docling.answer = document_of("docling", [*ROWS * 4, ["Artikel", "Preis"], ["Nagel", "7"], ["Mutter", "4"]])
        given = {"primary": primary, "validateOutput": True, "fallbackConditions": {"tableHeavy": False}}

        document = parsed(table_pdf(), docling=docling, **given)

        ((kind, message),) = told(document)
        assert (kind, message[:34]) == ("validation_mismatch", "3 of 30 cells of tables differ (" + primary[:2])
        assert not document.is_validated

    def test_a_parser_that_misses_all_tables_is_noticed(self, docling: Reader) -> None:
        given = {"primary": "docling", "validateOutput": True, "fallbackConditions": {"tableHeavy": False}}

        warnings = told(parsed(table_pdf(), docling=docling, **given))

        assert warnings == [
            ("validation_mismatch", f"the number of tables differs ({numbers}); compare it with the original")
            for numbers in ("docling 0, native 1", "docling 0, pre-scan 1")
        ]

    def test_so_is_the_embedded_parser_alone(self, monkeypatch: pytest.MonkeyPatch) -> None:
        without = document_of("native")
        monkeypatch.setattr(DocumentParser, "parse", lambda _parser, _file: without)

        ((kind, message),) = told(parsed(table_pdf(), validateOutput=True))

        assert (kind, "native 0, pre-scan 1" in message) == ("validation_mismatch", True)

    def test_nothing_is_compared_unless_wished(self, docling: Reader) -> None:
        given = {"primary": "docling", "fallbackConditions": {"tableHeavy": False}}

        assert told(parsed(table_pdf(), docling=docling, **given)) == []

    def test_a_second_parser_that_fails_says_nothing(self, docling: Reader) -> None:
        docling.answer = DocumentFailedError("weg")

        given = {"validateOutput": True, "fallbackConditions": {"tableHeavy": False}}
        document = parsed(table_pdf(), docling=docling, **given)
        assert (told(document), document.is_validated) == ([], False)

    @pytest.mark.parametrize(("is_ruled", "pages", "count"), [(True, 1, 1), (True, 3, 1), (False, 1, 0)])
    def test_ruled_tables_of_a_pdf_are_counted(self, is_ruled: bool, pages: int, count: int) -> None:
        assert count_tables(table_pdf(is_ruled=is_ruled, pages=pages), "pdf", ParsingLimits()) == count


class TestOptions:
    def settings(self, **variables: Any) -> Settings:
        return read_settings(docling_url="http://127.0.0.1:5001", **variables)

    def test_the_operator_chooses(self) -> None:
        options = parser_options(
            self.settings(
                parser_primary="docling",
                parser_fallbacks="handwritten, docling_failed",
                parser_validate=True,
                docling_ocr_enabled=False,
                docling_ocr_languages="de, fr",
                docling_table_mode="fast",
            )
        )

        conditions = options.fallback_conditions
        assert (options.primary, options.validate_output) == ("docling", True)
        assert (conditions.handwritten, conditions.docling_failed) == (True, True)
        assert (conditions.table_heavy, conditions.complex_layout) == (False, False)
        assert (options.docling.ocr_enabled, options.docling.ocr_languages) == (False, ("de", "fr"))
        assert options.docling.table_extraction_mode == "fast"

    def test_an_upload_says_otherwise_and_keeps_the_rest(self) -> None:
        options = parser_options(self.settings(docling_table_mode="fast")).changed(
            {"docling": {"ocrLanguages": ["es"], "maxFileSize": 5}}
        )

        assert (options.docling.ocr_languages, options.docling.table_extraction_mode) == (("es",), "fast")

    @pytest.mark.parametrize(
        ("given", "problem"),
        [
            ({"apiKey": "x"}, "leave apiKey out"),
            ({"llamaparse": {"apiKey": "x"}}, "leave apiKey out"),
            ({"docling": {"imageExtraction": True}}, "leave imageExtraction out"),
            ({"docling": {"timeout": 0}}, r"docling\.timeout is unknown"),
            ({"docling": {"url": "http://x"}}, r"docling\.url is unknown"),
            ({"docling": None}, "docling is unknown, or"),
            ({"validateOutput": "yes"}, "validateOutput is unknown, or"),
            ({"fallbackConditions": {"tableHeavy": 1}}, r"fallbackConditions\.tableHeavy"),
            ({"primary": "other"}, "primary is unknown, or"),
            ({"llamaparse": {"invalidateCache": True}}, "llamaparse is not set up for this file"),
            ({"primary": "llamaparse"}, "llamaparse is not set up for this file"),
        ],
    )
    def test_what_cannot_be_honoured_is_refused(self, given: dict[str, Any], problem: str) -> None:
        with pytest.raises(ParserOptionError, match=problem):
            open_parser(self.settings(), given=given)

    @pytest.mark.parametrize("text", ["[]", "{", "1", "null", "[" * 100_000])
    def test_options_are_a_json_object(self, text: str) -> None:
        with pytest.raises(ParserOptionError, match="no JSON object"):
            read_options(text)

    @pytest.mark.parametrize("text", [None, "", "{}"])
    def test_nothing_may_be_said(self, text: str | None) -> None:
        assert read_options(text) == {}

    @pytest.mark.parametrize(
        ("variables", "classification", "is_sent"),
        [
            ({"llamaparse_enabled": True}, "public", True),
            ({"llamaparse_enabled": True}, "secret", False),
            ({"llamaparse_enabled": True}, None, False),
            ({"llamaparse_enabled": True, "llamaparse_classifications": ""}, "", False),
            ({"llamaparse_enabled": True, "llamaparse_api_key": None}, "public", False),
            ({}, "public", False),
        ],
    )
    def test_only_what_the_operator_named_may_leave(
        self, variables: dict[str, Any], classification: str | None, is_sent: bool
    ) -> None:
        settings = self.settings(
            **{"llamaparse_api_key": "k", "llamaparse_classifications": "public, press"} | variables
        )

        parser = open_parser(settings, classification=classification)

        assert ("llamaparse" in parser._services) is is_sent

    def test_the_key_comes_from_the_environment(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("LLAMAPARSE_API_KEY", "geheim")

        settings = read_settings()

        assert settings.llamaparse_api_key is not None
        assert settings.llamaparse_api_key.get_secret_value() == "geheim"
        assert "geheim" not in repr(settings)
