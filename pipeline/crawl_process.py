"""One crawl run in a process of its own: Scrapy's reactor starts once in a process and never again."""

import logging
import subprocess
import sys
import threading
from pathlib import Path

from django.utils.translation import gettext_noop

from core.clock import SystemClock
from core.errors import NotFound, ZhuiwenError
from core.ids import PageId
from core.pages import CrawlCounts, Fetched, Reading, Stored
from core.settings import Settings
from crawler.run import run_crawl
from pagestore.mongo import MongoPageStore, connect
from pipeline.app import SETTINGS
from pipeline.outbox import CeleryOutbox
from webadmin import crawls
from webadmin.casebook import pages_seen_again
from webadmin.models import CrawlRun

log = logging.getLogger("zhuiwen.crawl")

COMPLETE = ("finished", "page_limit")
SENTENCES = {
    "stopped": gettext_noop("The crawl was stopped from outside; the next one goes on where it ended."),
    "store_unavailable": gettext_noop("The page store or the broker did not answer; see zhuiwen status, crawl again."),
}
HEARTBEAT_S = 5.0  # a run without a sign of life for 120 of these is given up (webadmin.crawls)


class SeenAgainStore(MongoPageStore):
    """The page store of one run, which remembers what it has seen unchanged."""

    def __init__(self, url: str) -> None:
        super().__init__(connect(url))
        self.seen_again: list[PageId] = []

    def put(self, fetched: Fetched, reading: Reading) -> Stored:
        stored = super().put(fetched, reading)
        if not stored.is_new_version:
            self.seen_again.append(stored.page_id)
        return stored


def start_crawl(run_id: int, settings: Settings) -> None:
    """Run one crawl to its end in a child process. Whatever ends the child, the run's row says how it ended."""
    logs = settings.home / "logs"
    logs.mkdir(parents=True, exist_ok=True)
    with (logs / "crawls.log").open("ab") as output:
        child = subprocess.run(
            [sys.executable, "-m", "pipeline.crawl_process", str(run_id)],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            check=False,
        )
    run = CrawlRun.objects.filter(pk=run_id).first()
    if run is not None and run.state in CrawlRun.LIVE:
        crawls.fail(run, None, f"the crawl process ended with code {child.returncode}; see {logs / 'crawls.log'}")


def main(arguments: list[str]) -> int:
    """The child: crawl the run whose number is given. Returns 0 when the run's row was brought to an end."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s %(message)s")
    run = CrawlRun.objects.select_related("site").filter(pk=int(arguments[0])).first()
    if run is None:
        log.error("%s", NotFound("crawl run", arguments[0]))
        return 1
    if not crawls.mark_started(run):
        log.info("crawl run %s is %s already", run.pk, run.state)
        return 0
    store = SeenAgainStore(SETTINGS.mongo_url)
    counts = CrawlCounts()
    with _Heartbeat(run) as heartbeat:
        try:
            counts = run_crawl(
                crawls.plan_of(run.site, run),
                store,
                CeleryOutbox(),
                SETTINGS.crawl,
                job_dir=_job_dir(run),
                on_progress=heartbeat.take,
            )
        except ZhuiwenError as error:
            log.error("crawl run %s failed: %s", run.pk, error)
            crawls.fail(run, heartbeat.counts, str(error))
            return 0
    pages_seen_again(store.seen_again, SystemClock().now())
    if counts.finish_reason in COMPLETE:
        crawls.finish(run, counts)
    else:
        crawls.fail(run, counts, _why(counts))
    return 0


def _why(counts: CrawlCounts) -> str:
    """Why a crawl did not come to its end, in one sentence."""
    sentence = SENTENCES.get(counts.finish_reason)
    return str(sentence) if sentence else (counts.faults or [counts.finish_reason])[0]


def _job_dir(run: CrawlRun) -> Path:
    return SETTINGS.home / "crawls" / f"site-{run.site_id}"


class _Heartbeat:
    """Writes the newest counts of a run every few seconds, beside the reactor."""

    def __init__(self, run: CrawlRun) -> None:
        self._run = run
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._beat, daemon=True)
        self.counts: CrawlCounts | None = None

    def take(self, counts: CrawlCounts) -> None:
        self.counts = counts

    def __enter__(self) -> "_Heartbeat":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _beat(self) -> None:
        while not self._stop.wait(HEARTBEAT_S):
            crawls.heartbeat(self._run, self.counts)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
