"""Recognises lines of characters in the image of a page with the extra `ocr`, in the process for images of text."""

import time
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rapidocr_onnxruntime import RapidOCR

from crawler.obfuscation.page_picture import Grey, SeenLine, tiles

# One line at a time. A batch is padded to its widest line, which takes 4.0 s and 520 MB instead of 2.7 s and 130 MB for
# 850 characters (2026-11).
_LINES_AT_A_TIME = 1
_UPRIGHT = 1.5  # a box whose height is at least this many times its width is a column
_MAX_GAP = 3.0  # between parts of a line, relative to its height
_MAX_SLOPE = 0.08  # of a line; watermarks slope more
# The image is judged after this many lines. Reliable lines have a confidence of .9 or more, and several characters.
_LINES_TO_JUDGE, _MIN_CONFIDENCE, _MIN_CHARS = 8, 0.6, 3

_Box = NDArray[np.float32]  # float32[4, 2]: x and y in px of the four corners, clockwise from the upper left corner


class LineRecognizer:
    """Recognises lines. Loading its models takes 0.5 s."""

    def __init__(self) -> None:
        # An image of one line is read in its own size. Enlarging it to 736 px takes three times as long (2026-11).
        self._engine: Any = RapidOCR(
            intra_op_num_threads=1, inter_op_num_threads=1, rec_batch_num=_LINES_AT_A_TIME, det_limit_type="max"
        )

    def lines(self, grey: Grey, until: float) -> tuple[list[SeenLine], bool]:
        """Return the lines of an image, and False if reading them takes longer than until `until` (time.monotonic).

        The image is read in tiles. If its first lines are unreadable, the rest is skipped, and it counts as completely
        read.
        """
        found: list[SeenLine] = []
        for top, bottom in tiles(grey):
            tile = np.stack([grey[top:bottom]] * 3, axis=-1)
            for box in self._boxes(tile):
                if time.monotonic() > until:
                    return found, False
                line = self._line(tile, box, top)
                if line is not None:
                    found.append(line)
                if len(found) == _LINES_TO_JUDGE and not _are_worth_it(found):
                    return found, True
        return found, True

    def _boxes(self, tile: NDArray[np.uint8]) -> list[_Box]:
        """Return the boxes of lines and columns from top to bottom. Parts that are close to each other are joined."""
        boxes, _ = self._engine.text_det(tile)
        joined: list[_Box] = []
        found = [np.asarray(box, np.float32) for box in boxes] if boxes is not None else []
        for box in sorted((each for each in found if not _is_across(each)), key=_left_px):
            before = next((each for each in joined if _continues(each, box)), None)
            if before is not None:
                both = np.concatenate([before, box])
                (left, top), (right, bottom) = both.min(axis=0), both.max(axis=0)
                before[:] = [[left, top], [right, top], [right, bottom], [left, bottom]]
            else:
                joined.append(box)
        return sorted(joined, key=lambda box: float(box[:, 1].mean()))

    def _line(self, tile: NDArray[np.uint8], box: _Box, top: int) -> SeenLine | None:
        (left, first), (right, last) = box.min(axis=0), box.max(axis=0)
        if _is_upright(box):
            part = _row_from_column(tile[int(first) : int(last) + 1, int(left) : int(right) + 1])
        else:
            (part,) = self._engine.get_crop_img_list(tile, [box])
        if not part.size:
            return None
        ((text, confidence),), _ = self._engine.text_rec([part])
        return SeenLine(
            int(left), int(first) + top, int(right), int(last) + top, str(text).strip(), round(float(confidence), 3)
        )


def _left_px(box: _Box) -> float:
    return float(box[:, 0].min())


def _size(box: _Box) -> tuple[float, float]:
    width, height = np.ptp(box, axis=0)
    return float(width), float(height)


def _is_upright(box: _Box) -> bool:
    width, height = _size(box)
    return height > _UPRIGHT * width


def _is_across(box: _Box) -> bool:
    """Return True if a line slopes as a watermark does."""
    return not _is_upright(box) and abs(float(box[1][1] - box[0][1])) > max(4.0, _MAX_SLOPE * _size(box)[0])


def _continues(before: _Box, box: _Box) -> bool:
    """Return True if a box continues the line before it. The detector may have missed thin characters between them."""
    height = min(_size(before)[1], _size(box)[1])
    overlap = min(before[:, 1].max(), box[:, 1].max()) - max(before[:, 1].min(), box[:, 1].min())
    is_line = not _is_upright(before) and not _is_upright(box)
    return is_line and overlap > 0.6 * height and _left_px(box) - before[:, 0].max() < _MAX_GAP * height


def _are_worth_it(lines: list[SeenLine]) -> bool:
    confidence = sum(line.confidence for line in lines) / len(lines)
    return confidence >= _MIN_CONFIDENCE and sum(len(line.text) for line in lines) >= _MIN_CHARS * len(lines)


def _row_from_column(column: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return the characters of a column as a row.

    The column is cut at the emptiest row near each expected end of a character.
    """
    height, width = column.shape[:2]
    grey = column[:, :, 0].astype(np.float64)
    ink = np.abs(grey - np.median(grey)).mean(axis=1)
    first, pitch = _comb(ink, width)
    cuts = [0]
    for wanted in np.arange(first, height, pitch):
        low, high = max(cuts[-1] + 1, int(wanted - 0.15 * pitch)), min(height, int(wanted + 0.15 * pitch) + 1)
        if low < high:
            cuts.append(low + int(ink[low:high].argmin()))
    cells = [column[a:b] for a, b in pairwise([*cuts, height]) if b - a > 0.4 * pitch]
    tall = max((len(cell) for cell in cells), default=0)
    padded = [np.pad(cell, ((0, tall - len(cell)), (0, 0), (0, 0)), mode="edge") for cell in cells]
    return np.ascontiguousarray(np.concatenate(padded, axis=1)) if padded else column[:0]


def _comb(ink: NDArray[np.float64], width: int) -> tuple[float, float]:
    """Return the offset of the cuts that cross the least ink, and the distance between them, in px.

    ink: the ink in each row of a column. width: the width of the column, in px
    """
    best = (float("inf"), 0.0, float(width))
    for pitch in np.arange(0.55 * width, 1.25 * width, 0.25):
        teeth = np.arange(0, max(len(ink) - pitch, 1), pitch)
        places = (np.arange(0, pitch)[:, None] + teeth[None, :]).astype(np.int64).clip(max=len(ink) - 1)
        met = ink[places].mean(axis=1)
        best = min(best, (float(met.min()), float(met.argmin()), float(pitch)))
    return best[1], best[2]
