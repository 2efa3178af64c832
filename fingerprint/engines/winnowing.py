"""Winnowing: keeps the k-gram with the least hash in every w consecutive k-grams, with its position.

Source: Schleimer, Wilkerson, Aiken, "Winnowing: local algorithms for document fingerprinting", SIGMOD 2003. Equal runs
of at least w + k - 1 characters always share a kept k-gram; runs shorter than k never do.
"""

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from core.wording import Message
from fingerprint.compilation import kernel
from fingerprint.engines.engine import EngineEntry, EngineMatch
from fingerprint.engines.located_works import LocatedWorks, MergeRule, merge_hits
from fingerprint.engines.tokens import CHINESE_TOKENS, Tokens, shingle_hashes, tokenize


def winnow(hashes: NDArray[np.uint64], window: int) -> NDArray[np.int64]:
    """Return the ascending places of the k-grams that robust winnowing keeps, int64[n].

    Of equal least hashes in a window, the one kept for the last window is kept, otherwise the rightmost: a repeated
    character is then kept once a window and not at every place. If there are fewer hashes than a window, none is kept.
    """
    return _winnow_hashes(hashes, window)


@kernel()
def _winnow_hashes(hashes: NDArray[np.uint64], window: int) -> NDArray[np.int64]:
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


@dataclass(eq=False)
class WinnowingEngine:
    """Finds works that share enough kept k-grams with the page, close together on both sides.

    k: tokens in a k-gram; window: k-grams of which one is kept; fold: whether traditional characters equal simplified
    ones. The source does not say how shared fingerprints become spans: max_gap, max_drift: as in `MergeRule`, in
    tokens; min_to_match: fingerprints in the largest span of a reported work; min_to_show: fingerprints in each other
    span of that work. Reasons: docs/decisions/measurement.md.
    """

    k: int = 8
    window: int = 8
    fold: bool = True
    max_gap: int = 250
    max_drift: int = 20
    min_to_match: int = 4
    min_to_show: int = 4

    def __post_init__(self) -> None:
        self._works = LocatedWorks(self.k)

    def add_work(self, work_id: str, text: str) -> None:
        tokens, kept, places = self._text_fingerprints(text)
        self._works.add_features(work_id, (tokens.starts, tokens.ends), kept, places)

    def find(self, text: str) -> list[EngineMatch]:
        tokens, kept, places = self._text_fingerprints(text)
        clusters = merge_hits(self._works.hits(kept, places), MergeRule(self.max_gap, self.max_drift))
        shown = clusters.keep_works_by_cluster(self.min_to_match).keep_clusters(self.min_to_show)
        return self._works.matches(shown, (tokens.starts, tokens.ends), kept.size)

    def _text_fingerprints(self, text: str) -> tuple[Tokens, NDArray[np.uint64], NDArray[np.int32]]:
        tokens = tokenize(text, self.fold)
        hashes = shingle_hashes(tokens.ids, self.k)
        places = winnow(hashes, self.window)
        return tokens, hashes[places], places.astype(np.int32)


DEPARTURES = (
    CHINESE_TOKENS,
    Message("engine.the-source-compares-characters-here"),
    Message("engine.the-source-shows-single-fingerprints-in"),
)
PARAMETERS = {
    "k": Message("engine.tokens-of-a-k-gram"),
    "window": Message("engine.hashes-of-which-the-least-is-kept"),
    "fold": Message("engine.whether-traditional-characters-count-as"),
    "max_gap": Message("engine.tokens-between-neighbouring-fingerprints"),
    "max_drift": Message("engine.tokens-by-which-the-distances-on-both"),
    "min_to_match": Message("engine.fingerprints-of-the-largest-span-of-a"),
    "min_to_show": Message("engine.fingerprints-of-each-other-span-of-it"),
}
_variant = partial(
    EngineEntry,
    source="Schleimer, Wilkerson, Aiken, SIGMOD 2003",
    departures=DEPARTURES,
    parameters=PARAMETERS,
    gives_spans=True,
)
ENTRIES = (
    _variant("winnowing-8-8", WinnowingEngine, Message("engine.the-least-of-every-8-hashes-of-8")),
    _variant(
        "winnowing-5-4",
        partial(WinnowingEngine, k=5, window=4, max_gap=100, max_drift=5, min_to_match=5, min_to_show=2),
        Message("engine.the-least-of-every-4-hashes-of-5"),
    ),
)
