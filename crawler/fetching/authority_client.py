"""The HTTP client for timestamp authorities and publishers of trusted lists. It implements `bundles.ports.Client`."""

from collections.abc import Mapping, Sequence
from urllib.parse import urlsplit

from core.errors import BadInput, RetryLater, UnsafeUrl
from core.hosts import DEFAULT_PORTS, Host
from core.wording import Message
from crawler.fetching.addresses import AddressGuard
from crawler.fetching.exchange import FetchLimits, HttpAnswer, HttpRequest, exchange
from crawler.fetching.names import NameResolver

USER_AGENT = "Zhuiwen"


class AuthorityClient:
    """Sends requests to authorities. allow_private: True if those that the operator names may have private addresses.

    This exception applies only to their host and port, not to private URLs in certificates. Redirects are not followed.
    """

    def __init__(self, *, allow_private: bool = False, name_servers: Sequence[str] = ()) -> None:
        self._allow_private, self._names = allow_private, NameResolver(name_servers)

    def ask(
        self,
        url: str,
        shown: str,
        named: str,
        *,
        timeout_s: float,
        max_bytes: int,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> HttpAnswer:
        ask = HttpRequest(url, {"User-Agent": USER_AGENT, **(headers or {})}, body, shown)
        guard = AddressGuard((_url_place(named),) if self._allow_private else ())
        try:
            return exchange(ask, FetchLimits(timeout_s, max_bytes), guard, self._names)
        except UnsafeUrl as error:
            raise RetryLater("fetch.authority-not-asked", shown=shown, reason=_without_remedy(error.reason)) from error
        except (BadInput, RetryLater) as error:
            raise OSError(str(error)) from error


def _url_place(url: str) -> str:
    parts = urlsplit(url)
    return str(Host(parts.hostname or "", parts.port or DEFAULT_PORTS.get(parts.scheme, 0)))


def _without_remedy(reason: Message) -> Message:
    """Return the reason without its remedy: the setting that allows hosts for crawls does not apply to authorities."""
    if reason.code != "address.not-public":
        return reason
    return Message("address.private-refused", address=reason.params["address"], kind=reason.params["kind"])
