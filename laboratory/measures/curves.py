"""Recall curves as one SVG picture: a panel for each edit, a line for each engine. The tables hold the data."""

from collections.abc import Sequence
from io import BytesIO
from math import ceil
from pathlib import Path

import mplfonts
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties

from laboratory.measures.charts import Chart

COLUMNS = 3
PANEL_INCHES = (4.2, 2.8)
TITLE_FONT = Path(mplfonts.__file__).parent / "fonts" / "NotoSansCJKsc-Regular.otf"
_DASHES = ("-", "--", ":", "-.")
_COLOURS = 10  # of matplotlib's own cycle; engines beyond them repeat a colour with other dashes


def picture(charts: Sequence[Chart]) -> bytes:
    """All charts in a grid under one legend; the same charts give the same bytes."""
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
    """Strengths stand in proportion to their place in order: few are large, and many are small."""
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
