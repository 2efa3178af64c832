"""`python -m crawler.obfuscation.text_worker`: finds lines of text in pictures, within limits that the system keeps.

A request: a JSON object, {"pixels": at most, "seconds": at most, "is_read": whether characters are wanted}, and the
bytes of a picture. The answer: a JSON object with the fields of `text_process.SeenPicture`, and an empty block.
"""

import json
import resource
import sys
import time
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from crawler.obfuscation.page_picture import looks_like_text, opened
from crawler.obfuscation.worker_process import read_block, write_block

if TYPE_CHECKING:  # loaded at the first picture that looks like text
    from crawler.obfuscation.line_recognizer import LineRecognizer

# Of what it writes to: the recogniser and a picture of 24,000,000 pixels have 600 MB at their peak (2026-11).
MAX_MEMORY_BYTES = 900_000_000


def main() -> None:
    """Serve until the input ends."""
    resource.setrlimit(resource.RLIMIT_DATA, (MAX_MEMORY_BYTES, MAX_MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    source, sink = sys.stdin.buffer, sys.stdout.buffer
    worker = _Worker()
    while (request := read_block(source)) is not None:
        answer = worker.seen(read_block(source) or b"", **json.loads(request))
        write_block(sink, json.dumps(answer).encode())
        write_block(sink, b"")
        sink.flush()


class _Worker:
    def __init__(self) -> None:
        self._recognizer: LineRecognizer | None = None

    def seen(self, picture: bytes, pixels: int, seconds: float, *, is_read: bool) -> dict[str, Any]:
        until = time.monotonic() + seconds
        grey = opened(picture, pixels)
        if grey is None:
            return {}
        looks = looks_like_text(grey)
        answer = {"height": grey.shape[0], "width": grey.shape[1], "looks_like_text": looks}
        if not looks or not is_read:
            return answer
        if self._recognizer is None:
            from crawler.obfuscation.line_recognizer import LineRecognizer

            self._recognizer = LineRecognizer()
        lines, is_whole = self._recognizer.lines(grey, until)
        return {**answer, "lines": [asdict(line) for line in lines], "is_whole": is_whole}


if __name__ == "__main__":
    main()
