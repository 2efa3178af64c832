"""A bar chart with two bars for each day, drawn by the server without scripts.

Positions are percentages of the drawing, which is as wide as its window; names and numbers are text next to it.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

MAX_STEPS = 4  # lines across the drawing
NAMED_DAYS = 5  # days from one label to the next; a phone has no room for more
_MARGIN = 0.14  # share of a day's width on either side of its bars


@dataclass(frozen=True, slots=True)
class Day:
    """The cases opened and decided on one day."""

    day: date
    opened: int
    decided: int


@dataclass(frozen=True, slots=True)
class DayBar:
    """A bar for one count of a day, with positions in per cent for SVG."""

    kind: str
    x: str
    y: str
    height: str


@dataclass(frozen=True, slots=True)
class DrawnDay:
    """A day with its bars, except for counts of 0. is_named: it has a label."""

    day: Day
    x: str
    is_named: bool
    bars: tuple[DayBar, ...]


@dataclass(frozen=True, slots=True)
class Chart:
    """The drawing, with its days, and its horizontal lines and their numbers from the top."""

    days: Sequence[DrawnDay]
    lines: Sequence[tuple[int, str]]
    day_width: str
    bar_width: str
    opened: int
    decided: int


def draw_chart(days: Sequence[Day]) -> Chart:
    """Return the chart of one or more days, oldest first."""
    most = max(max(each.opened, each.decided) for each in days)
    step = _line_distance(most)
    top = step * max(1, math.ceil(most / step))
    width = 100 / len(days)
    bar_width = width * (1 - 2 * _MARGIN) / 2
    return Chart(
        days=[_draw_day(each, number, len(days), top, bar_width) for number, each in enumerate(days)],
        lines=[(number, _format_percent(100 - 100 * number / top)) for number in range(top, -1, -step)],
        day_width=_format_percent(width),
        bar_width=_format_percent(bar_width),
        opened=sum(each.opened for each in days),
        decided=sum(each.decided for each in days),
    )


def _draw_day(day: Day, number: int, of: int, top: int, bar_width: float) -> DrawnDay:
    start = 100 / of * (number + _MARGIN)
    bars = (("opened", day.opened, start), ("decided", day.decided, start + bar_width))
    return DrawnDay(
        day=day,
        x=_format_percent(100 / of * number),
        is_named=(of - 1 - number) % NAMED_DAYS == 0,
        bars=tuple(
            DayBar(
                kind, _format_percent(x), _format_percent(100 - 100 * count / top), _format_percent(100 * count / top)
            )
            for kind, count, x in bars
            if count
        ),
    )


def _line_distance(most: int) -> int:
    """Return the distance between lines: 1, 2 or 5 times a power of ten.

    >>> [_line_distance(most) for most in (0, 4, 5, 8, 9, 41, 1_000, 1_001)]
    [1, 1, 2, 2, 5, 20, 500, 500]
    """
    unit = 1
    while True:
        for step in (unit, 2 * unit, 5 * unit):
            if most <= step * MAX_STEPS:
                return step
        unit *= 10


def _format_percent(share: float) -> str:
    return f"{share:.2f}%"
