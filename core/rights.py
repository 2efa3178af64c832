"""Who may publish what where: the ruling that comes before any case."""

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from datetime import date

from core.hosts import host_key, parse_host
from core.states import Rejection


@dataclass(frozen=True, slots=True)
class Permission:
    """That a domain may publish a work, from a day until a day (both included; None: no end)."""

    domain: str
    valid_from: date
    valid_until: date | None
    label: str  # how the licence is named to a reader
    key: Hashable = None  # which licence it is, to who keeps them


@dataclass(frozen=True, slots=True)
class Ruling:
    """What the rights say of a work on a page. `rejection` is None where nobody allowed it.

    detail: the own domain, or the licence's label; permission: the licence that allows it.
    """

    rejection: Rejection | None
    detail: str = ""
    permission: Permission | None = None


def rule(url: str, on: date, own_domains: Iterable[str], permissions: Iterable[Permission]) -> Ruling:
    """Whether the page at `url` may carry the work, seen there on the day `on`.

    >>> rule("https://m.own.cn/a", date(2026, 1, 1), ["own.cn"], []).rejection
    <Rejection.OWN_SITE: 'own_site'>
    """
    for domain in own_domains:
        if is_within(url, domain):
            return Ruling(Rejection.OWN_SITE, domain)
    for permission in permissions:
        is_valid = permission.valid_from <= on and (permission.valid_until is None or on <= permission.valid_until)
        if is_valid and is_within(url, permission.domain):
            return Ruling(Rejection.LICENSED, permission.label, permission)
    return Ruling(None)


def is_within(url: str, domain: str) -> bool:
    """Whether `url` is on `domain` or a subdomain of it; a domain with a port means that port alone.

    Both as they were written: `www.`, capitals and the script of a name make no difference (core.hosts).

    >>> is_within("https://evil-own.cn/", "own.cn"), is_within("http://127.0.0.1:81/", "127.0.0.1:80")
    (False, False)
    """
    try:
        return parse_host(domain).holds(*host_key(url))
    except ValueError:
        return False
