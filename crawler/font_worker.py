"""`python -m crawler.font_worker`: draws glyphs for crawler.font_process, within limits that the system keeps.

A request: its length and a JSON list of code points, the length and bytes of a font. The answer: the length and a JSON
list of the code points that were drawn, then their drawings. Lengths are four bytes, big-endian.
"""

import json
import resource
import sys
from typing import BinaryIO

from crawler.font_drawing import Drawings, draw

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
        answer(sink, _drawn(font, json.loads(request)))


def read_block(source: BinaryIO) -> bytes | None:
    """One block with its length before it; None at the end."""
    head = source.read(4)
    if len(head) < 4:
        return None
    return source.read(int.from_bytes(head, "big"))


def write_block(sink: BinaryIO, data: bytes) -> None:
    sink.write(len(data).to_bytes(4, "big") + data)


def answer(sink: BinaryIO, drawings: Drawings | None) -> None:
    write_block(sink, json.dumps(drawings.codes if drawings else []).encode())
    write_block(sink, drawings.rasters.tobytes() if drawings else b"")
    sink.flush()


def _drawn(font: bytes, codes: list[int]) -> Drawings | None:
    try:
        return draw(font, codes)
    except MemoryError:
        raise
    except Exception:  # whatever a hostile font makes fontTools raise means one thing: no drawings
        return None


if __name__ == "__main__":
    main()
