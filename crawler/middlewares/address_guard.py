"""The middleware that checks addresses before all other middlewares."""

import asyncio
from typing import Any

from scrapy import Request
from scrapy.exceptions import CannotResolveHostError

from core.errors import UnsafeUrl
from core.hosts import host_key
from core.states import Rejection
from crawler.fetching.addresses import AddressGuard
from crawler.fetching.names import NameResolver, make_resolver
from crawler.fetching.resolver import ALLOWED_SETTING, connection_refusal
from crawler.politeness.refusals import RequestRefused


class AddressMiddleware:
    """Refuses requests to addresses that must not be fetched: start URLs, links, robots.txt, and every redirect.

    It provides the reason for the operator. crawler.fetching.resolver enforces the rule when a connection is made.
    """

    def __init__(self, guard: AddressGuard, names: NameResolver) -> None:
        self._guard, self._names = guard, names
        self._refused: dict[tuple[str, int], UnsafeUrl | None] = {}

    @classmethod
    def from_crawler(cls, crawler: Any) -> "AddressMiddleware":
        return cls(AddressGuard(crawler.settings.getlist(ALLOWED_SETTING)), make_resolver(crawler.settings))

    async def process_request(self, request: Request) -> None:
        try:
            self._guard.check_url(request.url)
        except UnsafeUrl as fault:
            raise RequestRefused(Rejection.UNSAFE_ADDRESS, fault.message) from fault
        key = host_key(request.url)
        if key not in self._refused:
            self._refused[key] = await self._host_refusal(request.url, *key)
        refused = self._refused[key]
        if refused is not None:
            raise RequestRefused(Rejection.UNSAFE_ADDRESS, "core.not-fetched", url=request.url, reason=refused.reason)

    def process_exception(self, request: Request, exception: Exception) -> None:
        """Raise RequestRefused if a host had an allowed address at its first look-up but has none any longer."""
        if not isinstance(exception, CannotResolveHostError):
            return
        reason = connection_refusal(request.url)
        if reason:
            raise RequestRefused(Rejection.UNSAFE_ADDRESS, "core.not-fetched", url=request.url, reason=reason)

    async def _host_refusal(self, url: str, host: str, port: int) -> UnsafeUrl | None:
        """Return why no address of a host may be fetched, or None if one may be fetched or the host has no address."""
        try:
            found = await asyncio.to_thread(self._names.addresses, host, port)
        except (OSError, UnicodeError):
            return None
        try:
            self._guard.allowed_addresses(url, host, port, found)
        except UnsafeUrl as fault:
            return fault if found else None
        return None
