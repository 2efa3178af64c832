"""`python -m laboratory.extraction.reading_costs`: what reading costs on pages that are made to be slow.

Each page is read in a process of its own, links and text as in a crawl, without what bounds a reading in the product:
what is above the bounds there is given up. A page is as large as is taken, or as has no more tags than are read (beyond
which it costs no more than its characters). A linear reading takes twice the time for twice the page.

With `--found` the product's own reading process reads the pages instead, within its bounds, and the number of pages is
printed whose text is read although the rest of the page is slow.
"""

import argparse
import os
import resource
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection

import psutil

from core.ids import SiteId
from core.pages import CrawlPlan, Reading
from crawler.opening import MAX_TAGS, Rejected
from crawler.readers.pages import PageToRead, WholePage
from crawler.readers.reading_process import GivenUp, ReadingProcess
from crawler.readers.worker import ReadingSession
from laboratory.extraction.hostile_pages import KINDS, LARGEST, SENTENCE
from laboratory.speed.machine import forget_peak, peak_bytes

URL = "http://a.example/1/1.html"
GIVE_UP_S = 20  # of processor time for one page
GIVE_UP_BYTES = 2_500_000_000
LEAST_S_TO_COMPARE = 0.05


@dataclass(frozen=True, slots=True)
class Cost:
    """What reading one page took. seconds: of the processor; peak_bytes: resident, beyond what was there before."""

    seconds: float
    peak_bytes: int
    outcome: str


def cost(kind: str, size: int) -> Cost:
    """What it takes to read a page of this kind and of so many bytes."""
    context = get_context("fork")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_read, args=(kind, size, theirs))
    process.start()
    theirs.close()
    found = Cost(GIVE_UP_S, 0, "given up")
    with suppress(EOFError):
        found = ours.recv()
    process.join()
    return found


def largest_read(kind: str, size: int) -> int:
    """The size, or the largest below it at which a page of this kind has no more tags than are read."""
    tags = KINDS[kind](size).count(b"<")
    return size if tags <= MAX_TAGS else int(size * MAX_TAGS / tags * 0.93)


def is_found(process: ReadingProcess, kind: str, size: int) -> bool:
    """Say whether the product reads the sentence that a page of this kind begins with."""
    try:
        page = process.read(PageToRead(KINDS[kind](size), {"Content-Type": "text/html"}, URL, True))
    except GivenUp:
        return False
    return isinstance(page.reading, Reading) and SENTENCE in page.reading.text


def _read(kind: str, size: int, answer: Connection) -> None:
    page = PageToRead(KINDS[kind](size), {"Content-Type": "text/html"}, URL, True)
    desk = ReadingSession(CrawlPlan(SiteId("s"), "r", (URL,), ()))
    page_before = PageToRead(KINDS["paragraphs of a novel"](10_000), page.headers, URL, True)
    page_before.read(desk)
    forget_peak()
    before = psutil.Process().memory_info().rss
    resource.setrlimit(resource.RLIMIT_CPU, (int(time.process_time()) + GIVE_UP_S, resource.RLIM_INFINITY))
    resource.setrlimit(resource.RLIMIT_DATA, (GIVE_UP_BYTES, GIVE_UP_BYTES))
    begun = time.process_time()
    try:
        outcome = _outcome(page.read(desk))
    except MemoryError:
        outcome = "out of memory"
    except Exception as error:
        outcome = f"{type(error).__name__}: {error}"[:60]
    answer.send(Cost(time.process_time() - begun, max(0, peak_bytes() - before), outcome))
    answer.close()
    os._exit(0)


def _outcome(page: WholePage) -> str:
    if isinstance(page.reading, Rejected):
        return str(page.reading.reason)
    return f"{len(page.reading.text):,} characters" if isinstance(page.reading, Reading) else "nothing"


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kinds", nargs="*", help="those whose name holds one of these; all")
    parser.add_argument("--bytes", type=int, default=LARGEST, help="of the larger page; the other has half of them")
    parser.add_argument("--found", action="store_true", help="count the pages whose text is read")
    chosen = parser.parse_args(arguments)
    kinds = [kind for kind in KINDS if not chosen.kinds or any(each in kind for each in chosen.kinds)]
    if chosen.found:
        _count_found(kinds, chosen.bytes)
        return
    _say("kind", "MB", "half, CPU s", "CPU s", "ratio", "peak MB", "outcome")
    for kind in kinds:
        size = largest_read(kind, chosen.bytes)
        half, whole = cost(kind, size // 2), cost(kind, size)
        ratio = f"{whole.seconds / half.seconds:.1f}" if half.seconds > LEAST_S_TO_COMPARE else "-"
        times = f"{half.seconds:.2f}", f"{whole.seconds:.2f}", ratio
        _say(kind, f"{size / 1e6:.1f}", *times, f"{whole.peak_bytes / 1e6:.0f}", whole.outcome)


def _count_found(kinds: Sequence[str], size: int) -> None:
    with_sentence = [kind for kind in kinds if SENTENCE.encode() in KINDS[kind](10_000)]
    with ReadingProcess(CrawlPlan(SiteId("s"), "r", (URL,), ())) as process:
        missed = [kind for kind in with_sentence if not is_found(process, kind, size)]
    _say(f"found {len(with_sentence) - len(missed)} of {len(with_sentence)}")
    for kind in missed:
        _say(f"not found: {kind}")


def _say(*cells: str) -> None:
    sys.stdout.write("\t".join(cells) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
