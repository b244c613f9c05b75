"""Servers that parse files, where the operator named them: Docling, and LlamaParse in the cloud.

Here: their options, HTTP with them, what they answer as documents. Not here: which parser reads a file (``parsing.routing``).
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Literal, Protocol, TypeVar

import httpx
from pydantic import BaseModel, ValidationError

from rag_core.errors import DocumentFailedError
from rag_core.model.addresses import leaves_machine
from rag_core.model.document import PageUnit, ParsedDocument
from rag_core.parsing import ParsingLimits, SourceFile
from rag_core.resilience.call_time import call_time, limit_request

ServiceName = Literal["docling", "llamaparse"]
MAX_ANSWER_BYTES = 50_000_000
PAGE_UNITS: Mapping[str, PageUnit] = {"pptx": "slide", "xlsx": "sheet"}
Answer = TypeVar("Answer", bound=BaseModel)
Ask = Callable[..., Any]


class ParsingService(Protocol):
    """A server that parses files."""

    @property
    def max_bytes(self) -> int:
        """Bytes of a file that is sent at most."""

    def parse(self, file: SourceFile, format_name: str, limits: ParsingLimits) -> ParsedDocument:
        """Parse a file of a format.

        Raises:
            DocumentFailedError: the server failed, or was too slow.
            DocumentRefusedError: what it read is out of bounds, or no text.
        """


@contextmanager
def asking(service: str, address: str, headers: Mapping[str, str], *, seconds: float) -> Iterator[Ask]:
    """A function that asks the server: (method, path, model of the answer, arguments of httpx); all calls together in time.

    Raises:
        DocumentFailedError: there was no valid answer in time.
    """
    client = httpx.Client(
        base_url=address,
        headers=headers,
        event_hooks={"request": [limit_request]},
        limits=httpx.Limits(max_keepalive_connections=0),
        trust_env=leaves_machine(address),
    )

    def ask(method: str, path: str, model: type[Answer], **arguments: Any) -> Answer:
        with client.stream(method, path, **arguments) as response:
            if not response.is_success:
                raise DocumentFailedError(f"{service} answered with status {response.status_code}")
            content = bytearray()
            for chunk in response.iter_bytes():
                content += chunk
                if len(content) > MAX_ANSWER_BYTES:
                    raise DocumentFailedError(f"{service} answered more than {MAX_ANSWER_BYTES:,} bytes")
        return model.model_validate_json(content)

    try:
        with client, call_time(seconds):
            yield ask
    except httpx.TimeoutException as error:
        raise DocumentFailedError(f"{service} gave no whole answer within {seconds:g} seconds") from error
    except (httpx.HTTPError, httpx.InvalidURL, UnicodeError) as error:
        raise DocumentFailedError(f"{service} cannot be reached ({type(error).__name__})") from error
    except ValidationError:
        raise DocumentFailedError(f"{service} gave no valid answer") from None  # the cause quotes the file
