"""Runs the scripts of a page, in a process of its own that loads nothing else: 13 MB of memory, not 54."""

import json
from pathlib import Path
from typing import Any

MAX_MEMORY_BYTES = 64_000_000  # chosen: what decodes a chapter takes 4 MB
MAX_WRITTEN_CHARS = 1_000_000  # of what the scripts of a page write; a chapter has 30,000
_DOCUMENT = Path(__file__).with_name("document.js")


def run_scripts(sources: list[str], _data: bytes) -> tuple[list[Any], bytes]:
    """Run the scripts of a page: a text for each that writes in its place; [selector, markup] of elements."""
    import quickjs  # type: ignore[import-untyped]  # starts a thread, and only the process needs it

    context = quickjs.Context()
    context.set_memory_limit(MAX_MEMORY_BYTES)
    record = context.eval(_DOCUMENT.read_text(encoding="utf-8"))
    for number, source in enumerate(sources):
        record(number)
        try:
            context.eval(source)
        except quickjs.JSException as fault:  # as in a browser, the next script runs all the same
            if "out of memory" in str(fault):
                raise MemoryError from fault
    while context.execute_pending_job():
        pass
    written = record()
    if len(written) > MAX_WRITTEN_CHARS:
        raise MemoryError
    return json.loads(written), b""
