"""Regular expressions on URLs that somebody typed: none of them can hold up a crawl, however it is written.

A pattern with one repetition inside another may need longer for one address than a person lives, and nothing else runs
meanwhile. So each search has a time limit, which Python's own `re` cannot have.
"""

import re
from collections.abc import Callable, Iterator

import regex

from core.errors import BadInput
from core.wording import Message

# An honest pattern takes microseconds on the longest address; the time is the process's own, not that of the clock.
MAX_SEARCH_S = 0.1
MAX_SLOW_SEARCHES = 10  # then the pattern is not asked again in this crawl: one second is lost at most
MAX_PATTERN_CHARS = 1_000
MAX_FIXED_REPEATS = 1_000_000  # {1000}{1000} is written out while compiling: 0.4 s (November 2026)
_PROBE_REPEATS = 60  # more than enough for what doubles with each character, little for what only squares
_MAX_PROBE_PARTS = 30
_USUAL_PARTS = ("a", "0", "/", "-", "/a", "a/", "a0", "a-")
_REPEAT = re.compile(r"\{(\d+)")
_CLASS = re.compile(r"\\[A-Za-z0-9]")
_ESCAPED = re.compile(r"\\(.)")
_LITERALS = re.compile(r"[A-Za-z0-9/_.%=&-]+")


class UnusablePattern(BadInput):
    """A pattern that is no regular expression, or an endless one; the message says why, without the pattern."""


class SlowPattern(UnusablePattern):
    """A pattern that takes too long on some addresses."""


class UrlPattern:
    """One pattern of a crawl plan. `report` gets one message, once, when it takes too long on an address."""

    def __init__(self, pattern: str, report: Callable[[Message], None] = lambda _: None) -> None:
        self.pattern = pattern
        self._compiled = _compiled(pattern)
        self._report = report
        self._slow_searches = 0

    def matches(self, url: str) -> bool:
        """Whether the pattern is found in `url`; not where that takes longer than MAX_SEARCH_S."""
        if self._slow_searches >= MAX_SLOW_SEARCHES:
            return False
        try:
            return self._compiled.search(url, timeout=MAX_SEARCH_S) is not None
        except TimeoutError:
            self._slow_searches += 1
            if self._slow_searches == 1:
                self._report(Message("site.slow-pattern", pattern=_shown(self.pattern), seconds=MAX_SEARCH_S))
            return False


def require_quick(pattern: str) -> None:
    """Raises UnusablePattern for a pattern that cannot be compiled or is slow on addresses made to try it."""
    compiled = _compiled(pattern)
    for probe in _probes(pattern):
        try:
            compiled.search(probe, timeout=MAX_SEARCH_S)
        except TimeoutError as error:
            raise SlowPattern("pattern.slow") from error


def _compiled(pattern: str) -> "regex.Pattern[str]":
    if len(pattern) > MAX_PATTERN_CHARS:
        raise UnusablePattern("pattern.too-long", chars=MAX_PATTERN_CHARS)
    repeats = 1
    for count in _REPEAT.findall(pattern):
        repeats *= max(1, int(count))
    if repeats > MAX_FIXED_REPEATS:
        raise UnusablePattern("pattern.repeats")
    try:
        return regex.compile(pattern)
    except (regex.error, ValueError, OverflowError) as error:
        raise UnusablePattern("pattern.malformed", error=error) from error
    except RecursionError as error:
        raise UnusablePattern("pattern.nested") from error


def _probes(pattern: str) -> Iterator[str]:
    """Addresses that nearly match: what the pattern speaks of, over and over, with an end that spoils it."""
    words = _LITERALS.findall(_ESCAPED.sub(r"\1", _CLASS.sub(" ", pattern)))
    parts = dict.fromkeys([*_USUAL_PARTS, *(char for word in words for char in word), *words])
    end = "".join(words)
    for part in list(parts)[:_MAX_PROBE_PARTS]:
        repeated = (part * _PROBE_REPEATS)[: max(2 * _PROBE_REPEATS, 3 * len(part))]
        for head in ("", "http://www.example.com/"):
            yield f"{head}{repeated}!{end}"
            yield f"{head}{repeated}{end}!"


def _shown(pattern: str) -> str:
    return repr(pattern if len(pattern) <= 200 else f"{pattern[:200]}...")
