"""What a recogniser of characters says of a picture: the second opinion, where the extra `ocr` is installed."""

import logging
import threading
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

MISSING = "pictures are not read by OCR: install zhuiwen[ocr]"
_HEIGHT_PX = 48  # what the recogniser's network takes
MAX_WIDTH_PX = 2_000


class Recognizer:
    """rapidocr-onnxruntime behind one question; loaded at the first. `is_there` False: it is not installed."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._engine: Any = None
        self._is_loaded = False

    @property
    def is_there(self) -> bool:
        return self._loaded() is not None

    def line(self, ink: NDArray[np.uint8]) -> tuple[str, float]:
        """The characters of one line (uint8[height, width], 255 ink) and how sure that is, [0, 1]; ("", 0.0): none."""
        engine = self._loaded()
        if engine is None or not ink.size:
            return "", 0.0
        picture = 255 - np.asarray(_padded(ink))
        with self._lock:
            found, _ = engine(np.stack([picture] * 3, axis=-1), use_det=False, use_cls=False, use_rec=True)
        if not found:
            return "", 0.0
        return str(found[0][0]).strip(), float(found[0][1])

    def _loaded(self) -> Any:
        with self._lock:
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
    """As if the extra were not installed."""

    def __init__(self) -> None:
        super().__init__()
        self._is_loaded = True


def _padded(ink: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """At the network's height, with a ground around it: without one the outermost strokes are lost."""
    height, width = ink.shape
    inner = _HEIGHT_PX - 12
    to_width = max(1, min(MAX_WIDTH_PX, round(width * inner / height)))
    drawn = np.asarray(Image.fromarray(ink).resize((to_width, inner), Image.Resampling.BILINEAR), np.uint8)
    return np.pad(drawn, ((6, 6), (12, 12)))
