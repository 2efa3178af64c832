"""Regular expressions on URLs that a user enters. None of them can block a crawl, however it is written.

A pattern with nested repetitions may take longer than a human life for one URL, and would block everything else. So
each search has a time limit, which Python's own `re` does not support.
"""

import re
import time
from collections.abc import Callable, Iterator

import regex

from core.errors import BadInput
from core.wording import Message
from crawler.stats import SLOW_PATTERN

# An ordinary pattern takes microseconds on the longest URL. CPU time is measured, not wall-clock time.
MAX_SEARCH_S = 0.1
MIN_SLOW_S = 0.001
MAX_SLOW_S = 1.0  # in slow searches during one crawl; after that, the pattern is no longer used
MAX_PATTERN_CHARS = 1_000
# {1000} is expanded at compilation; expanding 1,000,000 characters takes 0.4 s (November 2026).
MAX_WRITTEN_OUT = 10_000
_PROBE_REPEATS = 60  # enough to detect exponential growth, and too few for quadratic growth
_MAX_PROBE_PARTS = 30
_USUAL_PARTS = ("a", "0", "/", "-", "/a", "a/", "a0", "a-")
_PIECE = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\{(\d*)(?:,(\d*))?\}|.", re.DOTALL)
_CLASS = re.compile(r"\\[A-Za-z0-9]")
_ESCAPED = re.compile(r"\\(.)")
_LITERALS = re.compile(r"[A-Za-z0-9/_.%=&-]+")


class UnusablePattern(BadInput):
    """A pattern that is no regular expression or has no limit. The message gives the reason without the pattern."""


class SlowPattern(UnusablePattern):
    """A pattern that takes too long on some URLs."""


class UrlPattern:
    """A pattern of a crawl plan.

    report: called once with a message if the pattern is too slow. Raises UnusablePattern if it cannot be compiled.
    """

    def __init__(self, pattern: str, report: Callable[[Message], None] = lambda _: None) -> None:
        self.pattern = pattern
        self._compiled = _compile_pattern(pattern)
        self._report = report
        self._slow_s = 0.0

    def matches(self, url: str) -> bool:
        """Return True if the pattern matches in a URL.

        Return False if the search takes too long, or if earlier searches took too much time.
        """
        if self._slow_s >= MAX_SLOW_S:
            return False
        begun = time.thread_time()
        try:
            return self._compiled.search(url, timeout=MAX_SEARCH_S) is not None
        except TimeoutError:
            return False
        finally:
            self._note_time(time.thread_time() - begun)

    def _note_time(self, seconds: float) -> None:
        if seconds < MIN_SLOW_S:
            return
        self._slow_s += seconds
        if self._slow_s >= MAX_SLOW_S:
            self._report(Message(SLOW_PATTERN, pattern=_shorten_pattern(self.pattern), seconds=MAX_SLOW_S))


def require_quick(pattern: str) -> None:
    """Raise UnusablePattern if a pattern cannot be compiled or is slow on URLs that are designed to test it."""
    compiled = _compile_pattern(pattern)
    for probe in _near_matches(pattern):
        try:
            compiled.search(probe, timeout=MAX_SEARCH_S)
        except TimeoutError as error:
            raise SlowPattern("pattern.slow") from error


def _compile_pattern(pattern: str) -> "regex.Pattern[str]":
    if len(pattern) > MAX_PATTERN_CHARS:
        raise UnusablePattern("pattern.too-long", chars=MAX_PATTERN_CHARS)
    if _count_expanded_units(pattern) > MAX_WRITTEN_OUT:
        raise UnusablePattern("pattern.repeats")
    try:
        return regex.compile(pattern, cache_pattern=False)  # a user's pattern is not cached
    except (regex.error, ValueError, OverflowError) as error:
        raise UnusablePattern("pattern.malformed", error=error) from error
    except RecursionError as error:
        raise UnusablePattern("pattern.nested") from error


def _count_expanded_units(pattern: str) -> int:
    r"""Count the characters, classes and other units of a pattern, with its repetitions expanded.

    >>> _count_expanded_units("a{3}b"), _count_expanded_units("((ba){999}c){999}"), _count_expanded_units(r"[{9}]\{9}")
    (4, 1997001, 4)
    """
    sizes, last = [0], 0  # sizes of the open groups, outermost first; size of the unit that a repetition would repeat
    for piece in _PIECE.finditer(pattern):
        text = piece[0]
        if text == "(":
            sizes.append(0)
            last = 0
            continue
        if text == ")" and len(sizes) > 1:
            last = max(1, sizes.pop())
        elif piece[1] is not None and (count := _largest_count(piece)) is not None:
            added = last * (max(1, count) - 1)
            sizes[-1] += added
            last += added
            continue
        else:
            last = 1
        sizes[-1] += last
    return sum(sizes)


def _largest_count(repetition: "re.Match[str]") -> int | None:
    """Return the larger number in {2,30}, or None for braces without numbers."""
    numbers = [int(number[:9]) for number in repetition.groups() if number]
    return max(numbers, default=None)


def _near_matches(pattern: str) -> Iterator[str]:
    """Yield near matches: the literals of a pattern, repeated, with an end that prevents a match."""
    words = _LITERALS.findall(_ESCAPED.sub(r"\1", _CLASS.sub(" ", pattern)))
    parts = dict.fromkeys([*_USUAL_PARTS, *(char for word in words for char in word), *words])
    end = "".join(words)
    for part in list(parts)[:_MAX_PROBE_PARTS]:
        repeated = (part * _PROBE_REPEATS)[: max(2 * _PROBE_REPEATS, 3 * len(part))]
        for head in ("", "http://www.example.com/"):
            yield f"{head}{repeated}!{end}"
            yield f"{head}{repeated}{end}!"


def _shorten_pattern(pattern: str) -> str:
    return repr(pattern if len(pattern) <= 200 else f"{pattern[:200]}...")
