"""Looks up the hosts of a site in the registries: in RDAP first, and then in whois."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from urllib.parse import quote

from core.addresses import forbidden_kind
from core.contacts import Contact, ContactSource
from core.errors import BadInput, RetryLater, ZhuiwenError
from core.hosts import Host, host_key, parse_host
from core.settings import CrawlSettings, RegistrySettings
from core.wording import Message
from crawler.fetching.addresses import AddressGuard, literal_address
from crawler.fetching.names import NameResolver
from crawler.registries import rdap, whois
from crawler.site_identifiers import registrable

MAX_HOSTS = 5  # per site; each needs up to two queries for its name, and two for each of its addresses
MAX_ADDRESSES = 2  # per host: one of each address family, or two of one family
MAX_SECONDS = 120.0  # a worker's step has 300 s; the rest can be looked up later
OF_ADDRESSES = "ip"  # stands for addresses in place of a suffix, in the setting


@dataclass(frozen=True, slots=True)
class RegistryContact:
    """A contact that a registry states.

    where: the server that stated the contact, and the object to which the contact belongs
    """

    contact: Contact
    source: ContactSource
    where: str


@dataclass(slots=True)
class LookedUp:
    """The contacts that were found, and the errors during the look-up."""

    found: list[RegistryContact] = field(default_factory=list)
    faults: list[Message] = field(default_factory=list)


class Registries:
    """Looks up sites one by one. Queries the servers in the settings, and those to which these refer."""

    def __init__(self, settings: RegistrySettings, crawl: CrawlSettings) -> None:
        self._settings, self._agent = settings, crawl.user_agent
        self._names, self._end = NameResolver(crawl.name_servers), 0.0
        self._servers = [_parse_server(each) for each in settings.whois_servers]
        # Servers that the operator names may have private addresses. Servers that a response names may not.
        named = [str(place) for _, place in self._servers]
        named += [_url_place(settings.rdap_url)] if settings.rdap_url else []
        self._guard = AddressGuard((*crawl.allow_private_hosts, *named))

    def look_up(self, hosts: Sequence[str]) -> LookedUp:
        """Look up the domain names and addresses of hosts, which are spelt as in core.hosts.

        Return the contacts and errors. Raises BadInput if look-ups are switched off.
        """
        if not self._settings.is_enabled:
            raise BadInput("registry.off")
        self._end = time.monotonic() + MAX_SECONDS
        looked, names, addresses = LookedUp(), dict[str, None](), dict[str, None]()
        for host in list(dict.fromkeys(hosts))[:MAX_HOSTS]:
            place = parse_host(host)
            literal = literal_address(place.name)
            if literal is None:
                names[registrable(place.name)] = None
            addresses |= dict.fromkeys([str(literal)] if literal else self._host_addresses(place, looked))
        for name in names:
            self._query_servers(looked, name, rdap.registrar, whois.registrar, f"domain/{quote(name)}", name)
        for address in addresses:
            if forbidden_kind(address) is not None:
                looked.faults.append(Message("registry.private-address", address=address))
                continue
            self._query_servers(looked, address, rdap.host, whois.host, f"ip/{quote(address, safe=':')}", "")
        return looked

    def _host_addresses(self, place: Host, looked: LookedUp) -> list[str]:
        try:
            return self._names.addresses(place.name, place.port or 80)[:MAX_ADDRESSES]
        except (OSError, UnicodeError):
            looked.faults.append(Message("registry.no-address", host=place.name))
            return []

    def _query_servers(  # noqa: PLR0917 - one question in two protocols
        self,
        looked: LookedUp,
        about: str,
        of_rdap: Callable[[dict[str, object]], list[Contact]],
        of_whois: Callable[[str], list[Contact]],
        path: str,
        name: str,
    ) -> None:
        """Query the servers in turn until one of them has an entry. Errors are added to `looked`."""
        if time.monotonic() > self._end:
            looked.faults.append(Message("registry.over-time", about=about, seconds=MAX_SECONDS))
            return
        if self._settings.rdap_url:
            found = self._query_rdap(looked, path, of_rdap)
            if found:
                looked.found += found
                return
        for place in self._whois_servers(name):
            found = self._query_whois(looked, place, about, of_whois)
            if found:
                looked.found += found
                return
        looked.faults.append(Message("registry.unknown", about=about))

    def _query_rdap(
        self, looked: LookedUp, path: str, read: Callable[[dict[str, object]], list[Contact]]
    ) -> list[RegistryContact]:
        base = self._settings.rdap_url
        try:
            answer = rdap.ask(base, path, self._agent, self._guard, self._names)
        except (BadInput, RetryLater) as error:
            looked.faults.append(error.message)
            return []
        where = f"{base.rstrip('/')}/{path}"
        return [RegistryContact(each, ContactSource.RDAP, where) for each in (read(answer) if answer else ())]

    def _query_whois(
        self, looked: LookedUp, place: Host, about: str, read: Callable[[str], list[Contact]]
    ) -> list[RegistryContact]:
        try:
            text = whois.ask(place, about, self._guard, self._names)
        except ZhuiwenError as error:
            looked.faults.append(error.message)
            return []
        return [RegistryContact(each, ContactSource.WHOIS, f"{place} {about}") for each in read(text)]

    def _whois_servers(self, name: str) -> Iterator[Host]:
        """Yield the servers for the suffix of a name, then those for all names.

        name: "" for the servers for addresses.
        """
        for is_first in (True, False):
            for ending, place in self._servers:
                is_of = (name == "" if ending == OF_ADDRESSES else name.endswith(f".{ending}")) if ending else False
                if is_of if is_first else not ending:
                    yield place


def _parse_server(setting: str) -> tuple[str, Host]:
    ending, _, place = setting.rpartition("=")
    return ending, parse_host(place)


def _url_place(url: str) -> str:
    name, port = host_key(url)
    return str(Host(name, port))
