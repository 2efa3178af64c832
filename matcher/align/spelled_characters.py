"""Finds characters that a page spells in pinyin, in any form: bei, bèi4, (bei), b e i.

Normalisation reads some of these forms as tokens, omits others as noise or unread, and reads a tone as a figure. If
letters are next to text of the work without another counterpart, and spell it, both become one change of kind PINYIN.
Letters that follow the character itself are left unchanged.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import pairwise
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.text import TextRange
from fingerprint.algorithms import Algorithm
from fingerprint.characters import CharacterClasses, Kind
from fingerprint.pinyin import MAX_RUN_LETTERS, letter_without_marks
from matcher.align.change_kernels import Changes
from matcher.align.token_alignment import FROM_PAGE, FROM_WORK, KIND, TO_PAGE, TO_WORK
from matcher.align.tokenized_text import MAX_LETTERS_OF_SYLLABLE, TokenizedPage, TokenizedText

TONES = "012345０１２３４５"
NO_LETTERS: Mapping[int, TextRange] = MappingProxyType({})


class RowKinds(NamedTuple):
    """The numbers of the kinds of changes that may be joined. moved: the kind of changes that is never joined."""

    pinyin: int
    replaced: int
    inserted: int
    deleted: int
    moved: int


class SpelledRow(NamedTuple):
    """A row of changes, with its columns in sorting order.

    is_spelled: whether its letters are known to spell its text.
    """

    page_start: int
    page_end: int
    work_start: int
    work_end: int
    kind: int
    is_spelled: bool = False


class SpelledChanges(NamedTuple):
    """The changes of a passage, and for each row that was joined with a spelling, the range of its letters on the page.

    The range includes brackets and the number of a tone. A joined change may have no page tokens.
    """

    changes: Changes
    letter_ranges: Mapping[int, TextRange]

    def work_tokens(self) -> NDArray[np.int32]:
        """Return the work tokens that the letters spell, in order of the page, int32[n]."""
        starts, ends = self.changes[list(self.letter_ranges), FROM_WORK:].T
        sizes = ends - starts
        before = np.cumsum(sizes, dtype=np.int32) - sizes
        return np.repeat(starts - before, sizes) + np.arange(sizes.sum(), dtype=np.int32)


def join_spelled(page: TokenizedPage, work: TokenizedText, changes: Changes, kinds: RowKinds) -> SpelledChanges:
    """Return the changes with each pinyin spelling joined to the characters that it spells.

    changes: in order of the page.
    """
    offsets, tables = page.fingerprint.offsets, page.fingerprint.algorithm.tables
    first, last = int(changes[:, FROM_PAGE].min()), int(changes[:, TO_PAGE].max())
    start = int(offsets[first - 1]) if first else 0
    end = int(offsets[last]) + MAX_LETTERS_OF_SYLLABLE if last < offsets.size else len(page.text)
    if not np.isin(tables.kinds[page.characters[start:end]], (Kind.LATIN, Kind.FULL_WIDTH_LATIN)).any():
        return SpelledChanges(changes, NO_LETTERS)
    letters = list(_letter_spellings(page.text, start, end, tables.classes))
    if not letters:
        return SpelledChanges(changes, NO_LETTERS)
    positions = np.searchsorted(offsets, [(spelling.start, spelling.end) for spelling in letters])
    known = _known_rows(positions, [spelling.is_plain for spelling in letters], changes, kinds)
    is_open = _may_be_joined(positions, changes[~known & (changes[:, KIND] != kinds.moved)])
    if not is_open.any():
        return SpelledChanges(changes, NO_LETTERS)
    is_near = _select_adjacent(changes, positions[is_open])
    rows = _Rows(changes[is_near], known[is_near], kinds, work)
    letter_ranges: dict[tuple[int, int], TextRange] = {}
    for number in np.flatnonzero(is_open).tolist():
        page_start, page_end = positions[number].tolist()
        if joined := rows.join(page_start, page_end, letters[number].spelling):
            letter_ranges[joined.page_start, joined.work_start] = TextRange(letters[number].start, letters[number].end)
    return (
        rows.build_changes(letter_ranges, changes[~is_near]) if letter_ranges else SpelledChanges(changes, NO_LETTERS)
    )


class LetterSpelling(NamedTuple):
    """A range of letters, with their brackets and tone, and the spelling without them.

    is_plain: whether the range has only letters, without brackets, tones and marks.
    """

    start: int
    end: int
    spelling: str
    is_plain: bool


def _letter_spellings(text: str, start: int, end: int, classes: CharacterClasses) -> Iterator[LetterSpelling]:
    """Yield all runs of letters in a range of the text, the longest form at each position first.

    A number after letters may be a tone or not: both forms are yielded.
    """
    for match in _letter_pattern(classes).finditer(text, start, end):
        (first, stop), written = match.span(), match.group()
        spelling = _read_spelling(written)
        if len(spelling) <= MAX_RUN_LETTERS:
            yield LetterSpelling(first, stop, spelling, spelling == written)
            if written[-1] in TONES:
                yield LetterSpelling(first, first + len(written.rstrip(TONES)), spelling, False)


def _known_rows(
    positions: NDArray[np.int64], is_plain: Sequence[bool], changes: Changes, kinds: RowKinds
) -> NDArray[np.bool_]:
    """Return whether each change is already of kind PINYIN and covers plain letters only, bool[changes].

    positions: int64[letters, 2], the page tokens of the letters.
    """
    is_pinyin: NDArray[np.bool_] = changes[:, KIND] == kinds.pinyin
    tokens = int(changes[:, TO_PAGE].max())
    if not is_pinyin.any():
        return is_pinyin
    of_pinyin = _count_covered(changes[is_pinyin][:, [FROM_PAGE, TO_PAGE]], tokens)
    plain = positions[np.asarray(is_plain, np.bool_) & (positions[:, 1] <= tokens)]
    plain = plain[of_pinyin[plain[:, 1]] - of_pinyin[plain[:, 0]] == plain[:, 1] - plain[:, 0]]
    of_letters = _count_covered(plain, tokens)
    starts, ends = changes[:, FROM_PAGE], changes[:, TO_PAGE]
    of_change = of_letters[ends] - of_letters[starts]
    return np.asarray(is_pinyin & (of_change == ends - starts), np.bool_)


def _select_adjacent(changes: Changes, positions: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return whether each change touches one of these ordered ranges of page tokens, int64[n, 2], bool[changes]."""
    first = np.searchsorted(np.maximum.accumulate(positions[:, 1]) + 1, changes[:, FROM_PAGE])
    starts = np.append(positions[:, 0] - 1, np.iinfo(np.int64).max)
    return np.asarray(starts[first] <= changes[:, TO_PAGE])


def _count_covered(ranges: NDArray[np.int32] | NDArray[np.int64], tokens: int) -> NDArray[np.int64]:
    """Return, before each token, the number of tokens in at least one of the ranges [n, 2], int64[tokens + 1]."""
    edges = np.zeros(tokens + 1, np.int64)
    np.add.at(edges, ranges[:, 0], 1)
    np.add.at(edges, ranges[:, 1], -1)
    return np.concatenate([[0], np.cumsum(np.cumsum(edges[:-1]) > 0)])


def _may_be_joined(positions: NDArray[np.int64], changes: Changes) -> NDArray[np.bool_]:
    """Return whether each range of page tokens touches a change with text of the work.

    changes: in order of the page.
    """
    rows = changes[changes[:, FROM_WORK] < changes[:, TO_WORK]]
    if not len(rows):
        return np.zeros(len(positions), np.bool_)
    before = np.searchsorted(rows[:, FROM_PAGE], positions[:, 1] + 1, side="right")
    reached = np.maximum.accumulate(rows[:, TO_PAGE])
    return np.asarray((before > 0) & (reached[np.maximum(before - 1, 0)] >= positions[:, 0] - 1))


@lru_cache(maxsize=8192)  # there are 415 syllables with five tones, in several forms
def _read_spelling(written: str) -> str:
    return "".join(letter_without_marks(letter) for letter in written if letter.isalpha())


@cache
def _letter_pattern(classes: CharacterClasses) -> re.Pattern[str]:
    """Return a pattern of letters with at most two spaces or joiners between them (as in fingerprint.latin)."""
    letter = _character_class(classes, Kind.LATIN, Kind.FULL_WIDTH_LATIN)
    hidden, between = _character_class(classes, Kind.ZERO_WIDTH), _character_class(classes, Kind.SPACE, Kind.JOINING)
    opening, closing = _character_class(classes, Kind.OPENING), _character_class(classes, Kind.CLOSING)
    gap = f"(?:[{hidden}]*[{between}]){{0,2}}[{hidden}]*"
    run = f"[{letter}](?:{gap}[{letter}{TONES}])*"
    return re.compile(f"[{opening}]{gap}{run}{gap}[{closing}]|{run}")


def _character_class(classes: CharacterClasses, *kinds: Kind) -> str:
    single = "".join(re.escape(classes.by_character.get(kind, "")) for kind in kinds)
    ranges = (codes for kind in kinds for codes in classes.by_range.get(kind, ()))
    return single + "".join(f"{re.escape(chr(codes.start))}-{re.escape(chr(codes.stop - 1))}" for codes in ranges)


class _Rows:
    """The changes of a passage, to be joined with the letters that spell their characters."""

    def __init__(self, changes: Changes, known: NDArray[np.bool_], kinds: RowKinds, work: TokenizedText) -> None:
        """Prepare the rows. known: whether each change is joined already."""
        self._kinds, self._work = kinds, work
        self._rows = sorted(
            SpelledRow(page_start, page_end, work_start, work_end, kind, is_known)
            for (kind, page_start, page_end, work_start, work_end), is_known in zip(
                changes.tolist(), known.tolist(), strict=True
            )
        )
        self._readings = _Readings(work, int(changes[:, FROM_WORK].min()), int(changes[:, TO_WORK].max()))

    def join(self, page_start: int, page_end: int, spelling: str) -> SpelledRow | None:
        """Join the rows at these page tokens and return the new row, or None if the letters do not spell their text."""
        if joined := self._join_alone(page_start, page_end, spelling):
            return joined
        first = bisect_left(self._rows, (page_start - 1,))
        while first and self._rows[first - 1].page_end >= page_start - 1:
            first -= 1
        end = first
        while end < len(self._rows) and self._rows[end].page_start <= page_end + 1:
            end += 1
        rows = [piece for row in self._rows[first:end] for piece in self._cut_row(row, page_start, page_end)]
        if page_start == page_end:
            rows = self._slide_deletion(rows, page_start)
        for block in self._row_blocks(rows, page_start, page_end):
            if new_rows := self._spell_block(block, page_start, page_end, spelling):
                others = [row for row in rows if row not in block]
                self._rows[first:end] = sorted(others + new_rows)
                return next(row for row in new_rows if row.is_spelled and row.page_start == page_start)
        return None

    def _join_alone(self, page_start: int, page_end: int, spelling: str) -> SpelledRow | None:
        """Join page tokens inside one row with as many tokens of the work, if the letters spell all of these.

        Otherwise None.

        No likelier position exists. Nearly all letters that were read as tokens are joined here.
        """
        number = bisect_left(self._rows, (page_start + 1,)) - 1
        if number < 0 or page_start == page_end or self._rows[number].page_end < page_end:
            return None
        row = self._rows[number]
        is_paired = row.page_end - row.page_start == row.work_end - row.work_start
        behind = self._rows[number + 1].page_start if number + 1 < len(self._rows) else row.page_end
        if row.is_spelled or row.kind == self._kinds.moved or not is_paired or behind < row.page_end:
            return None
        start = row.work_start + page_start - row.page_start
        stop = start + page_end - page_start
        if _count_spelled(spelling, self._readings.syllables(start, stop)) != stop - start:
            return None
        made = SpelledRow(page_start, page_end, start, stop, self._kinds.pinyin, is_spelled=True)
        pieces = [made]
        if row.page_start < page_start:
            pieces.insert(0, SpelledRow(row.page_start, page_start, row.work_start, start, row.kind))
        if page_end < row.page_end:
            pieces.append(SpelledRow(page_end, row.page_end, stop, row.work_end, row.kind))
        self._rows[number : number + 1] = pieces
        return made

    def _slide_deletion(self, rows: list[SpelledRow], position: int) -> list[SpelledRow]:
        """Move the deletion of one of two equal characters (姐 for 姐姐) to this position, if possible."""
        changed = {token for row in rows for token in range(row.page_start, row.page_end)}
        for number, row in enumerate(rows):
            shift = position - row.page_start
            is_single = row.kind == self._kinds.deleted and row.work_end == row.work_start + 1
            if not is_single or abs(shift) != 1 or min(position, row.page_start) in changed:
                continue
            work_index = row.work_start + shift
            if self._is_same_character(row.work_start, work_index):
                slid = row._replace(
                    page_start=position, page_end=position, work_start=work_index, work_end=work_index + 1
                )
                return [*rows[:number], slid, *rows[number + 1 :]]
        return rows

    def _is_same_character(self, first: int, second: int) -> bool:
        low, high = min(first, second), max(first, second)
        codes = self._work.code_points(max(low, 0), high + 1)
        return low >= 0 and codes.size == high - low + 1 and bool(codes[0] == codes[-1])

    def build_changes(self, letters: Mapping[tuple[int, int], TextRange], others: Changes) -> SpelledChanges:
        """Return all changes of the passage.

        letters: the ranges of letters by the start of their row on the page and in the work; others: the unaffected
        changes.
        """
        joined: list[SpelledRow] = []
        for row in self._rows:
            last = joined[-1] if joined else None
            if last and _touch_rows(last, row) and last.kind == row.kind and not (last.is_spelled or row.is_spelled):
                joined[-1] = row._replace(page_start=last.page_start, work_start=last.work_start)
            else:
                joined.append(row)
        new_changes = np.array([(row.kind, *row[:4]) for row in joined], np.int32)
        changes = np.concatenate([new_changes, others])
        order = np.lexsort((changes[:, FROM_WORK], changes[:, TO_PAGE], changes[:, FROM_PAGE]))
        new_numbers = np.argsort(order).tolist()
        starts = ((row.page_start, row.work_start) for row in joined)
        positions = {new_numbers[row]: letters[start] for row, start in enumerate(starts) if start in letters}
        return SpelledChanges(changes[order], positions)

    def _cut_row(self, row: SpelledRow, page_start: int, page_end: int) -> list[SpelledRow]:
        """Return the row cut before and after these page tokens, if each part has its own tokens of the work."""
        tokens, work_tokens = row.page_end - row.page_start, row.work_end - row.work_start
        if row.is_spelled or (work_tokens and tokens != work_tokens) or not tokens:
            return [row]
        inner = [position for position in (page_start, page_end) if row.page_start < position < row.page_end]
        bounds = sorted({row.page_start, *inner, row.page_end})
        step = 1 if work_tokens else 0
        return [
            row._replace(
                page_start=start,
                page_end=end,
                work_start=row.work_start + step * (start - row.page_start),
                work_end=row.work_start + step * (end - row.page_start),
            )
            for start, end in pairwise(bounds)
        ]

    def _row_blocks(self, rows: Sequence[SpelledRow], page_start: int, page_end: int) -> Iterator[list[SpelledRow]]:
        """Yield runs of rows that may contain the spelled characters.

        These are the rows at the page tokens, then the same with adjacent rows.
        """
        free = [row for row in rows if row.kind != self._kinds.moved and not row.is_spelled]
        inside = [row for row in free if row.page_start < page_end and row.page_end > page_start]
        adjacent = [row for row in free if row.kind in self._kinds[:-1] and row not in inside]
        adjacent = [row for row in adjacent if row.page_start <= page_end and row.page_end >= page_start]
        if inside:
            yield from (block for block in (inside, [*inside, *adjacent]) if _is_run(sorted(block)))
            yield from (block for row in adjacent if _is_run(sorted(block := [*inside, row])))
        else:
            yield from ([row] for row in adjacent if row.kind == self._kinds.deleted)
            yield from (block for block in (adjacent, *([row] for row in adjacent)) if _is_run(sorted(block)))

    def _spell_block(
        self, block: Sequence[SpelledRow], page_start: int, page_end: int, spelling: str
    ) -> list[SpelledRow] | None:
        """Return the rows that replace a run of rows, or None if the letters spell none of its text.

        Of several possible positions in the run, the likeliest is used.
        """
        page_from, page_to = min(row.page_start for row in block), max(row.page_end for row in block)
        work_from, work_to = min(row.work_start for row in block), max(row.work_end for row in block)
        if page_from > page_start or page_to < page_end:
            return None
        readings = self._readings.syllables(work_from, work_to)
        before, behind = page_start - page_from, page_to - page_end
        best = None
        for skipped in range(len(readings)):
            if count := _count_spelled(spelling, readings[skipped:]):
                cost = abs(skipped - before) + abs(len(readings) - skipped - count - behind)
                best = min(best or (cost, skipped, count), (cost, skipped, count))
        if best is None:
            return None
        start, end = work_from + best[1], work_from + best[1] + best[2]
        return [
            *self._remaining_row(page_from, page_start, work_from, start),
            SpelledRow(page_start, page_end, start, end, self._kinds.pinyin, is_spelled=True),
            *self._remaining_row(page_end, page_to, end, work_to),
        ]

    def _remaining_row(self, page_start: int, page_end: int, work_start: int, work_end: int) -> Iterator[SpelledRow]:
        on_page, in_work = page_start < page_end, work_start < work_end
        if on_page or in_work:
            kinds = self._kinds
            kind = (kinds.replaced if on_page else kinds.deleted) if in_work else kinds.inserted
            yield SpelledRow(page_start, page_end, work_start, work_end, kind)


def _touch_rows(first: SpelledRow, second: SpelledRow) -> bool:
    return first.page_end == second.page_start and first.work_end == second.work_start


def _is_run(rows: Sequence[SpelledRow]) -> bool:
    return bool(rows) and all(_touch_rows(*pair) for pair in pairwise(rows))


class _Readings:
    """The possible syllables of the tokens in a stretch of the work, the token's own syllable first."""

    def __init__(self, work: TokenizedText, start: int, end: int) -> None:
        self._algorithm: Algorithm = work.fingerprint.algorithm
        self._start, self._codes = start, work.code_points(start, end).tolist()
        self._by_character: dict[int, list[str]] = {}

    def syllables(self, start: int, end: int) -> list[list[str]]:
        return [self._character_syllables(code) for code in self._codes[start - self._start : end - self._start]]

    def _character_syllables(self, code: int) -> list[str]:
        syllables = self._by_character.get(code)
        if syllables is None:
            near, names = self._algorithm.near, self._algorithm.tables.readings.names
            syllables = [names[number] for number in near.readings[near.rows[code]].tolist() if number]
            self._by_character[code] = syllables
        return syllables


def _count_spelled(letters: str, readings: Sequence[Sequence[str]]) -> int:
    """Return how many characters, from the first on, all the letters spell; 0 if they do not spell whole characters.

    >>> _count_spelled("beizhe", [["bei"], ["zhuo", "zhe"], ["mu"]]), _count_spelled("beizh", [["bei"], ["zhe"]])
    (2, 0)
    """
    for syllable in readings[0] if readings else ():
        rest = letters.removeprefix(syllable)
        if not rest:
            return 1
        if rest != letters and (count := _count_spelled(rest, readings[1:])):
            return count + 1
    return 0
