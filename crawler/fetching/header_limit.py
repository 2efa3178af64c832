"""A limit on the size of an answer's headers, which Twisted does not have."""

import re
from typing import Any

from scrapy.crawler import Crawler
from twisted.python.failure import Failure

from crawler.fetching.capture import CapturingHandler

# Chosen, not measured: Chromium takes 256 KiB, Node 16; Twisted 16 KiB a line, and any number of lines.
MAX_HEADER_BYTES = 65_536
_END = re.compile(rb"\r?\n\r?\n")


class HeadersTooLarge(Exception):
    """An answer whose headers do not end."""


class BoundedHandler(CapturingHandler):
    """For DOWNLOAD_HANDLERS: the crawl's own handler with the limit."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._pool._factory = limit_headers(self._pool._factory)


def limit_headers(factory: Any) -> Any:
    """Return a factory of connections that give up an answer whose headers exceed the limit."""

    class Limited(factory):  # type: ignore[misc]
        def buildProtocol(self, addr: Any) -> Any:  # noqa: N802, the interface's name
            protocol = super().buildProtocol(addr)
            protocol.dataReceived = _Gate(protocol).receive
            return protocol

    return Limited


class _Gate:
    """Counts what comes before the body."""

    def __init__(self, protocol: Any) -> None:
        self._protocol, self._pass_on, self._head_bytes = protocol, protocol.dataReceived, 0

    def receive(self, data: bytes) -> None:
        parser: Any = getattr(self._protocol, "_parser", None)
        if parser is None or parser.state not in ("STATUS", "HEADER"):
            self._head_bytes = 0
        else:
            end = _END.search(data)
            self._head_bytes += end.start() if end else len(data)
        if self._head_bytes > MAX_HEADER_BYTES:
            self._protocol._giveUp(Failure(HeadersTooLarge()))  # type: ignore[no-untyped-call]
        else:
            self._pass_on(data)
