"""What a name resolves to is checked where it is connected to."""

from typing import Any

from twisted.internet.address import IPv4Address, IPv6Address

from crawler.fetching.addresses import AddressGuard
from crawler.fetching.resolver import GuardedResolver


class _Answers:
    """A reactor whose resolver gives one public address and some that a hostile name server slips in."""

    def __init__(self) -> None:
        self.nameResolver = self

    def resolveHostName(self, receiver: Any, host: str, port: int, types: Any, semantics: str) -> None:
        receiver.resolutionBegan(None)
        for address in ("8.8.8.8", "127.0.0.1", "10.0.0.1", "169.254.169.254"):
            receiver.addressResolved(IPv4Address("TCP", address, port))
        for address in ("2400:3200::1", "::1", "fd00:ec2::254", "::ffff:10.0.0.1"):
            receiver.addressResolved(IPv6Address("TCP", address, port))
        receiver.resolutionComplete()


class _Receiver:
    def __init__(self) -> None:
        self.hosts: list[str] = []
        self.is_complete = False

    def resolutionBegan(self, resolution: object) -> None:
        return

    def addressResolved(self, address: Any) -> None:
        self.hosts.append(address.host)

    def resolutionComplete(self) -> None:
        self.is_complete = True


def _resolved(host: str, port: int, *allowed: str) -> list[str]:
    receiver = _Receiver()
    GuardedResolver(_Answers(), AddressGuard(allowed)).resolveHostName(receiver, host, port)
    assert receiver.is_complete
    return receiver.hosts


def test_private_addresses_of_a_public_name_are_never_given_out() -> None:
    assert _resolved("rebinding.example", 80) == ["8.8.8.8", "2400:3200::1"]


def test_those_of_a_host_and_port_that_the_operator_allows_are() -> None:
    assert len(_resolved("intranet.example", 8080, "intranet.example:8080")) == 8
    assert len(_resolved("intranet.example", 80, "intranet.example:8080")) == 2
