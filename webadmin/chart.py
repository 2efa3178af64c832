"""A bar chart as numbers for an inline SVG; the same numbers stand beside it as a table."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

WIDTH, HEIGHT = 900, 160  # of the drawing area, in units of the SVG
_SHARE_OF_SLOT = 0.38  # of a day's slot, for each of its two bars


@dataclass(frozen=True, slots=True)
class Day:
    """What happened on one day."""

    day: date
    opened: int
    decided: int


@dataclass(frozen=True, slots=True)
class Bar:
    """One rectangle, in units of the SVG, written with a point whatever the language."""

    series: str
    x: str
    y: str
    width: str
    height: str
    day: date
    count: int


@dataclass(frozen=True, slots=True)
class Chart:
    """Everything a template needs. `top`: the value of the upper line."""

    days: tuple[Day, ...]
    bars: tuple[Bar, ...]
    labels: tuple[tuple[str, date], ...]
    top: int
    total_opened: int
    total_decided: int


def bars(days: Sequence[Day]) -> Chart:
    """Lay out two bars a day; an empty day has none.

    >>> chart = bars([Day(date(2026, 1, 1), 2, 1)])
    >>> [(bar.series, bar.height) for bar in chart.bars], chart.top
    ([('opened', '160.0'), ('decided', '80.0')], 2)
    """
    top = max([1, *(day.opened for day in days), *(day.decided for day in days)])
    slot = WIDTH / max(1, len(days))
    made = [
        bar
        for index, day in enumerate(days)
        for bar in (_bar("opened", index * slot + slot * 0.1, slot, day.opened, top, day.day),
                    _bar("decided", index * slot + slot * 0.52, slot, day.decided, top, day.day))
        if bar.count
    ]  # fmt: skip
    labels = [(f"{index * slot + slot / 2:.1f}", day.day) for index, day in enumerate(days) if index % 5 == 4]
    return Chart(
        tuple(days), tuple(made), tuple(labels), top, sum(day.opened for day in days), sum(day.decided for day in days)
    )


def _bar(series: str, x: float, slot: float, count: int, top: int, day: date) -> Bar:
    height = HEIGHT * count / top
    return Bar(series, f"{x:.1f}", f"{HEIGHT - height:.1f}", f"{slot * _SHARE_OF_SLOT:.1f}", f"{height:.1f}", day, count)
