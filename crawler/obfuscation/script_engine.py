"""Runs the scripts of a page in a process that loads nothing else, so that it needs 15 MB of memory instead of 54."""

import json
from pathlib import Path
from typing import Any

MAX_MEMORY_BYTES = 64_000_000  # chosen: a script that decodes a chapter takes 4 MB
MAX_WRITTEN_CHARS = 1_000_000  # by all scripts of a page; a chapter has 30,000
_DOCUMENT = Path(__file__).with_name("document.js")


def run_scripts(sources: list[str], _data: bytes) -> tuple[list[Any], bytes]:
    """Run the scripts of a page, and return what they write.

    This is the text that each script writes where it is, and [selector, markup] for other elements. Raises MemoryError
    if the scripts exceed the memory limit.
    """
    import quickjs  # type: ignore[import-untyped]  # starts a thread, and only the process needs it

    context = quickjs.Context()
    context.set_memory_limit(MAX_MEMORY_BYTES)
    record = context.eval(_DOCUMENT.read_text(encoding="utf-8"))
    for number, source in enumerate(sources):
        record(number)
        try:
            context.eval(source)
        except quickjs.JSException as fault:  # the next script runs nevertheless, as in a browser
            if "out of memory" in str(fault):
                raise MemoryError from fault
    while context.execute_pending_job():
        pass
    written = record()
    if len(written) > MAX_WRITTEN_CHARS:
        raise MemoryError
    return json.loads(written), b""
