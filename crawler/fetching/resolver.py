"""Name resolution that gives out no address that must not be fetched.

What is checked is what is connected to: a name that turns to a private address between check and connection
(DNS rebinding) finds no address here. Names and types are those of twisted.internet.interfaces, which mypy cannot read.
"""

from collections import OrderedDict
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any

from twisted.internet.interfaces import IHostnameResolver, IResolutionReceiver
from zope.interface import implementer

from core.captures import NameAnswer
from core.errors import UnsafeUrl
from crawler.fetching.addresses import AddressGuard

ALLOWED_SETTING = "ZHUIWEN_ALLOW_PRIVATE_HOSTS"
MAX_ANSWERS = 1_000  # names whose last answer is remembered; one crawl asks for a handful


@implementer(IHostnameResolver)
class GuardedResolver:
    """The reactor's resolver with the refused addresses left out; for Scrapy's TWISTED_DNS_RESOLVER."""

    def __init__(self, reactor: Any, guard: AddressGuard) -> None:
        self._reactor, self._guard = reactor, guard
        self._inner: Any = reactor.nameResolver
        self._answers: OrderedDict[str, NameAnswer] = OrderedDict()

    @classmethod
    def from_crawler(cls, crawler: Any, reactor: Any) -> "GuardedResolver":
        return cls(reactor, AddressGuard(crawler.settings.getlist(ALLOWED_SETTING)))

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
        sieve = _Sieve(resolutionReceiver, self._guard, hostName, portNumber, self._note)
        return self._inner.resolveHostName(sieve, hostName, portNumber, addressTypes, transportSemantics)

    def answer_for(self, host: str) -> NameAnswer | None:
        """What a name was last answered with; None where it was not asked for."""
        return self._answers.get(host)

    def _note(self, answer: NameAnswer) -> None:
        self._answers[answer.name] = answer
        self._answers.move_to_end(answer.name)
        if len(self._answers) > MAX_ANSWERS:
            self._answers.popitem(last=False)


@implementer(IResolutionReceiver)
class _Sieve:
    """Passes on what the guard lets through, and notes it."""

    def __init__(
        self, receiver: Any, guard: AddressGuard, host: str, port: int, note: Callable[[NameAnswer], None]
    ) -> None:
        self._receiver, self._guard, self._host, self._port = receiver, guard, host, port
        self._note, self._passed, self._asked_at = note, list[str](), datetime.now(UTC)

    def resolutionBegan(self, resolutionInProgress: Any) -> None:  # noqa: N802, N803
        self._receiver.resolutionBegan(resolutionInProgress)

    def addressResolved(self, address: Any) -> None:  # noqa: N802
        try:
            self._guard.check_address(self._host, self._host, self._port, str(getattr(address, "host", "")))
        except (UnsafeUrl, ValueError):
            return
        self._passed.append(str(address.host))
        self._receiver.addressResolved(address)

    def resolutionComplete(self) -> None:  # noqa: N802
        self._note(NameAnswer(self._host, tuple(self._passed), self._asked_at))
        self._receiver.resolutionComplete()
