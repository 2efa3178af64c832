"""The reading order of a text with reordered characters, and the mapping to its original places.

The steps of the matcher use only the reading order. Their results are mapped once, at the end.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from core.matches import Change, ChangeKind, Span
from core.obfuscations import Obfuscation, ObfuscationFound
from core.text import TextRange
from fingerprint.fingerprinting import Fingerprint
from fingerprint.stream import NOISE_KINDS, Noise

MIN_BREAKS = 3  # as for other obfuscations (matcher.calibration)
MAX_EXAMPLE_CHARS = 40
REARRANGED = NOISE_KINDS.index(Obfuscation.REARRANGED)


@dataclass(frozen=True, slots=True, eq=False)
class ReadingOrder:
    """A text in reading order.

    text, fingerprint: in reading order, offsets ascending. places: int64[len(text)], the place of each character in the
    text as given, or None if both orders are the same.
    """

    text: str
    fingerprint: Fingerprint
    places: NDArray[np.int64] | None

    @classmethod
    def from_fingerprint(cls, text: str, fingerprint: Fingerprint) -> "ReadingOrder":
        """Return the reading order of a text from its fingerprint."""
        if REARRANGED not in fingerprint.noise.kinds.tobytes():
            return cls(text, fingerprint, None)
        offsets = fingerprint.offsets.astype(np.int64)
        by_place = np.argsort(offsets)
        # Characters without a token follow the token before them: signs, letters of a syllable, inserted noise.
        sizes = np.empty(offsets.size, np.int64)
        sizes[by_place] = np.diff(np.append(offsets[by_place], len(text)))
        head = int(offsets[by_place[0]])
        starts = head + np.cumsum(sizes) - sizes
        places = np.append(np.arange(head), np.repeat(offsets - starts, sizes) + np.arange(head, len(text)))
        back = np.empty(len(text), np.int64)
        back[places] = np.arange(len(text))
        noise = _reorder_noise(fingerprint.noise, back)
        characters = np.array(list(text))
        read = replace(fingerprint, offsets=starts.astype(np.int32), noise=noise)
        return cls("".join(characters[places].tolist()), read, places)

    @property
    def offsets(self) -> NDArray[np.int32]:
        """The offset of each token in the text as given, int32[tokens]."""
        offsets = self.fingerprint.offsets
        return offsets if self.places is None else self.places[offsets].astype(np.int32)

    def obfuscation(self, passages: Iterable[tuple[int, int]]) -> ObfuscationFound | None:
        """Return the reordering of these token ranges as an obfuscation, with the number of tokens; may be None."""
        if self.places is None:
            return None
        moved, first = 0, 0
        ranks = np.argsort(
            np.argsort(self.offsets)
        )  # among all tokens of the page: tokens between them may be read elsewhere
        for start, end in passages:
            breaks = int(np.count_nonzero(np.diff(ranks[start:end]) != 1))
            if breaks and not moved:
                first = int(self.offsets[start:end].min())
            moved += breaks
        if moved < MIN_BREAKS:
            return None
        given = "".join(
            self.text[place] for place in np.argsort(self.places)[first : first + MAX_EXAMPLE_CHARS].tolist()
        )
        return ObfuscationFound(Obfuscation.REARRANGED, moved, " ".join(given.split()))


def spans_as_given(spans: tuple[Span, ...], page: ReadingOrder, work: ReadingOrder) -> tuple[Span, ...]:
    """Return spans between texts in reading order as spans of the texts as given.

    A span becomes the smallest range with all its characters. Other tokens of the page in this range are `inserted`.
    """
    if page.places is None and work.places is None:
        return spans
    return tuple(sorted((_span_as_given(span, page, work) for span in spans), key=lambda span: span.page))


def _span_as_given(span: Span, page: ReadingOrder, work: ReadingOrder) -> Span:
    on_page, in_work = _smallest_range(page.places, span.page), _smallest_range(work.places, span.work)
    changes = [piece for change in span.changes for piece in _change_pieces(change, page.places, work.places)]
    changes += [
        Change(ChangeKind.INSERTED, place, TextRange(in_work.start, in_work.start))
        for place in _foreign_runs(span, on_page, page)
    ]
    changes.sort(key=lambda change: (change.page, change.work))
    return Span(on_page, in_work, span.similarity, tuple(changes))


def _smallest_range(places: NDArray[np.int64] | None, read: TextRange) -> TextRange:
    """Return the smallest range of the text as given that contains a range in reading order."""
    if places is None:
        return read
    if not len(read):
        start = int(places[read.start]) if read.start < places.size else places.size
        return TextRange(start, start)
    inside = places[read.start : read.end]
    return TextRange(int(inside.min()), int(inside.max()) + 1)


def _change_pieces(change: Change, page: NDArray[np.int64] | None, work: NDArray[np.int64] | None) -> Iterator[Change]:
    """Yield a change in pieces of characters that are adjacent in both texts.

    If the sides differ in length, the first piece has the whole other side.
    """
    if len(change.page) == len(change.work) and len(change.page):
        steps = list(zip(_character_pairs(change.page, page), _character_pairs(change.work, work), strict=True))
        yield from (Change(change.kind, *both) for both in _merge_adjacent_pairs(steps))
        return
    ranges = list(_given_ranges(change.page, page)), list(_given_ranges(change.work, work))
    for number in range(max(map(len, ranges))):
        sides = [each[number] if number < len(each) else TextRange(each[0].start, each[0].start) for each in ranges]
        yield Change(change.kind, sides[0], sides[1])


def _character_pairs(read: TextRange, places: NDArray[np.int64] | None) -> list[int]:
    return list(range(read.start, read.end)) if places is None else places[read.start : read.end].tolist()


def _merge_adjacent_pairs(steps: list[tuple[int, int]]) -> Iterator[tuple[TextRange, TextRange]]:
    """Join pairs of characters that are neighbours in both texts, in any order, into ranges."""
    steps = sorted(steps)
    first = 0
    for number in range(1, len(steps) + 1):
        if number < len(steps):
            on_page, in_work = steps[number][0] - steps[number - 1][0], steps[number][1] - steps[number - 1][1]
            direction = steps[first + 1][1] - steps[first][1]
            if on_page == 1 and in_work == direction and abs(direction) == 1:
                continue
        of_work = [step[1] for step in steps[first:number]]
        yield TextRange(steps[first][0], steps[number - 1][0] + 1), TextRange(min(of_work), max(of_work) + 1)
        first = number


def _given_ranges(read: TextRange, places: NDArray[np.int64] | None) -> Iterator[TextRange]:
    """Yield a range in reading order as ranges of the text as given; an empty range as its place."""
    if places is None or not len(read):
        yield _smallest_range(places, read)
        return
    inside = np.sort(places[read.start : read.end])
    cuts = np.flatnonzero(np.diff(inside) > 1) + 1
    for run in np.split(inside, cuts):
        yield TextRange(int(run[0]), int(run[-1]) + 1)


def _foreign_runs(span: Span, on_page: TextRange, page: ReadingOrder) -> Iterator[TextRange]:
    """Yield runs of tokens between the characters of a span on the page that are read elsewhere."""
    if page.places is None:
        return
    offsets = page.fingerprint.offsets
    places = page.places[offsets]
    is_other = (offsets < span.page.start) | (offsets >= span.page.end)
    others = np.sort(places[is_other & (places >= on_page.start) & (places < on_page.end)])
    if others.size:
        for run in np.split(others, np.flatnonzero(np.diff(others) > 1) + 1):
            yield TextRange(int(run[0]), int(run[-1]) + 1)


def _reorder_noise(noise: Noise, back: NDArray[np.int64]) -> Noise:
    """Return noise at its places in reading order, without the noise that records the reordering."""
    kept = noise.kinds != REARRANGED
    starts = back[noise.starts[kept]]
    order = np.argsort(starts, kind="stable")
    ends = starts + (noise.ends[kept] - noise.starts[kept])
    return Noise(starts[order].astype(np.int32), ends[order].astype(np.int32), noise.kinds[kept][order])
