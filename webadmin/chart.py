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
        Bar(
            series,
            x=f"{(index + place) * slot:.1f}",
            y=f"{HEIGHT - HEIGHT * count / top:.1f}",
            width=f"{slot * _SHARE_OF_SLOT:.1f}",
            height=f"{HEIGHT * count / top:.1f}",
            day=day.day,
            count=count,
        )
        for index, day in enumerate(days)
        for series, place, count in (("opened", 0.1, day.opened), ("decided", 0.52, day.decided))
        if count
    ]
    labels = [(f"{index * slot + slot / 2:.1f}", day.day) for index, day in enumerate(days) if index % 5 == 4]
    return Chart(
        tuple(days), tuple(made), tuple(labels), top, sum(day.opened for day in days), sum(day.decided for day in days)
    )
