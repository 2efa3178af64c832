"""What the pairs of characters near each other tell of how a text was put out of order, if it was."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fingerprint.compilation import as_int, kernel
from fingerprint.order.followers import NO_KEY, Keys, Table, is_pair, key_of, sound_follows

CHUNK, CHUNKS = 256, 8  # tokens in a row, and how many such are looked at, far apart in a long text; all of a short one
# How far apart characters stand: beside each other; near, as they may follow each other in another order; and far, where
# they do so by chance.
AHEAD, NEAR, FAR = 1, (-1, -2, -3, 2, 3, 4, 5, 6), (17, 19, 23)
BEFORE, BEHIND = 3, 23
# What is known of the near ones above chance in any prose, for each that is known of those beside each other (held-out
# works, November 2026).
USUAL = (0.09, 0.03, 0.03, 0.13, 0.06, 0.03, 0.03, 0.02)
MAX_DISTANCE, MAX_PERIOD = 48, 16
SIGNS, TOKENS, HAN = range(3)  # ways to count how far apart breaks are
# (Held-out works and the layouts of laboratory.edits.layout; pages of the quality set; November 2026.) Share above chance
# of known pairs beside each other: of ordinary pages .19 and more, of pages with half of the characters replaced .05 to
# .14, of sentences whose even characters stand behind the odd .02 to .09.
MAX_LOST = 0.1
# The same of syllables: .1 and more where characters were replaced by ones of their sound, .03 in disorder.
MAX_LOST_SOUNDS = 0.05
# Of the pairs that stand near otherwise, beyond what is usual, for each of those beside each other, and what the best of
# some ways may have by chance, times the root of the pairs.
MAX_OTHERWISE, CHANCE = 0.05, 1.5
MIN_DEVIATIONS = 4.5  # of doubtful ordinary pages at most 3.8; of one strewn in after every 6th 7.6 and more


class Evidence(NamedTuple):
    """Shares of known pairs above those that are known by chance, and a period.

    pairs: how many were looked at. ahead: of characters beside each other; otherwise: of those that stand near in the
    way for which it is highest; by_sound: of syllables beside each other. period: how far apart breaks are, in signs,
    tokens or Chinese characters; 0 where they are not regular.
    """

    pairs: int
    ahead: float
    otherwise: float
    by_sound: float
    period: int

    @property
    def is_lost(self) -> bool:
        """Whether nothing is left of the order, of characters or, where these were replaced, of sounds."""
        return self.ahead < MAX_LOST and self.by_sound < MAX_LOST_SOUNDS

    @property
    def is_mixed(self) -> bool:
        """Whether characters go with others near by which they do not stand, as in no text that was only edited."""
        return self.otherwise > MAX_OTHERWISE * self.ahead + CHANCE / float(np.sqrt(max(self.pairs, 1)))

    @property
    def is_in_order(self) -> bool:
        """Whether nothing says that the text was put out of order."""
        return not (self.is_lost or self.is_mixed or self.period)


@kernel(nogil=True)
def gather_evidence(
    codes: NDArray[np.uint32],
    offsets: NDArray[np.int32],
    tokens: NDArray[np.uint16],
    simplified: NDArray[np.uint16],
    table: Table,
) -> Evidence:
    """The evidence of a text. codes: of all its signs; offsets: of its tokens; tokens: their syllables."""
    known, sounds = np.zeros(AHEAD + len(NEAR) + len(FAR), np.int64), np.zeros(2, np.int64)
    counts, breaks = np.zeros((HAN + 1, MAX_DISTANCE + 1), np.int64), np.empty((HAN + 1, CHUNK), np.int32)
    keys, pairs = np.empty(CHUNK, np.uint32), 0
    for chunk in range(CHUNKS):
        start = max(chunk * CHUNK, chunk * offsets.size // CHUNKS)
        size = min(CHUNK, offsets.size - start)
        if size <= 0:
            break
        for place in range(size):
            keys[place] = key_of(simplified[codes[offsets[start + place]]])
        if chunk % 2 == 0:
            pairs += _count_pairs(known, sounds, keys[:size], tokens[start : start + size], table)
        found = _find_breaks(breaks[TOKENS], keys[:size], table)
        _place_breaks(breaks, found, keys, offsets[start : start + size])
        for counting in range(HAN + 1):
            _count_distances(counts[counting], breaks[counting, :found])
    return _summed_up(known, sounds, pairs, counts)


@kernel(allocates=False, nogil=True)
def _count_pairs(
    known: NDArray[np.int64], sounds: NDArray[np.int64], keys: Keys, tokens: NDArray[np.uint16], table: Table
) -> int:
    """Count known pairs by how far apart they stand, and pairs of syllables beside each other and far; of how many."""
    number, size = 0, max(keys.size - BEHIND - BEFORE, 0)
    for lag in (AHEAD, *NEAR, *FAR):
        known[number] += _count_known(keys[BEFORE : BEFORE + size], keys[BEFORE + lag : BEFORE + lag + size], table)
        number += 1
    for place in range(BEFORE, BEFORE + size):
        sounds[0] += sound_follows(tokens[place], tokens[place + AHEAD], table)
        sounds[1] += sound_follows(tokens[place], tokens[place + BEHIND], table)
    return size


@kernel(allocates=False, nogil=True)
def _count_known(first: Keys, second: Keys, table: Table) -> int:
    found = np.uint32(0)
    for place in range(first.size):
        found += is_pair(first[place], second[place], table)
    return np.int64(found)  # type: ignore[return-value]


@kernel(allocates=False, nogil=True)
def _find_breaks(found: NDArray[np.int32], keys: Keys, table: Table) -> int:
    """Find where the text reads on without one or two characters and not with them; the first of these; how many."""
    count = 0
    if keys.size <= BEFORE:
        return count
    first, second = is_pair(keys[0], keys[1], table), is_pair(keys[1], keys[2], table)
    one, two, three = keys[0], keys[1], keys[2]
    for place in range(BEFORE, keys.size):
        four = keys[place]
        third = is_pair(three, four, table)
        without = is_pair(one, three, table) | (is_pair(one, four, table) & (np.uint32(1) ^ third))
        found[count] = place - 2
        count += np.int64(without & (np.uint32(1) ^ (first | second)))
        one, two, three = two, three, four
        first, second = second, third
    return count


@kernel(allocates=False, nogil=True)
def _place_breaks(breaks: NDArray[np.int32], found: int, keys: Keys, offsets: NDArray[np.int32]) -> None:
    """Where breaks are among all signs, and among Chinese characters."""
    han, place = 0, 0
    for number in range(found):
        token = breaks[TOKENS, number]
        while place < token:
            han += keys[place] != NO_KEY
            place += 1
        breaks[SIGNS, number], breaks[HAN, number] = offsets[token], han


@kernel(allocates=False, nogil=True)
def _count_distances(counts: NDArray[np.int64], places: NDArray[np.int32]) -> None:
    """Count how far apart these places are, up to MAX_DISTANCE; they increase."""
    for first in range(places.size):
        for second in range(first + 1, places.size):
            distance = places[second] - places[first]
            if distance > MAX_DISTANCE:
                break
            counts[distance] += 1


@kernel(allocates=False, nogil=True)
def _summed_up(
    known: NDArray[np.int64], sounds: NDArray[np.int64], pairs: int, counts: NDArray[np.int64]
) -> Evidence:
    if pairs == 0:
        return Evidence(0, 1.0, 0.0, 0.0, 0)
    one, other, third = known[-1], known[-2], known[-3]
    chance = (one + other + third - max(one, other, third)) / 2  # one of them may be how far apart lines are
    ahead = known[0] - chance
    otherwise = -1.0 * pairs
    for number in range(len(NEAR)):
        otherwise = max(otherwise, known[AHEAD + number] - chance - USUAL[number] * max(ahead, 0.0))
    most, period = 0.0, 0
    for counting in range(HAN + 1):
        deviations, regular = _most_regular(counts[counting])
        if deviations > most:
            most, period = deviations, regular
    by_sound = (sounds[0] - sounds[1]) / pairs
    return Evidence(pairs, ahead / pairs, otherwise / pairs, by_sound, period if most > MIN_DEVIATIONS else 0)


@kernel(allocates=False, nogil=True)
def _most_regular(counts: NDArray[np.int64]) -> tuple[float, int]:
    """By how many deviations there are more places than elsewhere at multiples of a period, and that period."""
    expected = counts.sum() / MAX_DISTANCE
    most, best = 0.0, 0
    for period in range(2, MAX_PERIOD + 1):
        multiples = as_int(MAX_DISTANCE // period)
        more = counts[period::period].sum() - expected * multiples
        deviations = more / np.sqrt(expected * multiples + 1)
        if deviations > most:
            most, best = deviations, period
    return most, best
