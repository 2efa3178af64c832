"""Rules on the right to publish a work on a page, applied before a case is opened."""

import unicodedata
from collections.abc import Collection, Hashable, Iterable
from dataclasses import dataclass
from datetime import date
from urllib.parse import parse_qsl, unquote, urlsplit

from core.chapters import Chapters
from core.hosts import host_key, parse_host
from core.states import Rejection


@dataclass(frozen=True, slots=True)
class Permission:
    """A licence for a domain to publish a work or chapters of it.

    Both days are included; `valid_until` None means no end.

    address: the page of the domain that is licensed, with the pages below it; "" if all pages are licensed.
    """

    domain: str
    valid_from: date
    valid_until: date | None
    label: str  # the name of the licence for readers
    key: Hashable = None  # identifies the licence for the caller
    chapters: Chapters = Chapters()  # noqa: RUF009 - frozen
    address: str = ""

    def covers(self, url: str) -> bool:
        """Return whether the permission covers the page at `url`, which must be canonical if `address` is set.

        >>> one = Permission("shu.cn", date(2026, 1, 1), None, "", address="https://shu.cn/read?id=1")
        >>> [one.covers(f"http://www.shu.cn/read?id={number}") for number in (1, 2)]
        [True, False]
        """
        return is_on_domain(url, self.domain) and (not self.address or is_page_or_below(url, self.address))


@dataclass(frozen=True, slots=True)
class Ruling:
    """The ruling on a work on a page. rejection: why the page may publish the work, or None if nothing allows it.

    detail: the own domain, or the label of the licence. permission: the licence that allows the work, or that would
    allow it if it covered the chapters `outside`.
    """

    rejection: Rejection | None
    detail: str = ""
    permission: Permission | None = None
    outside: tuple[int, ...] = ()


def rule(
    url: str,
    on: date,
    own_domains: Iterable[str],
    permissions: Iterable[Permission],
    copied: Collection[Collection[int]] = (),
) -> Ruling:
    """Return the ruling on whether the page at `url` may publish a work that was seen on it on the day `on`.

    copied: the chapter numbers of each copied text; if it is empty, a licence for some chapters allows nothing.

    >>> rule("https://m.own.cn/a", date(2026, 1, 1), ["own.cn"], []).rejection
    <Rejection.OWN_SITE: 'own_site'>
    """
    for domain in own_domains:
        if is_on_domain(url, domain):
            return Ruling(Rejection.OWN_SITE, domain)
    nearly_licensed = None
    for permission in permissions:
        is_valid = permission.valid_from <= on and (permission.valid_until is None or on <= permission.valid_until)
        if is_valid and permission.covers(url):
            outside = tuple(permission.chapters.outside(copied))
            if not permission.chapters or (copied and not outside):
                return Ruling(Rejection.LICENSED, permission.label, permission)
            nearly_licensed = nearly_licensed or Ruling(None, permission=permission, outside=outside)
    return nearly_licensed or Ruling(None)


def is_on_domain(url: str, domain: str) -> bool:
    """Return whether `url` is on `domain` or a subdomain of it. If `domain` has a port, the ports must be equal.

    `www.`, case and the script of a name make no difference (core.hosts).

    >>> is_on_domain("https://evil-own.cn/", "own.cn"), is_on_domain("http://127.0.0.1:81/", "127.0.0.1:80")
    (False, False)
    """
    try:
        return parse_host(domain).holds(*host_key(url))
    except ValueError:
        return False


@dataclass(frozen=True, slots=True)
class PlatformAccount:
    """An account on a platform: the pages below its URL, or the pages on a host that name it as their author."""

    address: str = ""
    host: str = ""
    name: str = ""

    def has_posted(self, url: str, author: str) -> bool:
        """Return whether this account posted the page at `url`, which names `author`.

        >>> own = PlatformAccount(address="https://www.zhihu.com/people/mouren")
        >>> [own.has_posted(f"https://zhihu.com/people/{path}", "") for path in ("mouren/posts", "mouren2")]
        [True, False]
        >>> PlatformAccount(host="zhihu.com", name="某某").has_posted("https://zhuanlan.zhihu.com/p/1", "@某某")
        True
        """
        if self.address:
            return is_below(url, self.address)
        return bool(self.name) and account_key(author) == account_key(self.name) and is_on_domain(url, self.host)


def account_key(name: str) -> str:
    """Return the key for comparing account names: without width, case, blanks and a leading @."""
    return "".join(unicodedata.normalize("NFKC", name).casefold().split()).removeprefix("@")


def is_below(url: str, address: str) -> bool:
    """Return whether `url` is the page at `address` or below it, on the same host.

    `url` must contain the query of `address`, if there is one.

    >>> is_below("https://bbs.example/space?do=blog&uid=7", "https://bbs.example/space?uid=7")
    True
    """
    try:
        same_host = parse_host(address).equals(*host_key(url))
        page, licensed = urlsplit(url), urlsplit(address)
    except ValueError:
        return False
    path, base_path = unquote(page.path), unquote(licensed.path).rstrip("/")
    if not same_host or ".." in path.split("/"):
        return False
    if licensed.query:
        return path.rstrip("/") == base_path and _parse_query(licensed.query) <= _parse_query(page.query)
    return path == base_path or path.startswith(f"{base_path}/")


def is_page_or_below(url: str, address: str) -> bool:
    """Return whether `url` is the page at `address`, or has a path below it. A different query makes a different page.

    Both URLs must be canonical: a fragment in them is a path that a script reads.

    >>> [is_page_or_below(f"https://shu.cn/{rest}", "http://shu.cn/read") for rest in ("read/", "read/2", "read?id=2")]
    [True, True, False]
    >>> is_page_or_below("https://shu.cn/#/read/2", "https://shu.cn/#/read/1")
    False
    """
    if not is_below(url, address):
        return False
    page, licensed = urlsplit(url), urlsplit(address)
    if unquote(page.path).rstrip("/") != unquote(licensed.path).rstrip("/"):
        return not licensed.fragment
    return (_parse_query(page.query), page.fragment) == (_parse_query(licensed.query), licensed.fragment)


def is_whole_site(address: str) -> bool:
    """Return whether a URL names a whole host, not one of its pages.

    >>> [is_whole_site(f"https://shu.cn{rest}") for rest in ("", "/", "/read", "/?id=1", "/#/read/1")]
    [True, True, False, False, False]
    """
    parts = urlsplit(address)
    return parts.path in {"", "/"} and not parts.query and not parts.fragment


def _parse_query(query: str) -> set[tuple[str, str]]:
    return set(parse_qsl(query, keep_blank_values=True))  # ?7 is a query too
