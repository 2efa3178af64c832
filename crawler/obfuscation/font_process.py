"""The process that draws hostile fonts: started at the first font, ended when one takes too long, started anew."""

import contextlib
import json
import subprocess
import sys
import threading
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from crawler.child_environment import child_environment
from crawler.obfuscation.font_drawing import SIZE_PX, Drawings
from crawler.obfuscation.font_worker import read_block, write_block

MAX_SECONDS = 20.0  # for one font; 4,000 glyphs of Noto Serif take 6 s (2026-11)
MAX_FONT_BYTES = 12_000_000  # a whole CJK face as WOFF2; larger ones are not sent to readers


class FontProcess:
    """Draws glyphs of fonts that nobody vouches for. Safe to use from several threads; `close` when done."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._worker: subprocess.Popen[bytes] | None = None
        self._is_closed = False

    def draw(self, font: bytes, codes: Sequence[int]) -> Drawings | None:
        """The drawings of `font_drawing.draw`; None for a font that is broken, too large or too slow."""
        if len(font) > MAX_FONT_BYTES or not codes:
            return None
        answer = self._ask(list(codes), font)
        if answer is None:
            return None
        numbers, pixels = answer
        return Drawings(numbers, np.frombuffer(pixels, np.uint8).reshape(len(numbers), SIZE_PX, SIZE_PX))

    def ink(self, picture: bytes) -> NDArray[np.uint8] | None:
        """What `picture_ink.decoded` makes of a picture; None for one that is broken, too large or too slow."""
        answer = self._ask(None, picture)
        if answer is None or len(answer[0]) != 2:
            return None
        return np.frombuffer(answer[1], np.uint8).reshape(answer[0])

    def _ask(self, codes: list[int] | None, data: bytes) -> tuple[list[int], bytes] | None:
        with self._lock:
            if self._is_closed:
                return None
            worker = self._started()
            timer = threading.Timer(MAX_SECONDS, worker.kill)
            timer.start()
            try:
                return _asked(worker, data, codes)
            except (OSError, ValueError):
                self._end()
                return None
            finally:
                timer.cancel()

    def close(self) -> None:
        """End the process, also while a thread waits for its answer; nothing is drawn any more."""
        self._is_closed = True
        if (worker := self._worker) is not None:
            worker.kill()
        with self._lock:
            self._end()

    def _started(self) -> "subprocess.Popen[bytes]":
        if self._worker is None or self._worker.poll() is not None:
            self._end()
            self._worker = subprocess.Popen(
                [sys.executable, "-m", "crawler.obfuscation.font_worker"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=child_environment(),
            )
        return self._worker

    def _end(self) -> None:
        worker, self._worker = self._worker, None
        if worker is None:
            return
        worker.kill()
        for stream in (worker.stdin, worker.stdout):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()
        worker.wait()


def _asked(worker: "subprocess.Popen[bytes]", data: bytes, codes: list[int] | None) -> tuple[list[int], bytes]:
    """Raises OSError or ValueError where the worker ends before it has answered."""
    source, sink = worker.stdout, worker.stdin
    if source is None or sink is None:
        raise ValueError("the worker has no pipes")
    write_block(sink, json.dumps(codes).encode())
    write_block(sink, data)
    sink.flush()
    numbers, pixels = read_block(source), read_block(source)
    if numbers is None or pixels is None:
        raise ValueError("the worker has ended")
    return [int(number) for number in json.loads(numbers)], pixels
