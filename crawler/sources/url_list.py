"""Reads a list of pages as people write it: one URL per line, with comments and empty lines."""

import re
from dataclasses import dataclass
from enum import StrEnum
from urllib.parse import urlsplit

from core.hosts import parse_host
from core.wording import Message
from crawler.urls import MAX_URL_CHARS

MAX_URLS = 50_000  # the limit of a sitemap
MAX_SHOWN_CHARS = 80
_COMMENT = re.compile(r"^\s*(?:#|;|//).*$|\s+#.*$")


class BadAddress(StrEnum):
    """The error in a line. The values are message codes of core.wording."""

    NO_SCHEME = "list.no-scheme"
    NO_HOST = "address.no-host"
    BLANKS = "list.blanks"
    TOO_LONG = "list.long-address"
    LOGIN = "list.login"
    TOO_MANY = "list.too-long"


@dataclass(frozen=True, slots=True)
class BadLine:
    """A line that is not a URL.

    number: the number of the line, from 1. text: the line, cut to 80 characters and without credentials
    """

    number: int
    text: str
    fault: BadAddress

    @property
    def message(self) -> Message:
        fault = Message(self.fault.value)
        return Message("list.line", number=self.number, text=self.text, fault=fault)


@dataclass(frozen=True, slots=True)
class UrlList:
    """The URLs in a list, each once and in order, and the lines that are not URLs."""

    urls: tuple[str, ...]
    bad: tuple[BadLine, ...]


def read_url_list(text: str) -> UrlList:
    r"""Parse a list of URLs. A comment begins with #, ; or // or, after a URL, with a blank and #.

    >>> found = read_url_list("# ours\nhttp://a.example/1#top\nwww.a.example/2")
    >>> found.urls, str(found.bad[0].message)
    (('http://a.example/1',), 'line 3: www.a.example/2: it does not begin with http:// or https://')
    """
    urls: dict[str, None] = {}
    bad: list[BadLine] = []
    for number, line in enumerate(text.lstrip("\ufeff").splitlines(), 1):
        address = _COMMENT.sub("", line).strip()
        if not address:
            continue
        fault = BadAddress.TOO_MANY if len(urls) >= MAX_URLS else _address_fault(address)
        if fault is None:
            urls[address.partition("#")[0]] = None
        else:
            bad.append(BadLine(number, _without_login(address), fault))
            if fault is BadAddress.TOO_MANY:
                break
    return UrlList(tuple(urls), tuple(bad))


def _address_fault(address: str) -> BadAddress | None:
    if len(address) > MAX_URL_CHARS:
        return BadAddress.TOO_LONG
    if not address.lower().startswith(("http://", "https://")):
        return BadAddress.NO_SCHEME
    if re.search(r"[\s\x00-\x20\x7f]", address):
        return BadAddress.BLANKS
    try:
        parts = urlsplit(address)
        parse_host(address)
    except ValueError:
        return BadAddress.NO_HOST
    if parts.username is not None or parts.password is not None:
        return BadAddress.LOGIN
    return None if parts.hostname else BadAddress.NO_HOST


def _without_login(address: str) -> str:
    bare = re.sub(r"(?<=://)[^/@\s]*@", "", address)
    return bare if len(bare) <= MAX_SHOWN_CHARS else f"{bare[:MAX_SHOWN_CHARS]}..."
