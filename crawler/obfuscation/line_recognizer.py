"""Lines of characters in the picture of a page, by the extra `ocr`; runs in the process for pictures of text."""

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rapidocr_onnxruntime import RapidOCR

from crawler.obfuscation.page_picture import Grey, tiles

# A line at a time: together they are padded to the widest, which takes 4.0 s and 520 MB in place of 2.7 s and 130 MB
# of 850 characters (2026-11).
_LINES_AT_A_TIME = 1
_UPRIGHT = 1.5  # how much higher than wide a box is whose characters stand one below the other
_MAX_SLOPE = 0.08  # of a line: a watermark goes across
# After so many lines it is told whether the picture is worth the rest: sure lines have .9 and more, and characters.
_LINES_TO_JUDGE, _MIN_CONFIDENCE, _MIN_CHARS = 8, 0.6, 3


@dataclass(frozen=True, slots=True)
class FoundLine:
    """One line, or column, with its box in px of the picture, and how sure its characters are, [0, 1]."""

    left: int
    top: int
    right: int
    bottom: int
    text: str
    confidence: float


class LineRecognizer:
    """Loads the models, which takes .5 s."""

    def __init__(self) -> None:
        self._engine: Any = RapidOCR(
            intra_op_num_threads=1, inter_op_num_threads=1, rec_batch_num=_LINES_AT_A_TIME, det_limit_type="max"
        )

    def lines(self, grey: Grey, until: float) -> tuple[list[FoundLine], bool]:
        """The lines, from tile to tile, and whether all was looked at by `until` (time.monotonic).

        A picture whose first lines say nothing is left, as if it had been looked at.
        """
        found: list[FoundLine] = []
        for top, bottom in tiles(grey):
            tile = np.stack([grey[top:bottom]] * 3, axis=-1)
            boxes, _ = self._engine.text_det(tile)
            for box in self._engine.sorted_boxes(boxes) if boxes is not None and len(boxes) else ():
                if time.monotonic() > until:
                    return found, False
                line = self._line(tile, box, top)
                if line is not None:
                    found.append(line)
                if len(found) == _LINES_TO_JUDGE and not _are_worth_it(found):
                    return found, True
        return found, True

    def _line(self, tile: NDArray[np.uint8], box: NDArray[np.float32], top: int) -> FoundLine | None:
        (left, first), (right, last) = box.min(axis=0), box.max(axis=0)
        width, height = float(right - left), float(last - first)
        if height > _UPRIGHT * width:
            part = _laid_down(tile[int(first) : int(last) + 1, int(left) : int(right) + 1])
        elif abs(float(box[1][1] - box[0][1])) > max(4.0, _MAX_SLOPE * width):
            return None
        else:
            (part,) = self._engine.get_crop_img_list(tile, [box])
        if not part.size:
            return None
        ((text, confidence),), _ = self._engine.text_rec([part])
        return FoundLine(
            int(left), int(first) + top, int(right), int(last) + top, str(text).strip(), round(float(confidence), 3)
        )


def _are_worth_it(lines: list[FoundLine]) -> bool:
    confidence = sum(line.confidence for line in lines) / len(lines)
    return confidence >= _MIN_CONFIDENCE and sum(len(line.text) for line in lines) >= _MIN_CHARS * len(lines)


def _laid_down(column: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """A column's characters side by side: cut near where a whole number of squares ends, at the emptiest row."""
    height, width = column.shape[:2]
    count = max(1, round(height / width))
    ink = np.ptp(column[:, :, 0], axis=1)
    step, cuts = height / count, [0]
    for number in range(1, count):
        start = max(cuts[-1] + 1, int(number * step - 0.3 * step))
        near = ink[start : int(number * step + 0.3 * step) + 1]
        cuts.append(start + int(near.argmin()) if near.size else int(number * step))
    cells = [column[a:b] for a, b in zip(cuts, [*cuts[1:], height], strict=True) if b > a]
    tall = max(len(cell) for cell in cells)
    padded = [np.pad(cell, ((0, tall - len(cell)), (0, 0), (0, 0)), mode="edge") for cell in cells]
    return np.ascontiguousarray(np.concatenate(padded, axis=1))
