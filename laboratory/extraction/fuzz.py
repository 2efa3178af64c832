"""`python -m laboratory.extraction.fuzz`, and `make fuzz`: reads randomly mutated pages like a crawl.

The pages are those of a folder; the same seed gives the same mutations. The exit code is 1 if reading a page raised.
"""

import argparse
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from random import Random

from core.ids import SiteId
from core.pages import CrawlPlan
from crawler.opening import Rejected
from crawler.readers.pages import PageToRead
from crawler.readers.worker import ReadingSession
from laboratory.extraction.mutation import mutated

URL = "http://www.a.example/1/1.html"
PAGES = 5_000  # take two minutes (2026-11)
SLOWEST_SHOWN = 5


def main(arguments: Sequence[str] | None = None) -> int:
    """Read mutated pages, and print the outcomes on the standard output."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="that holds pages as .html, at any depth")
    parser.add_argument("--pages", type=int, default=PAGES)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args(arguments)
    whole = [(path, path.read_bytes()) for path in sorted(chosen.folder.rglob("*.html"))]
    if not whole:
        parser.error(f"there is no .html in {chosen.folder}")
    rng = Random(chosen.seed)  # noqa: S311, no secret
    desk = ReadingSession(CrawlPlan(SiteId("site"), "run", (URL,), ()))
    outcomes: Counter[str] = Counter()
    taken: list[tuple[float, str]] = []
    for number in range(chosen.pages):
        path, body = rng.choice(whole)
        page = PageToRead(mutated(body, rng), {"Content-Type": "text/html"}, URL, True)
        begun = time.process_time()
        try:
            reading = page.run(desk).reading
        except Exception as error:  # the purpose of the run
            outcomes["exceptions"] += 1
            _say(f"{number} {path.name}: {type(error).__name__}: {error}")
        else:
            outcomes[str(reading.reason) if isinstance(reading, Rejected) else "read"] += 1
        taken.append((time.process_time() - begun, f"{number} {path.name}"))
    desk.close()
    _say(f"{chosen.pages} pages, seed {chosen.seed}: {dict(outcomes)}; exceptions: {outcomes['exceptions']}")
    for seconds, name in sorted(taken, reverse=True)[:SLOWEST_SHOWN]:
        _say(f"{seconds:.2f} s  {name}")
    return 1 if outcomes["exceptions"] else 0


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
