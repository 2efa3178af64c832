"""What the pairs of characters near each other tell of how a text was put out of order, if it was."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fingerprint.compilation import as_int, kernel
from fingerprint.order.followers import NO_KEY, Keys, Table, is_pair, key_of, sound_follows

# Tokens in a row, and how many such are looked at, far apart in a long text, all of a short one.
CHUNK, CHUNKS = 256, 8
# How far apart characters stand: beside each other; near, as they may follow each other in another order; and far,
# where they do so by chance.
AHEAD, BACK, ACROSS, FAR = 1, (-1, -2, -3), (2, 3, 4, 5, 6), (17, 19, 23)
BEFORE, BEHIND = 3, 23
# What is known of the near ones above chance in any prose, for each that is known of those beside each other (held-out
# works, November 2026).
USUAL_BACK, USUAL_ACROSS = (0.09, 0.03, 0.03), (0.13, 0.06, 0.03, 0.03, 0.02)
MAX_SKIPPED, MAX_DISTANCE, MAX_PERIOD = 2, 48, 16
SIGNS, TOKENS, HAN = range(3)  # ways to count how far apart breaks are
# Held-out works, 117 layouts, pages of the quality set (November 2026): share above chance
# of known pairs beside each other: of ordinary pages .19 and more, of pages with half of the characters replaced .05 to
# .14, of sentences whose even characters stand behind the odd .02 to .09. Of syllables: .1 and more where characters
# were replaced by ones of their sound, .03 in disorder. Each limit leaves room for chance, which is 1 by the root of
# the pairs; few pairs prove little, and a short text that is searched in vain costs as much as a long one.
MAX_LOST, CHANCES_OF_LOST, MIN_USUAL, CHANCES_OF_USUAL = 0.1, 1.0, 0.22, 1.6
MAX_LOST_SOUNDS, CHANCES_OF_SOUNDS = 0.04, 1.2
MAX_OTHERWISE, CHANCES_OF_BEST, CHANCES_OF_FEW = 0.05, 1.4, 6.0
MAX_BOTH = 1.45  # of the limit for either side alone, those on both sides together
# One put in behind 37 % of the characters at random; fewer leave most seeds, and where they are regular there is a
# period. Lists of names with the same character in each have .33 to .57.
MIN_STREWN = 0.6
MAX_BACK_OF_STREWN = 0.4  # of one put in after every 2nd at random 0 to .2; of neighbours swapped .6 to .9
# How regular breaks are: of doubtful ordinary pages 3.4 at most; of two put in after every 6th, 900 characters, 5.
MIN_DEVIATIONS = 4.0


class Evidence(NamedTuple):
    """Shares of known pairs above those that are known by chance, and a period.

    pairs: how many were looked at. ahead: of characters beside each other; back, across: of those that stand near the
    other way round, and with others between, each as far apart as it is highest, beyond what is usual; by_sound: of
    syllables beside each other. period: how far apart breaks are, in signs, tokens or Chinese characters; 0 where they
    are not regular.
    """

    pairs: int
    ahead: float
    back: float
    across: float
    by_sound: float
    period: int

    @property
    def is_lost(self) -> bool:
        """Whether nothing is left of the order, of characters or, where these were replaced, of sounds."""
        least = min(MAX_LOST + CHANCES_OF_LOST * self._chance, MIN_USUAL - CHANCES_OF_USUAL * self._chance)
        return self.ahead < least and self.by_sound <= MAX_LOST_SOUNDS + CHANCES_OF_SOUNDS * self._chance

    @property
    def is_turned(self) -> bool:
        """Whether characters go with others near by before which they stand, as in no text that was only edited."""
        return self.back > self._limit

    @property
    def is_mixed(self) -> bool:
        """Whether characters go with others near by which they do not stand, as in no text that was only edited."""
        return max(self.back, self.across, (self.back + self.across) / MAX_BOTH) > self._limit

    @property
    def is_strewn(self) -> bool:
        """Whether characters go with others behind the next ones, and hardly with those before them."""
        least = max(self._limit, MIN_STREWN * self.ahead)
        return self.across > least and self.back < MAX_BACK_OF_STREWN * self.across

    @property
    def _limit(self) -> float:
        return MAX_OTHERWISE * self.ahead + (CHANCES_OF_BEST + CHANCES_OF_FEW * self._chance) * self._chance

    @property
    def _chance(self) -> float:
        return 1 / float(np.sqrt(max(self.pairs, 1)))

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
    known, sounds = np.zeros(AHEAD + len(BACK) + len(ACROSS) + len(FAR), np.int64), np.zeros(2, np.int64)
    counts = np.zeros((MAX_SKIPPED + 1, HAN + 1, MAX_DISTANCE + 1), np.int64)  # without one, without two, both
    keys, breaks, places = (
        np.empty(CHUNK, np.uint32),
        np.empty((MAX_SKIPPED, CHUNK), np.int32),
        np.empty(CHUNK, np.int32),
    )
    pairs = 0
    for chunk in range(CHUNKS):
        start = max(chunk * CHUNK, chunk * offsets.size // CHUNKS)
        size = min(CHUNK, offsets.size - start)
        if size <= BEFORE:
            break
        for place in range(size):
            keys[place] = key_of(simplified[codes[offsets[start + place]]])
        pairs += _count_pairs(known, sounds, keys[:size], tokens[start : start + size], table)
        found = _find_breaks(breaks, keys[:size], table)
        for skipped in range(MAX_SKIPPED):
            for counting in range(HAN + 1):
                _place_breaks(places, breaks[skipped, : found[skipped]], counting, keys, offsets[start : start + size])
                _count_distances(counts[skipped, counting], places[: found[skipped]])
    return _summed_up(known, sounds, pairs, counts)


@kernel(allocates=False, nogil=True)
def _count_pairs(
    known: NDArray[np.int64], sounds: NDArray[np.int64], keys: Keys, tokens: NDArray[np.uint16], table: Table
) -> int:
    """Count known pairs by how far apart they stand, and pairs of syllables beside each other and far; of how many."""
    size = max(keys.size - BEHIND - BEFORE, 0)
    for number, lag in enumerate((AHEAD, *BACK, *ACROSS, *FAR)):
        known[number] += _count_known(keys[BEFORE : BEFORE + size], keys[BEFORE + lag : BEFORE + lag + size], table)
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
def _find_breaks(found: NDArray[np.int32], keys: Keys, table: Table) -> tuple[int, int]:
    """Find where the text reads on without one character, or without two, and not with them; how many.

    found: int32[2, n], the first of these characters, by how many there are.
    """
    ones, twos = 0, 0
    first, second = is_pair(keys[0], keys[1], table), is_pair(keys[1], keys[2], table)
    one, two, three = keys[0], keys[1], keys[2]
    for place in range(BEFORE, keys.size):
        four = keys[place]
        third = is_pair(three, four, table)
        neither = np.uint32(1) ^ (first | second)
        found[0, ones] = found[1, twos] = place - 2
        ones += as_int(neither & is_pair(one, three, table))
        twos += as_int(neither & (np.uint32(1) ^ third) & is_pair(one, four, table))
        one, two, three = two, three, four
        first, second = second, third
    return ones, twos


@kernel(allocates=False, nogil=True)
def _place_breaks(
    places: NDArray[np.int32], breaks: NDArray[np.int32], counting: int, keys: Keys, offsets: NDArray[np.int32]
) -> None:
    """Where breaks are, in signs, tokens or Chinese characters."""
    han, place = 0, 0
    for number in range(breaks.size):
        token = breaks[number]
        while counting == HAN and place < token:
            han += keys[place] != NO_KEY
            place += 1
        places[number] = offsets[token] if counting == SIGNS else token if counting == TOKENS else han


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
def _summed_up(known: NDArray[np.int64], sounds: NDArray[np.int64], pairs: int, counts: NDArray[np.int64]) -> Evidence:
    if pairs == 0:
        return Evidence(0, 1.0, 0.0, 0.0, 0.0, 0)
    one, other, third = known[-1], known[-2], known[-3]
    chance = (one + other + third - max(one, other, third)) / 2  # one of them may be how far apart lines are
    ahead = known[0] - chance
    back, across = -chance, -chance
    for number in range(len(BACK)):
        back = max(back, known[AHEAD + number] - chance - USUAL_BACK[number] * max(ahead, 0.0))
    for number in range(len(ACROSS)):
        here = known[AHEAD + len(BACK) + number]
        across = max(across, here - chance - USUAL_ACROSS[number] * max(ahead, 0.0))
    most, period = 0.0, 0
    for counting in range(HAN + 1):
        for distance in range(MAX_DISTANCE + 1):
            counts[MAX_SKIPPED, counting, distance] = counts[0, counting, distance] + counts[1, counting, distance]
    for skipped in range(MAX_SKIPPED + 1):
        for counting in range(HAN + 1):
            deviations, regular = _most_regular(counts[skipped, counting])
            if deviations > most:
                most, period = deviations, regular
    period = period if most > MIN_DEVIATIONS + CHANCES_OF_FEW / np.sqrt(pairs) else 0
    return Evidence(pairs, ahead / pairs, back / pairs, across / pairs, (sounds[0] - sounds[1]) / pairs, period)


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
