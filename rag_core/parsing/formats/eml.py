"""Mails (RFC 5322 with MIME)."""

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default as modern
from email.utils import parseaddr
from typing import Any

from rag_core.errors import DocumentRefusedError
from rag_core.model.document import ParsedDocument
from rag_core.parsing import FORMATS, DocumentFormat, ParsingLimits, SourceFile
from rag_core.parsing.building import DocumentBuilder, one_line, storable
from rag_core.parsing.decoding import decode
from rag_core.parsing.markup import add_markup, parse_markup

_TEXTS = ("text/plain", "text/html")
_SEALED = ("multipart/encrypted", "application/pkcs7-mime", "application/x-pkcs7-mime")
_HEADER_DEFECTS = (AttributeError, LookupError, TypeError, ValueError, RecursionError)
"""Errors of the library's header parser when it meets a malformed header."""
_MAX_HEADER_CHARACTERS = 10_000
"""The header parser's time grows with the square of the length."""
_MAX_DEPTH = 50
_MAX_NAMED_ATTACHMENTS = 100
_BLANK_LINES = re.compile(r"\n(?:[^\S\n]*\n)+")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Body:
    text: str
    is_html: bool


def _parse(file: SourceFile, limits: ParsingLimits) -> ParsedDocument:
    message = _message(file.data)
    attachments: list[str] = []
    bodies = _bodies(message, attachments, depth=0)
    if not bodies and message.get_content_type() in _SEALED:
        raise DocumentRefusedError("the mail is encrypted or sealed by a signature; save its text instead")
    builder = DocumentBuilder(max_characters=limits.max_characters)
    for body in bodies:
        _add_body(builder, body)
    for name in attachments[:_MAX_NAMED_ATTACHMENTS]:
        builder.warn("left_out", f"attachment {name} is not taken")
    people = {name: list(_addresses(message, name)) for name in ("from", "to", "cc")}
    sender = next(iter(people["from"]), "")
    subject = next(_headers(message, "subject"), None)
    return builder.build(
        title=str(subject) if subject else None,
        author=parseaddr(sender)[0] or sender,
        written_at=_sent(message),
        metadata={name: addresses for name, addresses in people.items() if addresses},
    )


def _message(data: bytes) -> EmailMessage:
    try:
        message = message_from_bytes(data.removeprefix(codecs.BOM_UTF8), policy=modern)
    except RecursionError as error:
        raise _too_deep() from error
    if not message.keys():
        raise DocumentRefusedError("the file has no mail headers, so it is no mail; save it again in the mail program")
    return message


def _bodies(part: Any, attachments: list[str], *, depth: int) -> list[_Body]:
    """Texts of a part in their order, of alternatives the plain one; what is no text goes to ``attachments``."""
    if depth > _MAX_DEPTH:
        raise _too_deep()
    kind = part.get_content_type()
    if part.is_multipart() and kind.startswith("multipart/"):
        found = [_bodies(child, attachments, depth=depth + 1) for child in part.get_payload()]
        if kind == "multipart/alternative":
            return min(filter(None, found), key=lambda bodies: any(body.is_html for body in bodies), default=[])
        return [body for bodies in found for body in bodies]
    if kind in _TEXTS and not part.is_attachment():
        text = decode(part.get_payload(decode=True) or b"", declared=part.get_content_charset())
        return [_Body(text=text, is_html=kind == "text/html")] if text.strip() else []
    if kind == "message/rfc822" and part.is_multipart():
        (attached,) = part.get_payload()
        return [_heads(attached), *_bodies(attached, attachments, depth=depth + 1)]
    attachments.append(one_line(part.get_filename()) or kind)
    return []


def _heads(attached: EmailMessage) -> _Body:
    """Sender, date and subject of an attached mail."""
    lines = (
        f"{name.capitalize()}: {line}" for name in ("from", "date", "subject") for line in _headers(attached, name)
    )
    return _Body(text="\n".join(lines), is_html=False)


def _add_body(builder: DocumentBuilder, body: _Body) -> None:
    if body.is_html:
        add_markup(builder, parse_markup(body.text))
        return
    for paragraph in _BLANK_LINES.split(storable(body.text)):
        builder.paragraph(paragraph)


def _addresses(message: EmailMessage, name: str) -> Iterator[str]:
    for header in _headers(message, name):
        addresses = getattr(header, "addresses", None)
        if addresses is None:
            yield str(header)
        else:
            yield from (str(address) for address in addresses if address.username or address.display_name)


def _sent(message: EmailMessage) -> datetime | None:
    moment = getattr(next(_headers(message, "date"), None), "datetime", None)
    return moment.replace(tzinfo=UTC) if moment and not moment.tzinfo else moment


def _headers(message: EmailMessage, name: str) -> Iterator[Any]:
    """Headers of a name, parsed; as plain text where they are malformed. Raw UTF-8 in them is read as such."""
    for found, raw in message.raw_items():
        if found.lower() == name:
            text = decode(str(raw).encode("utf-8", "surrogateescape"))[:_MAX_HEADER_CHARACTERS]
            line = " ".join(text.split())
            try:
                yield modern.header_factory(name, line)
            except _HEADER_DEFECTS:
                yield line


def _too_deep() -> DocumentRefusedError:
    return DocumentRefusedError("the mail nests its parts too deeply; save its text instead")


FORMATS.register("eml")(DocumentFormat(suffixes=(".eml",), parse=_parse, version=2))
