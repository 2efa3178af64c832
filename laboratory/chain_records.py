"""What the chain has come to, read from the installation's own records, and one step of it by part in this process.

Imported when Django is set up, by `laboratory.chain`.
"""

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from django.conf import settings

from core.clock import SystemClock
from core.ids import CanonicalUrl, FinalUrl, RequestedUrl, SiteId, VersionId
from core.messages import MAX_IDS
from core.pages import Fetched, Reading
from pipeline import steps
from pipeline.memory import MemoryOutbox
from pipeline.wiring import live
from records.models import Case, Chapter, PageCheck, RightsHolder
from records.sites.watchlist import archive_site

STEP_PAGES = 640
STEP_PARTS = ("pages", "fingerprints", "index", "matcher", "cases")  # ports; the matcher's time holds the index's


def unindexed() -> int:
    """Chapters that no index holds yet."""
    return Chapter.objects.filter(indexed_at__isnull=True).count()


def outcomes() -> int:
    """Pages that were compared."""
    return PageCheck.objects.count()


def cases() -> int:
    """Cases that were opened."""
    return Case.objects.count()


def step_ms(pages: Sequence[str]) -> dict[str, float]:
    """Processor milliseconds of a page by part of the step, on pages that no row tells of yet."""
    ports, spent = live(settings.ZHUIWEN), dict.fromkeys(STEP_PARTS, 0.0)
    stored = _stored(pages, ports.pages)
    first = stored[: len(stored) // 2]  # kernels are loaded and works are read, as in a worker that runs
    timed: dict[str, Any] = {name: _Timed(getattr(ports, name), name, spent) for name in STEP_PARTS}
    for ids, measured in ((first, ports), (stored[len(first) :], replace(ports, **timed))):
        begun = time.process_time()
        for start in range(0, len(ids), MAX_IDS):
            steps.compare_pages(
                [VersionId(each) for each in ids[start : start + MAX_IDS]], replace(measured, outbox=MemoryOutbox())
            )
        whole = time.process_time() - begun
    count = len(stored) - len(first)
    spent["the rest"] = whole - sum(spent.values())
    return {name: 1000 * seconds / count for name, seconds in spent.items()} | {"in all": 1000 * whole / count}


def _stored(pages: Sequence[str], store: Any) -> list[str]:
    site, now = SiteId(str(archive_site(RightsHolder.objects.get(), "step").pk)), SystemClock().now()
    given = []
    for number, text in enumerate(pages[:STEP_PAGES]):
        url = f"http://step.example/{number}.html"
        fetched = Fetched(site, RequestedUrl(url), FinalUrl(url), CanonicalUrl(url), 200, (), text.encode(), now)
        given.append((fetched, Reading(title=f"第{number}页", text=text)))
    return [
        stored.version_id
        for start in range(0, len(given), MAX_IDS)
        for stored in store.put_many(given[start : start + MAX_IDS])
    ]


class _Timed:
    """Calls of an object, with the processor time they take in this process."""

    def __init__(self, target: object, name: str, spent: dict[str, float]) -> None:
        self._target, self._name, self._spent = target, name, spent

    def __getattr__(self, name: str) -> Any:
        attribute = getattr(self._target, name)
        if not callable(attribute):
            return attribute

        def timed(*given: Any, **named: Any) -> Any:
            begun = time.process_time()
            try:
                return attribute(*given, **named)
            finally:
                self._spent[self._name] += time.process_time() - begun

        return timed
