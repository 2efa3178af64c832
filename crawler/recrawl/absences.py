"""Learns the not-found page of a site from URLs that never existed.

Sites that respond with 404 do not need this. Others respond with 200 and a sentence, or redirect to their front page.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from urllib.parse import urljoin, urlsplit, urlunsplit

from crawler.opening import Rejected, open_page
from crawler.urls import canonical

MAX_PROBES = 4  # requests of a run for URLs that cannot exist, one for each of the most common patterns of URLs
# Copies of a not-found page differ in a clock, a session, or the requested URL. Chosen: the similarity of texts of 40
# to 600 characters that differ by up to one sentence is above 0.8, and that of pages with text of their own below 0.5.
MIN_RESEMBLANCE = 0.8
_GRAM_CHARS = 3
_MIN_CHARS = 4
_DIGITS = re.compile(r"\d+")
_NOISE = re.compile(r"[\s\d\W_]+")


class NotFoundPages:
    """The responses of a site for URLs that do not exist: texts and redirect targets."""

    def __init__(self) -> None:
        self._texts: list[frozenset[str]] = []
        self._targets: set[str] = set()

    def learn(self, status: int, headers: Mapping[str, str], body: bytes, url: str) -> None:
        """Learn from the response for a URL that never existed. Nothing is learnt from a status of 404 or 410."""
        if 300 <= status < 400:
            target = redirect_target(headers, url)
            self._targets |= {target} if target else set()
        elif status < 300:
            grams = _text_grams(plain_text(body, headers, url))
            self._texts += [grams] if grams else []

    def is_target(self, status: int, headers: Mapping[str, str], url: str) -> bool:
        """Return True if a redirect has a target that the site uses for URLs that never existed."""
        return bool(self._targets) and 300 <= status < 400 and redirect_target(headers, url) in self._targets

    def resembles(self, headers: Mapping[str, str], body: bytes, url: str) -> bool:
        """Return True if a page is nearly the same as a page that the site returns for URLs that never existed."""
        if not self._texts:
            return False
        grams = _text_grams(plain_text(body, headers, url))
        return any(_text_resemblance(grams, known) >= MIN_RESEMBLANCE for known in self._texts)


def probes(start_urls: Iterable[str], page_urls: Iterable[str], seed: str) -> list[str]:
    """Return URLs that cannot exist, at most MAX_PROBES, with the patterns of the site's pages.

    seed: varies the URLs from run to run
    """
    number = str(10**11 + int.from_bytes(hashlib.sha256(seed.encode()).digest()[:5], "big") % 10**11)
    word = hashlib.sha256(seed.encode()).hexdigest()[:12]
    shapes: Counter[str] = Counter()
    example: dict[str, str] = {}
    for url in page_urls:
        shape = _DIGITS.sub("0", url)
        shapes[shape] += 1
        example.setdefault(shape, url)
    asked = [_impossible_address(example[shape], number, word) for shape, _ in shapes.most_common(MAX_PROBES - 1)]
    asked += [urljoin(url, f"/{word}{number}.html") for url in list(start_urls)[:1]]
    return list(dict.fromkeys(asked))


def redirect_target(headers: Mapping[str, str], url: str) -> str:
    """Return the canonical target of a redirect, or "" if it has none."""
    location = next((value for name, value in headers.items() if name.lower() == "location"), "")
    try:
        return canonical(urljoin(url, location)) if location else ""
    except ValueError:
        return ""


def _impossible_address(url: str, number: str, word: str) -> str:
    """Return a URL with its last number replaced or, if it has no number, its last path segment."""
    parts = urlsplit(url)
    where = parts.query if _DIGITS.search(parts.query) else parts.path
    found = list(_DIGITS.finditer(where))
    if found:
        changed = where[: found[-1].start()] + number + where[found[-1].end() :]
    else:
        changed = f"{parts.path.rstrip('/').rpartition('/')[0]}/{word}"
    is_query = where is parts.query and bool(found)
    path, query = (parts.path, changed) if is_query else (changed, "" if not found else parts.query)
    return urlunsplit((parts.scheme, parts.netloc, path, query, ""))


def plain_text(body: bytes, headers: Mapping[str, str], url: str) -> str:
    """Return the text of a page without scripts and styles, or "" if it cannot be decoded."""
    page = open_page(body, headers, url)
    if isinstance(page, Rejected) or page.tree is None:
        return "" if isinstance(page, Rejected) else page.decoded.text
    texts = page.tree.xpath("//text()[not(ancestor::script or ancestor::style or ancestor::noscript)]")
    return " ".join(str(text) for text in texts)


def _text_grams(text: str) -> frozenset[str]:
    """Return all trigrams of a text without digits, spaces and punctuation."""
    bare = _NOISE.sub("", text)
    if len(bare) < _MIN_CHARS:
        return frozenset()
    return frozenset(bare[at : at + _GRAM_CHARS] for at in range(len(bare) - _GRAM_CHARS + 1))


def _text_resemblance(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / max(1, len(one | other))
