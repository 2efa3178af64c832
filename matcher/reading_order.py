"""The reading order of a text with reordered characters, and the mapping to the offsets in the text as given.

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

    text, fingerprint: in reading order, with ascending offsets. positions: int64[len(text)], the offset of each
    character in the text as given, or None if both orders are the same.
    """

    text: str
    fingerprint: Fingerprint
    positions: NDArray[np.int64] | None

    @classmethod
    def from_fingerprint(cls, text: str, fingerprint: Fingerprint) -> "ReadingOrder":
        """Return a text in the reading order that its fingerprint records."""
        if REARRANGED not in fingerprint.noise.kinds.tobytes():
            return cls(text, fingerprint, None)
        offsets = fingerprint.offsets.astype(np.int64)
        text_order = np.argsort(offsets)
        # Characters without a token follow the token before them: signs, letters of a syllable, inserted noise.
        sizes = np.empty(offsets.size, np.int64)
        sizes[text_order] = np.diff(np.append(offsets[text_order], len(text)))
        head = int(offsets[text_order[0]])
        starts = head + np.cumsum(sizes) - sizes
        positions = np.append(np.arange(head), np.repeat(offsets - starts, sizes) + np.arange(head, len(text)))
        reading_positions = np.empty(len(text), np.int64)
        reading_positions[positions] = np.arange(len(text))
        noise = _reorder_noise(fingerprint.noise, reading_positions)
        characters = np.array(list(text))
        reordered = replace(fingerprint, offsets=starts.astype(np.int32), noise=noise)
        return cls("".join(characters[positions].tolist()), reordered, positions)

    @property
    def offsets(self) -> NDArray[np.int32]:
        """The offset of each token in the text as given, int32[tokens]."""
        offsets = self.fingerprint.offsets
        return offsets if self.positions is None else self.positions[offsets].astype(np.int32)

    def obfuscation(self, passages: Iterable[tuple[int, int]]) -> ObfuscationFound | None:
        """Return the reordering in these token ranges as an obfuscation, or None if there are fewer than three breaks.

        A break is a pair of consecutive tokens that are not neighbours in the text as given.
        """
        if self.positions is None:
            return None
        break_count, first = 0, 0
        ranks = np.argsort(
            np.argsort(self.offsets)
        )  # among all tokens of the page: tokens between them may be read elsewhere
        for start, end in passages:
            breaks = int(np.count_nonzero(np.diff(ranks[start:end]) != 1))
            if breaks and not break_count:
                first = int(self.offsets[start:end].min())
            break_count += breaks
        if break_count < MIN_BREAKS:
            return None
        example = "".join(
            self.text[index] for index in np.argsort(self.positions)[first : first + MAX_EXAMPLE_CHARS].tolist()
        )
        return ObfuscationFound(Obfuscation.REARRANGED, break_count, " ".join(example.split()))


def spans_as_given(spans: tuple[Span, ...], page: ReadingOrder, work: ReadingOrder) -> tuple[Span, ...]:
    """Return spans between texts in reading order as spans between the texts as given.

    A span becomes the smallest range that contains all its characters. Other tokens of the page in this range become
    insertions.
    """
    if page.positions is None and work.positions is None:
        return spans
    return tuple(sorted((_span_as_given(span, page, work) for span in spans), key=lambda span: span.page))


def _span_as_given(span: Span, page: ReadingOrder, work: ReadingOrder) -> Span:
    on_page, in_work = _smallest_range(page.positions, span.page), _smallest_range(work.positions, span.work)
    changes = [part for change in span.changes for part in _split_change(change, page.positions, work.positions)]
    changes += [
        Change(ChangeKind.INSERTED, inserted_range, TextRange(in_work.start, in_work.start))
        for inserted_range in _foreign_runs(span, on_page, page)
    ]
    changes.sort(key=lambda change: (change.page, change.work))
    return Span(on_page, in_work, span.similarity, tuple(changes))


def _smallest_range(positions: NDArray[np.int64] | None, read: TextRange) -> TextRange:
    """Return the smallest range of the text as given that contains a range in reading order."""
    if positions is None:
        return read
    if not len(read):
        start = int(positions[read.start]) if read.start < positions.size else positions.size
        return TextRange(start, start)
    inside = positions[read.start : read.end]
    return TextRange(int(inside.min()), int(inside.max()) + 1)


def _split_change(change: Change, page: NDArray[np.int64] | None, work: NDArray[np.int64] | None) -> Iterator[Change]:
    """Yield the parts of a change whose characters are adjacent in both texts as given.

    If the sides differ in length, the other side belongs to the first part.
    """
    if len(change.page) == len(change.work) and len(change.page):
        steps = list(zip(_character_pairs(change.page, page), _character_pairs(change.work, work), strict=True))
        yield from (Change(change.kind, *ranges_of_pair) for ranges_of_pair in _merge_adjacent_pairs(steps))
        return
    ranges = list(_given_ranges(change.page, page)), list(_given_ranges(change.work, work))
    for number in range(max(map(len, ranges))):
        sides = [side[number] if number < len(side) else TextRange(side[0].start, side[0].start) for side in ranges]
        yield Change(change.kind, sides[0], sides[1])


def _character_pairs(read: TextRange, positions: NDArray[np.int64] | None) -> list[int]:
    return list(range(read.start, read.end)) if positions is None else positions[read.start : read.end].tolist()


def _merge_adjacent_pairs(steps: list[tuple[int, int]]) -> Iterator[tuple[TextRange, TextRange]]:
    """Yield ranges of pairs of characters that are adjacent in both texts, in the same or in reverse order."""
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


def _given_ranges(read: TextRange, positions: NDArray[np.int64] | None) -> Iterator[TextRange]:
    """Yield the ranges of the text as given that make up a range in reading order; for an empty range, its position."""
    if positions is None or not len(read):
        yield _smallest_range(positions, read)
        return
    inside = np.sort(positions[read.start : read.end])
    cuts = np.flatnonzero(np.diff(inside) > 1) + 1
    for run in np.split(inside, cuts):
        yield TextRange(int(run[0]), int(run[-1]) + 1)


def _foreign_runs(span: Span, on_page: TextRange, page: ReadingOrder) -> Iterator[TextRange]:
    """Yield the runs of page tokens inside the range of a span that do not belong to it in reading order."""
    if page.positions is None:
        return
    offsets = page.fingerprint.offsets
    positions = page.positions[offsets]
    is_foreign = (offsets < span.page.start) | (offsets >= span.page.end)
    foreign = np.sort(positions[is_foreign & (positions >= on_page.start) & (positions < on_page.end)])
    if foreign.size:
        for run in np.split(foreign, np.flatnonzero(np.diff(foreign) > 1) + 1):
            yield TextRange(int(run[0]), int(run[-1]) + 1)


def _reorder_noise(noise: Noise, reading_positions: NDArray[np.int64]) -> Noise:
    """Return the noise at its offsets in reading order, without the noise that records the reordering.

    reading_positions: int64[len(text)], the offset in reading order of each character of the text as given.
    """
    is_kept = noise.kinds != REARRANGED
    starts = reading_positions[noise.starts[is_kept]]
    order = np.argsort(starts, kind="stable")
    ends = starts + (noise.ends[is_kept] - noise.starts[is_kept])
    return Noise(starts[order].astype(np.int32), ends[order].astype(np.int32), noise.kinds[is_kept][order])
