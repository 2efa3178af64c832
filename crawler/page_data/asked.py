"""What a page's own scripts ask its site for, at addresses that stand there whole; fetched as resources of the page."""

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
from crawler.links import MAX_SCRIPT_CHARS, absolute, base_of, unescaped
from crawler.urls import is_trap

# A page that scripts write has few links of its own, and next to no text; one that has more is read as it is.
MAX_LINKS_OF_SHELL, MAX_HAN_OF_SHELL = 30, 60
_ASKED = re.compile(
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
class Carried:
    """What a page has for its scripts; taken down before its tree is used up.

    is_thin: whether it has so few links that its scripts may be what writes it. preloads: what its head asks for.
    """

    url: str
    base: str
    title: str
    scripts: tuple[str, ...]
    preloads: tuple[str, ...]
    is_thin: bool

    @property
    def may_be_written(self) -> bool:
        """Whether scripts may write the page's text."""
        return self.is_thin and bool(self.scripts or self.preloads)

    def asked(self) -> list[str]:
        """The addresses of its own host that the page asks for itself; as many as may be fetched."""
        stated, left = list(self.preloads), MAX_SCRIPT_CHARS
        for script in self.scripts:
            stated += [unescaped(match[2] or match[4]) for match in _ASKED.finditer(script[: max(0, left)])]
            left -= len(script)
        addresses = dict.fromkeys(absolute(each, self.base) for each in stated if each and not _NO_TEXT.search(each))
        wanted = [each for each in addresses if each and _is_same_place(each, self.url) and not is_trap(each)]
        return wanted[: MAX_COUNT[ResourceKind.DATA]]


def carried(tree: HtmlElement, url: str) -> Carried:
    """What the page at `url` has for its scripts."""
    is_thin = sum(1 for _ in islice(tree.iter("a"), MAX_LINKS_OF_SHELL + 1)) <= MAX_LINKS_OF_SHELL
    scripts = [node.text for node in tree.iter("script") if node.text and not node.get("src")] if is_thin else []
    preloads = [node.get("href") for node in tree.iter("link") if node.get("as") == "fetch"] if is_thin else []
    title = " ".join((tree.findtext(".//title") or "").split())
    return Carried(url, base_of(tree, url), title, tuple(scripts), tuple(filter(None, preloads)), is_thin)


def has_no_text(tree: HtmlElement) -> bool:
    """Whether next to nothing is written in a page's own markup."""
    return all(han <= MAX_HAN_OF_SHELL for han in accumulate(map(count_han, _written(tree))))


def _written(tree: HtmlElement) -> Iterator[str]:
    walk = etree.iterwalk(tree, events=("start", "end"))
    for event, element in walk:
        if event == "end":
            yield element.tail or ""
        elif element.tag in _NOT_WRITTEN:
            walk.skip_subtree()
        else:
            yield element.text or ""


def data_at(addresses: Iterable[str], resources: Resources) -> Iterator[str]:
    """What stands there, as far as it is to be had, as characters."""
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
