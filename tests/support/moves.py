"""Edits that leave the characters and change where they stand, or strew others in between."""

import re
from collections.abc import Callable
from random import Random

import numpy as np
from numpy.typing import NDArray

from laboratory.edits.edited import PUT_IN, Edited

CLAUSES = re.compile("[\u4e00-\u9fff]+|[^\u4e00-\u9fff]")  # signs stay in their order
LINES = re.compile("[^\n]*\n?")
LINE = 30
RARE = "龘靐齉爩鱻麤龗灪厵饢"
COMMON = "的一是了我不人在他有这个上们来到时大地为"

Layout = Callable[[Edited, Random], Edited]
Places = NDArray[np.int64]
Move = Callable[[Places], Places]


def in_columns(high: int, *, from_right: bool = True) -> Layout:
    """Columns of `high` characters beside each other, padded with wide spaces."""

    def layout(page: Edited, _rng: Random) -> Edited:
        kept = [place for place, sign in enumerate(page.text) if sign != "\n"]
        columns = [kept[start : start + high] for start in range(0, len(kept), high)]
        columns = columns[::-1] if from_right else columns
        rows: list[int | str] = []
        for row in range(high):
            rows += [*(column[row] if row < len(column) else "\u3000" for column in columns), "\n"]
        return written(page, rows)

    return layout


def by_units(pattern: re.Pattern[str] | None, move: Move, *, every: int = 1) -> Layout:
    """Each unit of the text moved in itself, or every `every`-th; without a pattern the whole text is one."""

    def layout(page: Edited, _rng: Random) -> Edited:
        units = units_of(page, pattern)
        moved = [move(unit) if number % every == every - 1 else unit for number, unit in enumerate(units)]
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


def strewn(every: int, characters: str, count: int = 1) -> Layout:
    """So many characters that do not belong there behind every so many of the text."""

    def layout(page: Edited, rng: Random) -> Edited:
        cells: list[int | str] = []
        for place in range(len(page.text)):
            cells += [place] if (place + 1) % every else [place, *rng.choices(characters, k=count)]
        return written(page, cells)

    return layout


def in_lines(layout: Layout, size: int = LINE) -> Layout:
    """First set in lines of so many characters."""

    def of_lines(page: Edited, rng: Random) -> Edited:
        cells: list[int | str] = []
        for place in range(len(page.text)):
            cells += [place] if (place + 1) % size else [place, "\n"]
        return layout(written(page, cells), rng)

    return of_lines


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


def in_part(layout: Layout, share: float) -> Layout:
    """Only the last part of the text, from the line or the character where it begins."""

    def in_the_rest(page: Edited, rng: Random) -> Edited:
        start = round(len(page.text) * (1 - share))
        head, rest = page.taken(np.arange(start)), layout(page.taken(np.arange(start, len(page.text))), rng)
        return Edited(
            f"{head.text}\n{rest.text}", np.concatenate([head.origins, [PUT_IN], rest.origins]).astype(np.int32)
        )

    return in_the_rest
