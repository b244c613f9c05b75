"""Docling behind HTTP: ``docling-serve``, whose models run in its own process.

Protocol: ``POST /v1/convert/file`` of docling-serve 1.x, https://github.com/docling-project/docling-serve.
"""

from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, Field, SecretStr

from rag_core.errors import DocumentFailedError
from rag_core.model.document import ParsedDocument
from rag_core.parsing import FORMATS, ParsingLimits, SourceFile
from rag_core.parsing.services import asking
from rag_core.parsing.services.docling_document import DoclingContent, docling_document
from rag_core.parsing.services.options import DoclingOptions

PARTIAL = "Docling could read only a part of the file; compare it with the original"
_IMAGES = frozenset({"png", "jpg"})


class _Health(BaseModel):
    status: Literal["ok"]


class _Exported(BaseModel):
    json_content: DoclingContent


class _Scores(BaseModel):
    mean_score: float | None = Field(None, ge=0, le=1)


class _Converted(BaseModel):
    status: Literal["success", "partial_success", "failure", "skipped", "pending", "started"]
    document: _Exported | None = None
    confidence: _Scores | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DoclingService:
    """A docling-serve at an address."""

    address: str
    api_key: SecretStr | None
    options: DoclingOptions
    max_bytes: int

    def parse(self, file: SourceFile, format_name: str, limits: ParsingLimits) -> ParsedDocument:
        """Parse a file; see ``ParsingService``. Its name is not sent."""
        seconds = min(limits.seconds, (self.options.timeout or limits.seconds * 1000) / 1000)
        with asking("Docling", self.address, self._headers(), seconds=seconds) as ask:
            converted: _Converted = ask(
                "POST",
                "/v1/convert/file",
                _Converted,
                files={"files": (f"document{FORMATS.get(format_name).suffixes[0]}", file.data)},
                data=self._form(format_name, seconds),
            )
        if converted.document is None or converted.status not in {"success", "partial_success"}:
            raise DocumentFailedError("Docling could not convert the file")
        return docling_document(
            converted.document.json_content,
            format_name,
            limits,
            confidence=converted.confidence.mean_score if converted.confidence else None,
            warning=PARTIAL if converted.status == "partial_success" else None,
        )

    def is_up(self, seconds: float) -> bool:
        """Test whether the server answers that it is well."""
        try:
            with asking("Docling", self.address, self._headers(), seconds=seconds) as ask:
                ask("GET", "/health", _Health)
        except DocumentFailedError:
            return False
        return True

    def _headers(self) -> dict[str, str]:
        return {"X-Api-Key": self.api_key.get_secret_value().strip()} if self.api_key else {}

    def _form(self, format_name: str, seconds: float) -> dict[str, str | list[str]]:
        recognised = {"ocr_lang": list(self.options.ocr_languages)} if self.options.ocr_enabled else {}
        return {
            "from_formats": "image" if format_name in _IMAGES else format_name,
            "to_formats": "json",
            "image_export_mode": "placeholder",
            "include_images": "false",
            "do_ocr": str(self.options.ocr_enabled).lower(),
            "table_mode": self.options.table_extraction_mode,
            "document_timeout": f"{seconds:g}",
            **recognised,
        }
