"""Edits that leave the characters and change where they stand, or strew others in between."""

import itertools
import re
from collections.abc import Callable, Sequence
from random import Random

import numpy as np
from numpy.typing import NDArray
from pypinyin import Style, pinyin

from laboratory.edits.edited import PUT_IN, Edited

SENTENCES = re.compile("[^。！？!?\n]*[。！？!?\n]*")
CLAUSES = re.compile("[\u4e00-\u9fff]+|[^\u4e00-\u9fff]")  # signs stay in their order
LINES = re.compile("[^\n]*\n?")
LINE = 30

Layout = Callable[[Edited, Random], Edited]
Places = NDArray[np.int64]
Move = Callable[[Places], Places]


def in_columns(
    high: int, *, wide: int = 0, from_right: bool = True, between: str = "", is_snake: bool = False
) -> Layout:
    """Columns of `high` characters, `wide` of them beside each other (0: all), padded with wide spaces.

    is_snake: every other column is read upwards.
    """

    def layout(page: Edited, _rng: Random) -> Edited:
        kept = np.array([place for place, sign in enumerate(page.text) if sign != "\n"])
        columns = [kept[start : start + high] for start in range(0, kept.size, high)]
        rows: list[int | str] = []
        for first in range(0, len(columns), wide or len(columns)):
            block = columns[first : first + (wide or len(columns))]
            for row in range(high):
                cells: list[int | str] = []
                for number, column in enumerate(block):
                    place = high - 1 - row if is_snake and number % 2 else row
                    cells.append(int(column[place]) if place < column.size else "\u3000")
                for number, cell in enumerate(reversed(cells) if from_right else cells):
                    rows += ([between] if between and number else []) + [cell]
                rows.append("\n")
        return written(page, rows)

    return layout


def by_units(pattern: re.Pattern[str] | None, move: Move, *, every: int = 1) -> Layout:
    """Each unit of the text moved in itself, or every `every`-th; without a pattern the whole text is one."""

    def layout(page: Edited, _rng: Random) -> Edited:
        units = units_of(page, pattern)
        moved = [move(unit) if number % every == every - 1 else unit for number, unit in enumerate(units)]
        return page.taken(np.concatenate(moved))

    return layout


def by_some_units(pattern: re.Pattern[str], move: Move, share: float) -> Layout:
    """A share of the units, drawn at random, moved in itself."""

    def layout(page: Edited, rng: Random) -> Edited:
        moved = [move(unit) if rng.random() < share else unit for unit in units_of(page, pattern)]
        return page.taken(np.concatenate(moved))

    return layout


def units_of(page: Edited, pattern: re.Pattern[str] | None) -> list[Places]:
    """The places of each unit that a pattern finds; without one of the whole text."""
    found = [] if pattern is None else [match.span() for match in pattern.finditer(page.text) if match.group()]
    return [np.arange(start, end) for start, end in found or [(0, len(page.text))]]


def by_groups(*patterns: tuple[int, ...]) -> Layout:
    """So many characters at a time in the order of a pattern, of several in turn; what is left at the end stays."""

    def layout(page: Edited, _rng: Random) -> Edited:
        places, start, turn = np.arange(len(page.text)), 0, 0
        while start + len(patterns[turn]) <= places.size:
            size = len(patterns[turn])
            places[start : start + size] = start + np.array(patterns[turn])
            start, turn = start + size, (turn + 1) % len(patterns)
        return page.taken(places)

    return layout


def shuffled(size: int) -> Layout:
    """So many characters at a time in an order that is drawn at random."""

    def layout(page: Edited, rng: Random) -> Edited:
        places = list(range(len(page.text)))
        groups = [places[start : start + size] for start in range(0, len(places), size)]
        return page.taken(np.array([place for group in groups for place in rng.sample(group, len(group))]))

    return layout


def swapped(share: float) -> Layout:
    """A share of the characters with the next one before it, drawn at random."""

    def layout(page: Edited, rng: Random) -> Edited:
        places, place = np.arange(len(page.text)), 0
        while place + 1 < places.size:
            is_swapped = rng.random() < share
            if is_swapped:
                places[place : place + 2] = places[place : place + 2][::-1].copy()
            place += 1 + is_swapped
        return page.taken(places)

    return layout


def turned_in_groups(sizes: Sequence[int]) -> Layout:
    """Some characters at a time backwards, as many as is drawn at random."""

    def layout(page: Edited, rng: Random) -> Edited:
        places, start = np.arange(len(page.text)), 0
        while start < places.size:
            size = rng.choice(sizes)
            places[start : start + size] = places[start : start + size][::-1].copy()
            start += size
        return page.taken(places)

    return layout


def strewn(every: int, characters: str, count: int = 1, *, han_alone: bool = False) -> Layout:
    """So many characters that do not belong there behind every so many of the text, or of its Chinese characters."""

    def layout(page: Edited, rng: Random) -> Edited:
        cells: list[int | str] = []
        seen = 0
        for place, sign in enumerate(page.text):
            cells.append(place)
            seen += not han_alone or "\u4e00" <= sign <= "\u9fff"
            if seen == every:
                cells += rng.choices(characters, k=count)
                seen = 0
        return written(page, cells)

    return layout


def strewn_in_turn(distances: Sequence[int], characters: str) -> Layout:
    """Characters in turn, each behind as many of the text as the next distance says."""

    def layout(page: Edited, _rng: Random) -> Edited:
        cells: list[int | str] = []
        seen, turn = 0, 0
        for place in range(len(page.text)):
            cells.append(place)
            seen += 1
            if seen == distances[turn % len(distances)]:
                cells.append(characters[turn % len(characters)])
                seen, turn = 0, turn + 1
        return written(page, cells)

    return layout


def put_in(share: float, characters: str) -> Layout:
    """Characters that do not belong there behind a share of those of the text, drawn at random."""

    def layout(page: Edited, rng: Random) -> Edited:
        cells: list[int | str] = []
        for place in range(len(page.text)):
            cells += [place] if rng.random() >= share else [place, rng.choice(characters)]
        return written(page, cells)

    return layout


def mixed_with(other: str, own: int = 1, foreign: int = 1) -> Layout:
    """So many characters of the text and so many of another one, over and over, in turn."""

    def layout(page: Edited, _rng: Random) -> Edited:
        cells: list[int | str] = []
        seen = 0
        for start in range(0, len(page.text), own):
            cells += range(start, min(start + own, len(page.text)))
            cells += [other[(seen + number) % len(other)] for number in range(foreign)]
            seen += foreign
        return written(page, cells)

    return layout


def in_pinyin(style: Style, between: str) -> Layout:
    """All of it in pinyin."""

    def layout(page: Edited, _rng: Random) -> Edited:
        parts, origins = [], []
        for place, sign in enumerate(page.text):
            part = pinyin(sign, style=style)[0][0] + between
            parts.append(part)
            origins += [place] * len(part)
        return Edited("".join(parts), page.origins[np.array(origins, np.int64)])

    return layout


def in_capitals(page: Edited, _rng: Random) -> Edited:
    """Its letters as capitals."""
    return Edited("".join(sign.upper() if len(sign.upper()) == 1 else sign for sign in page.text), page.origins)


def in_lines(layout: Layout, size: int = LINE) -> Layout:
    """First set in lines of so many characters."""

    def of_lines(page: Edited, rng: Random) -> Edited:
        cells: list[int | str] = []
        for place in range(len(page.text)):
            cells += [place] if (place + 1) % size else [place, "\n"]
        return layout(written(page, cells), rng)

    return of_lines


def in_triangle(page: Edited, _rng: Random) -> Edited:
    """Columns of which each is a character longer than the one before, read down from the left."""
    kept = [place for place, sign in enumerate(page.text) if sign != "\n"]
    columns: list[list[int]] = []
    start = 0
    while start < len(kept):
        columns.append(kept[start : start + len(columns) + 1])
        start += len(columns)
    rows: list[int | str] = []
    for row in range(len(columns)):
        rows += [column[row] if row < len(column) else "\u3000" for column in columns]
        rows.append("\n")
    return written(page, rows)


def written(page: Edited, cells: list[int | str]) -> Edited:
    """The characters of a page in this order, with others put in."""
    text = "".join(cell if isinstance(cell, str) else page.text[cell] for cell in cells)
    origins = [PUT_IN if isinstance(cell, str) else int(page.origins[cell]) for cell in cells]
    return Edited(text, np.array(origins, np.int32))


def backwards(unit: Places) -> Places:
    """From the last to the first."""
    return unit[::-1]


def backwards_but_the_end(unit: Places) -> Places:
    """From the last but one to the first, and the last."""
    return np.append(unit[-2::-1], unit[-1:])


def dealt(unit: Places) -> Places:
    """Every other one, and those between."""
    return np.concatenate([unit[::2], unit[1::2]])


def shuffled_as_cards(unit: Places) -> Places:
    """One of the first half and one of the second in turn."""
    middle = -(-unit.size // 2)
    mixed = np.empty_like(unit)
    mixed[::2], mixed[1::2] = unit[:middle], unit[middle:]
    return mixed


def outside_in(unit: Places) -> Places:
    """The first, the last, the second, the last but one."""
    return np.array([unit[-1 - place // 2] if place % 2 else unit[place // 2] for place in range(unit.size)], np.int64)


def mirrored_halves(unit: Places) -> Places:
    """Each half backwards."""
    return np.concatenate([unit[: unit.size // 2][::-1], unit[unit.size // 2 :][::-1]])


def turned_on(by: int) -> Move:
    """The first so many behind the others, but for the last."""

    def move(unit: Places) -> Places:
        return np.append(np.roll(unit[:-1], -by), unit[-1:]) if unit.size > by + 1 else unit

    return move


def run_together(page: Edited, _rng: Random) -> Edited:
    """All lines one behind the other, without what pads them on either side."""
    lines = [unit[np.array([page.text[place] not in "\n\u3000" for place in unit])] for unit in units_of(page, LINES)]
    inside = [np.arange(line[0], line[-1] + 1) for line in lines if line.size]
    return page.taken(np.concatenate(inside))


def words_backwards(page: Edited, rng: Random) -> Edited:
    """Each clause from its last word to its first, each word as it is; words are one to three characters, at random."""
    places: list[int] = []
    for unit in units_of(page, CLAUSES):
        cuts = [0]
        while cuts[-1] < unit.size:
            cuts.append(min(cuts[-1] + rng.choice((1, 2, 2, 2, 3)), unit.size))
        words = [unit[start:end].tolist() for start, end in itertools.pairwise(cuts)]
        places += [place for word in reversed(words) for place in word]
    return page.taken(np.array(places, np.int64))


def on_fence(rails: int) -> Move:
    """Those on each rail of a fence, from the upper one to the lower one."""

    def move(unit: Places) -> Places:
        turns = np.arange(unit.size) % (2 * rails - 2)
        return unit[np.argsort(np.minimum(turns, 2 * rails - 2 - turns), kind="stable")]

    return move
