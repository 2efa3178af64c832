"""One page from the web, for `check`, `read` and discovery: through the address guard, with limits of time and size.

robots.txt is not consulted here: a person names one page.
"""

from dataclasses import dataclass

from core.errors import BadInput, RetryLater
from core.settings import CrawlSettings
from crawler.fetching.addresses import AddressGuard
from crawler.fetching.exchange import FetchLimits, HttpRequest, exchange
from crawler.fetching.names import NameResolver

PAGES = "text/html, text/plain;q=0.9, */*;q=0.1"  # of the header Accept
MAX_REDIRECTS = 5


@dataclass(frozen=True, slots=True)
class FetchedPage:
    """A response with status 200: where it came from after redirects, its headers, its body."""

    url: str
    headers: dict[str, str]
    body: bytes


class NoPage(BadInput):
    """An answer with another status than 200: there is no page."""

    def __init__(self, url: str, status: int) -> None:
        self.url, self.status = url, status
        super().__init__("fetch.no-page", url=url, status=status)


def fetch(url: str, settings: CrawlSettings, accept: str = PAGES) -> FetchedPage:
    """Fetch the page at `url`. Raises UnsafeUrl, NoPage, another BadInput, or RetryLater where nothing answers."""
    ask = HttpRequest(url.strip(), {"User-Agent": settings.user_agent, "Accept": accept})
    bounds = FetchLimits(settings.timeout_s, settings.max_body_bytes, MAX_REDIRECTS, "ZHUIWEN_MAX_BODY_BYTES")
    answer = exchange(ask, bounds, AddressGuard(settings.allow_private_hosts), NameResolver(settings.name_servers))
    _require_found(answer.url, answer.status)
    return FetchedPage(answer.url, answer.headers, answer.body)


def _require_found(url: str, status: int) -> None:
    if status >= 500 or status == 429:
        raise RetryLater("fetch.error-status", url=url, status=status)
    if status != 200:
        raise NoPage(url, status)
