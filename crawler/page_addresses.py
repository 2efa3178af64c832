"""The addresses that a page means: absolute, without a fragment, and in the bytes that a browser would send."""

from urllib.parse import quote, urljoin, urlsplit

from lxml.html import HtmlElement

from crawler.urls import route_of

_UNICODE = frozenset({"utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "ascii", ""})


def absolute(href: str | None, base: str, encoding: str = "utf-8", *, keeps_routes: bool = False) -> str:
    """The address that a link of a page in `encoding` leads to, "" for those that lead to no page.

    As the URL standard has it, what is not ASCII in a query is sent in the page's own encoding, in a path in UTF-8.
    keeps_routes: a fragment that scripts read as a path stays.

    >>> absolute("/read?name=第1章", "http://a.example/", "gb18030")
    'http://a.example/read?name=%B5%DA1%D5%C2'
    """
    try:
        joined = urljoin(base, "".join((href or "").split()))
        address = joined.partition("#")[0]
        parts = urlsplit(address)
        is_page = bool(href) and parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        return ""
    return _with_query_in(encoding, address) + (route_of(joined) if keeps_routes else "") if is_page else ""


def base_of(tree: HtmlElement, url: str) -> str:
    """The address that relative ones of a page begin at."""
    stated = next((node.get("href") for node in tree.iter("base") if node.get("href")), "")
    return absolute(stated, url) or url


def _with_query_in(encoding: str, address: str) -> str:
    head, mark, query = address.partition("?")
    if query.isascii() or encoding in _UNICODE:
        return address
    sent = (char if char.isascii() else quote(char.encode(encoding, "xmlcharrefreplace"), safe="") for char in query)
    return head + mark + "".join(sent)
