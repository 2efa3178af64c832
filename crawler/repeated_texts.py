"""Recognises, by the texts themselves, parameters whose every value shows the same text; such links are not followed.

It serves each kind of site; what can be told by asking for a page without its parameters is in
crawler.spiders.empty_parameters.
"""

import re
from collections.abc import Callable, Iterable
from urllib.parse import parse_qsl, urlsplit

from w3lib.url import url_query_cleaner

from core.ids import Digest, digest
from crawler.urls import canonical

# A notice that shows in place of many pages ("please log in") is one text; two different texts are no accident.
TEXTS_THAT_DECIDE = 2
# Names that everybody uses for what a page is; to try them would be a request for nothing.
_IDENTIFYING = re.compile(
    r"^(?!s(?:ess(?:ion)?)?_?id$)"  # the usual names of a session
    r"(?:[a-z]{0,8}_?id|page\w*|p|pn|pg|no|num|n|name|title|chapter\w*|book\w*|novel\w*|article\w*|news\w*|post\w*|thread\w*|cat\w*"
    r"|type|class\w*|tag|key\w*|q|s|k|w|wd|word|date|year|month|day|lang\w*|locale|part|c|m|a|mod|action|act|do|route|r|path|url|file)$",
    re.IGNORECASE,
)


def is_identifying(name: str) -> bool:
    """Tell by its name a parameter that says what a page is.

    >>> is_identifying("bookid"), is_identifying("sid"), is_identifying("zs")
    (True, False, False)
    """
    return bool(_IDENTIFYING.match(name))


def remove_parameters(url: str, names: set[str] | frozenset[str]) -> str:
    """Remove parameters from an address.

    >>> remove_parameters("http://a.example/r?id=1&zs=5f", {"zs"})
    'http://a.example/r?id=1'
    """
    return url_query_cleaner(url, tuple(names), remove=True, keep_fragments=True) if names else url


class RepeatedTexts:
    """For one crawl. on_repeating: called once with each parameter that multiplies addresses, and one of these.

    asked_for: addresses that a person named; they are never taken for another.
    """

    def __init__(self, on_repeating: Callable[[str, str], None], asked_for: Iterable[str] = ()) -> None:
        self._on_repeating, self._asked_for = on_repeating, frozenset(asked_for)
        # (name, address without it) -> the first address with its text, and whether an earlier crawl saw that.
        self._texts: dict[tuple[str, str], tuple[str, Digest, bool]] = {}
        self._repeated: dict[str, set[Digest]] = {}  # by name
        self._identifying: set[str] = set()
        self._empty: set[str] = set()
        self._repeating: set[str] = set()
        # (name, address without it): where a parameter multiplies notices, it may still say which chapter is meant.
        self._repeating_at: set[tuple[str, str]] = set()
        self._told: set[str] = set()
        self._first: dict[str, str] = {}  # an address without what multiplies it -> the one that is fetched

    def recall(self, texts: Iterable[tuple[str, Digest]]) -> None:
        """Load the texts of earlier crawls with their addresses."""
        for url, text in texts:
            self._note(url, text, is_recalled=True)

    def note(self, url: str, text: str) -> bool:
        """Note a page's text; True if another address that differs in an empty parameter has it."""
        is_repeated = self._note(url, digest(text.encode("utf-8", "surrogatepass")))
        return is_repeated and url not in self._asked_for

    def note_empty(self, name: str, url: str) -> None:
        """Note a parameter without which pages have the same text: addresses that differ in it are the same page."""
        if name not in self._empty:
            self._empty.add(name)
            self._begin(name, url)

    def is_another(self, url: str, *, is_page: bool = False) -> bool:
        """Return True for an address whose text is fetched at another one.

        Otherwise it becomes the one that is fetched.

        is_page: earlier crawls know it as a page.
        """
        names = {name for name, _ in _open_parameters(url) if name in self._empty or self._repeats(name, url, is_page)}
        if not names or url in self._asked_for:
            return False
        address = canonical(url)
        return self._first.setdefault(canonical(remove_parameters(url, names)), address) != address

    def _repeats(self, name: str, url: str, is_page: bool) -> bool:
        """Return True for a parameter that repeats texts on the site and did so at this very address."""
        if is_page or name not in self._repeating:
            return False
        return (name, canonical(remove_parameters(url, {name}))) in self._repeating_at

    def _note(self, url: str, text: Digest, *, is_recalled: bool = False) -> bool:
        is_repeated = False
        address = canonical(url)
        for name, _ in _open_parameters(url):
            if name in self._identifying:
                continue
            key = name, canonical(remove_parameters(url, {name}))
            first, known, was_recalled = self._texts.setdefault(key, (address, text, is_recalled))
            if first == address or (known != text and was_recalled):  # what changes with time says nothing of the name
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
                self._begin(name, url)
        return is_repeated

    def _begin(self, name: str, url: str) -> None:
        for (each, rest), (first, *_) in self._texts.items():
            if each == name:
                self._first.setdefault(rest, first)
        if name not in self._told:
            self._told.add(name)
            self._on_repeating(name, url)


def _open_parameters(url: str) -> list[tuple[str, str]]:
    if "?" not in url:
        return []
    return [(name, value) for name, value in parse_qsl(urlsplit(url).query) if not is_identifying(name)]
