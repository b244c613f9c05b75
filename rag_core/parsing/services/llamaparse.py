"""LlamaParse, a service of LlamaIndex in the cloud: what it parses leaves this machine.

Protocol: ``/api/parsing/upload``, ``/api/parsing/job/ID`` and ``…/result/json``, https://docs.cloud.llamaindex.ai.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from pydantic import BaseModel, Field, SecretStr

from rag_core.errors import DocumentFailedError, DocumentRefusedError, UnreadableDocumentError
from rag_core.model.document import ParsedDocument
from rag_core.parsing import FORMATS, ParsingLimits, SourceFile
from rag_core.parsing.building import check_length, storable
from rag_core.parsing.markdown import markdown_document
from rag_core.parsing.services import PAGE_UNITS, asking
from rag_core.parsing.services.options import LlamaParseOptions

_FIRST_PAUSE, _LONGEST_PAUSE = 0.5, 5.0
"""Seconds between questions after a job."""
_GAP = "\n\n"


class _Job(BaseModel):
    id: str = Field(pattern=r"^[A-Za-z0-9-]{1,64}$")
    status: str


class _Page(BaseModel):
    page: int
    md: str | None = None
    text: str | None = None


class _Result(BaseModel):
    pages: list[_Page]


@dataclass(frozen=True, slots=True, kw_only=True)
class LlamaParseService:
    """LlamaParse with the operator's key."""

    address: str
    api_key: SecretStr
    options: LlamaParseOptions
    max_bytes: int

    def parse(self, file: SourceFile, format_name: str, limits: ParsingLimits) -> ParsedDocument:
        """Parse a file; see ``ParsingService``. Its name is not sent."""
        headers = {"Authorization": f"Bearer {self.api_key.get_secret_value().strip()}"}
        name, pause = f"document{FORMATS.get(format_name).suffixes[0]}", _FIRST_PAUSE
        ends_at = time.monotonic() + limits.seconds
        with asking("LlamaParse", self.address, headers, seconds=limits.seconds) as ask:
            job: _Job = ask("POST", "/api/parsing/upload", _Job, files={"file": (name, file.data)}, data=self._form())
            path = f"/api/parsing/job/{job.id}"
            while job.status == "PENDING":
                time.sleep(min(pause, max(ends_at - time.monotonic(), 0)))
                pause = min(2 * pause, _LONGEST_PAUSE)
                job = ask("GET", path, _Job)
            if job.status not in {"SUCCESS", "PARTIAL_SUCCESS"}:
                raise DocumentFailedError("LlamaParse could not parse the file")
            result: _Result = ask("GET", f"{path}/result/json", _Result)
        return _document(self._texts(result), format_name, limits)

    def _form(self) -> dict[str, str]:
        flags = {
            "skip_diagonal_text": self.options.skip_diagonal_text,
            "invalidate_cache": self.options.invalidate_cache,
        }
        told = {"user_prompt": self.options.parsing_instructions} if self.options.parsing_instructions else {}
        return {**{name: "true" for name, is_set in flags.items() if is_set}, **told}

    def _texts(self, result: _Result) -> list[str]:
        """The text of each page, in order."""
        pages = sorted(result.pages, key=lambda page: page.page)
        return [(page.text if self.options.result_type == "text" else page.md) or "" for page in pages]


def _document(texts: Sequence[str], format_name: str, limits: ParsingLimits) -> ParsedDocument:
    """One document of the Markdown of pages, each block with its page.

    Raises:
        DocumentRefusedError: it has no text, more than may be, or too many pages.
    """
    if len(texts) > limits.max_pages:
        raise DocumentRefusedError(f"the file has {len(texts):,} pages, more than {limits.max_pages:,}; split it")
    check_length(sum(map(len, texts)), limits.max_characters)
    whole = ParsedDocument(text="", blocks=(), tables=(), pages=len(texts), parser="llamaparse")
    for number, text in enumerate(map(storable, texts), 1):
        if text.strip():
            whole = _joined(whole, markdown_document(text, max_characters=limits.max_characters), number)
    if not whole.blocks:
        raise UnreadableDocumentError("the file holds no text")
    return replace(whole, page_unit=PAGE_UNITS.get(format_name, "page"))


def _joined(whole: ParsedDocument, page: ParsedDocument, number: int) -> ParsedDocument:
    start, first = len(whole.text) + (len(_GAP) if whole.text else 0), len(whole.blocks)
    return replace(
        whole,
        text=whole.text + (_GAP if whole.text else "") + page.text,
        blocks=whole.blocks
        + tuple(replace(one, start=one.start + start, end=one.end + start, page=number) for one in page.blocks),
        tables=whole.tables
        + tuple(
            replace(
                table,
                block=table.block + first,
                row_spans=tuple((row[0] + start, row[1] + start) for row in table.row_spans),
            )
            for table in page.tables
        ),
        title=whole.title or page.title,
    )
