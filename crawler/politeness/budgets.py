"""How much of a site was fetched in a run and in a day, kept where a kill does not lose it."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

from core.politeness import Budget

USAGE_NAME = "usage.jsonl"
PAGES_A_DAY, BYTES_A_DAY, BYTES_A_RUN = "pages_a_day", "bytes_a_day", "bytes_a_run"


class Usage:
    """Counts responses and their bytes against a budget. One line is written for each, before the page is read."""

    def __init__(self, budget: Budget, run_id: str, folder: Path | None = None) -> None:
        self._budget, self._run_id = budget, run_id
        self._pages: dict[str, int] = {}  # by day
        self._bytes: dict[str, int] = {}  # by day
        self._bytes_of_run = 0
        self._journal: TextIO | None = None
        if folder is not None and budget != Budget():
            folder.mkdir(parents=True, exist_ok=True)
            self._open(folder / USAGE_NAME)

    def add(self, day: str, size: int, pages: int = 1) -> None:
        """Note `pages` responses of `size` bytes together."""
        self._take(day, self._run_id, pages, size)
        if self._journal is not None:
            self._journal.write(_line(day, self._run_id, pages, size))
            self._journal.flush()

    def exhausted(self, day: str, in_flight: int = 0) -> str:
        """Which limit is reached: BYTES_A_RUN, PAGES_A_DAY, BYTES_A_DAY, or "" for none.

        in_flight: requests whose answers are still to be counted.
        """
        budget = self._budget
        reached = (
            (BYTES_A_RUN, budget.bytes_a_run, self._bytes_of_run),
            (PAGES_A_DAY, budget.pages_a_day, self._pages.get(day, 0) + in_flight),
            (BYTES_A_DAY, budget.bytes_a_day, self._bytes.get(day, 0)),
        )
        return next((name for name, limit, used in reached if limit and used >= limit), "")

    def close(self) -> None:
        if self._journal is not None:
            self._journal.close()
            self._journal = None

    def _take(self, day: str, run_id: str, pages: int, size: int) -> None:
        self._pages[day] = self._pages.get(day, 0) + pages
        self._bytes[day] = self._bytes.get(day, 0) + size
        if run_id == self._run_id:
            self._bytes_of_run += size

    def _open(self, path: Path) -> None:
        """Take over what is noted, and write it anew in as few lines as say the same of this run and the last days."""
        kept: dict[tuple[str, str], list[int]] = {}
        for day, run_id, pages, size in _records(path):
            self._take(day, run_id, pages, size)
            total = kept.setdefault((day, run_id if run_id == self._run_id else ""), [0, 0])
            total[0] += pages
            total[1] += size
        newest = set(sorted(self._pages)[-2:])  # a day of another zone, where the operator changed it
        fresh = path.with_suffix(".new")
        fresh.write_text(
            "".join(_line(day, run_id, *total) for (day, run_id), total in kept.items() if run_id or day in newest),
            encoding="utf-8",
        )
        fresh.replace(path)
        self._journal = path.open("a", encoding="utf-8")


def _line(day: str, run_id: str, pages: int, size: int) -> str:
    return json.dumps([day, run_id, pages, size]) + "\n"


def _records(path: Path) -> Iterator[tuple[str, str, int, int]]:
    """What the file says; a line that a loss of power cut off is left out."""
    if not path.exists():
        return
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        try:
            day, run_id, pages, size = json.loads(line)
            yield str(day), str(run_id), int(pages), int(size)
        except (ValueError, TypeError):
            continue
