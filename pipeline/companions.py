"""Further processes on the site of one crawl run, and the counts of all of them together.

Each process writes its counts into a file of its own, so that what a killed one had counted is kept.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, fields
from pathlib import Path

from core.pages import CrawlCounts
from crawler.tally import MAX_FAULTS

COMPANION, AGAIN = "--companion", "--again"
# A process that is killed once is an accident, three times is the site or the machine.
MAX_RESTARTS = 3
_SETTLE_S = (
    60.0  # for the pages that others have in flight when nothing is left: a download may take 30 s, a reading 10
)
_STOP_S = 30.0


class CountsBook:
    """The counts of all processes of one run, in a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._own = folder / f"counts-{os.getpid()}.json"

    def write(self, counts: CrawlCounts) -> None:
        """Note what this process has counted so far."""
        self._folder.mkdir(parents=True, exist_ok=True)
        fresh = self._own.with_suffix(".new")
        fresh.write_text(json.dumps(asdict(counts)), encoding="utf-8")
        fresh.replace(self._own)

    def total(self, own: CrawlCounts) -> CrawlCounts:
        """Those of this process and of all others; why the crawl ended is this one's."""
        whole = own
        for other in self._others():
            whole = added(whole, other)
        return whole

    def settled(self, own: CrawlCounts) -> CrawlCounts:
        """The total, when the other processes have ended or are dead."""
        deadline = time.monotonic() + _SETTLE_S
        while self._is_anybody_busy() and time.monotonic() < deadline:
            time.sleep(0.1)
        return self.total(own)

    def clear(self) -> None:
        """Forget the counts of an earlier run."""
        for path in self._folder.glob("counts-*"):
            path.unlink(missing_ok=True)

    def _others(self) -> Iterator[CrawlCounts]:
        names = {each.name for each in fields(CrawlCounts)}
        for path in sorted(self._folder.glob("counts-*.json")):
            if path != self._own:
                raw = json.loads(path.read_text(encoding="utf-8"))
                yield CrawlCounts(**{name: value for name, value in raw.items() if name in names})

    def _is_anybody_busy(self) -> bool:
        for path in self._folder.glob("counts-*.json"):
            pid = int(path.stem.partition("-")[2])
            has_ended = path == self._own or json.loads(path.read_text(encoding="utf-8"))["finish_reason"]
            if not has_ended and _is_alive(pid):
                return True
        return False


def added(one: CrawlCounts, other: CrawlCounts) -> CrawlCounts:
    """Numbers added, sentences joined; how it ended, and what the proxies did, as `one` says.

    >>> added(CrawlCounts(fetched=2, rejected={"robots": 1}), CrawlCounts(fetched=3, rejected={"robots": 2})).rejected
    {'robots': 3}
    """
    sums = {
        each.name: getattr(one, each.name) + getattr(other, each.name)
        for each in fields(CrawlCounts)
        if isinstance(getattr(one, each.name), int | float)
    }
    rejected = {
        reason: one.rejected.get(reason, 0) + other.rejected.get(reason, 0)
        for reason in {**one.rejected, **other.rejected}
    }
    faults = list(dict.fromkeys([*one.faults, *other.faults]))[:MAX_FAULTS]
    return CrawlCounts(**{**asdict(one), **sums, "rejected": rejected, "faults": faults})


@contextmanager
def accompanied(module: str, run_id: int, number: int) -> Iterator[None]:
    """So many further processes of a run while the block runs; those that are left then are stopped in order."""
    command = [sys.executable, "-m", module, str(run_id), COMPANION]
    running = [subprocess.Popen(command, stdin=subprocess.DEVNULL) for _ in range(number)]
    try:
        yield
    finally:
        for each in running:
            each.terminate()
        for each in running:
            _end(each)


def _end(process: "subprocess.Popen[bytes]") -> None:
    try:
        process.wait(_STOP_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
        # One that was killed keeps its number until its parent asks how it ended.
        return Path(f"/proc/{pid}/stat").read_text(encoding="latin-1").rpartition(")")[2].split()[0] != "Z"
    except ProcessLookupError:
        return False
    except OSError:
        return True
