"""Separates running text from other recognised lines of an image, and orders its paragraphs."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median, median_low

from crawler.characters.repertoire import count_han
from crawler.obfuscation.page_picture import SeenLine
from crawler.obfuscation.text_process import SeenPicture

MIN_CONFIDENCE_OF_LINE = 0.5  # a correct line has .9 or more, and one under a watermark .5 (2026-11)
MIN_CONFIDENCE = 0.8  # mean of the characters in an image
MIN_SHARE_OF_HAN = 0.6  # of the letters in an image
# The minimum share of characters in lines that are about as high as the median line, and the difference allowed.
# Posters, covers and comics have several sizes.
MIN_SHARE_ALIKE, ALIKE = 0.7, 0.35
MIN_CHARS_OF_LINE = 7.0  # mean over all characters; lines in the balloons of comics have 2 to 5
MIN_SHARE_OF_AREA = 0.1  # of the image, which lines cover; a photograph with words in it has less
_UPRIGHT = 1.5
# In characters: the indent of a first line, and how much shorter a last line is than others. Punctuation that may not
# begin a line makes the previous line one or two characters shorter.
_MIN_INDENT, _MIN_SHORT = 1.2, 2.6
_MIN_SHARE_INDENTED = 0.08  # of all lines; from this share on, indents separate paragraphs, and below it short lines
_MIN_GAP = 1.4  # relative to the usual distance between lines
_ENDS = "。！？…”’」』）：；.!?—~"


@dataclass(frozen=True, slots=True)
class PicturedText:
    """The paragraphs in an image.

    may_go_on_from_before: the first paragraph may continue the last one of the previous image. goes_on: the last
    paragraph is unfinished
    """

    paragraphs: tuple[str, ...]
    may_go_on_from_before: bool
    goes_on: bool


def is_running_text(seen: SeenPicture) -> bool:
    """Return True if an image contains mostly long lines of one size that were recognised with confidence."""
    lines = _reliable_lines(seen)
    chars = sum(len(line.text) for line in lines)
    if not chars:
        return False
    row_chars = [len(row.text) for row in _reading_order(seen)]
    return (
        _is_sure(lines)
        and sum(count**2 for count in row_chars) / chars >= MIN_CHARS_OF_LINE
        and _share_alike(lines, median_size(lines)) >= MIN_SHARE_ALIKE
        and sum(_area(line) for line in lines) >= MIN_SHARE_OF_AREA * seen.height * seen.width
    )


def is_line_alike(seen: SeenPicture, size: float) -> bool:
    """Return True if an image contains only text of this size, even if it is a paragraph of three characters."""
    lines = _reliable_lines(seen)
    return bool(lines) and _is_sure(lines) and _share_alike(lines, size) >= MIN_SHARE_ALIKE


def median_size(lines: Sequence[SeenLine]) -> float:
    """Return the height of the line that contains the median character, in px; 0.0 without lines."""
    by_char = sorted((_size(line), len(line.text)) for line in lines)
    half, so_far = sum(count for _, count in by_char) / 2, 0
    for size, count in by_char:
        so_far += count
        if so_far >= half:
            return size
    return 0.0


def pictured_texts(pictures: Sequence[SeenPicture]) -> list[PicturedText]:
    """Return the paragraphs in each image of a page. Columns are read from right to left.

    The edges of lines are computed from all images of the same width together, because some contain a single line.
    """
    of_width: dict[int, list[SeenLine]] = defaultdict(list)
    rows_of = [_reading_order(seen) for seen in pictures]
    for seen, rows in zip(pictures, rows_of, strict=True):
        of_width[seen.width] += rows
    layouts = {width: _layout(rows) for width, rows in of_width.items() if rows}
    return [
        _paragraphs(rows, layouts[seen.width]) if rows else PicturedText((), False, False)
        for seen, rows in zip(pictures, rows_of, strict=True)
    ]


@dataclass(frozen=True, slots=True)
class _Layout:
    """The layout of the lines in images, in px.

    pitch: the width of a character
    left, right: where most lines begin and end
    tells_by_indent: True if indents separate paragraphs, False if short lines do
    """

    pitch: float
    left: int
    right: int
    tells_by_indent: bool

    def is_indented(self, row: SeenLine) -> bool:
        return row.left - self.left > _MIN_INDENT * self.pitch

    def is_short(self, row: SeenLine) -> bool:
        return self.right - row.right > _MIN_SHORT * self.pitch


def _layout(rows: Sequence[SeenLine]) -> _Layout:
    pitch = median((row.right - row.left) / len(row.text) for row in rows)
    left, right = _edge([row.left for row in rows], 0.1), _edge([row.right for row in rows], 0.9)
    layout = _Layout(pitch, left, right, tells_by_indent=False)
    indented = sum(map(layout.is_indented, rows))
    return replace(layout, tells_by_indent=indented >= _MIN_SHARE_INDENTED * len(rows))


def _paragraphs(rows: Sequence[SeenLine], layout: _Layout) -> PicturedText:
    steps = [below.top - above.top for above, below in pairwise(rows)]
    usual = median_low(steps) if steps else 0
    paragraphs = [rows[0].text]
    for step, (above, below) in zip(steps, pairwise(rows), strict=True):
        is_new = (
            step > _MIN_GAP * usual
            or abs(_size(above) - _size(below)) > ALIKE * max(_size(above), _size(below))
            or (layout.is_indented(below) if layout.tells_by_indent else layout.is_short(above))
        )
        if is_new:
            paragraphs.append(below.text)
        else:
            paragraphs[-1] += below.text
    goes_on = not layout.is_short(rows[-1]) and not paragraphs[-1].endswith(tuple(_ENDS))
    return PicturedText(tuple(paragraphs), not layout.is_indented(rows[0]), goes_on)


def _reading_order(seen: SeenPicture) -> list[SeenLine]:
    lines = _reliable_lines(seen)
    return [
        _join_row(row) for row in _rows([_rotate_line(line, seen) for line in lines] if _is_upright(lines) else lines)
    ]


def _reliable_lines(seen: SeenPicture) -> list[SeenLine]:
    return [line for line in seen.lines if line.text and line.confidence >= MIN_CONFIDENCE_OF_LINE]


def _is_sure(lines: Sequence[SeenLine]) -> bool:
    text = "".join(line.text for line in lines)
    han, letters = count_han(text), sum(map(str.isalnum, text))
    confidence = sum(line.confidence * len(line.text) for line in lines) / len(text)
    return bool(han) and confidence >= MIN_CONFIDENCE and han >= MIN_SHARE_OF_HAN * letters


def _share_alike(lines: Sequence[SeenLine], size: float) -> float:
    chars = sum(len(line.text) for line in lines)
    return sum(len(line.text) for line in lines if abs(_size(line) - size) <= ALIKE * size) / chars


def _size(line: SeenLine) -> float:
    """Return the size of a line's characters, measured across the direction of the line."""
    return float(min(line.bottom - line.top, line.right - line.left))


def _area(line: SeenLine) -> int:
    return (line.bottom - line.top) * (line.right - line.left)


def _is_upright(lines: Sequence[SeenLine]) -> bool:
    """Return True if most characters are in columns."""
    chars = sum(len(line.text) for line in lines)
    upright = [line for line in lines if line.bottom - line.top > _UPRIGHT * (line.right - line.left)]
    return 2 * sum(len(line.text) for line in upright) > chars


def _rotate_line(line: SeenLine, seen: SeenPicture) -> SeenLine:
    """Turn a column into a line. The rightmost column becomes the first line."""
    return SeenLine(line.top, seen.width - line.right, line.bottom, seen.width - line.left, line.text, line.confidence)


def _rows(lines: Sequence[SeenLine]) -> list[list[SeenLine]]:
    """Return the lines from top to bottom. Parts at the same height form one line, from left to right."""
    rows: list[list[SeenLine]] = []
    for line in sorted(lines, key=lambda line: line.top + line.bottom):
        middle = (line.top + line.bottom) / 2
        if rows and rows[-1][0].top < middle < rows[-1][0].bottom:
            rows[-1].append(line)
        else:
            rows.append([line])
    return [sorted(row, key=lambda line: line.left) for row in rows]


def _join_row(row: Sequence[SeenLine]) -> SeenLine:
    if len(row) == 1:
        return row[0]
    return SeenLine(
        row[0].left,
        min(line.top for line in row),
        max(line.right for line in row),
        max(line.bottom for line in row),
        "".join(line.text for line in row),
        min(line.confidence for line in row),
    )


def _edge(sides: Sequence[int], share: float) -> int:
    """Return the edge at which most lines begin or end. share: 0.1 for left edges, 0.9 for right edges."""
    return sorted(sides)[min(len(sides) - 1, int(share * len(sides)))]
