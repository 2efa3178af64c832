"""Withholds cookies and credentials in the stored heads of requests and responses."""

import re

from core.captures import WITHHELD

# The names and values of cookies and credentials in a head.
_SECRET = re.compile(
    rb"^((?:cookie|authorization|proxy-authorization)[ \t]*:[ \t]*)([^\r\n]*)"
    rb"|^(set-cookie2?[ \t]*:[ \t]*[^=;\r\n]*=)([^;\r\n]*)",
    re.IGNORECASE | re.MULTILINE,
)


def without_secrets(head: bytes) -> bytes:
    r"""Return a head in which the values of cookies and credentials are withheld. Everything else is unchanged.

    >>> without_secrets(b"GET / HTTP/1.1\r\nCookie: a=1\r\nX: b\r\n\r\n")
    b'GET / HTTP/1.1\r\nCookie: [withheld]\r\nX: b\r\n\r\n'
    >>> without_secrets(b"HTTP/1.1 200 OK\r\nSet-Cookie: id=7; Path=/\r\n\r\n")
    b'HTTP/1.1 200 OK\r\nSet-Cookie: id=[withheld]; Path=/\r\n\r\n'
    """
    return _SECRET.sub(lambda found: (found[1] or found[3]) + WITHHELD.encode(), head)


def with_secrets_starred(head: bytes) -> bytes:
    r"""Return a head in which asterisks replace the values of cookies and credentials. The length is unchanged.

    >>> with_secrets_starred(b"GET / HTTP/1.1\r\nCookie: a=1\r\n\r\n")
    b'GET / HTTP/1.1\r\nCookie: ***\r\n\r\n'
    """
    return _SECRET.sub(lambda found: (found[1] or found[3]) + b"*" * len(found[2] or found[4] or b""), head)
