"""Recognises characters in images as a second opinion, if the extra `ocr` is installed."""

import logging
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from core.wording import Message
from crawler.obfuscation.glyph_shapes import crop_to_ink

# Checks whether character recognition in images is available. Nothing is loaded.


def is_installed() -> bool:
    """Return True if the extra `ocr` is installed."""
    return find_spec("rapidocr_onnxruntime") is not None


def missing_recognition() -> Message | None:
    """Return a message that text in images needs the extra `ocr`, or None if it is installed."""
    return None if is_installed() else Message("site.no-ocr")


_HEIGHT_PX = 48  # the input height of the recogniser's network
MAX_WIDTH_PX = 2_000
_INK = 96
# Times the longer side of the ink: 95 % of 168 single characters of 20 to 55 px are read correctly with this margin,
# and 93 % without any.
_SIDE_OF_ONE = 1.2


class Recognizer:
    """Recognises text with rapidocr-onnxruntime, which is loaded at the first call.

    is_there: False if it is not installed
    """

    def __init__(self) -> None:
        self._engine: Any = None
        self._is_loaded = False

    @property
    def is_there(self) -> bool:
        return self._load() is not None

    def line(self, ink: NDArray[np.uint8]) -> tuple[str, float]:
        """Recognise one line, uint8[height, width] with 255 as ink.

        Return its text and confidence, [0, 1], or ("", 0.0).
        """
        engine = self._load()
        if engine is None or not ink.size:
            return "", 0.0
        picture = 255 - np.asarray(_pad(ink))
        found, _ = engine(np.stack([picture] * 3, axis=-1), use_det=False, use_cls=False, use_rec=True)
        if not found:
            return "", 0.0
        return str(found[0][0]).strip(), float(found[0][1])

    def one(self, ink: NDArray[np.uint8]) -> tuple[str, float]:
        """Recognise a single character as `line` does. Its proportions are preserved, and a margin is added."""
        return self.line(_square(ink))

    def _load(self) -> Any:
        if not self._is_loaded:
            self._is_loaded = True
            try:
                from rapidocr_onnxruntime import RapidOCR
            except ImportError:
                return None
            logging.getLogger("RapidOCR").setLevel(logging.WARNING)
            self._engine = RapidOCR(intra_op_num_threads=1)
        return self._engine


class NoRecognizer(Recognizer):
    """A recogniser that recognises nothing, as if the extra were not installed."""

    def __init__(self) -> None:
        super().__init__()
        self._is_loaded = True


def _square(ink: NDArray[np.uint8]) -> NDArray[np.uint8]:
    box = crop_to_ink(ink, _INK)
    side = round(max(box.shape) * _SIDE_OF_ONE)
    top, left = (side - box.shape[0]) // 2, (side - box.shape[1]) // 2
    square = np.zeros((side, side), np.uint8)
    square[top : top + box.shape[0], left : left + box.shape[1]] = box
    return square


def _pad(ink: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Scale ink to the network's height, with a margin. Without the margin, the outermost strokes are lost."""
    height, width = ink.shape
    inner = _HEIGHT_PX - 12
    to_width = max(1, min(MAX_WIDTH_PX, round(width * inner / height)))
    drawn = np.asarray(Image.fromarray(ink).resize((to_width, inner), Image.Resampling.BILINEAR), np.uint8)
    return np.pad(drawn, ((6, 6), (12, 12)))
