"""By which way each connection of a crawl went: core.circumstances.Way."""

from urllib.parse import urlsplit

from core.circumstances import Way
from crawler.fetching.hosts_file import HostsFile
from crawler.fetching.routes import gateway_to, interface_of


class Ways:
    """For one crawl process."""

    def __init__(self, hosts: HostsFile | None = None) -> None:
        self._hosts = hosts or HostsFile()

    def way(self, host: str, own: str, other: str, proxy: str = "") -> Way:
        """The way of a connection for the name `host`, between two addresses; a "" is one that is not known.

        proxy: the URL of the one that it goes through; its login is left out, and the hosts file is asked for its name.
        """
        place = without_login(proxy)
        interface = interface_of(own) if own else ""
        gateway = gateway_to(other, interface) if interface and other else ""
        named = urlsplit(place).hostname or "" if place else host
        return Way(own, interface, gateway, self._hosts.lines_for(named), place)


def without_login(proxy: str) -> str:
    """Scheme, host and port of a proxy's URL: nothing else of it enters evidence.

    >>> without_login("http://user:pw@proxy.example:8080/token?key=1")
    'http://proxy.example:8080'
    """
    parts = urlsplit(proxy)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}" if proxy else ""
