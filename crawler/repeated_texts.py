"""Recognises URL parameters that do not change the text of a page. Links that differ only in them are not followed.

Texts are compared, so this works for every kind of site.
"""

import re
from collections.abc import Callable, Iterable
from urllib.parse import parse_qsl, urlsplit

from w3lib.url import url_query_cleaner

from core.ids import Digest, digest
from crawler.urls import canonical

# A notice that replaces many pages ("please log in") is one text. Two different texts are no coincidence.
TEXTS_THAT_DECIDE = 2
# Common names of parameters that identify a page.
_IDENTIFYING = re.compile(
    r"^(?!s(?:ess(?:ion)?)?_?id$)"  # the usual names of a session
    r"(?:[a-z]{0,8}_?id|page\w*|p|pn|pg|no|num|n|name|title|chapter\w*|book\w*|novel\w*|article\w*|news\w*|post\w*|thread\w*|cat\w*"
    r"|type|class\w*|tag|key\w*|q|s|k|w|wd|word|date|year|month|day|lang\w*|locale|part|c|m|a|mod|action|act|do|route|r|path|url|file)$",
    re.IGNORECASE,
)


def is_identifying(name: str) -> bool:
    """Return True if the name of a parameter suggests that the parameter identifies a page.

    >>> is_identifying("bookid"), is_identifying("sid"), is_identifying("zs")
    (True, False, False)
    """
    return bool(_IDENTIFYING.match(name))


def remove_parameters(url: str, names: set[str] | frozenset[str]) -> str:
    """Return a URL without the parameters of these names.

    >>> remove_parameters("http://a.example/r?id=1&zs=5f", {"zs"})
    'http://a.example/r?id=1'
    """
    return url_query_cleaner(url, tuple(names), remove=True, keep_fragments=True) if names else url


class RepeatedTexts:
    """The texts of one crawl, and the parameters that repeat them.

    on_repeating: called once for each parameter that multiplies URLs, with its name and an example. asked_for: URLs
    that a person requested; they never count as repeated.
    """

    def __init__(self, on_repeating: Callable[[str, str], None], asked_for: Iterable[str] = ()) -> None:
        self._on_repeating, self._asked_for = on_repeating, frozenset(asked_for)
        # By (name, URL without the parameter): the first URL with its text, and whether an earlier crawl read that
        # text.
        self._texts: dict[tuple[str, str], tuple[str, Digest, bool]] = {}
        self._repeated: dict[str, set[Digest]] = {}  # by the name of the parameter
        self._identifying: set[str] = set()
        self._repeating: set[str] = set()
        # By (name, URL without the parameter), because a parameter that multiplies notices may identify chapters
        # elsewhere.
        self._repeating_at: set[tuple[str, str]] = set()
        self._first: dict[str, str] = {}  # by a URL without the repeating parameters, the URL that is fetched

    def recall(self, texts: Iterable[tuple[str, Digest]]) -> None:
        """Load the texts of earlier crawls, as pairs of URL and digest."""
        for url, text in texts:
            self._note_text(url, text, is_recalled=True)

    def note(self, url: str, text: str) -> bool:
        """Record the text of a page. Return True if a URL that differs only in one parameter has the same text."""
        is_repeated = self._note_text(url, digest(text.encode("utf-8", "surrogatepass")))
        return is_repeated and url not in self._asked_for

    def is_another(self, url: str, *, is_page: bool = False) -> bool:
        """Return True if the text of a URL is fetched at another URL.

        Otherwise, this URL becomes the one that is fetched. is_page: True if an earlier crawl stored a page for it.
        """
        names = {name for name in _open_parameters(url) if self._is_repeating(name, url, is_page)}
        if not names or url in self._asked_for:
            return False
        address = canonical(url)
        return self._first.setdefault(canonical(remove_parameters(url, names)), address) != address

    def _is_repeating(self, name: str, url: str, is_page: bool) -> bool:
        """Return True if a parameter repeats texts on the site, and has repeated one at this URL."""
        if is_page or name not in self._repeating:
            return False
        return (name, canonical(remove_parameters(url, {name}))) in self._repeating_at

    def _note_text(self, url: str, text: Digest, *, is_recalled: bool = False) -> bool:
        is_repeated = False
        address = canonical(url)
        for name in _open_parameters(url):
            if name in self._identifying:
                continue
            key = name, canonical(remove_parameters(url, {name}))
            first, known, was_recalled = self._texts.setdefault(key, (address, text, is_recalled))
            if first == address or (known != text and was_recalled):  # a text that changes over time proves nothing
                self._texts[key] = address, text, is_recalled
                continue
            if known != text:
                self._identifying.add(name)
                self._repeating.discard(name)
                continue
            is_repeated = True
            self._repeating_at.add(key)
            self._first.setdefault(key[1], first)
            self._repeated.setdefault(name, set()).add(text)
            if len(self._repeated[name]) >= TEXTS_THAT_DECIDE and name not in self._repeating:
                self._repeating.add(name)
                self._on_repeating(name, url)
        return is_repeated


def _open_parameters(url: str) -> list[str]:
    if "?" not in url:
        return []
    return [name for name, _ in parse_qsl(urlsplit(url).query) if not is_identifying(name)]
