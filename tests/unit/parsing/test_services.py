"""Docling and LlamaParse over real HTTP: what they answer as documents, and that no misbehaviour takes more than an error."""

import time
from typing import Any

import pytest
from parsing_servers import ParsingServer
from parsing_servers import parsing_server as parsing_server  # noqa: PLC0414 - a fixture, re-exported to pytest
from pydantic import SecretStr

from rag_core.errors import DocumentFailedError, DocumentRefusedError
from rag_core.model.document import ParsedDocument
from rag_core.parsing import ParsingLimits, SourceFile, services
from rag_core.parsing.services.docling import DoclingService
from rag_core.parsing.services.llamaparse import LlamaParseService
from rag_core.parsing.services.options import DoclingOptions, LlamaParseOptions

FILE = SourceFile(name="Geheim.pdf", data=b"%PDF-1.7\r\n--x\r\n\0\xff")
SECONDS = 1.0


def docling(server: ParsingServer, *, key: str = "k", limits: ParsingLimits | None = None, **options: Any) -> Any:
    service = DoclingService(
        address=server.url, api_key=SecretStr(key), options=DoclingOptions(**options), max_bytes=9_999
    )
    return service.parse(FILE, "pdf", limits or ParsingLimits())


def llamaparse(server: ParsingServer, *, key: str = "k", limits: ParsingLimits | None = None, **options: Any) -> Any:
    server.key = "k"
    service = LlamaParseService(
        address=server.url, api_key=SecretStr(key), options=LlamaParseOptions(**options), max_bytes=9_999
    )
    return service.parse(FILE, "pdf", limits or ParsingLimits())


def blocks_of(document: ParsedDocument) -> list[tuple[str, str, int | None]]:
    return [(one.kind, document.text[one.start : one.end], one.page) for one in document.blocks]


class TestDocling:
    def test_a_document_has_its_blocks_with_pages(self, parsing_server: ParsingServer) -> None:
        document = docling(parsing_server)

        table = (
            "| Jahr | Umsatz | 3 |\n| --- | --- | --- |\n|  | EUR | USD |\n| 2023 | 100 | 110 |\n| 2024 | 120 | 131 |"
        )
        assert blocks_of(document) == [
            ("heading", "# Bericht", 1),
            ("heading", "## Zahlen", 1),
            ("paragraph", "Der Umsatz stieg um ein Fünftel.", 1),
            ("paragraph", "Tabelle 1: Umsatz", 1),
            ("table", table, 1),
            ("list", "1. Erstens\n   - innen\n2. Zweitens fett", 2),
            ("paragraph", "Siehe Anhang.", 2),
            ("code", "```\nx = 1\n```", 2),
            ("image", "![Ein Diagramm]()", 2),
        ]
        assert (document.parser, document.title, document.pages, document.confidence) == ("docling", "Bericht", 2, 0.9)

    def test_boxes_are_measured_from_the_upper_left_corner(self, parsing_server: ParsingServer) -> None:
        blocks = docling(parsing_server).blocks

        assert blocks[0].box == (50, 42, 300, 62)  # from the lower left corner: top 800, bottom 780, of 842
        assert blocks[-1].box == (50, 100, 545, 300)  # from the upper left one

    def test_a_table_has_its_cells_caption_and_rows(self, parsing_server: ParsingServer) -> None:
        document = docling(parsing_server)

        (table,) = document.tables
        assert (table.headers, table.caption) == (("Jahr", "Umsatz", "3"), "Tabelle 1: Umsatz")
        assert table.rows == (("", "EUR", "USD"), ("2023", "100", "110"), ("2024", "120", "131"))
        assert [document.text[start:end] for start, end in table.row_spans][-1] == "| 2024 | 120 | 131 |"

    def test_the_file_is_sent_without_its_name_and_with_the_options(self, parsing_server: ParsingServer) -> None:
        docling(parsing_server, ocr_languages=("de", "es"), table_extraction_mode="fast", timeout=7_000)

        (form,) = parsing_server.forms
        assert form == {
            "file": [("document.pdf", FILE.data)],
            "from_formats": ["pdf"],
            "to_formats": ["json"],
            "image_export_mode": ["placeholder"],
            "include_images": ["false"],
            "do_ocr": ["true"],
            "ocr_lang": ["de", "es"],
            "table_mode": ["fast"],
            "document_timeout": ["7"],
        }

    def test_languages_are_sent_for_recognition_alone(self, parsing_server: ParsingServer) -> None:
        docling(parsing_server, ocr_enabled=False)

        (form,) = parsing_server.forms
        assert (form["do_ocr"], "ocr_lang" in form) == (["false"], False)

    def test_the_key_is_sent(self, parsing_server: ParsingServer) -> None:
        parsing_server.key = "right"

        assert docling(parsing_server, key="right").text
        with pytest.raises(DocumentFailedError, match=r"^Docling answered with status 401$"):
            docling(parsing_server, key="wrong")

    def test_a_part_of_a_file_is_told(self, parsing_server: ParsingServer) -> None:
        parsing_server.docling_status = "partial_success"

        (warning,) = docling(parsing_server).warnings
        assert (warning.kind, warning.message[:39]) == ("left_out", "Docling could read only a part of the f")

    @pytest.mark.parametrize("status", ["failure", "skipped"])
    def test_a_failed_conversion_is_an_error(self, parsing_server: ParsingServer, status: str) -> None:
        parsing_server.docling_status = status

        with pytest.raises(DocumentFailedError, match="could not convert"):
            docling(parsing_server)

    def test_the_time_of_an_option_is_kept(self, parsing_server: ParsingServer) -> None:
        parsing_server.fault = "stall"

        with pytest.raises(DocumentFailedError, match=r"within 0\.2 seconds"):
            docling(parsing_server, timeout=200)

    @pytest.mark.parametrize(
        ("limits", "problem"),
        [({"max_pages": 1}, "2 pages, more than 1"), ({"max_characters": 20}, "more than 20 characters")],
    )
    def test_the_bounds_of_a_document_hold(
        self, parsing_server: ParsingServer, limits: dict[str, int], problem: str
    ) -> None:
        with pytest.raises(DocumentRefusedError, match=problem):
            docling(parsing_server, limits=ParsingLimits(**limits))  # type: ignore[arg-type]

    def test_items_in_a_circle_are_written_once(self, parsing_server: ParsingServer) -> None:
        parsing_server.docling["texts"][1]["children"] = [{"$ref": "#/texts/1"}, {"$ref": "#/body"}]

        assert docling(parsing_server).text.count("# Bericht") == 1

    def test_references_to_nothing_are_passed_over(self, parsing_server: ParsingServer) -> None:
        parsing_server.docling["body"]["children"] += [
            {"$ref": ref} for ref in ("#/texts/999", "#/texts/x", "", "#/a/0")
        ]

        assert docling(parsing_server).text.endswith("![Ein Diagramm]()")

    @pytest.mark.parametrize(
        ("key", "value"), [("num_rows", 10**12), ("num_cols", 10**12), ("num_rows", -1), ("num_rows", "many")]
    )
    def test_a_table_of_a_monstrous_size_is_no_table(self, parsing_server: ParsingServer, key: str, value: Any) -> None:
        parsing_server.docling["tables"][0]["data"][key] = value

        with pytest.raises((DocumentFailedError, DocumentRefusedError)):
            docling(parsing_server)

    def test_a_cell_outside_of_its_table_is_left_out(self, parsing_server: ParsingServer) -> None:
        parsing_server.docling["tables"][0]["data"]["table_cells"][0] |= {"start_row_offset_idx": 99}

        assert "Jahr" not in docling(parsing_server).text


class TestLlamaParse:
    def test_pages_become_one_document(self, parsing_server: ParsingServer) -> None:
        table = "| a | b |\n| --- | --- |\n| 1 | 2 |"
        parsing_server.pages = [
            {"page": 2, "md": f"## Zwei\n\n{table}", "text": ""},
            {"page": 1, "md": "# Eins\n\n```\noffen", "text": ""},
            {"page": 3, "md": None, "text": "leer"},
        ]

        document = llamaparse(parsing_server)

        assert blocks_of(document) == [
            ("heading", "# Eins", 1),
            ("code", "```\noffen", 1),
            ("heading", "## Zwei", 2),
            ("table", table, 2),
        ]
        assert [document.text[start:end] for start, end in document.tables[0].row_spans] == ["| 1 | 2 |"]
        assert (document.tables[0].block, document.pages, document.parser, document.title) == (
            3,
            3,
            "llamaparse",
            "Eins",
        )

    def test_the_job_is_waited_for(self, parsing_server: ParsingServer) -> None:
        parsing_server.pending = 2

        assert llamaparse(parsing_server).text == "# Nube\n\nHola."
        job = f"/api/parsing/job/{parsing_server.job_id}"
        assert parsing_server.paths == ["/api/parsing/upload", job, job, job, f"{job}/result/json"]

    def test_waiting_ends(self, parsing_server: ParsingServer) -> None:
        parsing_server.pending = 1_000
        began = time.monotonic()

        with pytest.raises(DocumentFailedError, match="within 1 seconds"):
            llamaparse(parsing_server, limits=ParsingLimits(seconds=SECONDS))

        assert time.monotonic() - began < 3 * SECONDS

    def test_text_is_taken_where_it_is_wished(self, parsing_server: ParsingServer) -> None:
        assert llamaparse(parsing_server, result_type="text").text == "Hola."

    def test_the_file_is_sent_without_its_name_and_with_the_options(self, parsing_server: ParsingServer) -> None:
        llamaparse(parsing_server, parsing_instructions="Nur Tabellen", skip_diagonal_text=True, invalidate_cache=True)
        llamaparse(parsing_server)

        file = {"file": [("document.pdf", FILE.data)]}
        told = {"user_prompt": ["Nur Tabellen"], "skip_diagonal_text": ["true"], "invalidate_cache": ["true"]}
        assert parsing_server.forms == [file | told, file]

    def test_a_wrong_key_is_an_error(self, parsing_server: ParsingServer) -> None:
        with pytest.raises(DocumentFailedError, match=r"^LlamaParse answered with status 401$"):
            llamaparse(parsing_server, key="wrong")

    @pytest.mark.parametrize("status", ["ERROR", "CANCELED"])
    def test_a_failed_job_is_an_error(self, parsing_server: ParsingServer, status: str) -> None:
        parsing_server.job_status = status

        with pytest.raises(DocumentFailedError, match="could not parse"):
            llamaparse(parsing_server)

    def test_a_job_names_no_other_path(self, parsing_server: ParsingServer) -> None:
        parsing_server.job_id = "../../secret"

        with pytest.raises(DocumentFailedError, match="no valid answer"):
            llamaparse(parsing_server)

        assert parsing_server.paths == ["/api/parsing/upload"]

    @pytest.mark.parametrize(
        ("limits", "problem"), [({"max_pages": 0}, "1 pages"), ({"max_characters": 5}, "more than 5 characters")]
    )
    def test_the_bounds_of_a_document_hold(
        self, parsing_server: ParsingServer, limits: dict[str, int], problem: str
    ) -> None:
        with pytest.raises(DocumentRefusedError, match=problem):
            llamaparse(parsing_server, limits=ParsingLimits(**limits))  # type: ignore[arg-type]

    def test_a_document_without_text_is_refused(self, parsing_server: ParsingServer) -> None:
        parsing_server.pages = []

        with pytest.raises(DocumentRefusedError, match="holds no text"):
            llamaparse(parsing_server)


@pytest.mark.parametrize("parse", [docling, llamaparse])
@pytest.mark.parametrize(
    ("fault", "problem"),
    [
        ("status", "answered with status 500"),
        ("stall", "no whole answer within 1 seconds"),
        ("drip", "no whole answer within 1 seconds"),
        ("garbage", "no valid answer"),
        ("truncate", "cannot be reached"),
        ("huge", "more than 1,000,000 bytes"),
        ("drop", "cannot be reached"),
    ],
)
def test_misbehaviour_is_an_error(
    parsing_server: ParsingServer, monkeypatch: pytest.MonkeyPatch, parse: Any, fault: Any, problem: str
) -> None:
    monkeypatch.setattr(services, "MAX_ANSWER_BYTES", 1_000_000)
    parsing_server.fault = fault
    began = time.monotonic()

    with pytest.raises(DocumentFailedError, match=problem) as caught:
        parse(parsing_server, limits=ParsingLimits(seconds=SECONDS))

    assert time.monotonic() - began < 3 * SECONDS
    assert "html" not in str(caught.value)


def test_a_server_that_is_not_there_is_an_error() -> None:
    with pytest.raises(DocumentFailedError, match="cannot be reached"):
        docling(ParsingServer(url="http://127.0.0.1:9"))
