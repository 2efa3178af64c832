"""Recall curves as one SVG picture: a panel for each edit over its strengths, for excerpts over their lengths."""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from io import BytesIO
from math import ceil
from pathlib import Path

import mplfonts
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties

from laboratory.cases.conditions import FULL, HARD
from laboratory.measures.labels import CHINESE
from laboratory.measures.results import Results
from laboratory.scores.detection_quality import ALL, Condition, Measures
from laboratory.scores.intervals import Interval

EXCERPT = re.compile(r"excerpt(\d+)$")
NOT_DRAWN = frozenset({"none", "patchwork", ALL})  # edits without a strength
COLUMNS = 3
PANEL_INCHES = (4.2, 2.8)
TITLE_FONT = Path(mplfonts.__file__).parent / "fonts" / "NotoSansCJKsc-Regular.otf"
_DASHES = ("-", "--", ":", "-.")
_COLOURS = 10  # of matplotlib's own cycle; engines beyond them repeat a colour with other dashes


@dataclass(frozen=True, slots=True)
class Point:
    """x: the strength of the edit, or a length. recall: 0 to 1, with its interval. label: of x."""

    x: float
    label: str
    recall: float
    interval: Interval


@dataclass(frozen=True, slots=True)
class Curve:
    """The points of one engine in order of x. number: of the engine, which determines its colour and dashes."""

    engine: str
    number: int
    points: tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart with its title in both languages."""

    english: str
    chinese: str
    curves: tuple[Curve, ...]


def charts(results: Results) -> list[Chart]:
    """Return the charts, excerpts first, then edits of whole pages.

    Edits with a single strength are drawn next to the unchanged page.
    """
    points: dict[tuple[str, str], dict[int, dict[float, Point]]] = defaultdict(lambda: defaultdict(dict))
    for number, engine in enumerate(results.engines):
        for condition, measures in engine.measures.items():
            for title, point in _points(condition, measures):
                points[title][number][point.x] = point
    order = sorted(points, key=lambda title: (not title[0].startswith("Excerpts"), _percent(title[0])))
    return [
        Chart(
            *title,
            tuple(
                Curve(results.engines[number].engine, number, tuple(own[x] for x in sorted(own)))
                for number, own in points[title].items()
            ),
        )
        for title in order
        if any(len(own) > 1 for own in points[title].values())
    ]


def picture(charts: Sequence[Chart]) -> bytes:
    """Return all charts in a grid under one legend; the same charts give the same bytes."""
    rows = ceil(len(charts) / COLUMNS)
    figure = Figure((COLUMNS * PANEL_INCHES[0], rows * PANEL_INCHES[1] + 0.8), layout="constrained")
    title_font = FontProperties(fname=str(TITLE_FONT), size=9)
    for place, chart in enumerate(charts, 1):
        panel = figure.add_subplot(rows, COLUMNS, place)
        panel.set_title(f"{chart.chinese}\n{chart.english}", fontproperties=title_font)
        _draw(panel, chart)
    lines = {line.get_label(): line for panel in figure.axes for line in panel.get_lines()}
    figure.legend(list(lines.values()), list(map(str, lines)), loc="outside upper left", ncols=6)
    content = BytesIO()
    with rc_context({"svg.hashsalt": "zhuiwen", "svg.fonttype": "path"}):
        figure.savefig(content, format="svg", metadata={"Date": None})
    return content.getvalue()


def _draw(panel: Axes, chart: Chart) -> None:
    """Draw a chart. Strengths are spaced evenly in order, because few are large and many are small."""
    ticks = dict(sorted({point.x: point.label for curve in chart.curves for point in curve.points}.items()))
    places = {x: place for place, x in enumerate(ticks)}
    for curve in chart.curves:
        at = [places[point.x] for point in curve.points]
        style = f"C{curve.number % _COLOURS}"
        dashes = _DASHES[curve.number // _COLOURS % len(_DASHES)]
        recalls = [point.recall for point in curve.points]
        panel.plot(at, recalls, dashes, color=style, marker=".", label=curve.engine, zorder=3 - curve.number / 100)
        if curve.number == 0:
            low, high = zip(*(point.interval for point in curve.points), strict=True)
            panel.fill_between(at, low, high, color=style, alpha=0.15, linewidth=0)
    panel.set_xticks(list(places.values()), list(ticks.values()))
    panel.set_ylim(-0.02, 1.02)
    panel.grid(axis="y", alpha=0.4)


def _points(condition: Condition, measures: Measures) -> Iterable[tuple[tuple[str, str], Point]]:
    """Yield the points of a condition, each with the title of its chart."""
    if not measures.positive_pages or isinstance(condition.strength, str):
        return
    share, interval = measures.recall, measures.recall_interval
    length = EXCERPT.match(condition.attack) or EXCERPT.match(condition.case_class)
    if length:
        percent = f"{condition.strength:.0%}"
        title = (f"Excerpts, {percent} edited: recall by length", f"摘抄，改动 {percent}：查全率与字数")
        yield title, Point(float(length[1]), length[1], share, interval)
        return
    if condition.case_class not in ("full", "hard"):
        return
    if condition.attack == "none":
        for attack in _edits_of_pages():
            yield _title(attack), Point(0.0, "0", share, interval)
    elif condition.attack not in NOT_DRAWN and not condition.attack.startswith("excerpt"):
        yield _title(condition.attack), Point(condition.strength, f"{condition.strength:g}", share, interval)


def _title(attack: str) -> tuple[str, str]:
    return attack, CHINESE.get(attack, attack)


def _percent(title: str) -> int:
    """Return the percentage of edits in the title of a chart, or 0 if it has none."""
    told = re.search(r"(\d+)%", title)
    return int(told[1]) if told else 0


def _edits_of_pages() -> list[str]:
    names = (each.attack for each in (*FULL, *HARD) if not each.chars)
    return [name for name in dict.fromkeys(names) if name not in NOT_DRAWN]
