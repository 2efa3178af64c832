"""Parses the mail server and the sender's address that the operator configures."""

import re
from dataclasses import dataclass, field
from enum import StrEnum
from urllib.parse import unquote, urlsplit


class Security(StrEnum):
    """The encryption of the connection to a mail server, by the scheme of its URL."""

    NONE = "smtp"
    STARTTLS = "smtp+starttls"
    TLS = "smtps"


# RFC 5321 for relays; RFC 6409 and RFC 8314 for submission.
_PORTS = {Security.NONE: 25, Security.STARTTLS: 587, Security.TLS: 465}
# Narrower than RFC 5322, so that every server accepts it: no quotes, no comments, nothing that could begin a header.
_ADDRESS = re.compile(r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*@(?P<domain>[^\s@]+)")
_LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
_DOMAIN = re.compile(rf"(?:{_LABEL}\.)*{_LABEL}")
MAX_ADDRESS_CHARS = 254  # RFC 5321 4.5.3.1.3, without the angle brackets


@dataclass(frozen=True, slots=True)
class MailServer:
    """A mail server. user, password: "" if the server requires no authentication."""

    security: Security
    host: str
    port: int
    user: str = field(default="", repr=False)
    password: str = field(default="", repr=False)


def parse_mail_server(url: str) -> MailServer:
    """Parse the URL of a mail server. Raises ValueError if the text is not valid.

    >>> parse_mail_server("smtps://li:a%40b@mail.example").port, parse_mail_server("smtp://[::1]:2525").host
    (465, '::1')
    """
    parts = urlsplit(url)
    if not parts.hostname or parts.path not in {"", "/"} or parts.query or parts.fragment or re.search(r"\s", url):
        raise ValueError("no mail server")
    security = Security(parts.scheme)
    user, password = unquote(parts.username or ""), unquote(parts.password or "")
    if bool(user) != bool(password):
        raise ValueError("a user without a password")
    return MailServer(security, parts.hostname, parts.port or _PORTS[security], user, password)


def can_be_server(url: str) -> bool:
    """Return whether `parse_mail_server` accepts a URL."""
    try:
        return bool(parse_mail_server(url))
    except ValueError:
        return False


def plain_address(text: str) -> str | None:
    r"""Return a mail address with an ASCII domain, safe in headers and SMTP, or None if the text is not an address.

    >>> plain_address(" ts@例子.cn "), plain_address("a@b.cn\r\nBcc: c@d.cn"), plain_address("a b@c.cn")
    ('ts@xn--fsqu00a.cn', None, None)
    """
    match = _ADDRESS.fullmatch(text.strip(" "))
    if match is None:
        return None
    try:
        domain = match["domain"].encode("idna").decode("ascii")
    except UnicodeError:
        return None
    address = f"{match[0][: match.start('domain')]}{domain}"
    return address if _DOMAIN.fullmatch(domain) and len(address) <= MAX_ADDRESS_CHARS else None


def is_plain_address(text: str) -> bool:
    """Return whether a text is an address that `plain_address` returns unchanged."""
    return plain_address(text) == text
