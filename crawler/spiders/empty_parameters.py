"""Finds URL parameters without effect, such as session ids, by requesting a page without them.

A page whose text is the same without a parameter is identified by the URL without it. A parameter with two values that
made no difference, on pages with different texts, is dropped from all links; if a value made a difference, it is kept.
"""

import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from urllib.parse import parse_qsl, urlsplit

from core.pages import Reading
from crawler.links import Links
from crawler.repeated_texts import is_identifying, remove_parameters
from crawler.urls import canonical

MAX_PROBES = 12  # requests of one crawl, in addition to its pages
MAX_NAMES_OF_PAGE = 2
VALUES_THAT_DECIDE = 2
MIN_LINES_IN_COMMON = 0.9  # a counter of readers is one line of a text
_TOKEN = re.compile(r"^(?=.*\d)[\w.-]{8,}$", re.ASCII)

FetchText = Callable[[str], Awaitable[str | None]]


class EmptyParameters:
    """The parameters of one crawl. fetch_text: returns the text at a URL, or None if there is none; it never raises.

    on_empty: called with each parameter that is dropped from all further links, and a URL that had it.
    """

    def __init__(self, fetch_text: FetchText, on_empty: Callable[[str, str], None] = lambda name, url: None) -> None:
        self._fetch_text, self._on_empty = fetch_text, on_empty
        self._empty: set[str] = set()
        self._identifying: set[str] = set()
        self._values: dict[str, set[str]] = {}
        self._probes = 0

    async def bare(self, url: str, reading: Reading) -> tuple[str, frozenset[str]]:
        """Return the URL that identifies a page, and the parameters of its URL that have no effect."""
        dropped: set[str] = set()
        for name, value in parse_qsl(urlsplit(url).query):
            if name in self._empty:
                dropped.add(name)
                continue
            is_open = name not in self._identifying and not is_identifying(name)
            if not is_open or len(dropped) >= MAX_NAMES_OF_PAGE or self._probes >= MAX_PROBES:
                continue
            if canonical(remove_parameters(url, {name})) == canonical(url):
                continue
            self._probes += 1
            text = await self._fetch_text(remove_parameters(url, {*dropped, name}))
            if text is None or not _is_same(text, reading.text):
                self._identifying.add(name)
                self._empty.discard(name)
                continue
            dropped.add(name)
            self._values.setdefault(name, set()).add(value)
            if len(self._values[name]) >= VALUES_THAT_DECIDE and name not in self._identifying:
                self._empty.add(name)
                self._on_empty(name, url)
        return remove_parameters(url, dropped), frozenset(dropped)

    def clean_links(self, links: Links, of_page: frozenset[str]) -> Links:
        """Drop empty parameters from links. of_page: those of the page's own URL, whose tokens are dropped, too."""
        if not self._empty and not of_page:
            return links

        def clean(addresses: Sequence[str]) -> tuple[str, ...]:
            return tuple(dict.fromkeys(self._clean_url(address, of_page) for address in addresses))

        return replace(
            links,
            next_pages=clean(links.next_pages),
            chapters=clean(links.chapters),
            others=clean(links.others),
        )

    def _clean_url(self, url: str, of_page: frozenset[str]) -> str:
        if "?" not in url:
            return url
        query = parse_qsl(urlsplit(url).query)
        tokens = {name for name, value in query if name in of_page and _TOKEN.match(value)}
        return remove_parameters(url, (self._empty | tokens) - self._identifying)


def _is_same(text: str, other: str) -> bool:
    ours, theirs = set(text.split("\n")), set(other.split("\n"))
    return text == other or len(ours & theirs) >= MIN_LINES_IN_COMMON * max(len(ours), len(theirs))
