"""Mails: the text that a reader sees, and who wrote it when."""

import os
import re
from datetime import UTC, datetime, timedelta, timezone
from email.message import EmailMessage
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from text_files import blocks_of, parsed_text

from rag_core.errors import DocumentRefusedError
from rag_core.model.document import ParsedDocument


@pytest.fixture
def mail() -> EmailMessage:
    message = EmailMessage()
    message["From"] = "Ana Paz <ana@example.com>"
    message["To"] = "José Ñuñez <jose@example.com>, eva@example.com"
    message["Cc"] = '"Paz, Luis" <luis@example.com>'
    message["Date"] = datetime(2024, 5, 1, 10, 30, tzinfo=timezone(timedelta(hours=2)))
    message["Subject"] = "Reunión de mañana"
    return message


def read(message: EmailMessage) -> ParsedDocument:
    return parsed_text("a.eml", message.as_bytes())


def test_headers_say_who_wrote_to_whom_and_when(mail: EmailMessage) -> None:
    mail.set_content("Hola.")

    document = read(mail)

    assert (document.title, document.author) == ("Reunión de mañana", "Ana Paz")
    assert document.written_at == datetime(2024, 5, 1, 8, 30, tzinfo=UTC)
    assert document.metadata == {
        "from": ["Ana Paz <ana@example.com>"],
        "to": ["José Ñuñez <jose@example.com>", "eva@example.com"],
        "cc": ['"Paz, Luis" <luis@example.com>'],
    }


def test_paragraphs_are_blocks_and_their_lines_stay(mail: EmailMessage) -> None:
    mail.set_content("Hola, José:\n\n¿Vienes a las 10?\nEs en la 5.ª planta.\n \nAna\n")

    assert blocks_of(read(mail)) == [
        ("paragraph", "Hola, José:"),
        ("paragraph", "¿Vienes a las 10?\nEs en la 5.ª planta."),
        ("paragraph", "Ana"),
    ]


def test_of_alternatives_the_plain_text_is_taken(mail: EmailMessage) -> None:
    mail.set_content("claro")
    mail.add_alternative("<p>con formato</p>", subtype="html")

    assert read(mail).text == "claro"


def test_the_order_of_alternatives_does_not_matter(mail: EmailMessage) -> None:
    mail.set_content("<p>con formato</p>", subtype="html")
    mail.add_alternative("claro")

    assert read(mail).text == "claro"


def test_html_is_taken_where_the_plain_text_is_blank(mail: EmailMessage) -> None:
    mail.set_content(" \n")
    mail.add_alternative("<style>x</style><h1>Aviso</h1><p>con <b>formato</b></p>", subtype="html")

    assert blocks_of(read(mail)) == [("heading", "# Aviso"), ("paragraph", "con **formato**")]


def test_attachments_are_named_and_left_out(mail: EmailMessage) -> None:
    mail.set_content("Va adjunto.")
    mail.add_attachment(b"%PDF", maintype="application", subtype="pdf", filename="acta de la reunión.pdf")
    mail.add_attachment("secreto", filename="notas.txt")

    document = read(mail)

    assert document.text == "Va adjunto."
    assert {warning.kind for warning in document.warnings} == {"left_out"}
    assert [warning.message for warning in document.warnings] == [
        "attachment acta de la reunión.pdf is not taken",
        "attachment notas.txt is not taken",
    ]


def test_an_attached_mail_is_read_with_its_sender_and_subject(mail: EmailMessage) -> None:
    forwarded = EmailMessage()
    forwarded["From"], forwarded["Subject"] = "Marisol <marisol@example.org>", "Presupuesto"
    forwarded.set_content("Son 300 euros.")
    mail.set_content("Te lo reenvío.")
    mail.add_attachment(forwarded)

    document = read(mail)

    assert document.text == (
        "Te lo reenvío.\n\nFrom: Marisol <marisol@example.org>\nSubject: Presupuesto\n\nSon 300 euros."
    )
    assert document.warnings == ()


def test_the_warnings_about_attachments_are_bounded(mail: EmailMessage) -> None:
    mail.set_content("Van adjuntos.")
    for _ in range(120):
        mail.add_attachment(b"x", maintype="image", subtype="png")

    assert len(read(mail).warnings) == 100


def test_text_on_both_sides_of_a_picture_is_taken() -> None:
    parts = ["Content-Type: text/plain\n\nantes", "Content-Type: image/png\n\nx", "Content-Type: text/plain\n\ndespués"]
    body = "".join(f"--b\n{part}\n" for part in parts) + "--b--\n"

    document = parsed_text("a.eml", f"From: a@b.c\nContent-Type: multipart/mixed; boundary=b\n\n{body}")

    assert document.text == "antes\n\ndespués"


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1"])
def test_headers_and_text_without_a_declared_encoding_are_read(encoding: str) -> None:
    document = parsed_text("a.eml", "From: José <a@b.c>\nSubject: Año nuevo\n\nMañana, café.".encode(encoding))

    assert (document.author, document.title, document.text) == ("José", "Año nuevo", "Mañana, café.")


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("text/plain; charset=no-such", "Mañana".encode()),
        ("text/plain; charset=us-ascii", "Mañana".encode("cp1252")),
        ("text/html", "<meta charset=iso-8859-1>Mañana".encode()),
        ("nonsense", "Mañana".encode()),
        ("text/plain; charset=utf-7", b"Ma+APE-ana"),
    ],
)
def test_a_wrong_description_of_the_text_does_no_harm(kind: str, body: bytes) -> None:
    assert parsed_text("a.eml", f"From: a@b.c\nContent-Type: {kind}\n\n".encode() + body).text == "Mañana"


def test_a_byte_order_mark_before_the_headers_is_passed_over() -> None:
    assert parsed_text("a.eml", "\ufeffSubject: Año\n\nx").title == "Año"


@pytest.mark.parametrize("sender", ["", "<>", "undisclosed-recipients:;"])
def test_a_mail_of_nobody_has_no_author(sender: str) -> None:
    document = parsed_text("a.eml", f"From: {sender}\nSubject: a\n\nx")

    assert (document.author, document.metadata) == (None, {})


@pytest.mark.parametrize(
    ("date", "moment"),
    [
        ("Wed, 1 May 2024 10:00:00 +0200", datetime(2024, 5, 1, 8, tzinfo=UTC)),
        ("Wed, 1 May 2024 10:00:00 -0000", datetime(2024, 5, 1, 10, tzinfo=UTC)),
        ("mañana", None),
        ("Fri, 31 Feb 2024 25:00:00 +9999", None),
    ],
)
def test_the_date_has_a_time_zone_or_is_none(date: str, moment: datetime | None) -> None:
    assert parsed_text("a.eml", f"Date: {date}\n\nx").written_at == moment


@pytest.mark.parametrize(
    ("raw", "problem"),
    [
        ("\nsolo texto", "no mail headers"),
        ("From: a@b.c\n\n", "holds no text"),
        (
            "Content-Type: multipart/encrypted; boundary=b\n\n--b\nContent-Type: application/octet-stream\n\nx\n",
            "encrypted",
        ),
        ("Content-Type: application/pkcs7-mime\n\nx", "encrypted"),
    ],
)
def test_mails_without_text_are_refused(raw: str, problem: str) -> None:
    with pytest.raises(DocumentRefusedError, match=problem):
        parsed_text("a.eml", raw)


@pytest.mark.parametrize("depth", [60, 2_000])
def test_deep_nesting_is_refused(depth: int) -> None:
    parts = "".join(f"Content-Type: multipart/mixed; boundary=b{level}\n\n--b{level}\n" for level in range(depth))

    with pytest.raises(DocumentRefusedError, match="too deeply"):
        parsed_text("a.eml", f"From: a@b.c\n{parts}\nx\n")


def test_a_very_long_header_takes_no_time() -> None:
    (sender,) = parsed_text("a.eml", f"From: {'=?utf-8?q?a?= ' * 20_000}\n\nx").metadata["from"]

    assert len(sender) < 10_000


HEADER = st.lists(
    st.sampled_from(
        re.findall(r"\S+", 'a 1 é @ , ; : " ( ) < > [ ] \\ . = =?utf-8?q? =?x?b? ?= base64 multipart/x boundary=a')
    ),
    max_size=10,
)


@given(HEADER.map("".join), HEADER.map(" ".join))
def test_malformed_headers_are_borne(value: str, other: str) -> None:
    names = ("Subject", "From", "To", "Date", "Content-Type", "Content-Disposition", "Content-Transfer-Encoding")
    raw = "".join(f"{name}: {value}\n" for name in names) + f"Cc: {other}\nContent-Type: {other}\n\nx\n--a\n\ny"

    try:
        assert parsed_text("a.eml", raw).text
    except DocumentRefusedError as error:
        assert "no text" in str(error)


@pytest.mark.skipif("BRAIN_TEST_DATA" not in os.environ, reason="BRAIN_TEST_DATA is not set")
def test_a_real_mail_is_read() -> None:
    data = (Path(os.environ["BRAIN_TEST_DATA"]) / "documents/files/eml_simple.eml").read_bytes()

    document = parsed_text("a.eml", data)

    assert (document.title, document.author) == ("Simple Email", "Alice Example")
    assert document.text == "Hello Bob,\n\nThis is a simple email body."
