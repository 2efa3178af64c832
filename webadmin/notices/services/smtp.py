"""Sends a message to a mail server step by step, so that the outcome is sent, not sent or unknown.

Nothing is retried here. Before the final dot, the message was not accepted (RFC 5321 3.3, 4.1.1.4: a server that loses
the connection earlier must not deliver). After it, only a reply shows the outcome.
"""

import re
import smtplib
import ssl
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from enum import StrEnum
from io import BufferedReader
from socket import SHUT_RDWR, socket
from threading import Timer

from core.mail_servers import MailServer, Security
from core.text import storable
from core.wording import Message

# Chosen: below the limit of a worker's task (pipeline.app.STEP_LIMIT_S). A killed task leaves the outcome unknown.
SESSION_S = 240.0
MAX_SAID_CHARS = 300
# Chosen: the longest replies, to EHLO, have about 20 lines of 512 bytes (RFC 5321 4.5.3.1.5). smtplib sets no limit.
MAX_ANSWER_LINES, MAX_LINE_BYTES = 100, 2_048
_SIZE = re.compile(r"[0-9]{1,18}")  # RFC 1870 allows 20 digits; a number of more than 18 counts as no limit
_GO_ON = 354


class Outcome(StrEnum):
    """The possible outcomes of sending a message."""

    SENT = "sent"
    FAILED = "failed"  # certainly not sent
    UNKNOWN = "unknown"  # possibly sent


@dataclass(frozen=True, slots=True)
class SendResult:
    """The outcome of sending a message, with a sentence about the server's reply or behaviour."""

    outcome: Outcome
    message: Message


@dataclass(frozen=True, slots=True)
class Letter:
    """A message as transmitted, with the ASCII mail addresses of its sender and recipient."""

    sender: str
    recipient: str
    content: bytes


class _SendingFailed(Exception):
    """The message was certainly not sent."""

    def __init__(self, message: Message) -> None:
        self.message = message
        super().__init__(message)


class _BoundedReplyFile:
    """The replies of a server, which smtplib reads by line. A reply has at most MAX_ANSWER_LINES."""

    def __init__(self, file: BufferedReader) -> None:
        self._file = file
        self.lines_left = MAX_ANSWER_LINES

    def readline(self, _size: int = -1) -> bytes:
        line = self._file.readline(MAX_LINE_BYTES + 1)
        self.lines_left -= 1
        if len(line) > MAX_LINE_BYTES or self.lines_left < 0:
            raise _SendingFailed(Message("mail.endless-answer"))
        return line

    def close(self) -> None:
        self._file.close()


class _BoundedSession(smtplib.SMTP):
    """An SMTP session that fails on an endless reply."""

    def getreply(self) -> tuple[int, bytes]:
        if self.file is None and self.sock is not None:
            self.file = _BoundedReplyFile(self.sock.makefile("rb"))
        if self.file is not None:
            self.file.lines_left = MAX_ANSWER_LINES
        return super().getreply()


class _BoundedTlsSession(_BoundedSession, smtplib.SMTP_SSL):
    """A bounded session that uses TLS from the first byte."""


def send_letter(server: MailServer, letter: Letter, timeout_s: float, tls: ssl.SSLContext | None = None) -> SendResult:
    """Send a letter, and return the outcome.

    timeout_s: the limit for each reply; SESSION_S limits the whole session. tls: a context that replaces the machine's
    trust store.
    """
    client, ends_at = _smtp_client(server, letter, timeout_s, tls), time.monotonic() + SESSION_S
    try:
        with _limit_session(client):
            _open_session(client, server, tls)
            _send_envelope(client, letter)
            _require_time(ends_at)
            return _send_content(client, letter, ends_at)
    except _SendingFailed as error:
        return SendResult(Outcome.FAILED, error.message)
    finally:
        _close_connection(client)


def _smtp_client(server: MailServer, letter: Letter, timeout_s: float, tls: ssl.SSLContext | None) -> smtplib.SMTP:
    # Do not reveal the name of this machine. Looking it up can also take long.
    name = letter.sender.rpartition("@")[2]
    if server.security is Security.TLS:
        context = tls or ssl.create_default_context()
        return _BoundedTlsSession(local_hostname=name, timeout=timeout_s, context=context)
    return _BoundedSession(local_hostname=name, timeout=timeout_s)


@contextmanager
def _limit_session(client: smtplib.SMTP) -> Iterator[None]:
    """Cut the connection after SESSION_S, because a server that replies slowly could otherwise block it forever."""
    timer = Timer(SESSION_S, lambda: _cut_connection(client.sock))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _cut_connection(connection: socket | None) -> None:
    if connection is not None:
        with suppress(OSError):
            connection.shutdown(SHUT_RDWR)


def _open_session(client: smtplib.SMTP, server: MailServer, tls: ssl.SSLContext | None) -> None:
    client._host = server.host  # type: ignore[attr-defined] # STARTTLS checks the certificate against it
    _send_command("connect", lambda: client.connect(server.host, server.port), 220)
    _send_command("EHLO", client.ehlo, 250)
    if server.security is Security.STARTTLS:
        if not client.has_extn("starttls"):
            raise _SendingFailed(Message("mail.no-starttls"))
        context = tls or ssl.create_default_context()
        _send_command("STARTTLS", lambda: client.starttls(context=context), 220)
        _send_command("EHLO", client.ehlo, 250)
    if server.user:
        _send_command("AUTH", lambda: client.login(server.user, server.password), 235)


def _send_envelope(client: smtplib.SMTP, letter: Letter) -> None:
    most = client.esmtp_features.get("size", "")
    if _SIZE.fullmatch(most) and 0 < int(most) < len(letter.content):
        raise _SendingFailed(
            Message("mail.beyond-size", most=_format_megabytes(int(most)), size=_format_megabytes(len(letter.content)))
        )
    options = [f"size={len(letter.content)}"] if client.has_extn("size") else []
    _send_command("MAIL", lambda: client.mail(letter.sender, options), 250)
    _send_command("RCPT", lambda: client.rcpt(letter.recipient), 250, 251)
    _send_command("DATA", lambda: client.docmd("DATA"), _GO_ON)


def _send_content(client: smtplib.SMTP, letter: Letter, ends_at: float) -> SendResult:
    # Dots at line starts are doubled (RFC 5321 4.5.2). Lines already end in CR LF, because of email.policy.SMTP.
    lines = letter.content.replace(b"\r\n.", b"\r\n..")
    body = (b"." if lines.startswith(b".") else b"") + lines
    if not body.endswith(b"\r\n"):
        body += b"\r\n"
    if client.sock is None:
        raise _SendingFailed(Message("mail.dropped", step="DATA"))
    client.sock.settimeout(_remaining_s(ends_at))  # The limit for sending the data. The reply may take minutes.
    try:
        client.sock.sendall(body)
    except OSError as error:
        raise _SendingFailed(_connection_fault("DATA", error)) from error
    _require_time(ends_at)
    return _finish_data(client, ends_at)


def _require_time(ends_at: float) -> None:
    """Raise _SendingFailed if the session took too long, because the mail may already count as lost.

    Nothing else limits the time for connecting to each address of a host in turn.
    """
    if time.monotonic() >= ends_at:
        raise _SendingFailed(Message("mail.stalled", step="connect"))


def _finish_data(client: smtplib.SMTP, ends_at: float) -> SendResult:
    """Send the final dot, and return the outcome. From here on, only a reply shows whether the message was sent."""
    try:
        assert client.sock is not None  # The data was sent over this connection.
        client.sock.settimeout(_remaining_s(ends_at))
        client.sock.sendall(b".\r\n")
        code, said = client.getreply()
    except _SendingFailed as error:
        return SendResult(Outcome.UNKNOWN, error.message)
    except (OSError, smtplib.SMTPException) as error:
        return SendResult(Outcome.UNKNOWN, _connection_fault("after DATA", error))
    if code == 250:
        return SendResult(Outcome.SENT, Message("mail.taken", code=code, said=_clean_reply(said)))
    message = Message("mail.refused", step=_step_name("after DATA"), code=code, said=_clean_reply(said))
    return SendResult(Outcome.FAILED if 400 <= code < 600 else Outcome.UNKNOWN, message)


def _send_command(step: str, ask: Callable[[], tuple[int, bytes]], *wanted: int) -> None:
    """Send one command.

    ask: sends it and returns the reply. wanted: the expected codes. Raises _SendingFailed for another reply or no
    reply.
    """
    try:
        code, said = ask()
    except smtplib.SMTPResponseException as error:
        raise _SendingFailed(_refusal_message(step, error.smtp_code, error.smtp_error)) from error
    except smtplib.SMTPNotSupportedError as error:
        raise _SendingFailed(Message("mail.no-auth")) from error
    except (OSError, smtplib.SMTPException, ValueError) as error:  # ValueError: a challenge that is not base64
        raise _SendingFailed(_connection_fault(step, error)) from error
    if code not in wanted:
        raise _SendingFailed(_refusal_message(step, code, said))


def _refusal_message(step: str, code: int, said: bytes | str) -> Message:
    if code < 0:  # smtplib's code for a closed connection
        return Message("mail.dropped", step=_step_name(step))
    return Message("mail.refused", step=_step_name(step), code=code, said=_clean_reply(said))


def _connection_fault(step: str, error: Exception) -> Message:
    if isinstance(error, ssl.SSLError):
        return Message("mail.no-tls", reason=_clean_reply(error.reason or str(error)))
    if step == "AUTH" and type(error) is smtplib.SMTPException:  # There is no common login method.
        return Message("mail.no-auth")
    if isinstance(error, TimeoutError) or isinstance(error.__context__, TimeoutError):  # smtplib says "closed"
        return Message("mail.stalled", step=_step_name(step))
    if step == "connect" and isinstance(error, OSError) and not isinstance(error, smtplib.SMTPException):
        return Message("mail.no-connection", reason=_clean_reply(error.strerror or str(error)))
    return Message("mail.dropped", step=_step_name(step))


def _step_name(step: str) -> Message | str:
    """Return the display name of a step. SMTP commands are unchanged."""
    if step == "connect":
        return Message("mail.step-connect")
    return Message("mail.step-end") if step == "after DATA" else step


def _close_connection(client: smtplib.SMTP) -> None:
    """Close the connection without QUIT, whose reply says nothing about the message and could block."""
    with suppress(Exception):
        client.close()


def _remaining_s(ends_at: float) -> float:
    return max(1.0, ends_at - time.monotonic())


def _clean_reply(said: bytes | str) -> str:
    text = said.decode("utf-8", "replace") if isinstance(said, bytes) else str(said)
    line = " ".join(storable(text).split())
    return line if len(line) <= MAX_SAID_CHARS else f"{line[: MAX_SAID_CHARS - 1]}…"


def _format_megabytes(size: int) -> str:
    return f"{size / 1_000_000:.1f}"
