"""Draws glyphs of hostile fonts, and opens pictures of characters, in a process of their own."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from crawler.obfuscation.font_drawing import SIZE_PX, Drawings, draw
from crawler.obfuscation.picture_ink import decoded
from crawler.obfuscation.worker_process import WorkerProcess

MAX_SECONDS = 20.0  # for one font; 4,000 glyphs of Noto Serif take 6 s (2026-11)
MAX_SECONDS_OF_PICTURE = 5.0  # of a character or a line; one takes 2 ms
MAX_FONT_BYTES = 12_000_000  # a whole CJK face as WOFF2; larger ones are not sent to readers


class FontProcess:
    """Draws glyphs of fonts that nobody vouches for. Safe to use from several threads; `close` when done."""

    def __init__(self) -> None:
        self._worker = WorkerProcess(answer)

    def draw(self, font: bytes, codes: Sequence[int]) -> Drawings | None:
        """The drawings of `font_drawing.draw`; None for a font that is broken, too large or too slow."""
        if len(font) > MAX_FONT_BYTES or not codes:
            return None
        given = self._worker.ask(list(codes), font, MAX_SECONDS)
        if given is None:
            return None
        numbers, pixels = given
        return Drawings(numbers, np.frombuffer(pixels, np.uint8).reshape(len(numbers), SIZE_PX, SIZE_PX))

    def ink(self, picture: bytes) -> NDArray[np.uint8] | None:
        """What `picture_ink.decoded` makes of a picture; None for one that is broken, too large or too slow."""
        given = self._worker.ask(None, picture, MAX_SECONDS_OF_PICTURE)
        if given is None or len(given[0]) != 2:
            return None
        return np.frombuffer(given[1], np.uint8).reshape(given[0])

    def close(self) -> None:
        """End the process, also while a thread waits for its answer; nothing is drawn any more."""
        self._worker.close()


def answer(codes: list[int] | None, data: bytes) -> tuple[list[int], bytes]:
    """Of a font the code points that were drawn and their drawings; of a picture its height, width and ink."""
    if codes is None:
        ink = decoded(data)
        return (list(ink.shape), ink.tobytes()) if ink is not None else ([], b"")
    try:
        drawings = draw(data, codes)
    except MemoryError:
        raise
    except Exception:  # whatever a hostile font makes fontTools raise means one thing: no drawings
        return [], b""
    return drawings.codes, drawings.rasters.tobytes()
