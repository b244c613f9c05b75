"""Options of parsers: the operator's, and what an upload's ``parseOptions`` say otherwise."""

import json
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError
from pydantic.alias_generators import to_camel

from rag_core.errors import ParserOptionError

Condition = Literal["table_heavy", "complex_layout", "docling_failed", "handwritten"]
MAX_INSTRUCTIONS = 2_000
_LANGUAGE = Annotated[str, StringConstraints(pattern=r"^[A-Za-z][\w-]{0,19}$")]


class _Options(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, extra="forbid", frozen=True, strict=True)


class DoclingOptions(_Options):
    """Options of Docling: bytes of a file at most, and milliseconds; None is the bound of any file."""

    ocr_enabled: bool = True
    ocr_languages: tuple[_LANGUAGE, ...] = Field(("de", "en", "es"), max_length=20)
    table_extraction_mode: Literal["fast", "accurate"] = "accurate"
    image_extraction: Literal[False] = False
    max_file_size: int | None = Field(None, ge=1)
    timeout: int | None = Field(None, ge=1)


class LlamaParseOptions(_Options):
    """Options of LlamaParse."""

    parsing_instructions: str | None = Field(None, max_length=MAX_INSTRUCTIONS)
    result_type: Literal["markdown", "text"] = "markdown"
    skip_diagonal_text: bool = False
    invalidate_cache: bool = False


class FallbackConditions(_Options):
    """Conditions under which another parser than the primary one reads a file."""

    table_heavy: bool = True
    complex_layout: bool = True
    docling_failed: bool = True
    handwritten: bool = False


class ParserOptions(_Options):
    """Choice of the parser of a file, whether its tables are checked, and the options of the services."""

    primary: Literal["native", "docling", "llamaparse"] = "native"
    fallback_conditions: FallbackConditions = FallbackConditions()
    validate_output: bool = False
    docling: DoclingOptions = DoclingOptions()
    llamaparse: LlamaParseOptions = LlamaParseOptions()

    def changed(self, given: Mapping[str, Any]) -> "ParserOptions":
        """These options with what an upload says otherwise.

        Raises:
            ParserOptionError: it says what cannot be honoured.
        """
        names = set(_names(given))
        if names & {"apiKey", "api_key"}:
            raise ParserOptionError("keys of services are the operator's alone; leave apiKey out")
        try:
            return ParserOptions.model_validate_json(json.dumps(_merged(self.model_dump(by_alias=True), given)))
        except ValidationError as error:
            field = ".".join(map(str, error.errors()[0]["loc"]))
            if field == "docling.imageExtraction":
                raise ParserOptionError("images are not taken out of documents; leave imageExtraction out") from None
            raise ParserOptionError(f"{field} is unknown, or its value cannot be taken; correct it") from None


def read_options(text: str | None) -> dict[str, Any]:
    """Options of one upload's parsing; blank is none.

    Raises:
        ParserOptionError: it is no JSON object.
    """
    try:
        given = json.loads(text or "{}")
    except (ValueError, RecursionError):
        given = None
    if not isinstance(given, dict):
        raise ParserOptionError('parseOptions is no JSON object; write one such as {"validateOutput": true}')
    return given


def _merged(base: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    return {
        **base,
        **{
            name: _merged(base[name], value) if isinstance(value, dict) and isinstance(base.get(name), dict) else value
            for name, value in given.items()
        },
    }


def _names(given: Any) -> Iterator[str]:
    """Names of an object and of those right in it."""
    for name, value in given.items():
        yield name
        if isinstance(value, dict):
            yield from value
