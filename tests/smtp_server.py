"""A real mail server on loopback, which keeps what it is sent and misbehaves when told to.

``running_smtp_server`` is the context manager, ``smtp_server`` the fixture; a test module imports either. It speaks as much of
RFC 5321 as a client needs to leave a message: EHLO, HELO, MAIL, RCPT, DATA, RSET, NOOP, QUIT.
"""

import email.policy
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.message import EmailMessage
from typing import Literal

import pytest

Fault = Literal[
    "drop",  # close the connection at once
    "refuse_sender",  # 550 to MAIL
    "refuse_recipient",  # 550 to RCPT
    "refuse_message",  # 554 once the message was sent
    "stall",  # say nothing until the server stops
]


@dataclass(slots=True, kw_only=True)
class SmtpServer:
    """The handle a test holds; ``fault`` may be changed while the server runs."""

    port: int = 0
    fault: Fault | None = None
    messages: list[EmailMessage] = field(default_factory=list)
    recipients: list[list[str]] = field(default_factory=list)
    connections: int = 0
    stopping: threading.Event = field(default_factory=threading.Event)

    @property
    def letters(self) -> list[str]:
        """Mails that were taken, subject and plain text."""
        return [f"{mail['Subject']}\n{_plain(mail)}" for mail in self.messages]

    def url(self, recipient: str = "ana@example.org") -> str:
        """The address in apprise's form."""
        return f"mailto://127.0.0.1:{self.port}/?smtp=127.0.0.1&from=brain@example.org&to={recipient}&mode=insecure"


def _plain(mail: EmailMessage) -> str:
    body = mail.get_body(preferencelist=("plain",))
    return "" if body is None else str(body.get_content())


@contextmanager
def running_smtp_server() -> Iterator[SmtpServer]:
    """A server on a free port, gone when the block ends."""
    handle = SmtpServer()
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), _handler(handle)) as listening:
        listening.daemon_threads = True
        handle.port = listening.server_address[1]
        thread = threading.Thread(target=listening.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        try:
            yield handle
        finally:
            handle.stopping.set()
            listening.shutdown()


@pytest.fixture
def smtp_server() -> Iterator[SmtpServer]:
    """A server that behaves until it is told otherwise."""
    with running_smtp_server() as handle:
        yield handle


def _handler(handle: SmtpServer) -> type[socketserver.StreamRequestHandler]:
    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            handle.connections += 1
            if handle.fault == "drop":
                return
            if handle.fault == "stall":
                handle.stopping.wait()
                return
            self._say("220 loopback")
            self._recipients: list[str] = []
            for line in self.rfile:
                command = line.decode("ascii", "replace").strip()
                if not self._answer(command):
                    return

        def _answer(self, command: str) -> bool:
            """Answer one command; whether the connection goes on."""
            match command.upper().partition(" ")[0]:
                case "EHLO" | "HELO":
                    self._say("250 loopback")
                case "MAIL":
                    self._say("550 no such sender" if handle.fault == "refuse_sender" else "250 ok")
                case "RCPT" if handle.fault == "refuse_recipient":
                    self._say("550 no such user")
                case "RCPT":
                    self._recipients.append(command.partition("<")[2].partition(">")[0])
                    self._say("250 ok")
                case "DATA":
                    self._take()
                case "RSET" | "NOOP":
                    self._say("250 ok")
                case "QUIT":
                    self._say("221 bye")
                    return False
                case _:
                    self._say("502 not implemented")
            return True

        def _take(self) -> None:
            self._say("354 go on")
            lines: list[bytes] = []
            for line in self.rfile:
                if line == b".\r\n":
                    break
                lines.append(line.removeprefix(b".") if line.startswith(b"..") else line)
            if handle.fault == "refuse_message":
                self._say("554 refused")
                return
            handle.messages.append(email.message_from_bytes(b"".join(lines), policy=email.policy.default))
            handle.recipients.append(self._recipients)
            self._recipients = []
            self._say("250 taken")

        def _say(self, line: str) -> None:
            self.wfile.write(line.encode() + b"\r\n")

    return Handler
