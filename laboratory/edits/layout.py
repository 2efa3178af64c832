"""Edits that leave the characters and change where they stand, or strew others in between, to evade filters.

Nobody asked for those of the second group; the repair was developed on most of both.
"""

import re
from collections.abc import Callable, Mapping
from random import Random
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray
from pypinyin import Style, pinyin

from laboratory.edits.edited import PUT_IN, Edited

RARE = "龘靐齉爩鱻麤龗灪厵饢"
COMMON = "的一是了我不人在他有这个上们来到时大地为"
SENTENCES = re.compile("[^。！？!?\n]*[。！？!?\n]*")
CLAUSES = re.compile("[\u4e00-\u9fff]+|[^\u4e00-\u9fff]")  # signs stay in their order
LINE = 30

Layout = Callable[[Edited, Random], Edited]
Places = NDArray[np.int64]


def in_columns(high: int, *, wide: int = 0, from_right: bool = True, between: str = "") -> Layout:
    """Columns of `high` characters, `wide` of them beside each other (0: all), padded with wide spaces."""

    def layout(page: Edited, _rng: Random) -> Edited:
        text = page.text
        kept = np.array([place for place, sign in enumerate(text) if sign != "\n"])
        columns = [kept[start : start + high] for start in range(0, kept.size, high)]
        rows: list[int | str] = []
        for first in range(0, len(columns), wide or len(columns)):
            block = columns[first : first + (wide or len(columns))]
            for row in range(high):
                cells = [int(column[row]) if row < column.size else "\u3000" for column in block]
                for number, cell in enumerate(reversed(cells) if from_right else cells):
                    rows += ([between] if between and number else []) + [cell]
                rows.append("\n")
        return _written(page, rows)

    return layout


def by_units(pattern: re.Pattern[str] | None, order: Callable[[Places], Places], *, every: int = 1) -> Layout:
    """Each unit of the text in another order, or every `every`-th; without a pattern the whole text is one."""

    def layout(page: Edited, _rng: Random) -> Edited:
        found = [] if pattern is None else [match.span() for match in pattern.finditer(page.text) if match.group()]
        units = [np.arange(start, end) for start, end in found or [(0, len(page.text))]]
        ordered = [order(unit) if number % every == every - 1 else unit for number, unit in enumerate(units)]
        return page.taken(np.concatenate(ordered))

    return layout


def by_groups(pattern: tuple[int, ...]) -> Layout:
    """Every so many characters in the order of a pattern; what is left at the end stays."""

    def layout(page: Edited, _rng: Random) -> Edited:
        size = len(pattern)
        whole = len(page.text) // size * size
        groups = np.arange(whole).reshape(-1, size)[:, list(pattern)].reshape(-1)
        return page.taken(np.concatenate([groups, np.arange(whole, len(page.text))]))

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
        return _written(page, cells)

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


def wrapped(page: Edited, size: int = LINE) -> Edited:
    """The text in lines of so many characters."""
    cells: list[int | str] = []
    for place in range(len(page.text)):
        cells += [place] if (place + 1) % size else [place, "\n"]
    return _written(page, cells)


def _every_other_line_reversed(page: Edited, rng: Random) -> Edited:
    lines = wrapped(page)
    return by_units(re.compile("[^\n]*\n?"), _but_the_end_reversed, every=2)(lines, rng)


def _each_line_reversed(page: Edited, rng: Random) -> Edited:
    return by_units(re.compile("[^\n]*\n?"), _but_the_end_reversed)(wrapped(page), rng)


def _but_the_end_reversed(unit: Places) -> Places:
    return np.append(unit[-2::-1], unit[-1:])


def _written(page: Edited, cells: list[int | str]) -> Edited:
    text = "".join(cell if isinstance(cell, str) else page.text[cell] for cell in cells)
    origins = [PUT_IN if isinstance(cell, str) else int(page.origins[cell]) for cell in cells]
    return Edited(text, np.array(origins, np.int32))


def _backwards(unit: Places) -> Places:
    return unit[::-1]


def _dealt(unit: Places) -> Places:
    return np.concatenate([unit[::2], unit[1::2]])


def _shuffled_as_cards(unit: Places) -> Places:
    middle = -(-unit.size // 2)
    mixed = np.empty_like(unit)
    mixed[::2], mixed[1::2] = unit[:middle], unit[middle:]
    return mixed


def _outside_in(unit: Places) -> Places:
    return np.array([unit[-1 - place // 2] if place % 2 else unit[place // 2] for place in range(unit.size)], np.int64)


def _on_rails(unit: Places) -> Places:
    return np.concatenate([unit[::4], unit[1::2], unit[2::4]])


NAMED: Mapping[str, Layout] = MappingProxyType(
    {
        "columns from the right, 12 high": in_columns(12),
        "columns from the right, 20 high": in_columns(20),
        "each line reversed": _each_line_reversed,
        "the whole reversed": by_units(None, _backwards),
        "pinyin with tone marks": in_pinyin(Style.TONE, " "),
        "pinyin without tones, no spaces": in_pinyin(Style.NORMAL, ""),
        "rare character after every 4th": strewn(4, RARE),
        "rare character after every 2nd": strewn(2, RARE),
        "neighbours transposed at every 3rd": by_groups((1, 0, 2)),
    }
)
KIN: Mapping[str, Layout] = MappingProxyType(
    {
        "columns from the left, 17 high": in_columns(17, from_right=False),
        "columns in blocks of 15 by 22": in_columns(15, wide=22),
        "columns with bars between": in_columns(14, between="｜"),
        "every other line reversed": _every_other_line_reversed,
        "each sentence reversed": by_units(SENTENCES, _backwards),
        "each clause reversed": by_units(CLAUSES, _backwards),
        "every 5 characters reversed": by_groups((4, 3, 2, 1, 0)),
        "every 9 characters reversed": by_groups((8, 7, 6, 5, 4, 3, 2, 1, 0)),
        "all neighbours transposed": by_groups((1, 0)),
        "neighbours transposed at every 4th": by_groups((0, 2, 1, 3)),
        "three characters turned on": by_groups((1, 2, 0)),
        "pairs of pairs transposed": by_groups((2, 3, 0, 1)),
        "even characters behind the odd": by_units(None, _dealt),
        "sentences so dealt out": by_units(SENTENCES, _dealt),
        "two halves mixed as cards": by_units(None, _shuffled_as_cards),
        "from both ends inwards": by_units(None, _outside_in),
        "rare character after each": strewn(1, RARE),
        "two rare ones after every 3rd": strewn(3, RARE, 2),
        "rare one after every 3rd Chinese one": strewn(3, RARE, han_alone=True),
        "common character after every 3rd": strewn(3, COMMON),
        "common character after every 2nd": strewn(2, COMMON),
        "rare character after every 6th": strewn(6, RARE),
        "two rare ones after every 5th": strewn(5, RARE, 2),
        "two common ones after every 6th": strewn(6, COMMON, 2),
        "a fence of three rails": by_units(None, _on_rails),
        "pinyin with tone digits": in_pinyin(Style.TONE3, " "),
        "pinyin with digits, no spaces": in_pinyin(Style.TONE3, ""),
    }
)
