"""Draws glyphs of hostile fonts, and opens pictures of characters, in a process of their own."""

import json
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from crawler.obfuscation.font_drawing import SIZE_PX, Drawings
from crawler.obfuscation.worker_process import WorkerProcess

MAX_SECONDS = 20.0  # for one font; 4,000 glyphs of Noto Serif take 6 s (2026-11)
MAX_SECONDS_OF_PICTURE = 5.0  # of a character or a line; one takes 2 ms
MAX_FONT_BYTES = 12_000_000  # a whole CJK face as WOFF2; larger ones are not sent to readers


class FontProcess:
    """Draws glyphs of fonts that nobody vouches for. Safe to use from several threads; `close` when done."""

    def __init__(self) -> None:
        self._worker = WorkerProcess("crawler.obfuscation.font_worker")

    def draw(self, font: bytes, codes: Sequence[int]) -> Drawings | None:
        """The drawings of `font_drawing.draw`; None for a font that is broken, too large or too slow."""
        if len(font) > MAX_FONT_BYTES or not codes:
            return None
        answer = self._ask(list(codes), font, MAX_SECONDS)
        if answer is None:
            return None
        numbers, pixels = answer
        return Drawings(numbers, np.frombuffer(pixels, np.uint8).reshape(len(numbers), SIZE_PX, SIZE_PX))

    def ink(self, picture: bytes) -> NDArray[np.uint8] | None:
        """What `picture_ink.decoded` makes of a picture; None for one that is broken, too large or too slow."""
        answer = self._ask(None, picture, MAX_SECONDS_OF_PICTURE)
        if answer is None or len(answer[0]) != 2:
            return None
        return np.frombuffer(answer[1], np.uint8).reshape(answer[0])

    def close(self) -> None:
        """End the process, also while a thread waits for its answer; nothing is drawn any more."""
        self._worker.close()

    def _ask(self, codes: list[int] | None, data: bytes, max_seconds: float) -> tuple[list[int], bytes] | None:
        answer = self._worker.ask(json.dumps(codes).encode(), data, max_seconds)
        if answer is None:
            return None
        numbers, pixels = answer
        try:
            return [int(number) for number in json.loads(numbers)], pixels
        except ValueError:
            return None
