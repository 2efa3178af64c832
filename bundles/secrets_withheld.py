"""Removes secrets from evidence that a reader of an export could use: logins, sessions and proxy passwords."""

import re
from collections.abc import Iterable
from urllib.parse import quote, urlsplit, urlunsplit

REQUEST_HEADERS = frozenset({"authorization", "cookie", "cookie2", "proxy-authorization", "x-api-key"})
RESPONSE_HEADERS = frozenset({"set-cookie", "set-cookie2"})
WITHHELD = "withheld"

Headers = tuple[tuple[str, str], ...]

MAX_HEADS_BYTES = 2**20  # for the two heads of a record
_STARRED = re.compile(
    rb"^((?:proxy-)?authorization|(?:set-)?cookie2?)[ \t]*:[ \t]*(?:[^=;\r\n]*=)?\*+(?:;[^\r\n]*)?\r?$",
    re.IGNORECASE | re.MULTILINE,
)
_CONTROL = re.compile(r"[\x00-\x20\x7f]+")


def withheld(headers: Iterable[tuple[str, str]], names: frozenset[str]) -> tuple[Headers, tuple[str, ...]]:
    """Replace the values of the headers in `names`; return all headers, and the names of those replaced."""
    kept = tuple((name, WITHHELD if name.lower() in names else value) for name, value in headers)
    return kept, tuple(name for name, _ in kept if name.lower() in names)


def starred_headers(record: bytes) -> list[str]:
    r"""Return the names of the headers in a record whose values were replaced by asterisks.

    >>> http = b"GET / HTTP/1.1\r\nCookie: ****\r\nSet-Cookie: a=**; Path=/\r\n\r\nCookie: *"
    >>> starred_headers(b"WARC/1.0\r\nWARC-Type: request\r\n\r\n" + http)
    ['Cookie', 'Set-Cookie']
    """
    heads = record[:MAX_HEADS_BYTES].split(b"\r\n\r\n", 2)[:2]
    return [found[1].decode("latin-1") for head in heads for found in _STARRED.finditer(head)]


def public_url(url: str) -> str:
    """Return `url` in ASCII, without user name, password, control characters and fragment.

    >>> public_url("https://me:pw@book.example/书?a=1#x")
    'https://book.example/%E4%B9%A6?a=1'
    """
    try:
        parts = urlsplit(_CONTROL.sub("", url))
    except ValueError:
        return quote(_CONTROL.sub("", url).rpartition("@")[2], safe=":/?&=%")
    host = parts.netloc.rpartition("@")[2]
    if not host.isascii():
        host = _ascii_host(host)
    path, query = quote(parts.path, safe="/%:@!$&'()*+,;=~"), quote(parts.query, safe="/%:@!$&'()*+,;=?~")
    return urlunsplit((parts.scheme, host, path, query, ""))


def _ascii_host(host: str) -> str:
    try:
        return host.encode("idna").decode("ascii")
    except UnicodeError:
        return quote(host, safe=":")
