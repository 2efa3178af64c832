"""Waiting for crawls: how they stand, whether anybody is there to do them, and what becomes of them without us."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.errors import RetryLater
from core.settings import Settings
from deploy.cli.faults import complain
from deploy.cli.interrupts import Interrupts, noted_interrupts
from deploy.cli.output import Meter, counted, progress, shown

if TYPE_CHECKING:
    from pipeline.pending import Pending
    from webadmin.models import CrawlRun

POLL_S = 0.5


@dataclass(frozen=True, slots=True)
class Patience:
    """How long nothing may move until workers are asked for a sign of life, how often, and when none counts.

    A busy worker answers within a second or two; one that died is started again by its supervisor in half a minute.
    """

    asked_after_s: float = 20.0
    asked_every_s: float = 10.0
    given_up_after_s: float = 120.0


USUAL = Patience()


def wait_for_runs(runs: "Sequence[CrawlRun]", settings: Settings, patience: Patience = USUAL) -> None:
    """Wait until the runs have ended, however long they stand in the queue, and their pages are compared.

    Raises RetryLater where no worker gives a sign of life any more.
    """
    try:
        with progress("waiting") as meter, noted_interrupts() as interrupts:
            crawlers = Watch(settings, "crawl", "no crawler answers; runs stay in the queue until one does", patience)
            _until_ended(runs, crawlers, meter, interrupts)
            workers = Watch(settings, "pages", "no worker answers; pages are compared when one does", patience)
            _until_compared(settings, workers, meter, interrupts)
    except KeyboardInterrupt:
        complain(f"no longer waiting; {_goes_on(runs)}")
        raise


def _goes_on(runs: "Sequence[CrawlRun]") -> str:
    """What happens without the command that waited."""
    queued = [run for run in runs if run.state == run.State.QUEUED]
    if queued:
        names = ", ".join(f"run {run.pk} of {shown(run.site.name)}" for run in queued)
        return f"{names} stays in the queue and is crawled in its turn: see zhuiwen site list"
    if any(run.state in run.LIVE for run in runs):
        return "the crawl goes on without this command: see zhuiwen site list"
    return "the crawl has ended, and its pages are compared without this command: see zhuiwen cases"


def _until_ended(runs: "Sequence[CrawlRun]", watch: "Watch", meter: Meter, interrupts: Interrupts) -> None:
    while True:
        interrupts.check()
        for run in runs:
            run.refresh_from_db()
        live = [run for run in runs if run.state in run.LIVE]
        if not live:
            return
        watch.saw([(run.pk, run.state, run.heartbeat_at) for run in live])
        meter.text("; ".join([*map(_state_of, live), *_in_front(live), *watch.warning]))
        time.sleep(POLL_S)


def _state_of(run: "CrawlRun") -> str:
    """What one run does; of one that waits how long, in steps that are worth a line each."""
    from django.utils import timezone

    if run.state == run.State.RUNNING:
        return f"{run.site.name} running, {run.pages_fetched} pages"
    if run.resume_at is not None and run.resume_at > timezone.now():
        return f"{run.site.name} queued, goes on {timezone.localtime(run.resume_at):%Y-%m-%d %H:%M}"
    minutes = int((timezone.now() - run.due_at).total_seconds() // 60)
    if minutes >= 10:
        minutes -= minutes % 10
    return f"{run.site.name} queued" + (f" for {minutes} min" if minutes > 0 else "")


def _in_front(live: "Sequence[CrawlRun]") -> list[str]:
    """Which crawls a run waits behind, where it waits."""
    from webadmin.models import CrawlRun

    if all(run.state == run.State.RUNNING for run in live):
        return []
    others = CrawlRun.objects.filter(state=CrawlRun.State.RUNNING).exclude(pk__in=[run.pk for run in live]).count()
    return [f"{counted(others, 'other crawl')} running"] if others else []


def _until_compared(settings: Settings, watch: "Watch", meter: Meter, interrupts: Interrupts) -> None:
    from pipeline.pending import pending
    from pipeline.turns import UPKEEP, turn
    from pipeline.upkeep import sweep_all
    from pipeline.wiring import live, redis_client

    client, ports = redis_client(settings), live(settings)
    while True:
        interrupts.check()
        left = _of_pages(pending(client))
        watch.saw(left)
        if left:
            meter.text("; ".join([f"{left} messages to work off", *watch.warning]))
        else:  # the stores may owe what no message says
            with turn(client, UPKEEP) as is_ours:
                if is_ours and sweep_all(ports).found_nothing:
                    return
        time.sleep(POLL_S)


def _of_pages(left: "Pending") -> int:
    return left.total - left.waiting.get("crawl", 0)


class Watch:
    """Tells work that takes long from work that nobody does: where nothing moves, workers are asked whether they live.

    node: the workers' name; told: what the user is to know where none answers.
    """

    def __init__(self, settings: Settings, node: str, told: str, patience: Patience) -> None:
        self._redis_url, self._node, self._told, self._patience = settings.redis_url, node, told, patience
        self._seen: object = None
        self._alive_at = self._asked_at = time.monotonic()
        self.warning: tuple[str, ...] = ()

    def saw(self, state: object) -> None:
        """Note what is seen now. Raises RetryLater when nothing moved and nobody answered for too long."""
        now = time.monotonic()
        if state != self._seen:
            self._seen = state
            self._lives(now)
            return
        if now - self._alive_at < self._patience.asked_after_s or now - self._asked_at < self._patience.asked_every_s:
            return
        from deploy.services import probes

        if probes.any_worker_answers(self._redis_url, self._node):
            self._lives(time.monotonic())
            return
        self._asked_at = time.monotonic()
        self.warning = (self._told,)
        if self._asked_at - self._alive_at > self._patience.given_up_after_s:
            raise RetryLater(f"{self._told}; see zhuiwen status, and start what is missing with zhuiwen up")

    def _lives(self, now: float) -> None:
        self._alive_at = self._asked_at = now
        self.warning = ()
