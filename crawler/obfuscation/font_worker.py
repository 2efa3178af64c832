"""`python -m crawler.obfuscation.font_worker`: draws glyphs for `font_process`, within limits that the system keeps.

A request: a JSON list of code points and the bytes of a font, or JSON null and the bytes of a picture. The answer: a
JSON list of the code points that were drawn, or of a picture's height and width, and the drawings.
"""

import json
import resource
import sys
from typing import IO

import numpy as np
from numpy.typing import NDArray

from crawler.obfuscation.font_drawing import Drawings, draw
from crawler.obfuscation.picture_ink import decoded
from crawler.obfuscation.worker_process import read_block, write_block

MAX_MEMORY_BYTES = 1_500_000_000  # of addresses, most of them libraries; a font that unpacks to more ends the worker


def main() -> None:
    """Serve until the input ends."""
    resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY_BYTES, MAX_MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    source, sink = sys.stdin.buffer, sys.stdout.buffer
    while True:
        request = read_block(source)
        if request is None:
            return
        font = read_block(source) or b""
        codes = json.loads(request)
        if codes is None:
            answer_picture(sink, decoded(font))
        else:
            answer(sink, _draw(font, codes))


def answer(sink: IO[bytes], drawings: Drawings | None) -> None:
    write_block(sink, json.dumps(drawings.codes if drawings else []).encode())
    write_block(sink, drawings.rasters.tobytes() if drawings else b"")
    sink.flush()


def answer_picture(sink: IO[bytes], ink: NDArray[np.uint8] | None) -> None:
    write_block(sink, json.dumps(list(ink.shape) if ink is not None else []).encode())
    write_block(sink, ink.tobytes() if ink is not None else b"")
    sink.flush()


def _draw(font: bytes, codes: list[int]) -> Drawings | None:
    try:
        return draw(font, codes)
    except MemoryError:
        raise
    except Exception:  # whatever a hostile font makes fontTools raise means one thing: no drawings
        return None


if __name__ == "__main__":
    main()
