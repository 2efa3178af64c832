"""Winnowing: of every w consecutive k-grams the one with the least hash is kept, with its position.

Source: Schleimer, Wilkerson, Aiken, "Winnowing: local algorithms for document fingerprinting", SIGMOD 2003. A run of
at least w + k - 1 equal characters always has a k-gram in common; a run shorter than k never has.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fingerprint.compilation import kernel
from fingerprint.engines.engine import EngineEntry, Found
from fingerprint.engines.hashing import shingle_hashes
from fingerprint.engines.located_works import LocatedWorks
from fingerprint.engines.span_merging import MergeRule, merge_hits
from fingerprint.engines.tokens import Tokens, tokens_of


@dataclass(frozen=True, slots=True)
class Joining:
    """How fingerprints in common become spans, which the source leaves open.

    merge: in tokens; min_to_match: fingerprints of the largest span of a work that is reported; min_to_show: of each
    other span of that work. Why these: docs/decisions/published-engines.md.
    """

    merge: MergeRule
    min_to_match: int
    min_to_show: int


JOINING_OF_8 = Joining(MergeRule(max_gap=250, max_drift=20), min_to_match=4, min_to_show=4)
JOINING_OF_5 = Joining(MergeRule(max_gap=100, max_drift=5), min_to_match=5, min_to_show=2)


def winnow(hashes: NDArray[np.uint64], window: int) -> NDArray[np.int64]:
    """int64[n]: increasing places of the k-grams that robust winnowing keeps.

    Of equal least hashes in a window the one that the last window kept stays, else the rightmost is taken, so that a
    single character repeated is kept once a window and not at every place. Fewer hashes than a window: none is kept.
    """
    return _winnow(hashes, window)


@kernel()
def _winnow(hashes: NDArray[np.uint64], window: int) -> NDArray[np.int64]:
    kept = np.empty(max(0, hashes.size - window + 1), np.int64)
    count, last = 0, -1
    for first in range(hashes.size - window + 1):
        end = first + window - 1
        if last >= first:
            if hashes[end] < hashes[last]:
                last = end
                kept[count] = last
                count += 1
            continue
        last = end
        for place in range(end - 1, first - 1, -1):
            if hashes[place] < hashes[last]:
                last = place
        kept[count] = last
        count += 1
    return kept[:count].copy()


class WinnowingEngine:
    """Works that share enough kept k-grams with the page, close together on both sides.

    k: tokens of a k-gram; window: k-grams of which one is kept; fold: whether traditional characters count as
    simplified ones.
    """

    gives_spans = True

    def __init__(self, k: int = 8, window: int = 8, fold: bool = True, joining: Joining = JOINING_OF_8) -> None:
        self._k, self._window, self._fold, self._joining = k, window, fold, joining
        self._works = LocatedWorks(k)

    def add(self, work_id: str, text: str) -> None:
        tokens, kept, places = self._fingerprints(text)
        self._works.add(work_id, (tokens.starts, tokens.ends), kept, places)

    def find(self, text: str) -> list[Found]:
        tokens, kept, places = self._fingerprints(text)
        clusters = merge_hits(self._works.hits(kept, places), self._joining.merge)
        shown = clusters.of_works_with_one_of(self._joining.min_to_match).of_at_least(self._joining.min_to_show)
        return self._works.matches(shown, (tokens.starts, tokens.ends), kept.size)

    def _fingerprints(self, text: str) -> tuple[Tokens, NDArray[np.uint64], NDArray[np.int32]]:
        tokens = tokens_of(text, self._fold)
        hashes = shingle_hashes(tokens.ids, self._k)
        places = winnow(hashes, self._window)
        return tokens, hashes[places], places.astype(np.int32)


ENTRIES = (
    EngineEntry(
        "winnowing-8-8",
        WinnowingEngine,
        WinnowingEngine.gives_spans,
        "the least of every 8 hashes of 8 characters, by position",
        "每 8 个 8 字片段哈希取最小者，按位置比对",
        "Schleimer, Wilkerson, Aiken, SIGMOD 2003",
    ),
    EngineEntry(
        "winnowing-5-4",
        lambda **options: WinnowingEngine(**{"k": 5, "window": 4, "joining": JOINING_OF_5, **options}),
        WinnowingEngine.gives_spans,
        "the least of every 4 hashes of 5 characters, by position",
        "每 4 个 5 字片段哈希取最小者，按位置比对",
        "Schleimer, Wilkerson, Aiken, SIGMOD 2003",
    ),
)
