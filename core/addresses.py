"""Checks that an IP address is public, so that a foreign URL cannot make the crawler connect to an internal host."""

from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

from core.wording import Message

_METADATA = frozenset({"169.254.169.254", "fd00:ec2::254", "100.100.100.200", "192.0.0.192"})
# IPv6 ranges that embed an IPv4 address: the embedded address decides (RFC 6052, 3056).
_NAT64, _SIX_TO_FOUR = ip_network("64:ff9b::/96"), ip_network("2002::/16")
# The first half of the interface identifier of an IPv6 address that embeds an IPv4 address (ISATAP, RFC 5214).
_ISATAP = (0x0000_5EFE, 0x0200_5EFE)
_GLOBAL_UNICAST = ip_network("2000::/3")  # everything that IANA assigns; the rest is reserved or local to a network
_NOT_GLOBAL = (ip_network("3fff::/20"), ip_network("2001:20::/28"))  # documentation, ORCHIDv2: no host responds there


def forbidden_kind(address: str) -> Message | None:
    """Return the kind of an IP address that must not be connected to, or None if the address is public.

    >>> str(forbidden_kind("10.0.0.1")), forbidden_kind("8.8.8.8"), str(forbidden_kind("::ffff:127.0.0.1"))
    ('a private address', None, 'a loopback address')
    """
    if address.partition("%")[0] in _METADATA:
        return Message("address.metadata")
    ip = _embedded_address(ip_address(address.partition("%")[0]))
    kinds: tuple[tuple[bool, Message], ...] = (
        (ip.is_loopback, Message("address.loopback")),
        (ip.is_unspecified, Message("address.unspecified")),
        (ip.is_link_local, Message("address.link-local")),
        (ip.is_multicast, Message("address.multicast")),
        (ip.is_private, Message("address.private")),
        (ip.is_reserved or not ip.is_global, Message("address.reserved")),
    )
    if str(ip) in _METADATA:
        return Message("address.metadata")
    if isinstance(ip, IPv6Address) and (ip not in _GLOBAL_UNICAST or any(ip in net for net in _NOT_GLOBAL)):
        kinds = (*kinds, (True, Message("address.reserved")))
    return next((kind for applies, kind in kinds if applies), None)


def _embedded_address(ip: IPv4Address | IPv6Address) -> IPv4Address | IPv6Address:
    """Return the IPv4 address that an IPv6 address embeds, or the address itself."""
    if isinstance(ip, IPv4Address):
        return ip
    if ip.ipv4_mapped:
        return ip.ipv4_mapped
    if ip in _NAT64:
        return IPv4Address(int(ip) & 0xFFFFFFFF)
    if ip in _SIX_TO_FOUR:
        return IPv4Address((int(ip) >> 80) & 0xFFFFFFFF)
    if (int(ip) >> 32) & 0xFFFFFFFF in _ISATAP:
        inner = IPv4Address(int(ip) & 0xFFFFFFFF)
        return ip if inner.is_global else inner
    return ip
