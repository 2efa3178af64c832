"""Whether the crawler would fetch an address, asked when it is typed instead of by a crawl at night."""

from urllib.parse import urlsplit

from core.errors import UnsafeUrl
from core.hosts import DEFAULT_PORTS, host_key
from core.settings import CrawlSettings
from crawler.fetching.addresses import AddressGuard
from crawler.fetching.names import Names
from deploy.cli.faults import complain


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
    addresses = _addresses(host, port, settings)
    faults = [fault for address in addresses if (fault := _refusal(guard, url, host, port, address))]
    if faults and len(faults) == len(addresses):  # a crawl takes those that are left
        raise faults[0]


def _refusal(guard: AddressGuard, url: str, host: str, port: int, address: str) -> UnsafeUrl | None:
    try:
        guard.check_address(url, host, port, address)
    except UnsafeUrl as fault:
        return fault
    return None


def _addresses(host: str, port: int, settings: CrawlSettings) -> list[str]:
    try:
        return Names(settings.name_servers).addresses(host, port)
    except (OSError, UnicodeError):
        complain(f"warning: the host {host} is not known just now; look at its spelling, or a crawl will find nothing")
        return []
