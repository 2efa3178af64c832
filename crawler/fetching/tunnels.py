"""Tunnels through proxies: the status of a refusal, which Scrapy gives only as text."""

from collections.abc import Hashable
from typing import Any

from scrapy.core.downloader.handlers.http11 import TunnelError
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IStreamClientEndpoint
from twisted.python.failure import Failure
from twisted.web.client import HTTPConnectionPool
from zope.interface import implementer

from crawler.fetching.wire import parse_status


class TunnelRefused(TunnelError):
    """A proxy that opens no tunnel. status: of its answer, 0 for an answer that is not HTTP."""

    def __init__(self, status: int) -> None:
        self.status = status
        super().__init__(f"the proxy opens no tunnel: status {status}")


class TunnelPool(HTTPConnectionPool):
    """A pool of connections that keeps with what status a proxy refused one."""

    def getConnection(self, key: Hashable, endpoint: Any) -> "Deferred[Any]":  # noqa: N802, Twisted's name
        asked: Any = _TunnelEndpoint(endpoint)
        return super().getConnection(key, asked)


@implementer(IStreamClientEndpoint)
class _TunnelEndpoint:
    """An endpoint that raises typed errors."""

    def __init__(self, endpoint: Any) -> None:
        self._endpoint = endpoint

    def connect(self, factory: Any) -> "Deferred[Any]":
        connection: Deferred[Any] = self._endpoint.connect(factory)
        return connection.addErrback(self._type_refusal)

    def _type_refusal(self, failure: Failure) -> Failure:
        if not isinstance(failure.value, TunnelError):
            return failure
        refused = TunnelRefused(parse_status(self._endpoint._connectBuffer))
        return Failure(refused)  # type: ignore[no-untyped-call]
