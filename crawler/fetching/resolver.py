"""Resolves the names of a crawl, without addresses that must not be fetched.

Connections are made to the addresses that were checked. So a name cannot change to a private address between check and
connection (DNS rebinding). Names and types are those of twisted.internet.interfaces, which mypy cannot read.
"""

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from twisted.internet._resolver import GAIResolver
from twisted.internet.interfaces import IHostnameResolver, IResolutionReceiver
from zope.interface import implementer

from core.captures import NameAnswer
from core.errors import UnsafeUrl
from core.hosts import host_key
from core.wording import Message
from crawler.fetching.addresses import AddressGuard
from crawler.fetching.names import NameResolver, make_resolver
from crawler.fetching.reactor import running_reactor

# Called with an answer and, if an address in it was refused, the reason.
Note = Callable[[NameAnswer, Message | None], None]
ALLOWED_SETTING = "ZHUIWEN_ALLOW_PRIVATE_HOSTS"
MAX_ANSWERS = 1_000  # names whose last answer is stored; a crawl looks up a handful


@implementer(IHostnameResolver)
class GuardedResolver:
    """Looks up names and removes the addresses that must not be fetched. For Scrapy's setting TWISTED_DNS_RESOLVER."""

    def __init__(self, reactor: Any, guard: AddressGuard, names: NameResolver) -> None:
        self._reactor, self._guard, self._named = reactor, guard, names.resolver
        look_up: Any = names.places
        self._inner: Any = GAIResolver(reactor, None, look_up)
        # By name, with the reason of a refusal.
        self._answers: OrderedDict[str, tuple[NameAnswer, Message | None]] = OrderedDict()

    @classmethod
    def from_crawler(cls, crawler: Any, reactor: Any) -> "GuardedResolver":
        return cls(reactor, AddressGuard(crawler.settings.getlist(ALLOWED_SETTING)), make_resolver(crawler.settings))

    def install_on_reactor(self) -> None:
        self._reactor.installNameResolver(self)

    def resolveHostName(  # noqa: N802, the interface's name
        self,
        resolutionReceiver: Any,  # noqa: N803
        hostName: str,  # noqa: N803
        portNumber: int = 0,  # noqa: N803
        addressTypes: Sequence[Any] | None = None,  # noqa: N803
        transportSemantics: str = "TCP",  # noqa: N803
    ) -> Any:
        name_filter = _NameFilter(resolutionReceiver, self._guard, _ascii_name(hostName), portNumber, self._note_answer)
        return self._inner.resolveHostName(name_filter, hostName, portNumber, addressTypes, transportSemantics)

    def last_answer(self, host: str) -> NameAnswer | None:
        """Return the last answer for a host name, or None if the name was not looked up."""
        return self._answers[host][0] if host in self._answers else None

    def last_refusal(self, host: str) -> Message | None:
        """Return why all addresses in the last answer for a host name were refused, or None if they were not."""
        answer, refusal = self._answers.get(host, (None, None))
        return None if answer is None or answer.addresses else refusal

    def _note_answer(self, answer: NameAnswer, refusal: Message | None) -> None:
        self._answers[answer.name] = replace(answer, resolver=self._named), refusal
        self._answers.move_to_end(answer.name)
        if len(self._answers) > MAX_ANSWERS:
            self._answers.popitem(last=False)


@implementer(IResolutionReceiver)
class _NameFilter:
    """Forwards the addresses that the guard allows to Twisted's receiver, and records the answer."""

    def __init__(
        self,
        receiver: Any,
        guard: AddressGuard,
        host: str,
        port: int,
        note: Note,
    ) -> None:
        self._receiver, self._guard, self._host, self._port = receiver, guard, host, port
        self._refusal: Message | None = None
        self._note_answer, self._passed, self._asked_at = note, list[str](), datetime.now(UTC)

    def resolutionBegan(self, resolutionInProgress: Any) -> None:  # noqa: N802, N803
        self._receiver.resolutionBegan(resolutionInProgress)

    def addressResolved(self, address: Any) -> None:  # noqa: N802
        try:
            self._guard.check_address(self._host, self._host, self._port, str(getattr(address, "host", "")))
        except UnsafeUrl as fault:
            self._refusal = fault.reason
            return
        except ValueError:
            return
        self._passed.append(str(address.host))
        self._receiver.addressResolved(address)

    def resolutionComplete(self) -> None:  # noqa: N802
        self._note_answer(NameAnswer(self._host, tuple(self._passed), self._asked_at), self._refusal)
        self._receiver.resolutionComplete()


def connection_refusal(url: str) -> Message | None:
    """Return why the crawl last refused to connect to the host of a URL, or None if it did not refuse."""
    reactor = running_reactor()
    resolver = reactor.nameResolver
    return resolver.last_refusal(host_key(url)[0]) if isinstance(resolver, GuardedResolver) else None


def _ascii_name(host: str) -> str:
    """Return a host name in the spelling of `host_key`. Twisted's endpoints use Unicode names."""
    try:
        return host_key(f"http://{f'[{host}]' if ':' in host else host}/")[0]
    except ValueError:
        return host
