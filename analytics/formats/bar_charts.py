"""Bar charts as inline SVG with stacked parts: plain shapes, no inline style. The tables hold the data."""

from collections.abc import Sequence
from typing import Any

from lxml.builder import E

from analytics.reading import Bar

PARTS = ("confirmed", "open", "dismissed")  # class names in the style sheet, in the order in which they are stacked

_WIDTH = 720.0  # of the drawing, in its own units; it scales to the page
_ROW_HEIGHT = 26.0
_LABEL_WIDTH = 180.0
_MAX_LABEL_CHARS = 14
_PLOT_HEIGHT = 140.0
_MAX_COLUMN_WIDTH = 36.0
_MARGIN = 30.0


def rows(bars: Sequence[Bar]) -> Any:
    """Draw one horizontal bar below the other, each with its label and its sum."""
    most = max((_sum(bar) for bar in bars), default=0) or 1
    unit = (_WIDTH - _LABEL_WIDTH - 60) / most
    drawing = _svg(_ROW_HEIGHT * len(bars))
    for number, bar in enumerate(bars):
        top = number * _ROW_HEIGHT + 4
        drawing.append(_text(_LABEL_WIDTH - 8, top + 13, _short(bar.label), "end"))
        left = _LABEL_WIDTH
        for name, count in zip(PARTS, _parts(bar), strict=True):
            drawing.append(_rect(name, left, top, count * unit, _ROW_HEIGHT - 8))
            left += count * unit
        drawing.append(_text(left + 6, top + 13, f"{_sum(bar):,}", "start"))
    return drawing


def columns(bars: Sequence[Bar]) -> Any:
    """Draw one column beside the other, with the highest sum and the first, middle and last label."""
    most = max((_sum(bar) for bar in bars), default=0) or 1
    step = min(_MAX_COLUMN_WIDTH, (_WIDTH - _MARGIN) / max(1, len(bars)))
    drawing = _svg(_PLOT_HEIGHT + 34)
    bottom = _PLOT_HEIGHT + 10
    drawing.append(_text(_MARGIN - 6, 16, f"{most:,}", "end"))
    drawing.append(_text(_MARGIN - 6, bottom, "0", "end"))
    drawing.append(_line(_MARGIN, bottom, _MARGIN + step * len(bars)))
    for number, bar in enumerate(bars):
        foot = bottom
        for name, count in zip(PARTS, _parts(bar), strict=True):
            height = count / most * _PLOT_HEIGHT
            foot -= height
            drawing.append(_rect(name, _MARGIN + number * step, foot, step * 0.8, height))
    for number, anchor in _labelled(len(bars)):
        middle = _MARGIN + (number + 0.4) * step
        drawing.append(_text(middle, bottom + 16, bars[number].label, anchor))
    return drawing


def _labelled(count: int) -> list[tuple[int, str]]:
    if count <= 4:
        return [(0, "start")]
    middle = [(count // 2, "middle")] if count > 12 else []
    return [(0, "start"), *middle, (count - 1, "end")]


def _svg(height: float) -> Any:
    return E.svg(viewBox=f"0 0 {_WIDTH:g} {height:g}", role="img")


def _rect(name: str, left: float, top: float, width: float, height: float) -> Any:
    attributes = {"class": name, "x": f"{left:.2f}", "y": f"{top:.2f}", "width": f"{width:.2f}"}
    return E.rect(attributes, height=f"{height:.2f}")


def _text(left: float, base: float, text: str, anchor: str) -> Any:
    return E.text(text, {"x": f"{left:.2f}", "y": f"{base:.2f}", "text-anchor": anchor})


def _line(left: float, top: float, right: float) -> Any:
    return E.line({"x1": f"{left:.2f}", "x2": f"{right:.2f}", "y1": f"{top:.2f}", "y2": f"{top:.2f}"})


def _parts(bar: Bar) -> tuple[int, int, int]:
    return bar.confirmed, bar.open, bar.dismissed


def _sum(bar: Bar) -> int:
    return sum(_parts(bar))


def _short(label: str) -> str:
    return label if len(label) <= _MAX_LABEL_CHARS else label[: _MAX_LABEL_CHARS - 1] + "…"
