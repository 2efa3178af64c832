"""Maps the characters of a clean text to the raw text, by comparing the texts before and after each step."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, islice, pairwise, takewhile

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import Indel, Levenshtein

from core.marks import SURROUNDING, Mark
from core.obfuscations import Obfuscation
from core.text import TextRange

# Product of the numbers of characters on both sides, which takes 0.3 s of CPU time. A chapter of 30,000 with noise on
# each line has a quarter of it. Longer parts without a common line become one mark. Chosen, 2026-11.
MAX_PAIRS = 4_000_000_000
# Per step. A chapter of 10,000 characters with noise after each has as many, and they take .3 s. A text with more
# becomes a single mark. Chosen, 2026-11.
MAX_MARKS = 10_000
MAX_CHARS = 2_000_000  # only the longest novels have more, and their files are read by chapter; chosen, 2026-11
_NOWHERE, _MAX_SAME = -1, 12
_MAX_TOLD = 5_000  # maximum number of characters in a difference that decide its kind

KindOf = Callable[[str, str], str]  # returns the kind of a mark for the removed text and its replacement


def constant_kind(kind: str) -> KindOf:
    """Return a classifier for a step that undoes one kind of obfuscation: it always returns that kind."""
    return lambda _old, _new: kind


@dataclass(slots=True)
class Origins:
    """A clean text aligned with its raw text: each character's index in `raw`, and whether it was moved.

    places: int32[chars of text], the index in `raw`; -1 for an inserted character
    written: the kinds of the inserted characters in `text`, as indexes of `kinds`; 0 for others
    taken: the kinds of the characters in `raw` that `text` lacks, as indexes of `kinds`; 0 for others
    """

    raw: str
    text: str
    places: NDArray[np.int32]
    is_moved: NDArray[np.bool_]
    written: NDArray[np.uint8]
    taken: NDArray[np.uint8]
    kinds: list[str]

    @classmethod
    def from_text(cls, raw: str) -> "Origins":
        """Return the origins of a raw text before any step."""
        nothing = np.zeros(len(raw), np.uint8)
        moved = np.zeros(len(raw), np.bool_)
        return cls(raw, raw, np.arange(len(raw), dtype=np.int32), moved, nothing, nothing.copy(), [""])

    def step(self, text: str, kind_of: KindOf) -> None:
        """Advance to `text`, which a step made from the current text. kind_of: returns the kind of each difference."""
        if text == self.text:
            return
        between = _Comparison(self.text, text)
        written, taken = np.zeros(len(text), np.uint8), np.zeros(len(self.text), np.uint8)
        for old, new in between.differing():
            number = self._number(kind_of(_pick(self.text, old[:_MAX_TOLD]), _pick(text, new[:_MAX_TOLD])))
            written[new], taken[old] = number, number
        kept = between.places[between.places != _NOWHERE]
        gone = self.places != _NOWHERE
        gone[kept] = False
        self.taken[self.places[gone]] = taken[gone]
        places, is_kept = np.full(len(text), _NOWHERE, np.int32), between.places != _NOWHERE
        places[is_kept], written[is_kept] = self.places[kept], self.written[kept]
        is_moved = between.is_moved
        is_moved[is_kept] |= self.is_moved[kept]
        self.text, self.places, self.written, self.is_moved = text, places, written, is_moved & (places != _NOWHERE)

    def marks(self) -> tuple[Mark, ...]:
        """Return the differences between the raw and the clean text, in the order of the clean text."""
        found, at, raw_at = list[Mark](), 0, 0
        for start, end in [*_runs(self._places_in_order()), (len(self.text), len(self.text))]:
            raw_start = int(self.places[start]) if start < end else len(self.raw)
            found += self._gap(TextRange(at, start), TextRange(raw_at, raw_start))
            at, raw_at = end, raw_start + end - start
        moved = np.where(self.is_moved, self.places, _NOWHERE)
        for start, end in _runs(moved):
            raw_start = int(self.places[start])
            raw = TextRange(raw_start, raw_start + end - start)
            found.append(Mark(Obfuscation.REORDERED.value, raw, TextRange(start, end)))
        return tuple(sorted(found, key=lambda mark: (mark.text, mark.raw)))

    def _places_in_order(self) -> NDArray[np.int32]:
        return np.where(self.is_moved, _NOWHERE, self.places).astype(np.int32)

    def _gap(self, text: TextRange, raw: TextRange) -> Iterator[Mark]:
        """Yield the marks between two equal parts: the removed ranges, each with its replacement."""
        if not len(text) and not len(raw):
            return
        instead = defaultdict[int, list[TextRange]](list)
        for number, start, end in _stretches(self.written[text.start : text.end]):
            instead[number].append(TextRange(text.start + start, text.start + end))
        for number, start, end in _stretches(self.taken[raw.start : raw.end]):
            place = TextRange(raw.start + start, raw.start + end)
            now = instead[number].pop(0) if instead[number] else TextRange(text.start, text.start)
            yield Mark(self.kinds[number], place, now)
        for number, ranges in instead.items():
            yield from (Mark(self.kinds[number], TextRange(raw.end, raw.end), each) for each in ranges)

    def _number(self, kind: str) -> int:
        if kind not in self.kinds:
            self.kinds.append(kind)
        return self.kinds.index(kind)


def restore_origins(raw: str, text: str, marks: Sequence[Mark]) -> Origins:
    """Reconstruct the origins of a text from its marks."""
    origins = Origins.from_text(raw)
    places, used = np.full(len(text), _NOWHERE, np.int32), np.zeros(len(raw), np.bool_)
    moved, written = np.zeros(len(text), np.bool_), np.zeros(len(text), np.uint8)
    for mark in marks:
        number, now, then = origins._number(mark.kind), mark.text, mark.raw
        used[then.start : then.end] = True
        if mark.kind == Obfuscation.REORDERED and text[now.start : now.end] == raw[then.start : then.end]:
            places[now.start : now.end], moved[now.start : now.end] = np.arange(then.start, then.end), True
        else:
            written[now.start : now.end], origins.taken[then.start : then.end] = number, number
    places[(written == 0) & ~moved] = np.flatnonzero(~used)
    origins.text, origins.places, origins.is_moved, origins.written = text, places, moved, written
    return origins


def join_raw_parts(parts: Iterable[tuple[str, str, Sequence[Mark]]], text: str) -> tuple[str, tuple[Mark, ...]]:
    """Join parts (raw text, clean text, marks). Return their raw text and the marks between it and `text`."""
    raws, cleans, marks = list[str](), list[str](), list[Mark]()
    raw_at = at = 0
    for raw, clean, own in parts:
        marks += [mark.shift(raw_at, at) for mark in own]
        raws.append(raw)
        cleans.append(clean)
        raw_at, at = raw_at + len(raw) + 1, at + len(clean) + 1
    raw_text, joined = "\n".join(raws), "\n".join(cleans)
    if joined == text:
        return raw_text, tuple(marks)
    origins = restore_origins(raw_text, joined, marks)
    origins.step(text, constant_kind(SURROUNDING))
    return raw_text, origins.marks()


def _runs(places: NDArray[np.int32]) -> list[tuple[int, int]]:
    """Return the starts and ends of runs of characters that are consecutive in the old text."""
    if not places.size:
        return []
    cuts = np.flatnonzero((np.diff(places) != 1) | (places[:-1] == _NOWHERE)) + 1
    edges = [0, *cuts.tolist(), len(places)]
    return [(start, end) for start, end in pairwise(edges) if places[start] != _NOWHERE]


def _stretches(numbers: NDArray[np.uint8]) -> Iterator[tuple[int, int, int]]:
    """Yield (number, start, end) for each run of equal numbers other than 0."""
    edges = [0, *(np.flatnonzero(np.diff(numbers)) + 1).tolist(), len(numbers)]
    for start, end in pairwise(edges):
        if start < end and numbers[start]:
            yield int(numbers[start]), start, end


class _Comparison:
    """A comparison of an old text with a new one: line by line, and by character where lines differ.

    places: int32[chars of new], the index of each character in the old text, or -1
    is_moved: True for characters that are in another order
    """

    def __init__(self, old: str, new: str) -> None:
        self._old, self._new = old, new
        self.places = np.full(len(new) + 1, _NOWHERE, np.int32)
        self.is_moved = np.zeros(len(new) + 1, np.bool_)
        self._pairs: list[tuple[NDArray[np.int32], NDArray[np.int32]]] = []
        if max(len(old), len(new)) <= MAX_CHARS:
            self._compare_lines()
        self.places[self.places == len(old)] = _NOWHERE
        self.places, self.is_moved = self.places[:-1], self.is_moved[:-1]

    def _compare_lines(self) -> None:
        # Each line includes its line feed, so that every character belongs to a line. The last line gets one for this
        # purpose.
        self._old_lines, self._new_lines = (
            [f"{line}\n" for line in text.split("\n")] for text in (self._old, self._new)
        )
        self._old_starts, self._new_starts = _starts(self._old_lines), _starts(self._new_lines)
        self._pairs = list(islice(self._compare(), MAX_MARKS + 1))
        if len(self._pairs) > MAX_MARKS:
            self.places[:], self.is_moved[:] = _NOWHERE, False
            self._pairs = []

    def differing(self) -> Iterator[tuple[NDArray[np.int32], NDArray[np.int32]]]:
        """Yield the indexes in the old and in the new text at which the texts differ."""
        is_left = self.places == _NOWHERE
        is_gone = np.ones(len(self._old), np.bool_)
        is_gone[self.places[~is_left]] = False
        for before, after in self._pairs:
            old, new = before[before < len(self._old)], after[after < len(self._new)]
            old, new = old[is_gone[old]], new[is_left[new]]
            is_gone[old], is_left[new] = False, False
            yield old, new
        yield np.flatnonzero(is_gone).astype(np.int32), np.flatnonzero(is_left).astype(np.int32)

    def _compare(self) -> Iterator[tuple[NDArray[np.int32], NDArray[np.int32]]]:
        loose: list[tuple[range, range]] = []
        for each in Indel.opcodes(self._old_lines, self._new_lines):
            olds, news = range(each.src_start, each.src_end), range(each.dest_start, each.dest_end)
            if each.tag == "equal":
                self._same(self._old_places(olds), self._new_places(news))
            elif loose and loose[-1][0].stop == olds.start and loose[-1][1].stop == news.start:
                loose[-1] = range(loose[-1][0].start, olds.stop), range(loose[-1][1].start, news.stop)
            else:
                loose.append((olds, news))
        moved = self._map_moved_lines(loose)
        gone = set(moved.values())
        for number, other in moved.items():
            self._same(self._old_places([other]), self._new_places([number]), is_moved=True)
        for olds, news in loose:
            before, after = [n for n in olds if n not in gone], [n for n in news if n not in moved]
            pairs = zip(before, after, strict=True) if len(before) == len(after) else ()
            for of_before, of_after in [([one], [other]) for one, other in pairs] or [(before, after)]:
                yield from self._compare_chars(self._old_places(of_before), self._new_places(of_after))

    def _map_moved_lines(self, loose: Iterable[tuple[range, range]]) -> dict[int, int]:
        """Map the numbers of new lines that were moved to their numbers in the old text."""
        there = defaultdict[str, list[int]](list)
        for olds, _ in loose:
            for number in olds:
                there[self._old_lines[number]].append(number)
        lines = (number for _, news in loose for number in news)
        return {number: ours.pop(0) for number in lines if (ours := there[self._new_lines[number]])}

    def _compare_chars(
        self, old: NDArray[np.int32], new: NDArray[np.int32]
    ) -> Iterator[tuple[NDArray[np.int32], NDArray[np.int32]]]:
        before, after = _pick(f"{self._old}\n", old), _pick(f"{self._new}\n", new)
        if len(before) == len(after) and Counter(before) == Counter(after):
            self._same(old[_permutation(before, after)], new, is_moved=True)
        elif len(before) * len(after) > MAX_PAIRS:
            yield old, new
        else:
            for each in Levenshtein.opcodes(before, after):
                ours, theirs = old[each.src_start : each.src_end], new[each.dest_start : each.dest_end]
                if each.tag == "equal":
                    self._same(ours, theirs)
                else:
                    yield ours, theirs

    def _same(self, old: NDArray[np.int32], new: NDArray[np.int32], *, is_moved: bool = False) -> None:
        self.places[new], self.is_moved[new] = old, is_moved

    def _old_places(self, numbers: Sequence[int]) -> NDArray[np.int32]:
        return _line_places(self._old_starts, self._old_lines, numbers)

    def _new_places(self, numbers: Sequence[int]) -> NDArray[np.int32]:
        return _line_places(self._new_starts, self._new_lines, numbers)


def _line_places(starts: Sequence[int], lines: Sequence[str], numbers: Sequence[int]) -> NDArray[np.int32]:
    """Return the indexes of the characters in some lines."""
    if isinstance(numbers, range) and numbers:
        return np.arange(starts[numbers[0]], starts[numbers[-1]] + len(lines[numbers[-1]]), dtype=np.int32)
    ranges = [np.arange(starts[each], starts[each] + len(lines[each]), dtype=np.int32) for each in numbers]
    return np.concatenate([np.zeros(0, np.int32), *ranges])


def _starts(lines: Sequence[str]) -> list[int]:
    return list(accumulate(map(len, lines), initial=0))


def _pick(text: str, places: NDArray[np.int32]) -> str:
    return "".join(text[place] for place in places.tolist())


def _permutation(before: str, after: str) -> list[int]:
    """Return the index in `before` of each character of its permutation `after`. Equal runs are as long as possible."""
    free = defaultdict[str, list[int]](list)
    for place, char in enumerate(before):
        free[char].append(place)
    found: list[int] = []
    for at, char in enumerate(after):
        onward = found[-1] + 1 if found else len(before)
        if onward in free[char]:
            place = onward
        else:
            place = max(free[char], key=lambda start: _count_equal_chars(before, start, after, at))
        free[char].remove(place)
        found.append(place)
    return found


def _count_equal_chars(before: str, start: int, after: str, at: int) -> int:
    """Count the equal characters from two indexes onwards, at most _MAX_SAME."""
    pairs = zip(before[start : start + _MAX_SAME], after[at : at + _MAX_SAME], strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
