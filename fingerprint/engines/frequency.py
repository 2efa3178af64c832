"""The plain index of frequency fingerprints: windows with equal numbers are a match, without further checks.

Source: "How can plagiarism be judged automatically" (Daguan Data, InfoQ China, 2016-08-18): granularity 64, overlap 50
%, the digits of the 20 most frequent initials in one of four ranges. The product's matcher only begins with such
windows.

The source says "subtract the reference, normalise to a closed range" and gives no formula. Here the frequency of
ordinary text is the middle of the range, so that rare and frequent letters count equally. For the reasons, and the
difference from the product's stored windows, see docs/decisions/measurement.md.
"""

from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from core.wording import Message
from fingerprint.algorithms import PUBLISHED_WINDOWS
from fingerprint.engines.engine import EngineEntry, EngineMatch
from fingerprint.engines.located_works import LocatedWorks, MergeRule, Offsets, merge_hits
from fingerprint.engines.tokens import mix_bits
from fingerprint.letters import NO_LETTER, letter_number
from fingerprint.normalization import normalize
from fingerprint.rules import WindowRule
from fingerprint.seeds import window_numbers, windows_of_rule
from fingerprint.tables import TABLES_2026


class FrequencyEngine:
    """Finds works with at least `min_matches` windows of the page.

    Equal windows that overlap on both sides form a span.

    max_digit: 1, 3, 7 or 9, the end of the published range; granularity: the tokens in a window; step, page_step: the
    tokens from one window to the next, in works and on pages. Of consecutive equal windows only the first counts.
    Windows of which more than half cannot be read do not count.
    """

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
        self._merge = MergeRule(max_gap=granularity - 1, max_drift=0)
        self._works = LocatedWorks(granularity)

    def add_work(self, work_id: str, text: str) -> None:
        offsets, windows, positions = _text_windows(text, self._rule)
        self._works.add_features(work_id, offsets, windows, positions)

    def find(self, text: str) -> list[EngineMatch]:
        offsets, windows, positions = _text_windows(text, self._page_rule)
        clusters = merge_hits(self._works.hits(windows, positions), self._merge).keep_works_by_total(self._min_matches)
        return self._works.matches(clusters, offsets, windows.size)


def digits(counts: NDArray[np.uint16], rule: WindowRule) -> NDArray[np.uint8]:
    """Return the occurrences beyond the reference, shifted to the middle of [0, max_digit], uint8[windows, letters].

    The middle of [0, 1] is 1, of [0, 3] 2, of [0, 7] 4 and of [0, 9] 5. Values outside the range are clipped.
    """
    columns = [letter_number(letter) for letter in rule.letters]
    expected = np.array(rule.reference_permille, np.float64) * rule.granularity / 1000
    shifted = np.floor(counts[:, columns] - expected) + (rule.max_digit + 1) // 2
    clipped: NDArray[np.float64] = np.clip(shifted, 0, rule.max_digit)
    return clipped.astype(np.uint8)


def _text_windows(text: str, rule: WindowRule) -> tuple[Offsets, NDArray[np.uint64], NDArray[np.int32]]:
    """Return the offsets of a text's tokens, the hashes of its windows, and the first token of each window."""
    stream, initials = normalize(text), TABLES_2026.initials
    hashes = mix_bits(window_numbers(windows_of_rule(stream.tokens, rule, initials, digits)))
    unread_before = np.append(0, np.cumsum(initials[stream.tokens] == NO_LETTER))
    starts = np.arange(hashes.size) * rule.step
    is_kept = 2 * (unread_before[starts + rule.granularity] - unread_before[starts]) <= rule.granularity
    is_kept[1:] &= hashes[1:] != hashes[:-1]
    return (stream.offsets, stream.offsets + 1), hashes[is_kept], starts[is_kept].astype(np.int32)


DEPARTURES = (
    Message("engine.the-source-says-26-letters-but-20-digits"),
    Message("engine.the-source-subtracts-the-reference-and"),
    Message("engine.of-a-row-of-equal-windows-the-first"),
    Message("engine.the-source-sends-equal-windows-on-to-a"),
)
PARAMETERS = {
    "max_digit": Message("engine.the-end-of-the-range-of-each-digit"),
    "page_step": Message("engine.tokens-from-one-window-of-a-page-to-the"),
    "min_matches": Message("engine.equal-windows-that-a-reported-work-has"),
    "granularity": Message("engine.tokens-of-a-window"),
    "step": Message("engine.tokens-from-one-window-of-a-work-to-the"),
}
_variant = partial(
    EngineEntry,
    source="Daguan Data, InfoQ China, 2016-08-18",
    departures=DEPARTURES,
    parameters=PARAMETERS,
    gives_spans=True,
)
ENTRIES = (
    _variant(
        "frequency-0-1",
        partial(FrequencyEngine, max_digit=1, min_matches=3),
        Message("engine.equal-windows-of-initial-frequencies-in"),
    ),
    _variant("frequency-0-3", FrequencyEngine, Message("engine.equal-windows-of-initial-frequencies-in-2")),
    _variant(
        "frequency-0-3-step-1",
        partial(FrequencyEngine, page_step=1),
        Message("engine.equal-windows-of-initial-frequencies-in-2-2"),
        departures=(Message("engine.the-source-s-windows-overlap-by-half-on"), *DEPARTURES),
    ),
    _variant(
        "frequency-0-7",
        partial(FrequencyEngine, max_digit=7),
        Message("engine.equal-windows-of-initial-frequencies-in-2-2-2"),
    ),
    _variant(
        "frequency-0-9",
        partial(FrequencyEngine, max_digit=9),
        Message("engine.equal-windows-of-initial-frequencies-in-2-2-2-2"),
    ),
)
