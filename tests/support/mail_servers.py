"""Mail servers on loopback: a real one that keeps what it got, and one that refuses, stalls or drops as it is told."""

import socket
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from typing import Any

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, Envelope, Session

from tests.support.socket_server import SocketServer

STALL, DROP = b"stall", b"drop"  # instead of an answer
ANSWERS: Mapping[str, bytes] = {
    "connect": b"220 scripted\r\n",
    "EHLO": b"250-scripted\r\n250 SIZE 30000000\r\n",
    "MAIL": b"250 ok\r\n",
    "RCPT": b"250 ok\r\n",
    "DATA": b"354 go on\r\n",
    "after DATA": b"250 kept as 1\r\n",
}


class Mailbox:
    """A real server's handler: what arrived, as it was sent."""

    def __init__(self) -> None:
        self.envelopes: list[Envelope] = []

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        self.envelopes.append(envelope)
        return "250 kept"

    @property
    def contents(self) -> list[bytes]:
        return [bytes(each.original_content or b"") for each in self.envelopes]

    @property
    def messages(self) -> list[EmailMessage]:
        return [message_from_bytes(each, policy=default) for each in self.contents]  # type: ignore[arg-type]


@contextmanager
def real_server(**options: Any) -> Iterator[tuple[Mailbox, str]]:
    """The mailbox of a server by aiosmtpd, and its URL (without user)."""
    mailbox = Mailbox()
    controller = Controller(mailbox, hostname="127.0.0.1", port=_free_port(), **options)
    controller.start()
    try:
        yield mailbox, f"smtp://127.0.0.1:{controller.port}"
    finally:
        controller.stop()


class ScriptedServer(SocketServer):
    """Answers each step as it is told, and counts the messages that it got whole."""

    def __init__(self, **answers: bytes) -> None:
        super().__init__()
        self.answers = {**ANSWERS, **{step.replace("_", " "): said for step, said in answers.items()}}
        self.received: list[bytes] = []
        self.connections = 0
        self.recipients = 0

    @property
    def url(self) -> str:
        return f"smtp://{self.netloc}"

    def answer(self, connection: socket.socket) -> None:
        self.connections += 1
        lines = connection.makefile("rb")
        going = self._say(connection, "connect")
        while going:
            line = lines.readline()
            if not line:
                return
            step = line[:4].decode("ascii", "replace").upper()
            self.recipients += step == "RCPT"
            going = self._say(connection, step)
            if going and step == "DATA" and self.answers["DATA"].startswith(b"354"):
                going = self._take(connection, lines)

    def _take(self, connection: socket.socket, lines: Any) -> bool:
        body = []
        while (line := lines.readline()) != b".\r\n":
            if not line:
                return False
            body.append(line)
        self.received.append(b"".join(body))
        return self._say(connection, "after DATA")

    def _say(self, connection: socket.socket, step: str) -> bool:
        said = self.answers.get(step, b"250 ok\r\n")
        if said == STALL:
            self.stopped.wait(60)
            return False
        if said == DROP:
            connection.shutdown(socket.SHUT_RDWR)
            return False
        connection.sendall(said)
        return not said.startswith((b"4", b"5")) or step == "EHLO"


@contextmanager
def scripted(**answers: bytes) -> Iterator[ScriptedServer]:
    with ScriptedServer(**answers) as server:
        yield server


def until(condition: Any, seconds: float = 20) -> None:
    """Wait for what another process or thread does."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.02)


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])
