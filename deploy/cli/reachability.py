"""Whether the crawler would fetch an address, asked when it is typed instead of by a crawl at night."""

from urllib.parse import urlsplit

from core.hosts import DEFAULT_PORTS, host_key
from core.settings import CrawlSettings
from core.wording import Message
from crawler.fetching.addresses import AddressGuard
from crawler.fetching.names import Names
from deploy.cli.faults import warn


def require_reachable(url: str, settings: CrawlSettings) -> None:
    """Raises UnsafeUrl for what a crawl would refuse; a name that nobody knows just now is only warned about.

    What is no address of a web site at all is let through: whoever stores it says what is wrong with it.
    """
    try:
        if urlsplit(url).scheme.lower() not in DEFAULT_PORTS:
            return
        host, port = host_key(url)
    except ValueError:
        return
    guard = AddressGuard(settings.allow_private_hosts)
    guard.check_url(url)
    if addresses := _addresses(host, port, settings):
        guard.allowed(url, host, port, addresses)


def _addresses(host: str, port: int, settings: CrawlSettings) -> list[str]:
    try:
        return Names(settings.name_servers).addresses(host, port)
    except (OSError, UnicodeError):
        warn(Message("cli.host-unknown", host=host))
        return []
