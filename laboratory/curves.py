"""Recall curves as inline SVG: plain shapes with classes, coloured by the style sheet. The tables hold the data."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from lxml.builder import E

from analytics.quality_intervals import Interval

WIDTH, HEIGHT = 300.0, 190.0  # of one drawing, in its own units; it scales to the page
LEFT, RIGHT, TOP, BOTTOM = 34.0, 12.0, 10.0, 26.0
GRID = (0.0, 0.25, 0.5, 0.75, 1.0)


@dataclass(frozen=True, slots=True)
class Point:
    """x: the strength of the edit, or a length; recall 0 to 1 with its interval; label: what x is called."""

    x: float
    label: str
    recall: float
    interval: Interval


@dataclass(frozen=True, slots=True)
class Curve:
    """One engine's points in order of x. number: of the engine, which chooses its colour and dashes."""

    engine: str
    number: int
    points: tuple[Point, ...]


def drawing(curves: Sequence[Curve], description: str) -> Any:
    """All curves over one axis; the first engine's in front, with its interval as a band."""
    ticks = {point.x: point.label for curve in curves for point in curve.points}
    axis = _Axis(sorted(ticks))
    shapes = [*_grid(), *(_tick(axis.at(x), label) for x, label in _sparse(sorted(ticks.items()), axis))]
    for curve in sorted(curves, key=lambda each: -each.number):
        shapes += _curve(curve, axis)
    return E.svg(
        E.title(description),
        *shapes,
        viewBox=f"0 0 {WIDTH:g} {HEIGHT:g}",
        role="img",
        xmlns="http://www.w3.org/2000/svg",
    )


def line_sample(number: int) -> Any:
    """An engine's line as the legend shows it."""
    line = E.polyline(points="0,5 28,5", **{"class": f"engine e{number}"})
    return E.svg(line, viewBox="0 0 28 10", xmlns="http://www.w3.org/2000/svg", **{"class": "sample"})


class _Axis:
    """Strengths in proportion to their place in order: few are large, and many are small."""

    def __init__(self, values: Sequence[float]) -> None:
        self._places = {value: place for place, value in enumerate(values)}

    def at(self, value: float) -> float:
        step = (WIDTH - LEFT - RIGHT) / max(1, len(self._places) - 1)
        return LEFT + step * self._places[value] if len(self._places) > 1 else (LEFT + WIDTH - RIGHT) / 2


def _height(recall: float) -> float:
    return TOP + (1 - recall) * (HEIGHT - TOP - BOTTOM)


def _grid() -> list[Any]:
    shapes = []
    for recall in GRID:
        y = f"{_height(recall):.1f}"
        shapes.append(E.line(x1=f"{LEFT:g}", x2=f"{WIDTH - RIGHT:g}", y1=y, y2=y, **{"class": "grid"}))
        shapes.append(_text(f"{recall:g}", LEFT - 6, _height(recall) + 4, "end"))
    return shapes


def _tick(x: float, label: str) -> Any:
    return _text(label, x, HEIGHT - 8, "middle")


def _sparse(ticks: Sequence[tuple[float, str]], axis: _Axis) -> list[tuple[float, str]]:
    """Those labels that do not run into the one before; the last one always."""
    shown: list[tuple[float, str]] = []
    for value, label in ticks:
        is_last = value == ticks[-1][0]
        room = 7.0 * len(label) + 4
        if shown and axis.at(value) - axis.at(shown[-1][0]) < room:
            if not is_last:
                continue
            shown.pop()
        shown.append((value, label))
    return shown


def _curve(curve: Curve, axis: _Axis) -> list[Any]:
    style = f"engine e{curve.number}"
    places = [(axis.at(point.x), point) for point in curve.points]
    shapes = [_band(places, style)] if curve.number == 0 else []
    line = " ".join(f"{x:.1f},{_height(point.recall):.1f}" for x, point in places)
    shapes.append(E.polyline(points=line, **{"class": style}))
    for x, point in places:
        low, high = point.interval
        title = E.title(f"{curve.engine}, {point.label}: {point.recall:.3f} [{low:.3f}-{high:.3f}]")
        circle = E.circle(title, cx=f"{x:.1f}", cy=f"{_height(point.recall):.1f}", r="3", **{"class": style})
        shapes.append(circle)
    return shapes


def _band(places: Sequence[tuple[float, Point]], style: str) -> Any:
    upper = [f"{x:.1f},{_height(point.interval.high):.1f}" for x, point in places]
    lower = [f"{x:.1f},{_height(point.interval.low):.1f}" for x, point in reversed(places)]
    return E.polygon(points=" ".join([*upper, *lower]), **{"class": f"band {style}"})


def _text(text: str, x: float, y: float, anchor: str) -> Any:
    return E.text(text, x=f"{x:.1f}", y=f"{y:.1f}", **{"text-anchor": anchor})
