"""Finds the requests of a page's scripts to its own site by their literal URLs, and fetches them as resources."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import accumulate, islice

from lxml import etree
from lxml.html import HtmlElement

from core.hosts import host_key
from crawler.characters.decoding import Decoded, decode
from crawler.characters.repertoire import count_han
from crawler.fetching.resources import MAX_COUNT, ResourceKind, Resources
from crawler.links import MAX_SCRIPT_CHARS, absolute_url, base_url, decode_literal
from crawler.urls import is_trap

# A page that scripts write has few links of its own and hardly any text. Other pages are read from their markup.
MAX_LINKS_OF_SHELL, MAX_HAN_OF_SHELL = 30, 60
_REQUEST = re.compile(
    r"""(?:\bfetch|(?:\$|jQuery)\s*\.\s*(?:get|getJSON|ajax)|axios(?:\s*\.\s*get)?|\.\s*load|\.\s*open)\s*\(\s*"""
    r"""(?:["']GET["']\s*,\s*|\{[^{}"']{0,40}url\s*:\s*)?(["'`])([^"'`\s<>{}$]{1,300}+)\1(?!\s*\+)|"""
    r"""\burl\s*:\s*(["'])([^"'\s<>{}$]{1,300}+)\3(?!\s*\+)""",
    re.IGNORECASE,
)
_NOT_WRITTEN = frozenset({"head", "script", "style", "noscript"})
_NO_TEXT = re.compile(
    r"\.(?:js|css|png|jpe?g|gif|svg|webp|ico|woff2?|mp[34])(?:$|\?)|(?:^|/)(?:collect|track\w*|beacon|stats?|analytics|logs?|ads?|user|login)"
    r"(?=$|[/?.])",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class ScriptData:
    """The data that a page contains for its scripts. It must be read before the tree of the page is used.

    is_thin: True if the page has so few links that scripts may write it. preloads: the URLs that its head requests
    """

    url: str
    base: str
    title: str
    scripts: tuple[str, ...]
    preloads: tuple[str, ...]
    is_thin: bool

    @property
    def may_be_written(self) -> bool:
        """True if scripts may write the text of the page."""
        return self.is_thin and bool(self.scripts or self.preloads)

    def requested_addresses(self) -> list[str]:
        """Return the URLs on the page's own host that the page requests, at most the number that may be fetched."""
        stated, left = list(self.preloads), MAX_SCRIPT_CHARS
        for script in self.scripts:
            stated += [decode_literal(match[2] or match[4]) for match in _REQUEST.finditer(script[: max(0, left)])]
            left -= len(script)
        addresses = dict.fromkeys(
            absolute_url(each, self.base) for each in stated if each and not _NO_TEXT.search(each)
        )
        wanted = [each for each in addresses if each and _is_same_place(each, self.url) and not is_trap(each)]
        return wanted[: MAX_COUNT[ResourceKind.DATA]]


def read_script_data(tree: HtmlElement, url: str) -> ScriptData:
    """Read the data that the page at a URL contains for its scripts."""
    is_thin = sum(1 for _ in islice(tree.iter("a"), MAX_LINKS_OF_SHELL + 1)) <= MAX_LINKS_OF_SHELL
    scripts = [node.text for node in tree.iter("script") if node.text and not node.get("src")] if is_thin else []
    preloads = [node.get("href") for node in tree.iter("link") if node.get("as") == "fetch"] if is_thin else []
    title = " ".join((tree.findtext(".//title") or "").split())
    return ScriptData(url, base_url(tree, url), title, tuple(scripts), tuple(filter(None, preloads)), is_thin)


def has_no_text(tree: HtmlElement) -> bool:
    """Return True if the markup of a page has hardly any text."""
    return all(han <= MAX_HAN_OF_SHELL for han in accumulate(map(count_han, _own_texts(tree))))


def _own_texts(tree: HtmlElement) -> Iterator[str]:
    walk = etree.iterwalk(tree, events=("start", "end"))
    for event, element in walk:
        if event == "end":
            yield element.tail or ""
        elif element.tag in _NOT_WRITTEN:
            walk.skip_subtree()
        else:
            yield element.text or ""


def fetch_texts(addresses: Iterable[str], resources: Resources) -> Iterator[str]:
    """Fetch the texts at some URLs. Those that cannot be fetched or decoded are skipped."""
    for address in addresses:
        data = resources.get(address, ResourceKind.DATA)
        decoded = decode(data) if data else None
        if isinstance(decoded, Decoded):
            yield decoded.text


def _is_same_place(address: str, url: str) -> bool:
    try:
        return host_key(address) == host_key(url)
    except ValueError:  # a saved page has no host
        return False
