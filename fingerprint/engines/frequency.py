"""The plain index of the frequency fingerprint: windows whose numbers are equal are a match, and nothing else is asked.

Source: "How can plagiarism be judged automatically" (Daguan Data, InfoQ China, 2016-08-18): granularity 64, overlap
50 %, the digits of the 20 most frequent initials in one of four ranges. The product's own matcher does more with it.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from fingerprint.algorithms import PUBLISHED_WINDOWS, WindowRule
from fingerprint.engines.engine import EngineEntry, Found
from fingerprint.engines.hashing import mixed
from fingerprint.engines.located_works import LocatedWorks, Offsets
from fingerprint.engines.span_merging import MergeRule, merged
from fingerprint.letters import initials
from fingerprint.normalization import normalize
from fingerprint.windows import window_fingerprints

WORD_BYTES = 8


class FrequencyEngine:
    """Works with at least `min_matches` windows of the page; equal windows that overlap on both sides make a span.

    max_digit: 1, 3, 7 or 9, the end of the published range; granularity: tokens of a window; step, page_step: tokens
    from one window to the next, in works and in pages. Of a row of equal windows only the first counts, and none where
    no initial is more frequent than in ordinary text: nobody can read what stands there.
    """

    gives_spans = True

    def __init__(
        self,
        max_digit: int = 3,
        page_step: int = 32,
        min_matches: int = 1,
        granularity: int = PUBLISHED_WINDOWS.granularity,
        step: int = PUBLISHED_WINDOWS.step,
    ) -> None:
        self._rule = replace(PUBLISHED_WINDOWS, granularity=granularity, step=step, max_digit=max_digit)
        self._page_rule = replace(self._rule, step=page_step)
        self._min_matches = min_matches
        self._merge = MergeRule(max_gap=granularity, max_drift=0)
        self._works = LocatedWorks(granularity)

    def add(self, work_id: str, text: str) -> None:
        offsets, windows, places = _windows(text, self._rule)
        self._works.add(work_id, offsets, windows, places)

    def find(self, text: str) -> list[Found]:
        offsets, windows, places = _windows(text, self._page_rule)
        clusters = merged(self._works.hits(windows, places), self._merge).of_works_with(self._min_matches)
        return self._works.found(clusters, offsets, windows.size)


def _windows(text: str, rule: WindowRule) -> tuple[Offsets, NDArray[np.uint64], NDArray[np.int32]]:
    """Offsets of the tokens, the windows as hashes, and the token each begins at."""
    stream = normalize(text)
    windows = window_fingerprints(initials(stream.tokens), rule)
    numbers = _numbers(windows)
    counts = windows.any(axis=1)
    counts[1:] &= numbers[1:] != numbers[:-1]
    places = np.flatnonzero(counts)
    return (stream.offsets, stream.offsets + 1), numbers[places], (places * rule.step).astype(np.int32)


def _numbers(windows: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """uint64[n]: a hash of the bytes of each window; that of up to 8 bytes is never the same for two windows."""
    padded = np.zeros((windows.shape[0], 2 * WORD_BYTES), np.uint8)
    padded[:, 2 * WORD_BYTES - windows.shape[1] :] = windows
    words = padded.view(np.uint64)
    return mixed(words[:, 1] ^ mixed(words[:, 0]))


def _entry(name: str, max_digit: int, min_matches: int, page_step: int, summary: tuple[str, str]) -> EngineEntry:
    defaults = {"max_digit": max_digit, "min_matches": min_matches, "page_step": page_step}
    return EngineEntry(
        name,
        lambda **options: FrequencyEngine(**{**defaults, **options}),
        FrequencyEngine.gives_spans,
        *summary,
        "Daguan Data, InfoQ China, 2016-08-18",
    )


ENTRIES = (
    _entry(
        "frequency-0-1",
        1,
        3,
        32,
        (
            "equal windows of initial frequencies in the range [0,1], 3 of them",
            "拼音首字母频率窗口（[0,1]）相同，至少 3 个",
        ),
    ),
    _entry(
        "frequency-0-3",
        3,
        1,
        32,
        ("equal windows of initial frequencies in the range [0,3]", "拼音首字母频率窗口（[0,3]）相同"),
    ),
    _entry(
        "frequency-0-3-step-1",
        3,
        1,
        1,
        (
            "the same with a page window at every character",
            "同上，网页每个字起一个窗口",
        ),
    ),
    _entry(
        "frequency-0-7",
        7,
        1,
        32,
        ("equal windows of initial frequencies in the range [0,7]", "拼音首字母频率窗口（[0,7]）相同"),
    ),
    _entry(
        "frequency-0-9",
        9,
        1,
        32,
        ("equal windows of initial frequencies in the range [0,9]", "拼音首字母频率窗口（[0,9]）相同"),
    ),
)
